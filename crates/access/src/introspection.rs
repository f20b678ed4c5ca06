//! Introspection: keys of another server, which confirms each key and returns its scopes.
//!
//! A positive answer is cached for a short time, so that not every request causes a call; a negative one is not, so that
//! a new key works at once. Without an answer, authentication fails.

use std::sync::Arc;
use std::time::{Duration, Instant};

use cantata_core::error_chain;
use cantata_http_client::{ClientSettingsError, HttpClient, parse_address};
use moka::sync::Cache;
use reqwest::{Method, StatusCode, Url};
use serde_json::{Map, Value};
use tokio::sync::Semaphore;

use crate::{AuthError, AuthMethod, CALL_TIMEOUT, Identity, KeyDigest, MAX_RESPONSE_BYTES};

/// The maximum number of concurrent calls; others wait.
const MAX_CONCURRENT_CALLS: usize = 32;

/// The maximum number of cached identities.
const MAX_CACHED_IDENTITIES: u64 = 10_000;

/// How the introspection endpoint is called.
#[derive(Debug, Clone)]
pub struct IntrospectionSettings {
    /// The URL of the endpoint.
    pub url: String,
    /// The form field that carries the key.
    pub token_name: String,
    /// The client id of this server.
    pub client_id: String,
    /// The client secret of this server.
    pub client_secret: String,
    /// How long a positive answer is cached.
    pub cache_ttl: Duration,
}

/// Checks keys at an introspection endpoint.
pub struct IntrospectionClient {
    http: HttpClient,
    url: Url,
    settings: IntrospectionSettings,
    cache: Cache<KeyDigest, (Arc<Identity>, Instant)>,
    calls: Semaphore,
}

impl IntrospectionClient {
    /// Creates a client; nothing is sent yet.
    pub fn new(settings: IntrospectionSettings) -> Result<Self, ClientSettingsError> {
        let cache = Cache::builder().max_capacity(MAX_CACHED_IDENTITIES).time_to_live(settings.cache_ttl).build();
        Ok(Self {
            http: HttpClient::new(CALL_TIMEOUT)?,
            url: parse_address(&settings.url)?,
            settings,
            cache,
            calls: Semaphore::new(MAX_CONCURRENT_CALLS),
        })
    }

    /// Authenticates a key.
    pub(crate) async fn identify(&self, key: &str) -> Result<Arc<Identity>, AuthError> {
        let digest = KeyDigest::of(key);
        if let Some((identity, until)) = self.cache.get(&digest)
            && Instant::now() < until
        {
            return Ok(identity);
        }
        let answer = self.introspect(key).await?;
        let remaining = validity(&answer).ok_or(AuthError::Invalid)?;
        let identity = Arc::new(identity(&answer));
        let until = Instant::now()
            + remaining.map_or(self.settings.cache_ttl, |remaining| remaining.min(self.settings.cache_ttl));
        self.cache.insert(digest, (Arc::clone(&identity), until));
        Ok(identity)
    }

    async fn introspect(&self, key: &str) -> Result<Map<String, Value>, AuthError> {
        let unavailable = |reason: String| {
            tracing::error!(reason, "the introspection endpoint cannot be used");
            AuthError::Unavailable
        };
        let _permit = self.calls.acquire().await.map_err(|error| unavailable(error.to_string()))?;
        let settings = &self.settings;
        let called = self.http.call(Method::POST, self.url.clone(), MAX_RESPONSE_BYTES, |request| {
            let request = request.basic_auth(&settings.client_id, Some(&settings.client_secret));
            request.form(&[(&settings.token_name, key)])
        });
        let (status, body) = called.await.map_err(|error| unavailable(error_chain(&error)))?;
        match status {
            StatusCode::OK | StatusCode::MULTI_STATUS => {}
            status if status.is_client_error() => {
                tracing::debug!(status = status.as_u16(), "the introspection endpoint rejected a key");
                return Err(AuthError::Invalid);
            }
            status => return Err(unavailable(format!("the answer has the status {}", status.as_u16()))),
        }
        match serde_json::from_slice(&body) {
            Ok(Value::Object(answer)) => Ok(answer),
            _ => Err(unavailable("the answer is no JSON object".to_owned())),
        }
    }
}

/// Returns for how long a key is valid, if the answer limits it; `None` if the key is not valid.
fn validity(answer: &Map<String, Value>) -> Option<Option<Duration>> {
    let says = |name: &str, value: bool| answer.get(name).and_then(Value::as_bool) == Some(value);
    let has_error = answer.get("error").is_some_and(|error| !error.is_null());
    if has_error || says("revoked", true) || says("valid", false) {
        return None;
    }
    match answer.get("exp").filter(|exp| !exp.is_null()) {
        None => Some(None),
        Some(exp) => exp.as_f64().filter(|left| *left > 0.0).map(|left| Duration::try_from_secs_f64(left).ok()),
    }
}

fn identity(answer: &Map<String, Value>) -> Identity {
    let text = |name: &str| answer.get(name).and_then(Value::as_str);
    let name = text("user_id").or_else(|| text("client_id")).unwrap_or("a key of another server");
    let scopes = answer.get("scope").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    Identity::new(AuthMethod::Introspection, name, scopes.map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn judged(answer: &Value) -> Option<Option<Duration>> {
        validity(answer.as_object().unwrap())
    }

    #[test]
    fn only_an_answer_without_objection_lets_a_key_in() {
        assert_eq!(judged(&json!({"scope": []})), Some(None));
        assert_eq!(judged(&json!({"exp": 90, "valid": true, "revoked": false})), Some(Some(Duration::from_secs(90))));
        for refused in [
            json!({"error": "invalid_token"}),
            json!({"exp": 0}),
            json!({"exp": -1}),
            json!({"exp": "soon"}),
            json!({"revoked": true}),
            json!({"valid": false}),
        ] {
            assert_eq!(judged(&refused), None, "{refused}");
        }
    }
}
