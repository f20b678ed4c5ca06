//! Keys that this server made itself: what is known of one, and what keeps them.

use std::sync::Arc;

use cantata_core::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use crate::{Identity, KeyDigest, KeySecret, Origin};

/// The longest name of a key.
const LONGEST_NAME: usize = 100;

/// What is kept of a key. Revoked keys stay, so that the audit log can be read later.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KeyRecord {
    /// Tells it from others of the same name.
    pub id: String,
    /// What people call it; of the keys that are not revoked, no two have the same.
    pub name: String,
    /// The digest of its secret.
    pub digest: KeyDigest,
    /// What it allows.
    pub scopes: Vec<String>,
    /// When it was made.
    pub created: Timestamp,
    /// From when on it is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// Since when it is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked: Option<Timestamp>,
    /// When it was used last, to the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used: Option<Timestamp>,
}

/// A key, and who uses it: made once, and not for each request.
#[derive(Debug)]
pub struct KnownKey {
    /// What is kept of the key.
    pub record: KeyRecord,
    /// Whoever has the key.
    pub identity: Arc<Identity>,
}

impl From<KeyRecord> for KnownKey {
    fn from(record: KeyRecord) -> Self {
        let identity = Identity {
            origin: Origin::ApiKey,
            name: record.name.clone(),
            scopes: record.scopes.iter().cloned().collect(),
            claims: Map::new(),
        };
        Self { record, identity: Arc::new(identity) }
    }
}

/// Why nothing could be done with keys.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The name cannot be used.
    #[error(
        "'{0}' cannot be the name of a key; expected 1 to {LONGEST_NAME} characters, none of them a control character"
    )]
    Name(String),
    /// A scope cannot be used.
    #[error("'{0}' cannot be a scope; expected a text without spaces such as song.WRITE")]
    Scope(String),
    /// A key has the name already.
    #[error("a key is named '{0}' already; revoke it first, or choose another name")]
    NameTaken(String),
    /// No key that could be revoked has the name or id.
    #[error("no key that is in force has the name or id '{0}'; `cantata key list` shows the keys")]
    Unknown(String),
    /// Keys cannot be read or written.
    #[error("the keys cannot be used: {0}")]
    Unusable(String),
}

/// Keeps keys. Every process that works with the same keys sees a change within a second.
pub trait KeyStore: Send + Sync {
    /// Returns the key with a digest, in force or not.
    fn find(&self, digest: &KeyDigest) -> Result<Option<Arc<KnownKey>>, KeyError>;

    /// Returns a number that is another one whenever a change of the keys was noticed.
    fn generation(&self) -> u64;

    /// Returns every key, oldest first.
    fn list(&self) -> Result<Vec<KeyRecord>, KeyError>;

    /// Adds a key, unless one in force has its name.
    fn add(&self, record: KeyRecord) -> Result<(), KeyError>;

    /// Revokes the key in force with a name or an id, and returns it.
    fn revoke(&self, name_or_id: &str) -> Result<KeyRecord, KeyError>;

    /// Revokes the key with an id, whatever others are named, and returns it; one that is revoked already stays so.
    fn revoke_id(&self, id: &str) -> Result<KeyRecord, KeyError>;

    /// Notes when a key was used.
    fn note_use(&self, id: &str, when: Timestamp) -> Result<(), KeyError>;
}

impl KeyRecord {
    /// Makes a key with its secret, which is in the hands of the caller alone. It counts once a store has the record.
    pub fn new(name: &str, scopes: &[String], expires: Option<Timestamp>) -> Result<(Self, KeySecret), KeyError> {
        if name.trim().is_empty() || name.chars().count() > LONGEST_NAME || name.chars().any(char::is_control) {
            return Err(KeyError::Name(name.to_owned()));
        }
        let is_scope =
            |scope: &&String| !scope.is_empty() && !scope.chars().any(|c| c.is_whitespace() || c.is_control());
        if let Some(wrong) = scopes.iter().find(|scope| !is_scope(scope)) {
            return Err(KeyError::Scope(wrong.clone()));
        }
        let secret = KeySecret::generate().map_err(|error| KeyError::Unusable(error.to_string()))?;
        let record = Self {
            id: uuid::Uuid::new_v4().simple().to_string().chars().take(12).collect(),
            name: name.to_owned(),
            digest: secret.digest(),
            scopes: scopes.to_vec(),
            created: Timestamp::now(),
            expires,
            revoked: None,
            last_used: None,
        };
        Ok((record, secret))
    }

    /// Returns whether it is accepted at a moment.
    pub fn is_in_force(&self, now: Timestamp) -> bool {
        self.revoked.is_none() && self.expires.is_none_or(|expires| now < expires)
    }
}
