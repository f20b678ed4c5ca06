//! The vocabulary of the metadata service: ids, studies, analyses, files, analysis types, events, and the one error
//! table. Nothing here does I/O; every other crate speaks in these types.

pub mod analysis;
pub mod analysis_type;
pub mod error;
pub mod event;
pub mod file;
pub mod ids;
pub mod json;
pub mod state;
pub mod study;
pub mod time;

pub use analysis::{Analysis, SERVER_OWNED_FIELDS, WrittenAnalysis};
pub use analysis_type::{AnalysisType, AnalysisTypeId, ExternalValidation, GivenOptions, TypeOptions};
pub use error::{Error, ErrorId, Origin, Result, with_causes};
pub use event::{Action, Event};
pub use file::{File, FileAccess};
pub use ids::{AnalysisId, ObjectId};
pub use state::{AnalysisState, StateChange};
pub use study::Study;
pub use time::Timestamp;
