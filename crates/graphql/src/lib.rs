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
//! sets. What it asks of the network of the catalogue is a question, which the caller answers. An error of one field is beside the data and does not affect the rest. Nothing here does I/O or knows an
//! engine.

mod error;
mod network_question;
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
pub use network_question::{
    NamedRange, NetworkAnswer, NetworkError, NetworkFacet, NetworkQuestion, histogram_member, range_member,
};
pub use plan::{PlanContext, PlanError, PlannedRequest, RecordsQuery};
pub use prepared_request::PreparedRequest;
pub use request::GraphqlRequest;
pub use saved_sets::{SAVED_SET_BYTES, SAVED_SET_VIEW, saved_sets_mapping};
pub use schema::CatalogueSchema;
pub use set_command::{SaveSet, SetCommand, SetCommandOutcome};
pub use write::{GraphqlResponse, PlanResults};
