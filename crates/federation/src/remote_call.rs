//! Calls to the server of a remote node.

use std::time::Duration;

use cantata_catalogue::{NodeConfig, RemoteNode};
use cantata_graphql::GraphqlRequest;
use cantata_http_client::{ClientSettingsError, HttpClient, bearer, is_private_host, parse_address};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, StatusCode, Url};
use serde_json::json;

use crate::error::NodeError;
use crate::network::ForwardedHeader;

/// The header with the version of a Cantata server.
const VERSION_HEADER: &str = "x-cantata-version";

/// The header with the suppression threshold that a Cantata server has applied.
const SUPPRESSION_HEADER: &str = "x-cantata-suppressed-below";

/// How many characters of a version are shown.
const MAX_VERSION_CHARS: usize = 40;

/// How a remote node is called.
#[derive(Debug)]
pub(crate) struct RemoteClient {
    http: HttpClient,
    pub(crate) url: Url,
    headers: Vec<String>,
    authorization: Option<HeaderValue>,
    timeout: Duration,
    max_bytes: usize,
}

/// A response with the status 200.
#[derive(Debug)]
pub(crate) struct RemoteResponse {
    pub(crate) body: Vec<u8>,
    /// The version of a Cantata server.
    pub(crate) version: Option<String>,
    /// The suppression threshold that a Cantata server has applied.
    pub(crate) suppressed_below: Option<u64>,
}

impl RemoteClient {
    /// Prepares calls to a node; nothing is sent yet.
    ///
    /// # Errors
    ///
    /// If its settings cannot be used; the log says why.
    pub(crate) fn new(node: &NodeConfig, remote: &RemoteNode, max_bytes: usize) -> Result<Self, NodeError> {
        let unusable = |error: ClientSettingsError| {
            tracing::warn!(node = node.name, %error, "the settings of a node cannot be used");
            NodeError::Settings
        };
        let url = parse_address(&remote.graphql_url).map_err(unusable)?;
        let authorization = remote.token.as_ref().map(|token| bearer(token.reveal())).transpose();
        let authorization = authorization.map_err(unusable)?;
        let http = HttpClient::new(remote.timeout).map_err(unusable)?;
        let is_private = remote.allows_private_addresses || url.host_str().is_some_and(is_private_host);
        let http = if is_private { http.without_http_proxy() } else { http.with_public_addresses_only() };
        let (headers, timeout) = (remote.headers.clone(), remote.timeout);
        Ok(Self { http, url, headers, authorization, timeout, max_bytes })
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
        let version = header(VERSION_HEADER).map(|text| text.chars().take(MAX_VERSION_CHARS).collect());
        let suppressed_below = header(SUPPRESSION_HEADER).and_then(|text| text.parse().ok());
        let body = self.http.read_body(response, self.max_bytes).await?;
        Ok(RemoteResponse { body, version, suppressed_below })
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
