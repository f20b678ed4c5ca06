//! Keys that another server is asked about.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use cantata_access::{AuthError, AuthMethod, Authenticator, IntrospectionClient, IntrospectionSettings};
use cantata_testkit::MockServer;
use serde_json::json;
use tokio::net::TcpListener;

use crate::support::name;

const KEY: &str = "7d2c1a34-2a6f-4c0b-9d59-64d9d7d0a1b2";

struct Voucher {
    server: MockServer,
    answer: Arc<Mutex<(u16, String)>>,
}

impl Voucher {
    async fn start() -> Self {
        let body = json!({"user_id": "u-17", "exp": 3600, "scope": ["STUDY.ABC.WRITE", "song.READ"]}).to_string();
        let answer = Arc::new(Mutex::new((200, body)));
        let shown = Arc::clone(&answer);
        Self { server: MockServer::start(move |_| shown.lock().unwrap().clone()).await, answer }
    }

    fn answer(&self, status: u16, body: &str) {
        *self.answer.lock().unwrap() = (status, body.to_owned());
    }

    fn authenticator(&self, cache_ttl: Duration) -> Authenticator {
        asking(&self.server.url, cache_ttl)
    }
}

/// Asks the server at an address.
fn asking(server: &str, cache_ttl: Duration) -> Authenticator {
    let introspection = IntrospectionClient::new(IntrospectionSettings {
        url: format!("{server}/o/check_api_key"),
        token_name: "apiKey".to_owned(),
        client_id: "song".to_owned(),
        client_secret: "s3cret".to_owned(),
        cache_ttl,
    });
    Authenticator::default().with_introspection(introspection.unwrap())
}

#[tokio::test]
async fn the_other_server_is_asked_as_it_expects_and_not_for_each_request() {
    let voucher = Voucher::start().await;
    let authenticator = voucher.authenticator(Duration::from_secs(3600));
    for _ in 0..3 {
        let identity = authenticator.identify(KEY).await.unwrap();
        assert_eq!((identity.name.as_str(), identity.auth_method), ("u-17", AuthMethod::Introspection));
        assert!(identity.has_scope("STUDY.ABC.WRITE") && identity.has_scope("song.READ"));
    }
    let requests = voucher.server.take_requests();
    assert_eq!(requests.len(), 1);
    let request = &requests[0];
    assert!(request.starts_with("POST /o/check_api_key HTTP/1.1\r\n"), "{request}");
    assert!(request.to_lowercase().contains("authorization: basic c29uzzpzm2nyzxq=\r\n"), "{request}");
    assert!(request.ends_with(&format!("\r\n\r\napiKey={KEY}")), "{request}");
}

#[tokio::test]
async fn a_refused_key_is_asked_about_again() {
    let voucher = Voucher::start().await;
    let authenticator = voucher.authenticator(Duration::from_secs(3600));
    for refusal in [
        json!({"error": "invalid_token"}),
        json!({"exp": 0, "scope": ["song.WRITE"]}),
        json!({"exp": 9, "revoked": true, "scope": ["song.WRITE"]}),
        json!({"exp": 9, "valid": false, "scope": ["song.WRITE"]}),
    ] {
        voucher.answer(200, &refusal.to_string());
        assert_eq!(name(&authenticator, KEY).await, Err(AuthError::Invalid), "{refusal}");
    }
    voucher.answer(404, "{}");
    assert_eq!(name(&authenticator, KEY).await, Err(AuthError::Invalid));
    voucher.answer(207, &json!({"user_id": "u", "exp": 9, "scope": []}).to_string());
    assert_eq!(name(&authenticator, KEY).await, Ok("u".to_owned()));
}

#[tokio::test]
async fn without_an_answer_nobody_is_let_in() {
    let voucher = Voucher::start().await;
    let authenticator = voucher.authenticator(Duration::ZERO);
    assert_eq!(name(&authenticator, KEY).await, Ok("u-17".to_owned()));
    let good = json!({"user_id": "u", "exp": 9, "scope": ["song.WRITE"]}).to_string();
    for (status, body) in [
        (500, ""),
        (500, good.as_str()),
        (302, &good),
        (201, &good),
        (200, "no json"),
        (200, "[]"),
        (302, ""),
        (204, ""),
    ] {
        voucher.answer(status, body);
        assert_eq!(name(&authenticator, KEY).await, Err(AuthError::Unavailable), "{status} {body}");
    }
}

#[tokio::test]
async fn the_other_server_cannot_send_elsewhere_nor_answer_without_an_end() {
    let good = json!({"user_id": "u", "exp": 9, "scope": ["song.WRITE"]}).to_string();
    let answer = good.clone();
    let elsewhere = MockServer::start(move |_| (200, answer.clone())).await;
    let voucher = Voucher::start().await;
    let authenticator = voucher.authenticator(Duration::ZERO);
    for status in [301, 302, 303, 307, 308] {
        voucher.answer(status, &elsewhere.url);
        assert_eq!(name(&authenticator, KEY).await, Err(AuthError::Unavailable), "{status}");
    }
    assert_eq!(elsewhere.take_requests(), [""; 0], "it was told the key");
    voucher.answer(200, &format!("{good}{}", " ".repeat(1 << 20)));
    assert_eq!(name(&authenticator, KEY).await, Err(AuthError::Unavailable));
}

#[tokio::test]
async fn a_server_that_never_answers_is_given_up() {
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let authenticator = asking(&format!("http://{}", silent.local_addr().unwrap()), Duration::ZERO);
    let refused = tokio::time::timeout(Duration::from_secs(60), name(&authenticator, KEY)).await;
    assert_eq!(refused.expect("it is waited for"), Err(AuthError::Unavailable));
}

#[tokio::test]
async fn only_what_is_a_uuid_is_sent_to_the_other_server() {
    let voucher = Voucher::start().await;
    let authenticator = voucher.authenticator(Duration::ZERO);
    let unbroken = KEY.replace('-', "");
    for credential in ["secret", "a.b.c", &unbroken, &format!("{{{KEY}}}"), "cantata_00", ""] {
        assert_eq!(name(&authenticator, credential).await, Err(AuthError::Invalid), "{credential}");
    }
    assert!(voucher.server.take_requests().is_empty());
}
