//! The HTTP client behind every call to a server that is not ours.
//!
//! It must never follow a redirect, never wait longer than its timeout (body included), and cost nothing until it is
//! used. There is one client per scheme, each built at its first call: only the one for `https` reads the root
//! certificates of the machine, so that start-up stays short and a machine without any can still call plain `http`.

use std::sync::OnceLock;
use std::time::Duration;

use cantata_core::with_causes;
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, Response, Url};

const USER_AGENT: &str = concat!("cantata/", env!("CARGO_PKG_VERSION"));

/// Says which setting of a client cannot work.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SetupError {
    /// No call could end in time.
    #[error("the timeout of calls to other servers is zero, but must be longer")]
    ZeroTimeout,
    /// The address of a server cannot be called.
    #[error("the address '{url}' cannot be used: {reason}; expected one like https://score.example.org")]
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

/// Says why a call gave no answer. The text never shows an address or a header.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CallError {
    #[error("no connection could be made")]
    Connect,
    #[error("no complete answer came within {}", seconds(.0))]
    Timeout(Duration),
    #[error("the connection broke or the answer was not HTTP")]
    Broken,
    #[error("this server cannot make the call: {0}")]
    Client(String),
}

fn seconds(timeout: &Duration) -> String {
    format!("{} s", timeout.as_secs_f64())
}

/// Makes GET calls.
#[derive(Debug)]
pub(crate) struct Outside {
    timeout: Duration,
    plain: OnceLock<Result<Client, String>>,
    secure: OnceLock<Result<Client, String>>,
}

impl Outside {
    /// Prepares calls that take no longer than `timeout`, without building a client yet.
    pub(crate) fn new(timeout: Duration) -> Result<Self, SetupError> {
        if timeout.is_zero() {
            return Err(SetupError::ZeroTimeout);
        }
        Ok(Self { timeout, plain: OnceLock::new(), secure: OnceLock::new() })
    }

    /// Sends a GET and returns once the headers of the answer are there; `prepare` may add headers to the request.
    pub(crate) async fn get(
        &self,
        url: Url,
        prepare: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Result<Response, CallError> {
        let client = self.client(url.scheme()).map_err(CallError::Client)?;
        prepare(client.get(url)).send().await.map_err(|error| self.explain(error))
    }

    /// Reads a body, or gives up with `None` once it is longer than `limit` bytes.
    pub(crate) async fn body(&self, mut response: Response, limit: usize) -> Result<Option<Vec<u8>>, CallError> {
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| self.explain(error))? {
            if body.len() + chunk.len() > limit {
                return Ok(None);
            }
            body.extend_from_slice(&chunk);
        }
        Ok(Some(body))
    }

    fn client(&self, scheme: &str) -> Result<&Client, String> {
        let built = if scheme == "https" {
            self.secure.get_or_init(|| self.build(|builder| builder))
        } else {
            self.plain.get_or_init(|| self.build(|builder| builder.tls_certs_only([])))
        };
        built.as_ref().map_err(Clone::clone)
    }

    fn build(&self, adapt: impl FnOnce(reqwest::ClientBuilder) -> reqwest::ClientBuilder) -> Result<Client, String> {
        // An error only says that the process has chosen its TLS implementation already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = Client::builder().user_agent(USER_AGENT).redirect(Policy::none()).timeout(self.timeout);
        adapt(builder).build().map_err(|error| with_causes(&error))
    }

    fn explain(&self, error: reqwest::Error) -> CallError {
        let error = error.without_url();
        tracing::debug!(error = with_causes(&error), "a call to another server failed");
        if error.is_timeout() {
            CallError::Timeout(self.timeout)
        } else if error.is_connect() {
            CallError::Connect
        } else if error.is_builder() {
            CallError::Client(with_causes(&error))
        } else {
            CallError::Broken
        }
    }
}
