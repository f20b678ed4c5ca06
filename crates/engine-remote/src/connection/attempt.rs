//! One attempt: a request to one node, and the reading of its answer.

use std::io::Write as _;
use std::time::Duration;

use bytes::Bytes;
use cantata_engine::EngineError;
use flate2::Compression;
use flate2::write::GzEncoder;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER,
};
use reqwest::{Method, RequestBuilder, Response};
use tokio::time::{Instant, timeout_at};

use super::cluster::Form;
use super::failure::{ErrorBody, Failure, FailureKind};
use super::{Call, Connection};
use crate::settings::{Address, Credentials};

/// From this size on a body is worth compressing.
const COMPRESSED_FROM: usize = 32 * 1024;
/// How much of a body the log shows.
const LOGGED: usize = 500;

/// An answer with a status of 2xx or 4xx.
pub(super) struct Answer {
    pub(super) status: u16,
    /// Whether Elasticsearch says that it is Elasticsearch.
    pub(super) is_elasticsearch: bool,
    pub(super) body: Bytes,
}

impl Answer {
    /// Returns the error that an answer of 401 or 403 is.
    pub(super) fn denial(&self) -> EngineError {
        if self.status == 403 && ErrorBody::read(&self.body).is_block() {
            return EngineError::Failed("the index is blocked by its settings (index.blocks)".to_owned());
        }
        tracing::warn!(status = self.status, answer = beginning(&self.body), "the search engine refused a request");
        EngineError::PermissionDenied
    }
}

impl Connection {
    /// Asks one node, and notes whether it works.
    pub(super) async fn ask(
        &self,
        host: usize,
        call: &Call,
        form: &Form,
        deadline: Instant,
    ) -> Result<Answer, Failure> {
        let began = Instant::now();
        let outcome = timeout_at(deadline, self.exchange(self.hosts.address(host), call, form)).await;
        let outcome = outcome.unwrap_or_else(|_| Err(Failure::new(FailureKind::Silent, "no answer came in time")));
        match &outcome {
            Err(failure) if failure.kind.is_of_the_node() => self.hosts.failed(host, began),
            _ => self.hosts.works(host),
        }
        if let Err(failure) = &outcome {
            let host = &*self.hosts.address(host).base;
            tracing::debug!(host, kind = ?failure.kind, details = failure.details, "an attempt failed");
        }
        outcome
    }

    async fn exchange(&self, address: &Address, call: &Call, form: &Form) -> Result<Answer, Failure> {
        let url = format!("{}{}", address.base, call.path);
        let mut request = self.client.request(call.method.clone(), url).header(ACCEPT, form.json());
        request = authorized(request, &address.credentials);
        if address.is_local {
            // Within one machine compressing takes longer than sending, so neither side does it.
            request = request.header(ACCEPT_ENCODING, "identity");
        }
        if let Some(body) = &call.body {
            request = request.header(CONTENT_TYPE, if call.is_lines { form.lines() } else { form.json() });
            request = if !address.is_local && body.len() > COMPRESSED_FROM {
                request.header(CONTENT_ENCODING, "gzip").body(compressed(body.clone()).await?)
            } else {
                request.body(body.clone())
            };
        }
        let response = request.send().await.map_err(Failure::of_client)?;
        let status = response.status().as_u16();
        let retry_after = retry_after(response.headers());
        let is_elasticsearch = response.headers().contains_key("x-elastic-product");
        let body = self.body(response).await?;
        match failure_kind(&call.method, status, &body) {
            None => Ok(Answer { status, is_elasticsearch, body }),
            Some(kind) => {
                let details = format!("status {status}: {}", beginning(&body));
                Err(Failure { kind, retry_after, details })
            }
        }
    }

    async fn body(&self, mut response: Response) -> Result<Bytes, Failure> {
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await.map_err(Failure::of_client)? {
            if body.len() + piece.len() > self.answer_limit {
                let details = format!("the answer is longer than {} bytes", self.answer_limit);
                return Err(Failure::new(FailureKind::AnswerTooLong, details));
            }
            body.extend_from_slice(&piece);
        }
        Ok(body.into())
    }
}

fn authorized(request: RequestBuilder, credentials: &Credentials) -> RequestBuilder {
    match credentials {
        Credentials::None => request,
        Credentials::Basic { user, password } => request.basic_auth(user, Some(password)),
        Credentials::ApiKey(key) => match HeaderValue::from_str(&format!("ApiKey {key}")) {
            Ok(mut value) => {
                value.set_sensitive(true);
                request.header(AUTHORIZATION, value)
            }
            // The settings were checked, so this does not happen.
            Err(_) => request,
        },
    }
}

async fn compressed(body: Bytes) -> Result<Vec<u8>, Failure> {
    let compress = move || {
        let mut encoder = GzEncoder::new(Vec::with_capacity(body.len() / 4), Compression::fast());
        encoder.write_all(&body)?;
        encoder.finish()
    };
    match tokio::task::spawn_blocking(compress).await {
        Ok(Ok(compressed)) => Ok(compressed),
        _ => Err(Failure::new(FailureKind::Unsendable, "the body could not be compressed")),
    }
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// Says whether an answer is a failure.
fn failure_kind(method: &Method, status: u16, body: &[u8]) -> Option<FailureKind> {
    Some(match status {
        300..=399 => FailureKind::Redirect,
        413 => FailureKind::RequestTooLong,
        429 => FailureKind::Busy,
        502 => FailureKind::BadGateway,
        503 if ErrorBody::read(body).lacks_shards() => FailureKind::ShardsMissing,
        503 => FailureKind::Unavailable,
        504 => FailureKind::GatewayTimeout,
        500.. => FailureKind::InternalError,
        _ if method != Method::HEAD && !looks_like_json(body) => FailureKind::NotJson,
        _ => return None,
    })
}

/// Says whether a body begins and ends as an object or an array does. What is between is for the reader of the answer,
/// who reads it all anyway.
fn looks_like_json(body: &[u8]) -> bool {
    let text = body.trim_ascii();
    matches!((text.first(), text.last()), (Some(b'{'), Some(b'}')) | (Some(b'['), Some(b']')))
}

fn beginning(body: &[u8]) -> String {
    String::from_utf8_lossy(&body[..body.len().min(LOGGED)]).into_owned()
}
