//! The HTTP client for calls to other services.
//!
//! A call never follows a redirect, never takes longer than its timeout (body included), and never buffers more of a body
//! than its caller allows. Errors keep their cause but never show an address or a header.

mod error;
mod public_addresses;

use std::sync::OnceLock;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder, Method, RequestBuilder, Response, StatusCode, Url};

use public_addresses::PublicAddresses;

pub use error::{ClientSettingsError, HttpError, parse_address};
pub use public_addresses::is_private_host;

const USER_AGENT: &str = concat!("cantata/", env!("CARGO_PKG_VERSION"));

/// A client with one timeout for all calls.
///
/// There is one reqwest client per scheme, each built at its first call: only the one for `https` reads the root
/// certificates of the machine, so start-up stays short and a machine without any can still call plain `http`.
#[derive(Debug)]
pub struct HttpClient {
    timeout: Duration,
    is_http_proxied: bool,
    resolves_public_only: bool,
    is_compressed: bool,
    authorization: Option<HeaderValue>,
    http: OnceLock<Client>,
    https: OnceLock<Client>,
}

impl HttpClient {
    /// Prepares calls that take no longer than `timeout`; nothing is built yet.
    pub fn new(timeout: Duration) -> Result<Self, ClientSettingsError> {
        if timeout.is_zero() {
            return Err(ClientSettingsError::ZeroTimeout);
        }
        Ok(Self {
            timeout,
            is_http_proxied: true,
            resolves_public_only: false,
            is_compressed: true,
            authorization: None,
            http: OnceLock::new(),
            https: OnceLock::new(),
        })
    }

    /// Sends an `Authorization` header with every request.
    #[must_use]
    pub fn with_authorization(self, authorization: Option<HeaderValue>) -> Self {
        Self { authorization, ..self }
    }

    /// Calls `http` addresses directly, whatever proxy the environment names.
    #[must_use]
    pub fn without_http_proxy(self) -> Self {
        Self { is_http_proxied: false, ..self }
    }

    /// Connects to names only where they resolve to public addresses.
    #[must_use]
    pub fn with_public_addresses_only(self) -> Self {
        Self { resolves_public_only: true, ..self }
    }

    /// Asks for bodies as they are: over a fast network, to compress a short one takes longer than to send it.
    #[must_use]
    pub fn without_compression(self) -> Self {
        Self { is_compressed: false, ..self }
    }

    /// Sends a request that `prepare` completes, and returns once the headers of the response have come.
    pub async fn send(
        &self,
        method: Method,
        url: Url,
        prepare: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Result<Response, HttpError> {
        let mut request = self.client(url.scheme() == "https")?.request(method, url);
        if let Some(authorization) = &self.authorization {
            request = request.header(AUTHORIZATION, authorization.clone());
        }
        let sent = prepare(request).send().await;
        sent.map_err(|error| HttpError::from(error).with_time_limit(self.timeout))
    }

    /// Sends a request that `prepare` completes, and reads the whole response.
    pub async fn call(
        &self,
        method: Method,
        url: Url,
        max_bytes: usize,
        prepare: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Result<(StatusCode, Vec<u8>), HttpError> {
        let response = self.send(method, url, prepare).await?;
        Ok((response.status(), self.read_body(response, max_bytes).await?))
    }

    /// Reads the body of a response; an error if it has more than `max_bytes`.
    pub async fn read_body(&self, response: Response, max_bytes: usize) -> Result<Vec<u8>, HttpError> {
        read_body(response, max_bytes).await.map_err(|error| error.with_time_limit(self.timeout))
    }

    fn client(&self, is_https: bool) -> reqwest::Result<&Client> {
        let client = if is_https { &self.https } else { &self.http };
        if let Some(client) = client.get() {
            return Ok(client);
        }
        let mut builder = client_builder(is_https).timeout(self.timeout);
        if !is_https && !self.is_http_proxied {
            builder = builder.no_proxy();
        }
        if !self.is_compressed {
            builder = builder.no_gzip();
        }
        if self.resolves_public_only {
            builder = builder.dns_resolver(PublicAddresses);
        }
        let built = builder.build()?;
        Ok(client.get_or_init(|| built))
    }
}

/// Returns a builder for clients with needs of their own: rustls, the root certificates of the machine, no redirects.
pub fn client_builder(is_https: bool) -> ClientBuilder {
    // An error only says that the process has chosen its TLS implementation already, which serves as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder().user_agent(USER_AGENT).redirect(Policy::none());
    // Reading the certificates of the machine takes time, and there may be none.
    if is_https { builder } else { builder.tls_certs_only([]) }
}

/// Reads the body of a response; an error if it has more than `max_bytes`.
pub async fn read_body(mut response: Response, max_bytes: usize) -> Result<Vec<u8>, HttpError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if body.len() + chunk.len() > max_bytes {
            return Err(HttpError::BodyTooLong(max_bytes));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Returns the header value that carries a bearer token; logs do not show it.
pub fn bearer(token: &str) -> Result<HeaderValue, ClientSettingsError> {
    let mut value = HeaderValue::try_from(format!("Bearer {token}")).map_err(|_| ClientSettingsError::Token)?;
    value.set_sensitive(true);
    Ok(value)
}
