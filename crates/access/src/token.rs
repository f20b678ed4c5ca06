//! Verification of signed tokens (JWT): signature, audience, validity period and subject.
//!
//! The key decides which algorithm a signature must have; the token must name the same. So a token cannot choose
//! a weaker one, nor have a public key taken for a shared secret.

mod claims;
mod jwks;
mod keys;

use std::sync::Arc;
use std::time::Duration;

use cantata_http_client::ClientSettingsError;
use jsonwebtoken::{Validation, decode, decode_header};
use moka::sync::Cache;
use serde_json::{Map, Value};

pub(crate) use self::claims::{at as claim_at, name as subject_of, scopes as scopes_of};
use self::jwks::KeySet;
pub use self::keys::PemError;
use self::keys::VerifyingKey;
use crate::{AuthError, AuthMethod, Identity, KeyDigest, RoleMapping};

/// The maximum number of verified tokens that are cached, so that not every request computes a signature.
const MAX_CACHED_TOKENS: u64 = 10_000;

/// How long a verified token is cached.
const CACHE_TTL: Duration = Duration::from_secs(60);

/// The maximum size of a token.
const MAX_TOKEN_BYTES: usize = 16 * 1024;

/// What a token must satisfy.
#[derive(Debug, Clone)]
pub struct TokenRules {
    /// The required issuer, if any.
    pub issuer: Option<String>,
    /// The required audience, if any.
    pub audience: Option<String>,
    /// The tolerated difference between the clocks of the two servers.
    pub clock_skew: Duration,
    /// The claim with the scopes, a path with dots; unset, the places where Ego, Keycloak and OAuth put them.
    pub scope_claim: Option<String>,
    /// Which scopes groups and roles grant.
    pub roles: RoleMapping,
    /// The minimum time between two fetches of published keys.
    pub min_fetch_interval: Duration,
}

impl Default for TokenRules {
    fn default() -> Self {
        Self {
            issuer: None,
            audience: None,
            clock_skew: Duration::from_secs(60),
            scope_claim: None,
            roles: RoleMapping::default(),
            min_fetch_interval: Duration::from_secs(10),
        }
    }
}

/// Verifies tokens.
pub struct TokenVerifier {
    keys: Keys,
    rules: TokenRules,
    cache: Cache<KeyDigest, VerifiedToken>,
}

enum Keys {
    Single(Arc<VerifyingKey>),
    Published(Arc<KeySet>),
}

#[derive(Clone)]
struct VerifiedToken {
    identity: Arc<Identity>,
    /// The last second in which the token is valid.
    until: u64,
    /// The key that signed it; the token is valid no longer than the key.
    key: Arc<VerifyingKey>,
}

impl TokenVerifier {
    /// Verifies tokens with the public key of a PEM file.
    pub fn with_public_key(pem: &[u8], rules: TokenRules) -> Result<Self, PemError> {
        Ok(Self::new(Keys::Single(Arc::new(VerifyingKey::from_pem(pem)?)), rules))
    }

    /// Verifies tokens with the keys that a server publishes (JWKS).
    pub fn with_published_keys(url: &str, rules: TokenRules) -> Result<Self, ClientSettingsError> {
        Ok(Self::new(Keys::Published(Arc::new(KeySet::at(url, rules.min_fetch_interval)?)), rules))
    }

    fn new(keys: Keys, rules: TokenRules) -> Self {
        let cache = Cache::builder().max_capacity(MAX_CACHED_TOKENS).time_to_live(CACHE_TTL).build();
        Self { keys, rules, cache }
    }

    /// Authenticates a token.
    pub(crate) async fn identify(&self, token: &str) -> Result<Arc<Identity>, AuthError> {
        if token.len() > MAX_TOKEN_BYTES {
            return Err(AuthError::Invalid);
        }
        let digest = KeyDigest::of(token);
        if let Some(found) = self.cache.get(&digest)
            && jsonwebtoken::get_current_timestamp() <= found.until
            && self.is_current(&found.key)
        {
            return Ok(found.identity);
        }
        let reject = |error: jsonwebtoken::errors::Error| {
            tracing::debug!(%error, "a token was rejected");
            AuthError::Invalid
        };
        let header = decode_header(token).map_err(reject)?;
        // A token may declare extensions critical; none is supported.
        if header.crit.is_some() {
            return Err(AuthError::Invalid);
        }
        let keys = match &self.keys {
            Keys::Single(key) => vec![Arc::clone(key)],
            Keys::Published(set) => set.find(header.kid.as_deref(), header.alg).await?,
        };
        let verified = keys.into_iter().find_map(|key| {
            let data = decode::<Map<String, Value>>(token, &key.key, &self.validation(&key)).map_err(reject).ok()?;
            Some((key, data.claims))
        });
        let (key, claims) = verified.ok_or(AuthError::Invalid)?;
        let expiry = claims.get("exp").and_then(Value::as_f64).unwrap_or_default();
        let mut scopes = claims::scopes(&claims, self.rules.scope_claim.as_deref());
        self.rules.roles.add_scopes(&claims, &mut scopes);
        let name = claims::name(&claims);
        // People choose their names themselves; only subjects are given once.
        let person = claims.get("sub").and_then(Value::as_str).map(str::to_owned);
        let identity = Arc::new(Identity { auth_method: AuthMethod::Token, name, scopes, claims, person });
        let until = (expiry as u64).saturating_add(self.rules.clock_skew.as_secs());
        self.cache.insert(digest, VerifiedToken { identity: Arc::clone(&identity), until, key });
        Ok(identity)
    }

    fn validation(&self, key: &VerifyingKey) -> Validation {
        let mut validation = Validation::new(key.algorithm);
        validation.leeway = self.rules.clock_skew.as_secs();
        validation.validate_nbf = true;
        validation.validate_aud = self.rules.audience.is_some();
        let mut required = vec!["exp"];
        if let Some(audience) = &self.rules.audience {
            validation.set_audience(&[audience]);
            required.push("aud");
        }
        if let Some(issuer) = &self.rules.issuer {
            validation.set_issuer(&[issuer]);
            required.push("iss");
        }
        validation.set_required_spec_claims(&required);
        validation
    }

    fn is_current(&self, key: &Arc<VerifyingKey>) -> bool {
        match &self.keys {
            Keys::Single(_) => true,
            Keys::Published(set) => set.contains(key),
        }
    }
}
