//! Keys of another server, which is asked about each: does it know the key, and what does the key allow?
//!
//! A good answer counts for a moment, so that one client does not cause a call for each of its requests; a bad one does
//! not, so that a new key works at once. If no answer comes, nobody is let in.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cantata_core::with_causes;
use cantata_http_client::{ClientSettingsError, HttpClient, parse_address};
use moka::sync::Cache;
use reqwest::{Method, StatusCode, Url};
use serde_json::{Map, Value};
use tokio::sync::Semaphore;

use crate::{CALL_TIMEOUT, Identity, KeyDigest, MAX_RESPONSE_BYTES, Origin, Refusal};

/// How many calls are under way at once; the others wait their turn.
const MOST_CALLS: usize = 32;

/// How many keys are remembered.
const MOST_REMEMBERED: u64 = 10_000;

/// How the other server is asked.
#[derive(Debug, Clone)]
pub struct IntrospectionSettings {
    /// Where.
    pub url: String,
    /// The form field that carries the key.
    pub token_name: String,
    /// Who asks.
    pub client_id: String,
    /// How this is proved.
    pub client_secret: String,
    /// How long an answer counts.
    pub remembered: Duration,
}

/// Asks another server about keys.
pub struct Introspection {
    http: HttpClient,
    url: Url,
    settings: IntrospectionSettings,
    remembered: Cache<KeyDigest, (Arc<Identity>, Instant)>,
    calls: Semaphore,
}

impl Introspection {
    /// Prepares to ask; nothing is sent yet.
    pub fn new(settings: IntrospectionSettings) -> Result<Self, ClientSettingsError> {
        let remembered = Cache::builder().max_capacity(MOST_REMEMBERED).time_to_live(settings.remembered).build();
        Ok(Self {
            http: HttpClient::new(CALL_TIMEOUT)?,
            url: parse_address(&settings.url)?,
            settings,
            remembered,
            calls: Semaphore::new(MOST_CALLS),
        })
    }

    /// Returns whose key it is.
    pub(crate) async fn identify(&self, key: &str) -> Result<Arc<Identity>, Refusal> {
        let digest = KeyDigest::of(key);
        if let Some((identity, until)) = self.remembered.get(&digest)
            && Instant::now() < until
        {
            return Ok(identity);
        }
        let answer = self.ask(key).await?;
        let left = judge(&answer).ok_or(Refusal::Invalid)?;
        let identity = Arc::new(identity(&answer));
        let until = Instant::now() + left.map_or(self.settings.remembered, |left| left.min(self.settings.remembered));
        self.remembered.insert(digest, (Arc::clone(&identity), until));
        Ok(identity)
    }

    async fn ask(&self, key: &str) -> Result<Map<String, Value>, Refusal> {
        let unavailable = |reason: String| {
            tracing::error!(reason, "the server that vouches for keys cannot be asked");
            Refusal::Unavailable
        };
        let _turn = self.calls.acquire().await.map_err(|error| unavailable(error.to_string()))?;
        let settings = &self.settings;
        let called = self.http.call(Method::POST, self.url.clone(), MAX_RESPONSE_BYTES, |request| {
            let request = request.basic_auth(&settings.client_id, Some(&settings.client_secret));
            request.form(&[(&settings.token_name, key)])
        });
        let (status, body) = called.await.map_err(|error| unavailable(with_causes(&error)))?;
        match status {
            StatusCode::OK | StatusCode::MULTI_STATUS => {}
            status if status.is_client_error() => {
                tracing::debug!(status = status.as_u16(), "the server that vouches for keys refused one");
                return Err(Refusal::Invalid);
            }
            status => return Err(unavailable(format!("the answer has the status {}", status.as_u16()))),
        }
        match serde_json::from_slice(&body) {
            Ok(Value::Object(answer)) => Ok(answer),
            _ => Err(unavailable("the answer is no JSON object".to_owned())),
        }
    }
}

/// Returns how long a key counts by itself, where the answer says so; nothing at all if it does not count.
fn judge(answer: &Map<String, Value>) -> Option<Option<Duration>> {
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
    Identity {
        origin: Origin::Introspection,
        name: name.to_owned(),
        scopes: scopes.map(str::to_owned).collect::<BTreeSet<_>>(),
        claims: Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn judged(answer: &Value) -> Option<Option<Duration>> {
        judge(answer.as_object().unwrap())
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
