//! The public view of an API key: everything but its digest.

use cantata_core::Timestamp;
use serde::{Serialize, Serializer};

use crate::KeyRecord;

/// The state of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyState {
    /// It is accepted.
    Active,
    /// It has expired.
    Expired,
    /// It was revoked.
    Revoked,
}

impl KeyState {
    /// Returns the wire form.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "in force",
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

/// A key as it is listed to operators.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeySummary<'a> {
    /// The unique id.
    pub id: &'a str,
    /// The name.
    pub name: &'a str,
    /// The person it belongs to, if any.
    pub owner: Option<&'a str>,
    /// The scopes it grants.
    pub scopes: &'a [String],
    /// Whether it is active.
    pub state: KeyState,
    /// When it was created.
    pub created: Timestamp,
    /// When it expires, if ever.
    pub expires: Option<Timestamp>,
    /// When it was revoked.
    pub revoked: Option<Timestamp>,
    /// When it was used last, to the day.
    pub last_used: Option<Timestamp>,
}

impl KeyRecord {
    /// Returns the state at a time.
    pub fn state(&self, now: Timestamp) -> KeyState {
        match self.revoked {
            Some(_) => KeyState::Revoked,
            None if self.is_active(now) => KeyState::Active,
            None => KeyState::Expired,
        }
    }

    /// Returns its public view.
    pub fn summary(&self) -> KeySummary<'_> {
        KeySummary {
            id: &self.id,
            name: &self.name,
            owner: self.owner.as_deref(),
            scopes: &self.scopes,
            state: self.state(Timestamp::now()),
            created: self.created,
            expires: self.expires,
            revoked: self.revoked,
            last_used: self.last_used,
        }
    }
}
