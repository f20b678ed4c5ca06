//! Who is asking, and what they may do: credentials become an identity, an identity has scopes, and scopes allow.
//!
//! No HTTP towards clients and no SQL are known here. [`Authenticator`] turns a credential into an [`Identity`];
//! [`ScopeRules`] decides what an identity may do; [`AuditLog`] keeps what was done and what was refused.

mod audit;
mod authenticator;
mod identity;
mod introspection;
mod key_file;
mod keys;
mod scope;
mod secret;
mod shown_key;
mod token;

pub use audit::{AuditEntry, AuditLog};
pub use authenticator::{Authenticator, Refusal};
pub use identity::{Identity, Origin};
pub use introspection::{Introspection, IntrospectionSettings};
pub use key_file::KeyFile;
pub use keys::{KeyError, KeyRecord, KeyStore, KnownKey};
pub use scope::{ScopeError, ScopeRules};
pub use secret::{KEY_PREFIX, KeyDigest, KeySecret};
pub use shown_key::{KeyState, ShownKey};
pub use token::{PemError, TokenRules, TokenVerifier};

/// How long a call to a server that vouches for credentials may take, its body included.
const CALL_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(5);

/// The largest response of such a server that is read.
const MAX_RESPONSE_BYTES: usize = 1 << 20;
