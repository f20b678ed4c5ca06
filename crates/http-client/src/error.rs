//! Why a client cannot be made, and why a call gave no response.

use std::time::Duration;

use cantata_core::error_chain;
use reqwest::Url;

/// A setting of a client that cannot work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientSettingsError {
    /// No call could end in time.
    #[error("the timeout of calls to other servers is zero, but must be longer")]
    ZeroTimeout,
    /// The address of a service cannot be called.
    #[error("the address '{url}' cannot be used: {reason}; expected one such as https://service.example.org")]
    Address {
        /// The address as configured.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The access token cannot be put into a header; the token itself is not shown.
    #[error("the access token has characters that an HTTP header cannot carry, such as a line break")]
    Token,
}

impl ClientSettingsError {
    /// Returns the error of an address.
    pub fn address(url: &str, reason: impl Into<String>) -> Self {
        Self::Address { url: url.to_owned(), reason: reason.into() }
    }
}

/// Reads the `http` or `https` address of a service.
pub fn parse_address(address: &str) -> Result<Url, ClientSettingsError> {
    let url = Url::parse(address).map_err(|error| ClientSettingsError::address(address, error.to_string()))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        other => {
            let reason = format!("its scheme is '{other}', but must be http or https");
            Err(ClientSettingsError::address(address, reason))
        }
    }
}

/// Why a call gave no response. Neither the text nor a cause shows an address or a header.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// Nothing was sent.
    #[error("no connection could be made")]
    Connect(#[source] reqwest::Error),
    /// The response, or its end, did not come in time.
    #[error("no complete answer came {}", .1.map_or("in time".to_owned(), |limit| format!("within {} s", limit.as_secs_f64())))]
    Timeout(#[source] reqwest::Error, Option<Duration>),
    /// The connection was closed early, or something else than HTTP came.
    #[error("the connection broke or the answer was not HTTP")]
    Broken(#[source] reqwest::Error),
    /// The client or the request could not be built, as where the certificates of the machine cannot be read.
    #[error("this server cannot make the call: {}", error_chain(.0))]
    Request(reqwest::Error),
    /// The body has more bytes than are read.
    #[error("the answer has more than {0} bytes")]
    BodyTooLong(usize),
}

impl HttpError {
    /// Names the time limit that a call with a timeout has exceeded.
    pub(crate) fn with_time_limit(self, limit: Duration) -> Self {
        match self {
            Self::Timeout(error, _) => Self::Timeout(error, Some(limit)),
            other => other,
        }
    }
}

impl From<reqwest::Error> for HttpError {
    fn from(error: reqwest::Error) -> Self {
        let error = error.without_url();
        tracing::debug!(error = error_chain(&error), "a call to another service failed");
        if error.is_timeout() {
            Self::Timeout(error, None)
        } else if error.is_connect() {
            Self::Connect(error)
        } else if error.is_builder() {
            Self::Request(error)
        } else {
            Self::Broken(error)
        }
    }
}
