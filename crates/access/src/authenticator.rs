//! A credential becomes an identity, in one of the ways that the operator chose.
//!
//! The form of a credential says what it is: keys of this server begin with [`KEY_PREFIX`], keys of another server are
//! UUIDs, everything else is a token. Each kind is refused where it was not chosen, in the same words as a wrong one.

use std::sync::Arc;

use cantata_core::Timestamp;
use serde_json::Map;

use crate::{Identity, Introspection, KEY_PREFIX, KeyDigest, KeySecret, KeyStore, KnownKey, Origin, TokenVerifier};

/// How exact the last use of a key is noted, in microseconds: a day.
const USE_NOTED: i64 = 24 * 3600 * 1_000_000;

/// Why a credential does not count. It never says more, so that nobody learns whether a key exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It is wrong, unknown, expired, revoked, or of a kind that is not taken.
    Invalid,
    /// It cannot be checked at present.
    Unavailable,
}

/// Checks credentials. Without any way to do so it takes everybody as unchecked.
#[derive(Default)]
pub struct Authenticator {
    keys: Option<Arc<dyn KeyStore>>,
    tokens: Option<TokenVerifier>,
    introspection: Option<Introspection>,
    operator: Option<(KeyDigest, Arc<Identity>)>,
}

impl Authenticator {
    /// Takes keys that this server made.
    pub fn with_keys(mut self, keys: Arc<dyn KeyStore>) -> Self {
        self.keys = Some(keys);
        self
    }

    /// Takes signed tokens.
    pub fn with_tokens(mut self, tokens: TokenVerifier) -> Self {
        self.tokens = Some(tokens);
        self
    }

    /// Takes keys of another server.
    pub fn with_introspection(mut self, introspection: Introspection) -> Self {
        self.introspection = Some(introspection);
        self
    }

    /// Takes one secret that is known to whoever may read the data folder, and allows it a scope.
    pub fn with_operator(mut self, secret: &KeySecret, scope: &str) -> Self {
        let identity = Identity {
            origin: Origin::ApiKey,
            name: "operator".to_owned(),
            scopes: [scope.to_owned()].into(),
            claims: Map::new(),
        };
        self.operator = Some((secret.digest(), Arc::new(identity)));
        self
    }

    /// Returns whether credentials are checked at all.
    pub fn is_on(&self) -> bool {
        self.keys.is_some() || self.tokens.is_some() || self.introspection.is_some()
    }

    /// Returns the keys that this server made, where they are taken.
    pub fn keys(&self) -> Option<&Arc<dyn KeyStore>> {
        self.keys.as_ref()
    }

    /// Returns a number that is another one whenever a change of the keys was noticed: what was found out before may not
    /// hold any more.
    pub fn generation(&self) -> u64 {
        self.keys.as_ref().map_or(0, |keys| keys.generation())
    }

    /// Returns whose credential it is.
    pub async fn identify(&self, credential: &str) -> Result<Arc<Identity>, Refusal> {
        if credential.starts_with(KEY_PREFIX) {
            return self.identify_key(credential);
        }
        match (&self.introspection, &self.tokens) {
            (Some(introspection), _) if is_uuid(credential) => introspection.identify(credential).await,
            (_, Some(tokens)) => tokens.identify(credential).await,
            _ => Err(Refusal::Invalid),
        }
    }

    fn identify_key(&self, credential: &str) -> Result<Arc<Identity>, Refusal> {
        let digest = KeyDigest::of(credential);
        if let Some((operator, identity)) = &self.operator
            && *operator == digest
        {
            return Ok(Arc::clone(identity));
        }
        let keys = self.keys.as_ref().ok_or(Refusal::Invalid)?;
        let found = keys.find(&digest).map_err(|error| {
            tracing::error!(%error, "a key could not be checked");
            Refusal::Unavailable
        })?;
        let now = Timestamp::now();
        let key = found.filter(|key| key.record.is_in_force(now)).ok_or(Refusal::Invalid)?;
        if key.record.last_used.is_none_or(|last| now.as_micros() - last.as_micros() >= USE_NOTED) {
            note_use(Arc::clone(keys), Arc::clone(&key), now);
        }
        Ok(Arc::clone(&key.identity))
    }
}

/// Notes that a key was used, beside the request. A note that is lost is made at the next use.
fn note_use(keys: Arc<dyn KeyStore>, key: Arc<KnownKey>, now: Timestamp) {
    let day = Timestamp::from_micros(now.as_micros().div_euclid(USE_NOTED) * USE_NOTED);
    tokio::task::spawn_blocking(move || {
        if let Err(error) = keys.note_use(&key.record.id, day) {
            tracing::warn!(%error, "the use of a key could not be noted");
        }
    });
}

fn is_uuid(credential: &str) -> bool {
    credential.len() == 36 && uuid::Uuid::try_parse(credential).is_ok()
}
