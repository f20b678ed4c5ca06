//! Calls to the servers that vouch for credentials.
//!
//! No redirect is followed, no call takes longer than its timeout, and no answer is read beyond a limit.

use std::sync::OnceLock;
use std::time::Duration;

use cantata_core::with_causes;
use reqwest::redirect::Policy;
use reqwest::{Client, RequestBuilder, StatusCode, Url};

/// How long a call may take, answer included.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The largest answer, in bytes.
const LIMIT: usize = 1 << 20;

/// A server at one address. The client is made at the first call: for `https` it reads the certificates of the machine.
#[derive(Debug)]
pub(crate) struct Outside {
    url: Url,
    client: OnceLock<Result<Client, String>>,
}

/// Why an address of another server cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{url}' cannot be used: {reason}; expected an address such as https://auth.example.org/keys")]
pub struct AddressError {
    url: String,
    reason: String,
}

impl Outside {
    pub(crate) fn new(url: &str) -> Result<Self, AddressError> {
        let refused = |reason: String| AddressError { url: url.to_owned(), reason };
        let parsed = Url::parse(url).map_err(|error| refused(error.to_string()))?;
        if !matches!(parsed.scheme(), "http" | "https") {
            return Err(refused(format!("the scheme is '{}'", parsed.scheme())));
        }
        Ok(Self { url: parsed, client: OnceLock::new() })
    }

    /// Sends a request that `prepare` makes, and returns status and body. The error never shows an address.
    pub(crate) async fn call(
        &self,
        prepare: impl FnOnce(&Client, Url) -> RequestBuilder,
    ) -> Result<(StatusCode, Vec<u8>), String> {
        let client = self.client.get_or_init(|| self.build()).as_ref().map_err(Clone::clone)?;
        let explain = |error: reqwest::Error| with_causes(&error.without_url());
        let mut response = prepare(client, self.url.clone()).send().await.map_err(explain)?;
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(explain)? {
            if body.len() + piece.len() > LIMIT {
                return Err(format!("the answer has more than {LIMIT} bytes"));
            }
            body.extend_from_slice(&piece);
        }
        Ok((response.status(), body))
    }

    fn build(&self) -> Result<Client, String> {
        // An error only says that the process has chosen its TLS implementation already, which serves as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = Client::builder().redirect(Policy::none()).timeout(TIMEOUT);
        let builder = if self.url.scheme() == "http" { builder.tls_certs_only([]) } else { builder };
        builder.build().map_err(|error| with_causes(&error))
    }
}
