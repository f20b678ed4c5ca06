//! The API keys of this server.

use std::sync::Arc;

use cantata_core::Timestamp;
use serde::{Deserialize, Serialize};

use crate::people::PersonAccess;
use crate::{AuthMethod, Identity, KeyDigest, KeySecret, ScopeRules};

/// The maximum length of a key name, in characters.
const MAX_NAME_LENGTH: usize = 100;

/// The maximum length of a scope of a key, in characters.
const MAX_SCOPE_LENGTH: usize = 500;

/// A key as it is stored. Keys that have ended stay for a year, so that the audit log can be resolved; of those of a person, the
/// latest. One without an owner stays until a year after it expires.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KeyRecord {
    /// The unique id.
    pub id: String,
    /// The name, unique among the keys of its owner that are not revoked.
    pub name: String,
    /// The person it belongs to, by their subject; none for a key that an administrator made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The digest of its secret.
    pub digest: KeyDigest,
    /// The scopes it grants.
    pub scopes: Vec<String>,
    /// When it was created.
    pub created: Timestamp,
    /// When it expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<Timestamp>,
    /// When it was revoked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked: Option<Timestamp>,
    /// When it was used last, to the day.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used: Option<Timestamp>,
}

/// A key with its identity, which is built once and not for each request.
#[derive(Debug)]
pub struct ResolvedKey {
    /// The stored key.
    pub record: KeyRecord,
    /// The identity of its holder.
    pub identity: Arc<Identity>,
    /// Until when the access of its owner counts, if it has one.
    until: Option<Timestamp>,
}

impl ResolvedKey {
    /// Resolves a key without an owner.
    pub(crate) fn new(record: KeyRecord) -> Self {
        let identity = Identity::new(AuthMethod::ApiKey, &record.name, record.scopes.iter().cloned());
        Self { record, identity: Arc::new(identity), until: None }
    }

    /// Resolves a key of a person, which allows no more than they may themselves, until some time after they signed in.
    pub(crate) fn of_person(record: KeyRecord, access: &PersonAccess, rules: &ScopeRules, until: Timestamp) -> Self {
        let owner = Identity::new(AuthMethod::Session, &access.subject, access.scopes.iter().cloned());
        let name = format!("{} ({})", access.subject, record.name);
        let mut identity = Identity::new(AuthMethod::ApiKey, &name, rules.limited(&record.scopes, &owner));
        identity.person = Some(access.subject.clone());
        Self { record, identity: Arc::new(identity), until: Some(until) }
    }

    /// Returns whether it is accepted.
    pub fn is_active(&self, now: Timestamp) -> bool {
        self.record.is_active(now) && self.until.is_none_or(|until| now < until)
    }
}

/// Why an operation on keys failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The name is invalid.
    #[error(
        "'{0}' cannot be the name of a key; expected 1 to {MAX_NAME_LENGTH} characters, none of them a control character"
    )]
    Name(String),
    /// A scope is invalid.
    #[error("'{0}' cannot be a scope; expected 1 to {MAX_SCOPE_LENGTH} characters without spaces, such as song.WRITE")]
    Scope(String),
    /// An active key has the name already.
    #[error("a key is named '{0}' already; revoke it first, or choose another name")]
    NameTaken(String),
    /// A person has too many keys.
    #[error("found {0} keys in force, which is as many as a person may have; revoke one first")]
    TooMany(usize),
    /// No key that could be revoked has the name or id.
    #[error("no key that is in force has the name or id '{0}'; `cantata key list` shows the keys")]
    Unknown(String),
    /// The store of the keys cannot be used at the moment.
    #[error("the keys cannot be used at the moment: {0}")]
    Unavailable(String),
    /// The disk of the keys is full or read-only.
    #[error("the disk of the keys is full or read-only: {0}")]
    NotWritable(String),
    /// Keys cannot be read or written.
    #[error("the keys cannot be used: {0}")]
    Unusable(String),
}

impl KeyRecord {
    /// Creates a key with its secret, which is not stored. The key is valid once the store has the record.
    pub fn new(name: &str, scopes: &[String], expires: Option<Timestamp>) -> Result<(Self, KeySecret), KeyError> {
        if name.trim().is_empty() || name.chars().count() > MAX_NAME_LENGTH || name.chars().any(char::is_control) {
            return Err(KeyError::Name(name.to_owned()));
        }
        let is_scope = |scope: &&String| {
            (1..=MAX_SCOPE_LENGTH).contains(&scope.chars().count())
                && !scope.chars().any(|c| c.is_whitespace() || c.is_control())
        };
        if let Some(wrong) = scopes.iter().find(|scope| !is_scope(scope)) {
            return Err(KeyError::Scope(wrong.clone()));
        }
        let secret = KeySecret::generate().map_err(|error| KeyError::Unusable(error.to_string()))?;
        let record = Self {
            id: uuid::Uuid::new_v4().simple().to_string().chars().take(12).collect(),
            name: name.to_owned(),
            owner: None,
            digest: secret.digest(),
            scopes: scopes.to_vec(),
            created: Timestamp::now(),
            expires,
            revoked: None,
            last_used: None,
        };
        Ok((record, secret))
    }

    /// Makes it a key of a person.
    #[must_use]
    pub fn owned_by(self, subject: &str) -> Self {
        Self { owner: Some(subject.to_owned()), ..self }
    }

    /// Returns whether it is neither revoked nor expired.
    pub fn is_active(&self, now: Timestamp) -> bool {
        self.revoked.is_none() && self.expires.is_none_or(|expires| now < expires)
    }
}
