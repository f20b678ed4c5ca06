//! Signed tokens (JWT): is one genuine, is it for us, is it in time, and whom does it name?
//!
//! The key decides which algorithm a signature must have; what the token says of it must agree. So a token cannot choose
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

use self::jwks::KeySet;
pub use self::keys::PemError;
use self::keys::VerifyingKey;
use crate::{Identity, KeyDigest, Origin, Refusal};

/// How many tokens are remembered as genuine, so that their signatures need not be computed for every request.
const MOST_REMEMBERED: u64 = 10_000;

/// How long a token is remembered.
const REMEMBERED: Duration = Duration::from_secs(60);

/// The longest token, in bytes.
const LONGEST: usize = 16 * 1024;

/// What a token must be like.
#[derive(Debug, Clone)]
pub struct TokenRules {
    /// Who must have made it; unset, anybody with the right key.
    pub issuer: Option<String>,
    /// For whom it must be; unset, for anybody.
    pub audience: Option<String>,
    /// How far the clocks of the two servers may be apart.
    pub clock_skew: Duration,
    /// The claim with the scopes, a path with dots; unset, the places where Ego, Keycloak and OAuth put them.
    pub scope_claim: Option<String>,
    /// How long to wait between two fetches of published keys.
    pub fetch_pause: Duration,
}

impl Default for TokenRules {
    fn default() -> Self {
        Self {
            issuer: None,
            audience: None,
            clock_skew: Duration::from_secs(60),
            scope_claim: None,
            fetch_pause: Duration::from_secs(10),
        }
    }
}

/// Checks tokens.
pub struct TokenVerifier {
    keys: Keys,
    rules: TokenRules,
    remembered: Cache<KeyDigest, Remembered>,
}

enum Keys {
    One(Arc<VerifyingKey>),
    Published(Arc<KeySet>),
}

#[derive(Clone)]
struct Remembered {
    identity: Arc<Identity>,
    /// The last second in which the token counts.
    until: u64,
    /// It counts for as long as this key does.
    key: Arc<VerifyingKey>,
}

impl TokenVerifier {
    /// Checks tokens with the one public key of a PEM file.
    pub fn with_public_key(pem: &[u8], rules: TokenRules) -> Result<Self, PemError> {
        Ok(Self::new(Keys::One(Arc::new(VerifyingKey::from_pem(pem)?)), rules))
    }

    /// Checks tokens with the keys that a server publishes at an address (JWKS).
    pub fn with_published_keys(url: &str, rules: TokenRules) -> Result<Self, ClientSettingsError> {
        Ok(Self::new(Keys::Published(Arc::new(KeySet::at(url, rules.fetch_pause)?)), rules))
    }

    fn new(keys: Keys, rules: TokenRules) -> Self {
        let remembered = Cache::builder().max_capacity(MOST_REMEMBERED).time_to_live(REMEMBERED).build();
        Self { keys, rules, remembered }
    }

    /// Returns whom a token names.
    pub(crate) async fn identify(&self, token: &str) -> Result<Arc<Identity>, Refusal> {
        if token.len() > LONGEST {
            return Err(Refusal::Invalid);
        }
        let digest = KeyDigest::of(token);
        if let Some(found) = self.remembered.get(&digest)
            && jsonwebtoken::get_current_timestamp() <= found.until
            && self.still_counts(&found.key)
        {
            return Ok(found.identity);
        }
        let refuse = |error: jsonwebtoken::errors::Error| {
            tracing::debug!(%error, "a token was refused");
            Refusal::Invalid
        };
        let header = decode_header(token).map_err(refuse)?;
        // What a token declares critical must be understood, and nothing is.
        if header.crit.is_some() {
            return Err(Refusal::Invalid);
        }
        let key = match &self.keys {
            Keys::One(key) => Arc::clone(key),
            Keys::Published(set) => set.find(header.kid.as_deref()).await?.ok_or(Refusal::Invalid)?,
        };
        let claims = decode::<Map<String, Value>>(token, &key.key, &self.validation(&key)).map_err(refuse)?.claims;
        let expiry = claims.get("exp").and_then(Value::as_f64).unwrap_or_default();
        let identity = Arc::new(Identity {
            origin: Origin::Token,
            name: claims::name(&claims),
            scopes: claims::scopes(&claims, self.rules.scope_claim.as_deref()),
            claims,
        });
        let until = (expiry as u64).saturating_add(self.rules.clock_skew.as_secs());
        self.remembered.insert(digest, Remembered { identity: Arc::clone(&identity), until, key });
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

    fn still_counts(&self, key: &Arc<VerifyingKey>) -> bool {
        match &self.keys {
            Keys::One(_) => true,
            Keys::Published(set) => set.has(key),
        }
    }
}
