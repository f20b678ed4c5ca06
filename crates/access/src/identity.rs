//! The identity of a client, once its credential has been checked.
//!
//! An identity never holds the credential itself, so it can be logged and kept.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::role_mapping::group_names;

/// How a client was authenticated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthMethod {
    /// No credential was sent.
    Anonymous,
    /// Authentication is disabled: every client may do everything.
    Unchecked,
    /// An API key of this server.
    ApiKey,
    /// A signed token (JWT).
    Token,
    /// A key that an introspection endpoint confirmed.
    Introspection,
    /// The session of a person who has signed in.
    Session,
}

/// An authenticated or anonymous client.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    /// How it was authenticated.
    pub auth_method: AuthMethod,
    /// The name for logs: of the key, or the subject of the token.
    pub name: String,
    /// What it may do, as sent: `STUDY.ABC.WRITE`, `song.WRITE`, and any other that a catalogue's rules name.
    pub scopes: BTreeSet<String>,
    /// The claims of a token, which rules of a catalogue may use; empty for keys.
    pub claims: Map<String, Value>,
    /// The person, if it is one, or a key of one: the subject at the identity provider.
    pub person: Option<String>,
}

impl Identity {
    /// Creates an identity without claims.
    pub(crate) fn new(auth_method: AuthMethod, name: &str, scopes: impl IntoIterator<Item = String>) -> Self {
        let scopes = scopes.into_iter().collect();
        Self { auth_method, name: name.to_owned(), scopes, claims: Map::new(), person: None }
    }

    /// Returns the identity of a client without a credential.
    pub fn anonymous() -> Self {
        Self::new(AuthMethod::Anonymous, "anonymous", [])
    }

    /// Returns the identity of every client while authentication is disabled.
    pub fn unchecked() -> Self {
        Self { auth_method: AuthMethod::Unchecked, ..Self::anonymous() }
    }

    /// Returns the names of the groups it belongs to: its scopes, and the groups and roles in its claims.
    pub fn groups(&self) -> BTreeSet<String> {
        let named = group_names(&self.claims).into_iter().map(str::to_owned);
        self.scopes.iter().cloned().chain(named).collect()
    }

    /// Returns whether it is that of a person who has signed in.
    pub fn is_session(&self) -> bool {
        self.auth_method == AuthMethod::Session
    }

    /// Returns whether it has exactly this scope.
    pub fn has_scope(&self, scope: &str) -> bool {
        self.scopes.contains(scope)
    }
}
