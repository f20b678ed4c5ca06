//! What may be shown of a key, to people and to programs: everything but what could be used in its place.

use cantata_core::Timestamp;
use serde::{Serialize, Serializer};

use crate::KeyRecord;

/// Whether a key is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyState {
    /// It is.
    InForce,
    /// Its time is over.
    Expired,
    /// Somebody ended it.
    Revoked,
}

impl KeyState {
    /// Returns the word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InForce => "in force",
            Self::Expired => "expired",
            Self::Revoked => "revoked",
        }
    }
}

impl Serialize for KeyState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A key as it is listed.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ShownKey<'a> {
    /// Tells it from others of the same name.
    pub id: &'a str,
    /// What people call it.
    pub name: &'a str,
    /// What it allows.
    pub scopes: &'a [String],
    /// Whether it is accepted.
    pub state: KeyState,
    /// When it was made.
    pub created: Timestamp,
    /// From when on it is refused; nothing, if never.
    pub expires: Option<Timestamp>,
    /// Since when it is refused; nothing, if it is not revoked.
    pub revoked: Option<Timestamp>,
    /// When it was used last, to the day.
    pub last_used: Option<Timestamp>,
}

impl KeyRecord {
    /// Returns whether it is accepted at a moment, and why not.
    pub fn state(&self, now: Timestamp) -> KeyState {
        match self.revoked {
            Some(_) => KeyState::Revoked,
            None if self.is_in_force(now) => KeyState::InForce,
            None => KeyState::Expired,
        }
    }

    /// Returns what may be shown of it.
    pub fn shown(&self) -> ShownKey<'_> {
        ShownKey {
            id: &self.id,
            name: &self.name,
            scopes: &self.scopes,
            state: self.state(Timestamp::now()),
            created: self.created,
            expires: self.expires,
            revoked: self.revoked,
            last_used: self.last_used,
        }
    }
}
