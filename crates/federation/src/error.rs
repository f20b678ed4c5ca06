//! Why a node gave no answer.

use cantata_http_client::HttpError;

/// Why a node gave no answer. The text is for clients: it has nothing that the node said.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NodeError {
    #[error("the fields of the node are not known yet")]
    NotDiscovered,
    #[error("the node failed several times; it is asked again once it answers")]
    Suspended,
    #[error("the settings of the node cannot be used; the log of the server says why")]
    Settings,
    #[error("the node cannot be reached")]
    Unreachable,
    #[error("the node did not answer in time")]
    TimedOut,
    #[error("the node does not allow this request")]
    Denied,
    /// The values of the request do not suit it.
    #[error("the node rejected the request")]
    Rejected,
    /// The request does not fit the schema of the node, which may have changed.
    #[error("the node rejected the request; its fields are read again")]
    SchemaMismatch,
    #[error("the node answered with an error")]
    Failed,
    /// The node works, and reports an error of this request.
    #[error("the node has no answer to this request")]
    Erred,
    #[error("the answer of the node is too long")]
    TooLong,
    /// Answers that are being read take all the memory that they may.
    #[error("too many answers are being read at present; ask again")]
    Busy,
    /// A node that does not know a field would answer as if no record had it.
    #[error("the node does not have a field of the filter")]
    LacksField,
    /// The reason is for the log.
    #[error("the answer of the node cannot be used")]
    Invalid(&'static str),
}

impl NodeError {
    /// Returns whether the error may tell that the node does not work. A request that it does not like must not let it be
    /// doubted for others.
    pub(crate) fn is_outage(&self) -> bool {
        match self {
            Self::Unreachable | Self::TimedOut | Self::Failed | Self::Invalid(_) => true,
            Self::NotDiscovered
            | Self::Suspended
            | Self::Settings
            | Self::Erred
            | Self::TooLong
            | Self::Busy
            | Self::LacksField
            | Self::Denied
            | Self::Rejected
            | Self::SchemaMismatch => false,
        }
    }

    /// Returns the error of a response that has this status instead of 200.
    pub(crate) fn of_status(status: u16) -> Self {
        match status {
            401 | 403 => Self::Denied,
            400 => Self::SchemaMismatch,
            413 | 414 | 422 | 431 => Self::Rejected,
            _ => Self::Failed,
        }
    }
}

impl From<HttpError> for NodeError {
    fn from(error: HttpError) -> Self {
        match error {
            HttpError::Timeout(..) => Self::TimedOut,
            HttpError::BodyTooLong(_) => Self::TooLong,
            HttpError::Connect(_) | HttpError::Broken(_) | HttpError::Request(_) => Self::Unreachable,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_that_is_too_large_is_no_outage() {
        // A body, an address, and headers, which may be those of the client.
        for status in [413, 414, 431] {
            assert!(!NodeError::of_status(status).is_outage(), "{status}");
        }
        assert!(NodeError::of_status(503).is_outage());
    }
}
