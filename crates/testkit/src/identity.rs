//! Where the real identity provider of a test run is.
//!
//! `identity/with-keycloak` starts it and says in the environment where. A test that needs it fails without it.

use crate::engines::address;

/// Returns the issuer of the realm of `identity/realm.json` at a Keycloak.
#[track_caller]
pub fn keycloak() -> String {
    address("CANTATA_TEST_KEYCLOAK", "identity/with-keycloak")
}
