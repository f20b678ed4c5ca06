//! The HTTP client of a server: typed calls and streamed bodies.

use std::io::{self, Read};

use bytes::{Buf, Bytes};
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode, Url};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::runtime::Handle;

use crate::client::api_error::{ApiError, CallError};
use crate::error::CliError;
use crate::http::connect;

/// What names the server of client commands.
pub(super) const CLIENT_SERVER_OPTION: &str = "--server or CANTATA_URL";

/// A client of a running server.
pub(crate) struct ServerClient {
    pub(crate) base: Url,
    http: Client,
    /// What names another server, for messages.
    option: &'static str,
}

/// The query of a URL.
type Query<'a> = &'a [(&'a str, &'a str)];

impl ServerClient {
    /// Creates a client for the server at an address; nothing is sent yet.
    pub(crate) fn new(address: &str, credential: Option<&str>, option: &'static str) -> Result<Self, CliError> {
        let (base, http) = connect(address, credential)?;
        Ok(Self { base, http, option })
    }

    /// Builds a request.
    pub(crate) fn request(&self, method: Method, path: &[&str], query: Query<'_>) -> RequestBuilder {
        let mut url = self.base.clone();
        // Only an address that cannot be a base has no segments, and such a one is no address of a server.
        if let Ok(mut segments) = url.path_segments_mut() {
            segments.pop_if_empty().extend(path);
        }
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        self.http.request(method, url)
    }

    /// Sends a GET and parses the response.
    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &[&str], query: Query<'_>) -> Result<T, CallError> {
        self.read(self.request(Method::GET, path, query)).await
    }

    /// Sends a GET and returns the response for streaming.
    pub(super) async fn open(&self, path: &[&str], query: Query<'_>) -> Result<Response, CallError> {
        self.execute(self.request(Method::GET, path, query)).await
    }

    /// Sends JSON and parses the response.
    pub(crate) async fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &[&str],
        body: &Value,
    ) -> Result<T, CallError> {
        self.read(with_json(self.request(method, path, &[]), body)).await
    }

    /// Sends JSON and returns the response for streaming.
    pub(super) async fn post(&self, path: &[&str], body: &Value) -> Result<Response, CallError> {
        self.execute(with_json(self.request(Method::POST, path, &[]), body)).await
    }

    /// Sends a request and parses the response.
    pub(super) async fn read<T: DeserializeOwned>(&self, request: RequestBuilder) -> Result<T, CallError> {
        let body = self.bytes(self.execute(request).await?).await?;
        serde_json::from_slice(&body).map_err(|_| self.unexpected_response())
    }

    /// Reads a body completely.
    pub(crate) async fn bytes(&self, response: Response) -> Result<Bytes, CallError> {
        response.bytes().await.map_err(|error| self.connection_error(&error))
    }

    /// Sends a request and returns a successful response, whose body is not read yet.
    pub(crate) async fn execute(&self, request: RequestBuilder) -> Result<Response, CallError> {
        self.attempt(request).await?.map_err(|(status, error)| self.classify(status, error))
    }

    /// Sends a request and returns a successful response, or the error response as the server sent it.
    pub(crate) async fn attempt(
        &self,
        request: RequestBuilder,
    ) -> Result<Result<Response, (StatusCode, ApiError)>, CallError> {
        let response = request.send().await.map_err(|error| self.connection_error(&error))?;
        let status = response.status();
        if status.is_success() {
            return Ok(Ok(response));
        }
        let media_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let is_text = media_type.starts_with("text/plain");
        let body = self.bytes(response).await?;
        let error = ApiError::parse(status, is_text, &body).ok_or_else(|| self.unexpected_response())?;
        Ok(Err((status, error)))
    }

    /// Classifies an error by its status, and adds a hint about the key.
    pub(super) fn classify(&self, status: StatusCode, mut error: ApiError) -> CallError {
        let base = &self.base;
        match status {
            StatusCode::UNAUTHORIZED => {
                error.message =
                    format!("{}; --key or CANTATA_KEY sets the key for {base}", error.message.trim_end_matches('.'));
                CallError::NotAllowed(error)
            }
            StatusCode::FORBIDDEN => CallError::NotAllowed(error),
            StatusCode::TOO_MANY_REQUESTS => CallError::Unreachable(error.text()),
            status if status.is_server_error() => CallError::Unreachable(error.text()),
            _ => CallError::Rejected(error),
        }
    }

    /// Reads a body in blocking code while it arrives.
    pub(super) fn read_streaming<T>(&self, response: Response, read: impl FnOnce(BlockingBody) -> T) -> T {
        let body = BlockingBody { response, chunk: Bytes::new(), runtime: Handle::current() };
        tokio::task::block_in_place(|| read(body))
    }

    /// Returns the error of a body that could not be read.
    pub(super) fn body_error(&self, error: &serde_json::Error) -> CallError {
        if error.is_io() { self.unreachable("stopped answering") } else { self.unexpected_response() }
    }

    pub(crate) fn connection_error(&self, error: &reqwest::Error) -> CallError {
        tracing::debug!(%error, "a call to the server failed");
        self.unreachable(if error.is_connect() { "cannot be reached" } else { "stopped answering" })
    }

    /// Returns the error of a server that does not respond.
    pub(super) fn unreachable(&self, verb: &str) -> CallError {
        let Self { base, option, .. } = self;
        CallError::Unreachable(format!("the server at {base} {verb}; is it running? {option} names another one"))
    }

    /// Returns the error of something that does not answer like a server of this kind.
    pub(crate) fn unexpected_response(&self) -> CallError {
        let Self { base, option, .. } = self;
        CallError::Unreachable(format!(
            "what is at {base} does not answer like a Cantata server; {option} names another one"
        ))
    }
}

fn with_json(request: RequestBuilder, body: &Value) -> RequestBuilder {
    request.header(CONTENT_TYPE, HeaderValue::from_static("application/json")).body(body.to_string())
}

/// A body that is read in blocking code.
pub(super) struct BlockingBody {
    response: Response,
    chunk: Bytes,
    runtime: Handle,
}

impl Read for BlockingBody {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.chunk.is_empty() {
            match self.runtime.block_on(self.response.chunk()).map_err(io::Error::other)? {
                Some(chunk) => self.chunk = chunk,
                None => return Ok(0),
            }
        }
        let length = buffer.len().min(self.chunk.len());
        let (head, _) = buffer.split_at_mut(length);
        self.chunk.copy_to_slice(head);
        Ok(length)
    }
}
