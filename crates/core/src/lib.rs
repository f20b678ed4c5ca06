//! The domain types of the metadata service: ids, studies, analyses, files, analysis types, events, and the error table.
//! Nothing here does I/O.

pub mod analysis;
pub mod analysis_type;
mod cluster_credentials;
pub mod error;
pub mod event;
pub mod file;
pub mod ids;
pub mod json;
mod log_interval;
mod secret;
pub mod state;
pub mod study;
pub mod time;

pub use analysis::{Analysis, RawAnalysis, SERVER_OWNED_FIELDS};
pub use analysis_type::{AnalysisType, AnalysisTypeId, ExternalValidation, PartialTypeOptions, TypeOptions};
pub use cluster_credentials::{ClusterCredentials, ClusterCredentialsError};
pub use error::{Error, ErrorId, ErrorOrigin, Result, error_chain};
pub use event::{Event, EventAction};
pub use file::{File, FileAccess};
pub use ids::{AnalysisId, ObjectId};
pub use log_interval::LogInterval;
pub use secret::Secret;
pub use state::{AnalysisState, StateChange};
pub use study::Study;
pub use time::Timestamp;
