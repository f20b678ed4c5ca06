//! The keys that a server publishes (JWKS), and how a new one becomes known.
//!
//! They are fetched when a token first needs them; again after a while, which holds up nobody; and again when a token
//! names a key that is not among them, but with a pause between two fetches, whoever sends such tokens. A fetch that
//! fails changes nothing: the keys that were published last go on to count until the next one succeeds.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use cantata_core::with_causes;
use cantata_http_client::{ClientSettingsError, HttpClient, parse_address};
use reqwest::{Method, StatusCode, Url};
use serde_json::Value;
use tokio::sync::Mutex;

use super::keys::VerifyingKey;
use crate::{CALL_TIMEOUT, MAX_RESPONSE_BYTES, Refusal};

/// How long the keys are taken as they are.
const FRESH: Duration = Duration::from_secs(300);

/// The most keys that are taken.
const MOST: usize = 100;

/// Published keys.
pub(super) struct KeySet {
    http: HttpClient,
    url: Url,
    pause: Duration,
    known: ArcSwap<Known>,
    /// When a fetch was last begun. Whoever fetches holds it.
    fetching: Mutex<Option<Instant>>,
}

#[derive(Default)]
struct Known {
    keys: Vec<Arc<VerifyingKey>>,
    since: Option<Instant>,
}

impl KeySet {
    pub(super) fn at(url: &str, pause: Duration) -> Result<Self, ClientSettingsError> {
        Ok(Self {
            http: HttpClient::new(CALL_TIMEOUT)?,
            url: parse_address(url)?,
            pause,
            known: ArcSwap::default(),
            fetching: Mutex::new(None),
        })
    }

    /// Returns whether a key is still published, as far as known.
    pub(super) fn has(&self, key: &Arc<VerifyingKey>) -> bool {
        self.known.load().keys.iter().any(|one| Arc::ptr_eq(one, key))
    }

    /// Returns the key that a token names. One that names none means the only key there is.
    pub(super) async fn find(self: &Arc<Self>, id: Option<&str>) -> Result<Option<Arc<VerifyingKey>>, Refusal> {
        let known = self.known.load_full();
        if let Some(found) = known.find(id) {
            if known.since.is_none_or(|since| since.elapsed() >= FRESH) && self.may_fetch() {
                let set = Arc::clone(self);
                tokio::spawn(async move { set.fetch(&known).await });
            }
            return Ok(Some(found));
        }
        self.fetch(&known).await;
        let known = self.known.load();
        if known.since.is_none() {
            return Err(Refusal::Unavailable);
        }
        Ok(known.find(id))
    }

    /// Returns whether nobody fetches now or did a moment ago.
    fn may_fetch(&self) -> bool {
        self.fetching.try_lock().is_ok_and(|last| last.is_none_or(|last| last.elapsed() >= self.pause))
    }

    /// Fetches the keys, unless that happened a moment ago, or somebody else has done it since `seen` was looked at.
    async fn fetch(&self, seen: &Arc<Known>) {
        let mut last = self.fetching.lock().await;
        let is_new = !Arc::ptr_eq(seen, &self.known.load());
        if is_new || last.is_some_and(|last| last.elapsed() < self.pause) {
            return;
        }
        *last = Some(Instant::now());
        match self.published().await {
            Ok(keys) => self.known.store(Arc::new(Known { keys, since: Some(Instant::now()) })),
            Err(reason) => tracing::warn!(reason, "the keys of tokens cannot be fetched; those known go on to count"),
        }
    }

    async fn published(&self) -> Result<Vec<Arc<VerifyingKey>>, String> {
        let called = self.http.call(Method::GET, self.url.clone(), MAX_RESPONSE_BYTES, |request| request).await;
        let (status, body) = called.map_err(|error| with_causes(&error))?;
        if status != StatusCode::OK {
            return Err(format!("the answer has the status {}", status.as_u16()));
        }
        let body: Value = serde_json::from_slice(&body).map_err(|error| format!("the answer is not JSON: {error}"))?;
        let keys = body.get("keys").and_then(Value::as_array).ok_or("the answer has no list `keys`")?;
        let usable: Vec<_> = keys.iter().take(MOST).filter_map(VerifyingKey::from_published).map(Arc::new).collect();
        if usable.is_empty() {
            return Err("none of the published keys is for RS256, ES256 or EdDSA".to_owned());
        }
        Ok(usable)
    }
}

impl Known {
    fn find(&self, id: Option<&str>) -> Option<Arc<VerifyingKey>> {
        match (id, self.keys.as_slice()) {
            (None, [only]) => Some(Arc::clone(only)),
            (None, _) => None,
            (Some(id), keys) => keys.iter().find(|key| key.id.as_deref() == Some(id)).cloned(),
        }
    }
}
