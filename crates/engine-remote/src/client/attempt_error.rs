//! Why an attempt failed: whether it is retryable, and which engine error it becomes.

use std::error::Error;
use std::time::Duration;

use cantata_core::error_chain;
use cantata_engine::EngineError;
use serde_json::Value;

/// A failed attempt.
#[derive(Debug)]
pub(super) struct AttemptError {
    pub(super) kind: AttemptErrorKind,
    /// The `Retry-After` of the response.
    pub(super) retry_after: Option<Duration>,
    /// For the log; has no credentials.
    pub(super) details: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AttemptErrorKind {
    /// No connection was made, so nothing was sent.
    ConnectFailed,
    /// No complete response came in time.
    TimedOut,
    /// The connection was lost before the response was complete.
    ConnectionLost,
    NotHttp,
    NotJson,
    Redirect,
    ResponseTooLarge,
    RequestTooLarge,
    /// 429.
    Busy,
    /// 502.
    BadGateway,
    /// 503: a node that starts or stops, a cluster without a master, a load balancer without nodes.
    Unavailable,
    /// 503, and shards of an index are not assigned.
    ShardsUnavailable,
    /// 504.
    GatewayTimeout,
    /// Any other 5xx.
    InternalError,
    /// The request could not be built.
    InvalidRequest,
}

impl AttemptErrorKind {
    /// Returns whether the node failed, so that another one may succeed.
    pub(super) fn is_node_failure(self) -> bool {
        use AttemptErrorKind::{
            BadGateway, ConnectFailed, ConnectionLost, GatewayTimeout, NotHttp, TimedOut, Unavailable,
        };
        matches!(self, ConnectFailed | TimedOut | ConnectionLost | NotHttp | BadGateway | Unavailable | GatewayTimeout)
    }

    /// Returns whether a retry is safe and useful. A request that was sent may have been executed, unless the cluster
    /// says that it was not.
    pub(super) fn is_retryable(self, is_idempotent: bool) -> bool {
        match self {
            Self::ConnectFailed | Self::Busy | Self::Unavailable | Self::ShardsUnavailable => true,
            Self::ConnectionLost | Self::NotHttp | Self::BadGateway | Self::GatewayTimeout => is_idempotent,
            // The deadline has passed.
            Self::TimedOut => false,
            Self::NotJson
            | Self::Redirect
            | Self::ResponseTooLarge
            | Self::RequestTooLarge
            | Self::InternalError
            | Self::InvalidRequest => false,
        }
    }

    pub(super) fn error(self) -> EngineError {
        let failed = |text: &str| EngineError::Failed(text.to_owned());
        match self {
            Self::ConnectFailed | Self::ConnectionLost | Self::BadGateway | Self::Unavailable => {
                EngineError::Unreachable
            }
            Self::TimedOut | Self::GatewayTimeout => EngineError::TimedOut,
            Self::Busy => EngineError::Busy,
            Self::NotHttp => failed("its answer is not HTTP"),
            Self::NotJson => failed("its answer is not JSON"),
            Self::Redirect => failed("it sends to another address, which is not followed"),
            Self::ShardsUnavailable => failed("a part of the index is not available, as shards are not assigned"),
            Self::InternalError => failed("it answered with an error of its own"),
            Self::InvalidRequest => failed("the request could not be sent"),
            Self::ResponseTooLarge => EngineError::Rejected(
                "the answer of the search engine is too large; ask for fewer records or values at once".to_owned(),
            ),
            Self::RequestTooLarge => EngineError::Rejected(
                "the request is larger than the search engine accepts; use fewer values in the filter".to_owned(),
            ),
        }
    }
}

impl AttemptError {
    pub(super) fn new(kind: AttemptErrorKind, details: impl Into<String>) -> Self {
        Self { kind, retry_after: None, details: details.into() }
    }

    /// Classifies an error of the HTTP library.
    pub(super) fn from_reqwest(error: reqwest::Error) -> Self {
        // The address is logged separately.
        let error = error.without_url();
        let kind = if error.is_builder() {
            AttemptErrorKind::InvalidRequest
        } else if error.is_connect() {
            AttemptErrorKind::ConnectFailed
        } else if is_not_http(&error) {
            AttemptErrorKind::NotHttp
        } else {
            AttemptErrorKind::ConnectionLost
        };
        Self::new(kind, error_chain(&error))
    }
}

fn is_not_http(error: &reqwest::Error) -> bool {
    let causes = std::iter::successors(Some(error as &(dyn Error + 'static)), |&cause| cause.source());
    causes.filter_map(|cause| cause.downcast_ref::<hyper::Error>()).any(hyper::Error::is_parse)
}

/// Returns whether an error response says that shards are unavailable, as in an index of health red.
pub(super) fn has_unavailable_shards(body: &[u8]) -> bool {
    matches!(&*error_type(body), "search_phase_execution_exception" | "no_shard_available_action_exception")
}

/// Returns whether an error response says that the index is blocked by its settings, which is no matter of credentials.
pub(super) fn is_index_block(body: &[u8]) -> bool {
    error_type(body) == "cluster_block_exception"
}

/// Returns the type of the error in a response; empty if there is none.
fn error_type(body: &[u8]) -> String {
    let body: Value = serde_json::from_slice(body).unwrap_or_default();
    body["error"]["type"].as_str().unwrap_or_default().to_owned()
}
