//! Looking after the indexes of an engine that keeps its own files: `/admin/indexes`.
//!
//! What a command of the operator does on the data folder of a stopped server, it does through these routes on a
//! running one. An import is many requests, each taken in whole before it is answered, so that a client that was cut
//! off can ask how far it came and go on from there.

mod import;
mod indexes;

use cantata_core::{Error, ErrorId, Origin};
use cantata_engine::EngineError;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Indexes;

/// The service that errors of these routes name.
const ORIGIN: Origin = Origin::IndexService;

/// Returns every route with its description.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(indexes: Indexes) -> OpenApiRouter<S> {
    OpenApiRouter::new()
        .routes(routes!(indexes::list))
        .routes(routes!(indexes::stats, indexes::create, indexes::delete))
        .routes(routes!(indexes::mapping))
        .routes(routes!(indexes::compact))
        .routes(routes!(indexes::verify))
        .routes(routes!(import::import, import::position, import::end))
        .with_state(indexes)
}

/// Gives an error of the engine its row in the one table.
fn refused(error: EngineError) -> Error {
    let text = error.to_string();
    let id = match error {
        EngineError::IndexNotFound(_) => ErrorId::IndexNotFound,
        EngineError::IndexExists(_) => ErrorId::IndexAlreadyExists,
        EngineError::Refused(_) => ErrorId::IllegalIndexRequest,
        EngineError::Unreachable | EngineError::PermissionDenied | EngineError::TimedOut => ErrorId::SearchEngineError,
        EngineError::Busy => ErrorId::ServiceUnavailable,
        EngineError::Failed(reason) => {
            tracing::error!(reason, "the search engine failed");
            let text = "The search engine failed; the log has the cause";
            return Error::new(ORIGIN, ErrorId::UnknownError, text);
        }
    };
    Error::new(ORIGIN, id, text)
}
