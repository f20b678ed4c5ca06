//! One attempt: a request to one node, and reading its response.

use std::io::Write as _;
use std::time::Duration;

use bytes::Bytes;
use cantata_core::ClusterCredentials;
use cantata_engine::EngineError;
use flate2::Compression;
use flate2::write::GzEncoder;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER,
};
use reqwest::{Method, RequestBuilder, Response};
use tokio::time::{Instant, timeout_at};

use super::ClusterClient;
use super::attempt_error::{AttemptError, AttemptErrorKind, has_unavailable_shards, is_index_block};
use super::cluster_info::MediaTypes;
use crate::request::ClusterRequest;
use crate::settings::NodeAddress;

/// The least size of a body that is compressed.
const MIN_COMPRESSED_BYTES: usize = 32 * 1024;
/// How many bytes of a body the log shows.
const MAX_LOGGED_BYTES: usize = 500;

/// A response with a status of 2xx or 4xx.
pub(super) struct NodeResponse {
    pub(super) status: u16,
    /// Whether the response has the product header of Elasticsearch.
    pub(super) is_elasticsearch: bool,
    pub(super) body: Bytes,
}

impl NodeResponse {
    /// Returns the error for a status of 401 or 403.
    pub(super) fn denied_error(&self) -> EngineError {
        if self.status == 403 && is_index_block(&self.body) {
            return EngineError::Failed("the index is blocked by its settings (index.blocks)".to_owned());
        }
        tracing::warn!(status = self.status, answer = truncated(&self.body), "the search engine refused a request");
        EngineError::PermissionDenied
    }
}

impl ClusterClient {
    /// Sends a request to one node and records its health.
    pub(super) async fn send_to_node(
        &self,
        host: usize,
        call: &ClusterRequest,
        media_types: &MediaTypes,
        deadline: Instant,
    ) -> Result<NodeResponse, AttemptError> {
        let began = Instant::now();
        let outcome = timeout_at(deadline, self.exchange(self.nodes.address(host), call, media_types)).await;
        let outcome =
            outcome.unwrap_or_else(|_| Err(AttemptError::new(AttemptErrorKind::TimedOut, "no answer came in time")));
        match &outcome {
            Err(failure) if failure.kind.is_node_failure() => self.nodes.record_failure(host, began),
            _ => self.nodes.record_success(host),
        }
        if let Err(failure) = &outcome {
            let host = &*self.nodes.address(host).base;
            tracing::debug!(host, kind = ?failure.kind, details = failure.details, "an attempt failed");
        }
        outcome
    }

    async fn exchange(
        &self,
        address: &NodeAddress,
        call: &ClusterRequest,
        media_types: &MediaTypes,
    ) -> Result<NodeResponse, AttemptError> {
        let url = format!("{}{}", address.base, call.path);
        let mut request = self.client.request(call.method.clone(), url).header(ACCEPT, media_types.json());
        request = authorized(request, &address.credentials);
        if address.is_local {
            // On one machine, compressing takes longer than sending.
            request = request.header(ACCEPT_ENCODING, "identity");
        }
        if let Some(body) = &call.body {
            request =
                request.header(CONTENT_TYPE, if call.is_ndjson { media_types.ndjson() } else { media_types.json() });
            request = if !address.is_local && body.len() > MIN_COMPRESSED_BYTES {
                request.header(CONTENT_ENCODING, "gzip").body(compressed(body.clone()).await?)
            } else {
                request.body(body.clone())
            };
        }
        let response = request.send().await.map_err(AttemptError::from_reqwest)?;
        let status = response.status().as_u16();
        let retry_after = retry_after(response.headers());
        let is_elasticsearch = response.headers().contains_key("x-elastic-product");
        let body = self.body(response).await?;
        match failure_kind(&call.method, status, &body) {
            None => Ok(NodeResponse { status, is_elasticsearch, body }),
            Some(kind) => {
                let details = format!("status {status}: {}", truncated(&body));
                Err(AttemptError { kind, retry_after, details })
            }
        }
    }

    async fn body(&self, mut response: Response) -> Result<Bytes, AttemptError> {
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(AttemptError::from_reqwest)? {
            if body.len() + piece.len() > self.max_response_bytes {
                let details = format!("the answer is longer than {} bytes", self.max_response_bytes);
                return Err(AttemptError::new(AttemptErrorKind::ResponseTooLarge, details));
            }
            body.extend_from_slice(&piece);
        }
        Ok(body.into())
    }
}

fn authorized(request: RequestBuilder, credentials: &ClusterCredentials) -> RequestBuilder {
    match credentials {
        ClusterCredentials::None => request,
        ClusterCredentials::Basic { user, password } => request.basic_auth(user.reveal(), Some(password.reveal())),
        ClusterCredentials::ApiKey(key) => match HeaderValue::from_str(&format!("ApiKey {}", key.reveal())) {
            Ok(mut value) => {
                value.set_sensitive(true);
                request.header(AUTHORIZATION, value)
            }
            // Unreachable: the settings were checked.
            Err(_) => request,
        },
    }
}

async fn compressed(body: Bytes) -> Result<Vec<u8>, AttemptError> {
    let compress = move || {
        let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 4), Compression::fast());
        encoder.write_all(&body)?;
        encoder.finish()
    };
    match tokio::task::spawn_blocking(compress).await {
        Ok(Ok(compressed)) => Ok(compressed),
        _ => Err(AttemptError::new(AttemptErrorKind::InvalidRequest, "the body could not be compressed")),
    }
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// Returns why a response is a failure, if it is one.
fn failure_kind(method: &Method, status: u16, body: &[u8]) -> Option<AttemptErrorKind> {
    Some(match status {
        300..=399 => AttemptErrorKind::Redirect,
        413 => AttemptErrorKind::RequestTooLarge,
        429 => AttemptErrorKind::Busy,
        502 => AttemptErrorKind::BadGateway,
        503 if has_unavailable_shards(body) => AttemptErrorKind::ShardsUnavailable,
        503 => AttemptErrorKind::Unavailable,
        504 => AttemptErrorKind::GatewayTimeout,
        500.. => AttemptErrorKind::InternalError,
        _ if method != Method::HEAD && !looks_like_json(body) => AttemptErrorKind::NotJson,
        _ => return None,
    })
}

/// Returns whether a body begins and ends like an object or an array. The rest is checked when it is parsed.
fn looks_like_json(body: &[u8]) -> bool {
    let text = body.trim_ascii();
    matches!((text.first(), text.last()), (Some(b'{'), Some(b'}')) | (Some(b'['), Some(b']')))
}

fn truncated(body: &[u8]) -> String {
    String::from_utf8_lossy(&body[..body.len().min(MAX_LOGGED_BYTES)]).into_owned()
}
