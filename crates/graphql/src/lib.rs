//! GraphQL for one catalogue: its schema, what a request selects, the plan that an engine runs, and the answer as JSON.
//!
//! ```text
//! Catalogue ── CatalogueSchema::build
//!                     │
//! Request ─────── prepare ──► Prepared ── plan(sets, now) ──► Planned ── an engine runs plans and commands
//!                     │                                          │
//!                     └──► ErrorBody (400)                       └── write(answers) ──► the body (200)
//! ```
//!
//! All pages and facets of one request become one plan for the index of the records; what is asked of saved sets
//! becomes one for theirs. A mistake in one field is an error beside the data and leaves the rest alone. Nothing here
//! does I/O or knows an engine.

mod command;
mod error;
mod output;
mod plan;
mod prepare;
mod request;
mod schema;
mod sdl;
mod sets;
mod write;

pub use command::{Command, CommandOutcome, SaveSet};
pub use error::{Code, ErrorBody};
pub use plan::{PlanContext, Planned, RecordsQuery};
pub use prepare::Prepared;
pub use request::Request;
pub use schema::CatalogueSchema;
pub use sets::sets_mapping;
pub use write::{Answers, Written};
