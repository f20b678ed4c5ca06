//! Administration of the indexes of an engine that keeps its own files: `/admin/indexes`; backups: `/admin/backup`;
//! events on their way to Kafka: `/admin/outbox`; API keys: `/admin/keys`; and the indexes of catalogues that have a
//! source: `/admin/indexing` and `/admin/jobs`.
//!
//! What a command of the operator does on the data folder of a stopped server, it does through these routes on a
//! running one. An import is many requests, each taken in whole before it is answered, so that a client that was cut
//! off can ask how far it came and go on from there.

mod backup;
mod import;
mod indexes;
mod indexing;
mod jobs;
mod keys;
mod outbox;

use std::sync::Arc;
use std::time::Duration;

use cantata_core::{Error, ErrorId, ErrorOrigin, LogInterval};
use cantata_engine::EngineError;
use utoipa_axum::routes;

pub(crate) use self::backup::routes as backup_routes;
pub(crate) use self::keys::{created_key, key_error, keys_of, parse_key, routes as key_routes};
pub(crate) use self::outbox::routes as outbox_routes;
use crate::access::RequiredScope;
use crate::routes::{Dialect, RouteSpec, Routes};
use crate::state::IndexingState;
use crate::{AccessControl, Indexes};

/// The spec of all routes for operators.
pub(crate) const ADMINISTRATION: RouteSpec = RouteSpec::new(RequiredScope::System, Dialect::Song).administration();

/// The service that errors of these routes name.
const ORIGIN: ErrorOrigin = ErrorOrigin::IndexService;

/// Returns every route with its description.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(access: &Arc<AccessControl>, indexes: Indexes) -> Routes<S> {
    Routes::new(access)
        .add(ADMINISTRATION, routes!(indexes::list))
        .add(ADMINISTRATION, routes!(indexes::stats, indexes::create, indexes::delete))
        .add(ADMINISTRATION, routes!(indexes::mapping))
        .add(ADMINISTRATION, routes!(indexes::compact))
        .add(ADMINISTRATION, routes!(indexes::verify))
        .add(ADMINISTRATION, routes!(import::import, import::position, import::end))
        .with_state(indexes)
}

/// Returns the routes of catalogues that have a source, and of jobs.
pub(crate) fn indexing_routes<S: Clone + Send + Sync + 'static>(
    access: &Arc<AccessControl>,
    state: IndexingState,
) -> Routes<S> {
    Routes::new(access)
        .add(ADMINISTRATION, routes!(indexing::status))
        .add(ADMINISTRATION, routes!(indexing::reindex))
        .add(ADMINISTRATION, routes!(indexing::rollback))
        .add(ADMINISTRATION, routes!(jobs::list))
        .add(ADMINISTRATION, routes!(jobs::follow))
        .add(ADMINISTRATION, routes!(jobs::job, jobs::cancel))
        .with_state(state)
}

/// Logs that a disk cannot be written; every change meets it, so there is one line for each interval.
pub(crate) fn log_not_writable(reason: &str) {
    static LINES: LogInterval = LogInterval::new(Duration::from_secs(10));
    if let Some(left_out) = LINES.admit() {
        tracing::error!(reason, left_out, "a disk cannot be written");
    }
}

/// Gives an error of the engine its row in the error table.
fn engine_error(error: EngineError) -> Error {
    let text = error.client_message();
    let id = match error {
        EngineError::IndexNotFound(_) => ErrorId::IndexNotFound,
        EngineError::IndexExists(_) => ErrorId::IndexAlreadyExists,
        EngineError::Rejected(_) => ErrorId::IllegalIndexRequest,
        EngineError::Unreachable | EngineError::PermissionDenied | EngineError::TimedOut => ErrorId::SearchEngineError,
        EngineError::Busy | EngineError::IndexUnavailable { .. } => ErrorId::ServiceUnavailable,
        EngineError::IndexDamaged { .. } => ErrorId::StoredDataDamaged,
        EngineError::NotWritable(reason) => {
            log_not_writable(&reason);
            return Error::new(ORIGIN, ErrorId::DiskNotWritable, text);
        }
        EngineError::Failed(reason) => {
            tracing::error!(reason, "the search engine failed");
            let text = "The search engine failed; the log has the cause";
            return Error::new(ORIGIN, ErrorId::UnknownError, text);
        }
    };
    Error::new(ORIGIN, id, text)
}
