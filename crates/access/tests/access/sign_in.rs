//! Signing in at a provider that cannot be used. How people sign in at one that can is tested with the server.

use std::time::Duration;

use cantata_access::{RoleMapping, SignIn, SignInError, SignInSettings};
use cantata_testkit::MockServer;

#[tokio::test]
async fn a_provider_that_fails_is_not_asked_by_everybody_who_waits_for_it() {
    let provider = MockServer::start(|_| (503, String::new())).await;
    let sign_in = SignIn::new(SignInSettings {
        issuer: provider.url.clone(),
        client_id: "cantata".to_owned(),
        client_secret: "secret".to_owned(),
        redirect_url: "https://cantata.example/auth/callback".to_owned(),
        requested_scopes: Vec::new(),
        scope_claim: None,
        roles: RoleMapping::default(),
        min_fetch_interval: Duration::from_secs(3_600),
    });
    let sign_in = sign_in.unwrap();
    for _ in 0..3 {
        assert!(matches!(sign_in.begin("/".to_owned()).await, Err(SignInError::Unavailable(_))));
    }
    assert_eq!(provider.take_requests().len(), 1);
}
