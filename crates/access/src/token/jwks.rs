//! A published key set (JWKS) and its refresh.
//!
//! The set is fetched when a token first needs it, in the background when it is old, and again when a token names an
//! unknown key, at most once per interval. After a failed fetch the last known keys stay valid.

use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use cantata_core::error_chain;
use cantata_http_client::{ClientSettingsError, HttpClient, parse_address};
use jsonwebtoken::Algorithm;
use reqwest::{Method, StatusCode, Url};
use serde_json::Value;
use tokio::sync::Mutex;

use super::keys::VerifyingKey;
use crate::{AuthError, CALL_TIMEOUT, MAX_RESPONSE_BYTES};

/// The age from which the set is refreshed in the background.
const REFRESH_AGE: Duration = Duration::from_secs(300);

/// The maximum number of keys that are read.
const MAX_KEYS: usize = 100;

/// A published key set.
pub(super) struct KeySet {
    http: HttpClient,
    url: Url,
    min_fetch_interval: Duration,
    known: ArcSwap<FetchedKeys>,
    /// When the last fetch started; locked during a fetch.
    last_fetch: Mutex<Option<Instant>>,
}

#[derive(Default)]
struct FetchedKeys {
    keys: Vec<Arc<VerifyingKey>>,
    fetched_at: Option<Instant>,
}

impl KeySet {
    pub(super) fn at(url: &str, min_fetch_interval: Duration) -> Result<Self, ClientSettingsError> {
        Ok(Self {
            http: HttpClient::new(CALL_TIMEOUT)?,
            url: parse_address(url)?,
            min_fetch_interval,
            known: ArcSwap::default(),
            last_fetch: Mutex::new(None),
        })
    }

    /// Returns whether a key is in the set.
    pub(super) fn contains(&self, key: &Arc<VerifyingKey>) -> bool {
        self.known.load().keys.iter().any(|one| Arc::ptr_eq(one, key))
    }

    /// Returns the keys that a token may be signed with: those with its key id; if it names none, all of its algorithm.
    pub(super) async fn find(
        self: &Arc<Self>,
        id: Option<&str>,
        algorithm: Algorithm,
    ) -> Result<Vec<Arc<VerifyingKey>>, AuthError> {
        let known = self.known.load_full();
        let found = known.find(id, algorithm);
        if !found.is_empty() {
            if known.fetched_at.is_none_or(|fetched_at| fetched_at.elapsed() >= REFRESH_AGE) && self.can_fetch() {
                let set = Arc::clone(self);
                tokio::spawn(async move { set.fetch(&known).await });
            }
            return Ok(found);
        }
        self.fetch(&known).await;
        let known = self.known.load();
        if known.fetched_at.is_none() {
            return Err(AuthError::Unavailable);
        }
        Ok(known.find(id, algorithm))
    }

    /// Returns whether no fetch is running or was started within the interval.
    fn can_fetch(&self) -> bool {
        self.last_fetch.try_lock().is_ok_and(|last| last.is_none_or(|last| last.elapsed() >= self.min_fetch_interval))
    }

    /// Fetches the set, unless it was fetched within the interval, or since `seen` was loaded.
    async fn fetch(&self, seen: &Arc<FetchedKeys>) {
        let mut last = self.last_fetch.lock().await;
        let is_new = !Arc::ptr_eq(seen, &self.known.load());
        if is_new || last.is_some_and(|last| last.elapsed() < self.min_fetch_interval) {
            return;
        }
        *last = Some(Instant::now());
        match self.fetch_keys().await {
            Ok(keys) => self.known.store(Arc::new(FetchedKeys { keys, fetched_at: Some(Instant::now()) })),
            Err(reason) => tracing::warn!(reason, "the token keys cannot be fetched; the last known keys stay valid"),
        }
    }

    async fn fetch_keys(&self) -> Result<Vec<Arc<VerifyingKey>>, String> {
        let called = self.http.call(Method::GET, self.url.clone(), MAX_RESPONSE_BYTES, |request| request).await;
        let (status, body) = called.map_err(|error| error_chain(&error))?;
        if status != StatusCode::OK {
            return Err(format!("the answer has the status {}", status.as_u16()));
        }
        let body: Value = serde_json::from_slice(&body).map_err(|error| format!("the answer is not JSON: {error}"))?;
        let keys = body.get("keys").and_then(Value::as_array).ok_or("the answer has no list `keys`")?;
        let usable: Vec<_> =
            keys.iter().take(MAX_KEYS).filter_map(VerifyingKey::from_published).map(Arc::new).collect();
        if usable.is_empty() {
            return Err("none of the published keys is for RS256, ES256 or EdDSA".to_owned());
        }
        Ok(usable)
    }
}

impl FetchedKeys {
    fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Vec<Arc<VerifyingKey>> {
        let fits = |key: &&Arc<VerifyingKey>| match id {
            Some(id) => key.id.as_deref() == Some(id),
            None => key.algorithm == algorithm,
        };
        self.keys.iter().filter(fits).cloned().collect()
    }
}
