//! Authentication: from a credential to an identity, by the configured methods.
//!
//! The form of a credential says what it is: keys of this server begin with [`KEY_PREFIX`], keys of another server are
//! UUIDs, everything else is a token. A kind that is not enabled is rejected like a wrong credential.

use std::sync::Arc;

use cantata_core::{Timestamp, error_chain};

use crate::{
    AuthMethod, Identity, IntrospectionClient, KEY_PREFIX, KeyDigest, KeyRegistry, KeySecret, ResolvedKey, Sessions,
    TokenVerifier,
};

/// The resolution of the last use of a key: one day.
const LAST_USE_RESOLUTION_MICROS: i64 = 24 * 3600 * 1_000_000;

/// Why authentication failed. It says no more, so that a client cannot find out whether a key exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AuthError {
    /// The credential is unknown, expired, revoked, or of a kind that is not enabled.
    #[error("the credential is not accepted")]
    Invalid,
    /// The credential cannot be checked at present.
    #[error("the credential cannot be checked at present")]
    Unavailable,
}

/// Checks credentials by the enabled methods.
#[derive(Default)]
pub struct Authenticator {
    keys: Option<Arc<KeyRegistry>>,
    tokens: Option<TokenVerifier>,
    introspection: Option<IntrospectionClient>,
    sessions: Option<Sessions>,
    operator: Option<(KeyDigest, Arc<Identity>)>,
}

impl Authenticator {
    /// Enables API keys.
    pub fn with_keys(mut self, keys: Arc<KeyRegistry>) -> Self {
        self.keys = Some(keys);
        self
    }

    /// Enables signed tokens.
    pub fn with_tokens(mut self, tokens: TokenVerifier) -> Self {
        self.tokens = Some(tokens);
        self
    }

    /// Enables keys of another server.
    pub fn with_introspection(mut self, introspection: IntrospectionClient) -> Self {
        self.introspection = Some(introspection);
        self
    }

    /// Enables sessions of people who have signed in.
    pub fn with_sessions(mut self, sessions: Sessions) -> Self {
        self.sessions = Some(sessions);
        self
    }

    /// Enables one secret, which the server writes to its data folder for local commands, and grants it a scope.
    pub fn with_operator(mut self, secret: &KeySecret, scope: &str) -> Self {
        let identity = Identity::new(AuthMethod::ApiKey, "operator", [scope.to_owned()]);
        self.operator = Some((secret.digest(), Arc::new(identity)));
        self
    }

    /// Returns whether any method is enabled.
    pub fn is_enabled(&self) -> bool {
        self.keys.is_some() || self.tokens.is_some() || self.introspection.is_some() || self.sessions.is_some()
    }

    /// Returns the API keys, if they are enabled.
    pub fn keys(&self) -> Option<&Arc<KeyRegistry>> {
        self.keys.as_ref()
    }

    /// Returns the sessions, if they are enabled.
    pub fn sessions(&self) -> Option<&Sessions> {
        self.sessions.as_ref()
    }

    /// Returns the identity of a session that has not ended; nothing if there is none.
    pub async fn identify_session(&self, secret: &str) -> Result<Option<Arc<Identity>>, AuthError> {
        let Some(sessions) = &self.sessions else { return Ok(None) };
        sessions.find(secret).await.map_err(|error| {
            tracing::error!(error = error_chain(&error), "a session could not be checked");
            AuthError::Unavailable
        })
    }

    /// Removes what has ended from the store: sessions, keys that ended long ago, and people who can use no key any more.
    pub async fn remove_ended(&self, now: Timestamp) {
        if let Some(sessions) = &self.sessions
            && let Err(error) = sessions.remove_ended(now).await
        {
            tracing::warn!(
                error = error_chain(&error),
                "sessions that have ended could not be removed; it is tried again"
            );
        }
        if let Some(keys) = &self.keys
            && let Err(error) = keys.remove_long_ended(now).await
        {
            tracing::warn!(%error, "keys that ended long ago could not be removed; it is tried again");
        }
    }

    /// Returns a counter that increases with every change of the keys; results from before it may be stale.
    pub fn generation(&self) -> u64 {
        self.keys.as_ref().map_or(0, |keys| keys.generation())
    }

    /// Authenticates a credential.
    pub async fn identify(&self, credential: &str) -> Result<Arc<Identity>, AuthError> {
        if credential.starts_with(KEY_PREFIX) {
            return self.identify_key(credential).await;
        }
        match (&self.introspection, &self.tokens) {
            (Some(introspection), _) if is_uuid(credential) => introspection.identify(credential).await,
            (_, Some(tokens)) => tokens.identify(credential).await,
            _ => Err(AuthError::Invalid),
        }
    }

    async fn identify_key(&self, credential: &str) -> Result<Arc<Identity>, AuthError> {
        let digest = KeyDigest::of(credential);
        if let Some((operator, identity)) = &self.operator
            && *operator == digest
        {
            return Ok(Arc::clone(identity));
        }
        let keys = self.keys.as_ref().ok_or(AuthError::Invalid)?;
        let found = keys.find(&digest).await.map_err(|error| {
            tracing::error!(%error, "a key could not be checked");
            AuthError::Unavailable
        })?;
        let now = Timestamp::now();
        let key = found.filter(|key| key.is_active(now)).ok_or(AuthError::Invalid)?;
        if key.record.last_used.is_none_or(|last| now.as_micros() - last.as_micros() >= LAST_USE_RESOLUTION_MICROS) {
            record_use(Arc::clone(keys), Arc::clone(&key), now);
        }
        Ok(Arc::clone(&key.identity))
    }
}

/// Records the use of a key in the background. A record that is lost is written at the next use.
fn record_use(keys: Arc<KeyRegistry>, key: Arc<ResolvedKey>, now: Timestamp) {
    let day =
        Timestamp::from_micros(now.as_micros().div_euclid(LAST_USE_RESOLUTION_MICROS) * LAST_USE_RESOLUTION_MICROS);
    tokio::spawn(async move {
        if let Err(error) = keys.record_use(&key.record.id, day).await {
            tracing::warn!(%error, "the use of a key could not be recorded");
        }
    });
}

fn is_uuid(credential: &str) -> bool {
    credential.len() == 36 && uuid::Uuid::try_parse(credential).is_ok()
}
