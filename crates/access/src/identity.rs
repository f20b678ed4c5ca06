//! Who sends a request, once its credential has been checked.
//!
//! An identity never holds the credential itself, so it can be logged and kept.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

/// What an identity was made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// No credential was sent.
    Anonymous,
    /// Authentication is switched off: everybody may do everything.
    Unchecked,
    /// A key made by this server.
    ApiKey,
    /// A signed token.
    Token,
    /// A key that another server vouched for.
    Introspection,
}

/// Somebody who sends requests.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    /// Where it comes from.
    pub origin: Origin,
    /// The name for logs: of the key, or the subject of the token.
    pub name: String,
    /// What it may do, as sent: `STUDY.ABC.WRITE`, `song.WRITE`, and any other word a catalogue's rules speak of.
    pub scopes: BTreeSet<String>,
    /// The claims of a token, which rules of a catalogue may use; empty for keys.
    pub claims: Map<String, Value>,
}

impl Identity {
    /// Somebody without a credential.
    pub fn anonymous() -> Self {
        Self { origin: Origin::Anonymous, name: "anonymous".to_owned(), scopes: BTreeSet::new(), claims: Map::new() }
    }

    /// Whoever asks a server that checks nothing.
    pub fn unchecked() -> Self {
        Self { origin: Origin::Unchecked, ..Self::anonymous() }
    }

    /// Whether it has exactly this scope.
    pub fn has_scope(&self, scope: &str) -> bool {
        self.scopes.contains(scope)
    }
}
