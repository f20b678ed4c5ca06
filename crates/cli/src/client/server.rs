//! The server as commands see it: typed calls over HTTP, and bodies that are read while they arrive.

use std::io::{self, Read};

use bytes::{Buf, Bytes};
use reqwest::header::{CONTENT_TYPE, HeaderValue};
use reqwest::{Client, Method, RequestBuilder, Response, StatusCode, Url};
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::runtime::Handle;

use super::refusal::{CallError, Refusal};

/// A running server.
pub(crate) struct Server {
    base: Url,
    http: Client,
}

/// The query of an address.
type Query<'a> = &'a [(&'a str, &'a str)];

impl Server {
    pub(super) fn new(base: Url, http: Client) -> Self {
        Self { base, http }
    }

    /// Begins a request.
    pub(super) fn request(&self, method: Method, path: &[&str], query: Query<'_>) -> RequestBuilder {
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

    /// Reads something.
    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &[&str], query: Query<'_>) -> Result<T, CallError> {
        self.read(self.request(Method::GET, path, query)).await
    }

    /// Opens something that is read while it arrives.
    pub(super) async fn open(&self, path: &[&str], query: Query<'_>) -> Result<Response, CallError> {
        self.answer(self.request(Method::GET, path, query)).await
    }

    /// Sends JSON, and reads the answer.
    pub(super) async fn send<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &[&str],
        body: &Value,
    ) -> Result<T, CallError> {
        self.read(with_json(self.request(method, path, &[]), body)).await
    }

    /// Sends JSON, and opens the answer.
    pub(super) async fn post(&self, path: &[&str], body: &Value) -> Result<Response, CallError> {
        self.answer(with_json(self.request(Method::POST, path, &[]), body)).await
    }

    /// Sends a request and reads the answer to its end.
    pub(super) async fn read<T: DeserializeOwned>(&self, request: RequestBuilder) -> Result<T, CallError> {
        let body = self.bytes(self.answer(request).await?).await?;
        serde_json::from_slice(&body).map_err(|_| self.not_understood())
    }

    /// Reads an answer to its end.
    pub(super) async fn bytes(&self, response: Response) -> Result<Bytes, CallError> {
        response.bytes().await.map_err(|error| self.lost(&error))
    }

    /// Sends a request and returns a good answer, whose body may still be on its way.
    pub(super) async fn answer(&self, request: RequestBuilder) -> Result<Response, CallError> {
        let response = request.send().await.map_err(|error| self.lost(&error))?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let media_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let is_text = media_type.starts_with("text/plain");
        let body = self.bytes(response).await?;
        let Some(refusal) = Refusal::read(status, is_text, &body) else { return Err(self.not_understood()) };
        Err(self.judged(status, refusal))
    }

    /// Adds to a refusal what the server cannot know.
    pub(super) fn judged(&self, status: StatusCode, mut refusal: Refusal) -> CallError {
        let base = &self.base;
        match status {
            StatusCode::UNAUTHORIZED => {
                refusal.message = format!(
                    "{}; --key or CANTATA_KEY carries the key for {base}",
                    refusal.message.trim_end_matches('.')
                );
                CallError::NotAllowed(refusal)
            }
            StatusCode::FORBIDDEN => CallError::NotAllowed(refusal),
            StatusCode::TOO_MANY_REQUESTS => CallError::Unreachable(refusal.text()),
            status if status.is_server_error() => CallError::Unreachable(refusal.text()),
            _ => CallError::Refused(refusal),
        }
    }

    /// Reads the body of an answer as it arrives, in code that waits for it.
    pub(super) fn while_it_arrives<T>(&self, response: Response, read: impl FnOnce(Arriving) -> T) -> T {
        let arriving = Arriving { response, piece: Bytes::new(), runtime: Handle::current() };
        tokio::task::block_in_place(|| read(arriving))
    }

    /// Says why a body could not be read to its end.
    pub(super) fn broken(&self, error: &serde_json::Error) -> CallError {
        if error.is_io() { self.gone("stopped answering") } else { self.not_understood() }
    }

    pub(super) fn lost(&self, error: &reqwest::Error) -> CallError {
        tracing::debug!(%error, "a call to the server failed");
        self.gone(if error.is_connect() { "cannot be reached" } else { "stopped answering" })
    }

    /// Says that there is no server any more.
    pub(super) fn gone(&self, verb: &str) -> CallError {
        let base = &self.base;
        CallError::Unreachable(format!(
            "the server at {base} {verb}; is it running? --server or CANTATA_URL names another one"
        ))
    }

    fn not_understood(&self) -> CallError {
        let base = &self.base;
        CallError::Unreachable(format!(
            "what is at {base} does not answer like a Cantata server; --server or CANTATA_URL names another one"
        ))
    }
}

fn with_json(request: RequestBuilder, body: &Value) -> RequestBuilder {
    request.header(CONTENT_TYPE, HeaderValue::from_static("application/json")).body(body.to_string())
}

/// A body on its way.
pub(super) struct Arriving {
    response: Response,
    piece: Bytes,
    runtime: Handle,
}

impl Read for Arriving {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.runtime.block_on(self.response.chunk()).map_err(io::Error::other)? {
                Some(piece) => self.piece = piece,
                None => return Ok(0),
            }
        }
        let length = buffer.len().min(self.piece.len());
        let (head, _) = buffer.split_at_mut(length);
        self.piece.copy_to_slice(head);
        Ok(length)
    }
}
