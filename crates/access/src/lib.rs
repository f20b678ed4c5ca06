//! Authentication, authorization and the audit log.
//!
//! [`SignIn`] has an identity provider confirm who a person is, and [`Sessions`] remember it;
//! [`Authenticator`] turns a credential into an [`Identity`];
//! [`ScopeRules`] decides what an identity may do; [`AuditLog`] records changes and denied requests.

mod audit;
mod authenticator;
mod identity;
mod introspection;
mod key_file;
mod key_registry;
mod key_summary;
mod keys;
mod people;
mod public_studies;
mod role_mapping;
mod scope;
mod secret;
mod sessions;
mod sign_in;
mod token;

pub use audit::{AuditEntry, AuditLog};
pub use authenticator::{AuthError, Authenticator};
pub use identity::{AuthMethod, Identity};
pub use introspection::{IntrospectionClient, IntrospectionSettings};
pub use key_file::{import_key_file, read_key_file};
pub use key_registry::KeyRegistry;
pub use key_summary::{KeyState, KeySummary};
pub use keys::{KeyError, KeyRecord, ResolvedKey};
pub use public_studies::PublicStudies;
pub use role_mapping::{RoleMapping, RoleMappingError};
pub use scope::{ScopeError, ScopeRules};
pub use secret::{KEY_PREFIX, KeyDigest, KeySecret};
pub use sessions::{Person, SessionSecret, SessionTimes, Sessions};
pub use sign_in::{PendingSignIn, SignIn, SignInAnswer, SignInError, SignInSettings, SignInSettingsError};
pub use token::{PemError, TokenRules, TokenVerifier};

/// The timeout of a call to an identity provider, including the body.
const CALL_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(5);

/// The maximum size of a response of an identity provider.
const MAX_RESPONSE_BYTES: usize = 1 << 20;
