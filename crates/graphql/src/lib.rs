//! GraphQL for one catalogue: its schema, the plan of a request for an engine, and the response as JSON.
//!
//! ```text
//! Catalogue ── CatalogueSchema::build
//!                     │
//! GraphqlRequest ── prepare ──► PreparedRequest ── plan ──► PlannedRequest ── the caller executes plans and commands
//!                     │                                           │
//!                     └──► GraphqlErrorBody (400)                 └── write(PlanResults) ──► GraphqlResponse (200)
//! ```
//!
//! All pages and facets of one request become one plan for the index of the records, and one for the index of saved
//! sets. An error of one field is beside the data and does not affect the rest. Nothing here does I/O or knows an
//! engine.

mod error;
mod output;
mod plan;
mod prepared_request;
mod request;
mod saved_sets;
mod schema;
mod sdl;
mod set_command;
mod write;

pub use error::{GraphqlErrorBody, GraphqlErrorCode};
pub use plan::{PlanContext, PlanError, PlannedRequest, RecordsQuery};
pub use prepared_request::PreparedRequest;
pub use request::GraphqlRequest;
pub use saved_sets::{SAVED_SET_VIEW, saved_sets_mapping};
pub use schema::CatalogueSchema;
pub use set_command::{SaveSet, SetCommand, SetCommandOutcome};
pub use write::{GraphqlResponse, PlanResults};
