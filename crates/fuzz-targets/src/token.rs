//! Credentials: signed tokens, API keys, and the public keys that tokens are checked with.

use std::sync::LazyLock;

use cantata_access::{AuthError, Authenticator, KeySecret, TokenRules, TokenVerifier};

use crate::sample::RUNTIME;

/// The public key of the example of RFC 8410.
const PUBLIC_KEY: &str = "-----BEGIN PUBLIC KEY-----\n\
    MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n\
    -----END PUBLIC KEY-----\n";

static AUTHENTICATOR: LazyLock<Authenticator> = LazyLock::new(|| {
    let tokens = TokenVerifier::with_public_key(PUBLIC_KEY.as_bytes(), TokenRules::default());
    let secret = KeySecret::generate().expect("the system has random numbers");
    Authenticator::default().with_tokens(tokens.expect("the key is valid")).with_operator(&secret, "song.WRITE")
});

/// Tries a credential; none can be known here, so all are refused. The same bytes are tried as a public key.
pub fn target(data: &[u8]) {
    let _ = TokenVerifier::with_public_key(data, TokenRules::default());
    let Ok(credential) = std::str::from_utf8(data) else { return };
    let identified = RUNTIME.block_on(AUTHENTICATOR.identify(credential));
    assert_eq!(identified.err(), Some(AuthError::Invalid), "{credential} was accepted");
}
