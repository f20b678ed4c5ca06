//! Calls to the server of a remote node.
//!
//! Each piece of an answer takes its share of the memory for answers before it is kept. So a node that is slow takes
//! none, and cannot keep other nodes from answering.

use std::sync::Arc;
use std::time::Duration;

use cantata_catalogue::{NodeConfig, RemoteNode};
use cantata_graphql::GraphqlRequest;
use cantata_http_client::{ClientSettingsError, HttpClient, HttpError, bearer, is_private_host, parse_address};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Response, StatusCode, Url};
use serde_json::json;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::NodeError;
use crate::network::ForwardedHeader;

/// The header with the version of a Cantata server.
const VERSION_HEADER: &str = "x-cantata-version";

/// The header with the suppression threshold that a Cantata server has applied.
const SUPPRESSION_HEADER: &str = "x-cantata-suppressed-below";

/// How many characters of a version are shown.
const MAX_VERSION_CHARS: usize = 40;

/// The highest threshold that a catalogue can have.
const MAX_THRESHOLD: u64 = i32::MAX as u64;

/// How a remote node is called.
#[derive(Debug)]
pub(crate) struct RemoteClient {
    http: HttpClient,
    pub(crate) url: Url,
    headers: Vec<String>,
    authorization: Option<HeaderValue>,
    timeout: Duration,
    max_bytes: usize,
    /// A permit for each byte that answers may take together.
    memory: Arc<Semaphore>,
}

/// A response with the status 200.
#[derive(Debug)]
pub(crate) struct RemoteResponse {
    pub(crate) body: Vec<u8>,
    /// The version of a Cantata server.
    pub(crate) version: Option<String>,
    /// The suppression threshold that a Cantata server has applied.
    pub(crate) suppressed_below: Option<u64>,
    /// The share of the body in the memory for answers.
    pub(crate) _memory: Option<OwnedSemaphorePermit>,
}

impl RemoteClient {
    /// Prepares calls to a node; nothing is sent yet.
    ///
    /// # Errors
    ///
    /// If its settings cannot be used; the log says why.
    pub(crate) fn new(
        node: &NodeConfig,
        remote: &RemoteNode,
        max_bytes: usize,
        memory: Arc<Semaphore>,
    ) -> Result<Self, NodeError> {
        let unusable = |error: ClientSettingsError| {
            tracing::warn!(node = node.name, %error, "the settings of a node cannot be used");
            NodeError::Settings
        };
        let url = parse_address(&remote.graphql_url).map_err(unusable)?;
        let authorization = remote.token.as_ref().map(|token| bearer(token.reveal())).transpose();
        let authorization = authorization.map_err(unusable)?;
        let http = HttpClient::new(remote.timeout).map_err(unusable)?;
        let is_private = remote.allows_private_addresses || url.host_str().is_some_and(is_private_host);
        let http = match is_private {
            true => http.without_http_proxy().without_compression(),
            false => http.with_public_addresses_only(),
        };
        let (headers, timeout) = (remote.headers.clone(), remote.timeout);
        Ok(Self { http, url, headers, authorization, timeout, max_bytes, memory })
    }

    /// Sends a GraphQL request, with those of the client's headers that are configured.
    pub(crate) async fn post(
        &self,
        request: &GraphqlRequest,
        client_headers: &[ForwardedHeader],
        deadline: Duration,
    ) -> Result<RemoteResponse, NodeError> {
        let body = json!({ "query": request.query, "variables": request.variables });
        let mut headers = self.forwarded(client_headers);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert("x-request-type", HeaderValue::from_static("GraphQL"));
        self.send(Method::POST, self.url.clone(), headers, Some(body.to_string()), deadline).await
    }

    /// Reads another resource of the same server.
    pub(crate) async fn get(&self, url: Url, deadline: Duration) -> Result<RemoteResponse, NodeError> {
        self.send(Method::GET, url, self.forwarded(&[]), None, deadline).await
    }

    async fn send(
        &self,
        method: Method,
        url: Url,
        headers: HeaderMap,
        body: Option<String>,
        deadline: Duration,
    ) -> Result<RemoteResponse, NodeError> {
        let limit = self.timeout.min(deadline);
        let response = self.http.send(method, url, |request| {
            let request = request.headers(headers).timeout(limit);
            match body {
                Some(body) => request.body(body),
                None => request,
            }
        });
        let response = response.await?;
        if response.status() != StatusCode::OK {
            return Err(NodeError::of_status(response.status().as_u16()));
        }
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
        let version = header(VERSION_HEADER).filter(|text| is_version(text)).map(str::to_owned);
        let suppressed_below = header(SUPPRESSION_HEADER).map(threshold).transpose()?;
        let (body, memory) = self.read_body(response).await?;
        Ok(RemoteResponse { body, version, suppressed_below, _memory: memory })
    }

    async fn read_body(&self, mut response: Response) -> Result<(Vec<u8>, Option<OwnedSemaphorePermit>), NodeError> {
        let (mut body, mut memory) = (Vec::new(), None::<OwnedSemaphorePermit>);
        while let Some(chunk) = response.chunk().await.map_err(HttpError::from)? {
            if body.len() + chunk.len() > self.max_bytes {
                return Err(NodeError::TooLong);
            }
            let share = u32::try_from(chunk.len()).map_err(|_| NodeError::TooLong)?;
            let share = Arc::clone(&self.memory).try_acquire_many_owned(share).map_err(|_| NodeError::Busy)?;
            memory = Some(match memory.take() {
                Some(mut held) => {
                    held.merge(share);
                    held
                }
                None => share,
            });
            body.extend_from_slice(&chunk);
        }
        Ok((body, memory))
    }

    /// Returns whether the node gets one of these headers of a client.
    pub(crate) fn forwards(&self, client_headers: &[ForwardedHeader]) -> bool {
        client_headers.iter().any(|header| self.headers.contains(&header.name))
    }

    /// Returns the headers that are configured for the node; its own token goes before that of the client.
    fn forwarded(&self, client_headers: &[ForwardedHeader]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for header in client_headers.iter().filter(|header| self.headers.contains(&header.name)) {
            let name = HeaderName::from_bytes(header.name.as_bytes());
            let value = HeaderValue::from_bytes(&header.value);
            if let (Ok(name), Ok(mut value)) = (name, value) {
                value.set_sensitive(true);
                headers.append(name, value);
            }
        }
        if let Some(authorization) = &self.authorization {
            headers.insert(AUTHORIZATION, authorization.clone());
        }
        headers
    }
}

/// Returns whether a text looks like a version: clients see no other text of a node.
fn is_version(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b".+-".contains(&byte);
    text.starts_with(|first: char| first.is_ascii_digit())
        && text.len() <= MAX_VERSION_CHARS
        && text.bytes().all(is_part)
}

/// Reads a threshold. One that cannot be read is an error, since counts would be shown that should not be.
pub(crate) fn threshold(text: &str) -> Result<u64, NodeError> {
    let known = text.parse::<u64>().ok().filter(|threshold| (1..=MAX_THRESHOLD).contains(threshold));
    known.ok_or(NodeError::Invalid("its suppression threshold is no count"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_versions_and_counts_are_read_from_headers() {
        for version in ["0.9.0", "1.2.3-rc.1+build5"] {
            assert!(is_version(version), "{version}");
        }
        for text in ["", "secret", "1.0 <b>", "1.0;token=x", "1".repeat(41).as_str()] {
            assert!(!is_version(text), "{text}");
        }
        assert_eq!((threshold("5"), threshold("2147483647")), (Ok(5), Ok(2_147_483_647)));
        for text in ["", "-1", "0", "five", "5.5", "99999999999"] {
            assert!(threshold(text).is_err(), "{text}");
        }
    }
}
