//! Keys that a server publishes: which of them count, and what happens when they change or cannot be had.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use cantata_access::{AuthError, Authenticator, TokenRules, TokenVerifier};
use cantata_testkit::MockServer;
use jsonwebtoken::{EncodingKey, Header, encode};
use serde_json::{Value, json};

use crate::support::{OTHER_RSA, RSA, Signer, claims, claims_with, name};

const INVALID: Result<String, AuthError> = Err(AuthError::Invalid);

/// A server whose published keys a test can change.
struct Publisher {
    server: MockServer,
    answer: Arc<Mutex<(u16, String)>>,
}

impl Publisher {
    async fn start(keys: &[Value]) -> Self {
        let answer = Arc::new(Mutex::new((200, json!({"keys": keys}).to_string())));
        let shown = Arc::clone(&answer);
        Self { server: MockServer::start(move |_| shown.lock().unwrap().clone()).await, answer }
    }

    fn publish(&self, keys: &[Value]) {
        *self.answer.lock().unwrap() = (200, json!({"keys": keys}).to_string());
    }

    fn fail(&self, status: u16, body: &str) {
        *self.answer.lock().unwrap() = (status, body.to_owned());
    }

    fn authenticator(&self, min_fetch_interval: Duration) -> Authenticator {
        let rules = TokenRules { min_fetch_interval, ..TokenRules::default() };
        Authenticator::default().with_tokens(TokenVerifier::with_published_keys(&self.server.url, rules).unwrap())
    }
}

#[tokio::test]
async fn keys_of_each_kind_are_fetched_once_and_found_by_their_id() {
    let (p256, ed25519) = (Signer::p256(), Signer::ed25519());
    let publisher = Publisher::start(&[RSA.published("r"), p256.published("p"), ed25519.published("e")]).await;
    let authenticator = publisher.authenticator(Duration::ZERO);
    for (signer, kid) in [(&*RSA, "r"), (&p256, "p"), (&ed25519, "e")] {
        assert_eq!(name(&authenticator, &signer.sign_named(kid, &claims())).await, Ok("ada".to_owned()), "{kid}");
    }
    assert_eq!(publisher.server.take_targets().len(), 1);
    // The key that is named decides, not one that would fit.
    assert_eq!(name(&authenticator, &RSA.sign_named("p", &claims())).await, INVALID);
}

#[tokio::test]
async fn a_token_that_names_no_key_is_tried_with_every_key_of_its_algorithm() {
    let p256 = Signer::p256();
    let publisher = Publisher::start(&[OTHER_RSA.published("o"), RSA.published("r"), p256.published("p")]).await;
    let authenticator = publisher.authenticator(Duration::from_secs(600));
    for signer in [&*RSA, &*OTHER_RSA, &p256] {
        assert_eq!(name(&authenticator, &signer.sign(&claims())).await, Ok("ada".to_owned()));
    }
    for stranger in [Signer::p256(), Signer::ed25519()] {
        assert_eq!(name(&authenticator, &stranger.sign(&claims())).await, INVALID);
    }
    assert_eq!(name(&authenticator, &RSA.sign(&claims_with("exp", json!(1)))).await, INVALID);
    // A key that is named is the only one that counts.
    assert_eq!(name(&authenticator, &RSA.sign_named("o", &claims())).await, INVALID);
}

#[tokio::test]
async fn a_new_key_is_found_and_one_that_is_gone_no_longer_counts() {
    let publisher = Publisher::start(&[RSA.published("old")]).await;
    let authenticator = publisher.authenticator(Duration::ZERO);
    let (old, new) = (RSA.sign_named("old", &claims()), OTHER_RSA.sign_named("new", &claims()));
    assert_eq!(name(&authenticator, &old).await, Ok("ada".to_owned()));
    assert_eq!(name(&authenticator, &new).await, INVALID);
    publisher.publish(&[OTHER_RSA.published("new")]);
    assert_eq!(name(&authenticator, &new).await, Ok("ada".to_owned()));
    assert_eq!(name(&authenticator, &old).await, INVALID, "remembered though its key is gone");
}

#[tokio::test]
async fn a_fetch_that_fails_leaves_the_known_keys_in_force() {
    let publisher = Publisher::start(&[RSA.published("old")]).await;
    let authenticator = publisher.authenticator(Duration::ZERO);
    assert_eq!(name(&authenticator, &RSA.sign_named("old", &claims())).await, Ok("ada".to_owned()));
    let empty = json!({"keys": []}).to_string();
    for (status, body) in [(500, ""), (200, "no json"), (200, "{}"), (200, empty.as_str()), (302, "")] {
        publisher.fail(status, body);
        assert_eq!(name(&authenticator, &OTHER_RSA.sign_named("new", &claims())).await, INVALID);
        // A token that was not seen before, so that nothing is remembered of it.
        let mut others = claims();
        others["jti"] = json!(format!("{status} {body}"));
        assert_eq!(name(&authenticator, &RSA.sign_named("old", &others)).await, Ok("ada".to_owned()));
    }
}

#[tokio::test]
async fn keys_come_from_the_address_that_was_set_and_have_a_limit() {
    let elsewhere = Publisher::start(&[RSA.published("r")]).await;
    let publisher = Publisher::start(&[]).await;
    let authenticator = publisher.authenticator(Duration::ZERO);
    let token = RSA.sign_named("r", &claims());
    for status in [301, 302, 303, 307, 308] {
        publisher.fail(status, &elsewhere.server.url);
        assert_eq!(name(&authenticator, &token).await, Err(AuthError::Unavailable), "{status}");
    }
    assert_eq!(elsewhere.server.take_targets(), [""; 0]);
    let keys = json!({"keys": [RSA.published("r")]});
    publisher.fail(200, &format!("{keys}{}", " ".repeat(1 << 20)));
    assert_eq!(name(&authenticator, &token).await, Err(AuthError::Unavailable));
}

#[tokio::test]
async fn tokens_with_invented_key_ids_cause_no_fetch_each() {
    let publisher = Publisher::start(&[RSA.published("r")]).await;
    let authenticator = publisher.authenticator(Duration::from_secs(3600));
    for invented in 0..20 {
        assert_eq!(name(&authenticator, &OTHER_RSA.sign_named(&invented.to_string(), &claims())).await, INVALID);
    }
    assert_eq!(name(&authenticator, &RSA.sign_named("r", &claims())).await, Ok("ada".to_owned()));
    assert_eq!(publisher.server.take_targets().len(), 1);
}

#[tokio::test]
async fn without_any_keys_nobody_is_let_in_and_the_reason_is_not_the_token() {
    let publisher = Publisher::start(&[]).await;
    let authenticator = publisher.authenticator(Duration::ZERO);
    assert_eq!(name(&authenticator, &RSA.sign_named("r", &claims())).await, Err(AuthError::Unavailable));
    publisher.publish(&[RSA.published("r")]);
    assert_eq!(name(&authenticator, &RSA.sign_named("r", &claims())).await, Ok("ada".to_owned()));
}

#[tokio::test]
async fn keys_for_something_else_do_not_count() {
    let mut encryption = RSA.published("enc");
    encryption["use"] = json!("enc");
    let mut other_algorithm = RSA.published("rs512");
    other_algorithm["alg"] = json!("RS512");
    let short = Signer::rsa(1024);
    let shared = json!({"kty": "oct", "kid": "oct", "k": "c2VjcmV0", "alg": "HS256"});
    let publisher = Publisher::start(&[
        encryption,
        other_algorithm,
        short.published("short"),
        shared,
        json!(3),
        RSA.published("good"),
    ])
    .await;
    let authenticator = publisher.authenticator(Duration::ZERO);
    for (signer, kid) in [(&*RSA, "enc"), (&*RSA, "rs512"), (&short, "short")] {
        assert_eq!(name(&authenticator, &signer.sign_named(kid, &claims())).await, INVALID, "{kid}");
    }
    let header = Header { kid: Some("oct".to_owned()), ..Header::default() };
    let forged = encode(&header, &claims(), &EncodingKey::from_secret(b"secret")).unwrap();
    assert_eq!(name(&authenticator, &forged).await, INVALID);
    // The only one that is left is meant by a token that names none.
    assert_eq!(name(&authenticator, &RSA.sign(&claims())).await, Ok("ada".to_owned()));
}
