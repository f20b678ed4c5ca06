//! What can go wrong with an attempt: whether it is worth another one, and what the rest of the service is told.

use std::error::Error;
use std::time::Duration;

use cantata_engine::EngineError;
use serde::Deserialize;

/// An attempt that gave no answer to go on with.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) kind: FailureKind,
    /// How long the cluster wants to be left alone.
    pub(super) retry_after: Option<Duration>,
    /// For the log; has no credentials.
    pub(super) details: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FailureKind {
    /// No connection was made, so nothing was sent.
    NoConnection,
    /// No complete answer came in time.
    Silent,
    /// The connection broke before the answer was complete.
    BrokenOff,
    NotHttp,
    NotJson,
    Redirect,
    AnswerTooLong,
    RequestTooLong,
    /// 429.
    Busy,
    /// 502.
    BadGateway,
    /// 503: a node that starts or stops, a cluster without a master, a load balancer without nodes.
    Unavailable,
    /// 503, and the cluster says that it has lost a part of an index.
    ShardsMissing,
    /// 504.
    GatewayTimeout,
    /// Any other 5xx.
    InternalError,
    /// The request could not even be written.
    Unsendable,
}

impl FailureKind {
    /// Says whether it is a failure of the node, so that another one may do better.
    pub(super) fn is_of_the_node(self) -> bool {
        use FailureKind::{BadGateway, BrokenOff, GatewayTimeout, NoConnection, NotHttp, Silent, Unavailable};
        matches!(self, NoConnection | Silent | BrokenOff | NotHttp | BadGateway | Unavailable | GatewayTimeout)
    }

    /// Says whether another attempt is safe and of use. A request that was sent may have been done, unless the cluster
    /// says that it was not.
    pub(super) fn allows_another(self, is_repeatable: bool) -> bool {
        match self {
            Self::NoConnection | Self::Busy | Self::Unavailable | Self::ShardsMissing => true,
            Self::BrokenOff | Self::NotHttp | Self::BadGateway | Self::GatewayTimeout => is_repeatable,
            // The time is over.
            Self::Silent => false,
            Self::NotJson
            | Self::Redirect
            | Self::AnswerTooLong
            | Self::RequestTooLong
            | Self::InternalError
            | Self::Unsendable => false,
        }
    }

    pub(super) fn error(self) -> EngineError {
        let failed = |text: &str| EngineError::Failed(text.to_owned());
        match self {
            Self::NoConnection | Self::BrokenOff | Self::BadGateway | Self::Unavailable => EngineError::Unreachable,
            Self::Silent | Self::GatewayTimeout => EngineError::TimedOut,
            Self::Busy => EngineError::Busy,
            Self::NotHttp => failed("its answer is not HTTP"),
            Self::NotJson => failed("its answer is not JSON"),
            Self::Redirect => failed("it sends to another address, which is not followed"),
            Self::ShardsMissing => failed("a part of the index is not available, as shards are not assigned"),
            Self::InternalError => failed("it answered with an error of its own"),
            Self::Unsendable => failed("the request could not be sent"),
            Self::AnswerTooLong => EngineError::Refused(
                "the answer of the search engine is too large; ask for fewer records or values at once".to_owned(),
            ),
            Self::RequestTooLong => EngineError::Refused(
                "the request is larger than the search engine accepts; use fewer values in the filter".to_owned(),
            ),
        }
    }
}

impl Failure {
    pub(super) fn new(kind: FailureKind, details: impl Into<String>) -> Self {
        Self { kind, retry_after: None, details: details.into() }
    }

    /// Reads what the client library says.
    pub(super) fn of_client(error: reqwest::Error) -> Self {
        // The address is logged beside it.
        let error = error.without_url();
        let kind = if error.is_builder() {
            FailureKind::Unsendable
        } else if error.is_connect() {
            FailureKind::NoConnection
        } else if is_not_http(&error) {
            FailureKind::NotHttp
        } else {
            FailureKind::BrokenOff
        };
        Self::new(kind, with_causes(&error))
    }
}

fn is_not_http(error: &reqwest::Error) -> bool {
    causes(error).filter_map(|cause| cause.downcast_ref::<hyper::Error>()).any(hyper::Error::is_parse)
}

/// The members of an error that decide what it is.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ErrorBody {
    error: ErrorCause,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct ErrorCause {
    r#type: String,
}

impl ErrorBody {
    /// Reads the body of an error; the default if it is not one of the cluster.
    pub(super) fn read(body: &[u8]) -> Self {
        serde_json::from_slice(body).unwrap_or_default()
    }

    /// Says whether shards are missing, as in an index of health red.
    pub(super) fn lacks_shards(&self) -> bool {
        matches!(&*self.error.r#type, "search_phase_execution_exception" | "no_shard_available_action_exception")
    }

    /// Says whether the index is blocked by its settings, which has nothing to do with who asks.
    pub(super) fn is_block(&self) -> bool {
        self.error.r#type == "cluster_block_exception"
    }
}

fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

/// Returns the text of an error and of everything that caused it.
pub(super) fn with_causes(error: &(dyn Error + 'static)) -> String {
    causes(error).map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
