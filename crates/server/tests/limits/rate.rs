//! How many requests a client may send, and who counts as one client.

use std::sync::Arc;
use std::time::Duration;

use cantata_access::{Authenticator, KeyRecord, KeyRegistry, KeySecret, Person, SessionTimes, Sessions};
use cantata_server::AccessControl;
use cantata_store::Store;
use cantata_store_sqlite::SqliteStore;
use cantata_testkit::{TestCatalogues, TestResponse, TestServer};
use http::Method;
use serde_json::{Map, json};

/// More requests than a client gets through while its allowance of one a second comes back.
const MAX_REQUESTS: usize = 300;

/// Sends requests with a header until one is refused.
async fn refused(server: &TestServer, path: &str, header: (&str, &str)) -> Option<TestResponse> {
    for _ in 0..MAX_REQUESTS {
        let response = server.send(Method::GET, path, &[header], None).await;
        if response.status == 429 {
            return Some(response);
        }
    }
    None
}

fn slow_clients(limits: &mut cantata_server::LimitSettings) {
    limits.requests_per_second = 1;
    limits.request_burst = 5;
    limits.trusted_proxies = "127.0.0.0/8".parse().unwrap();
}

#[tokio::test]
async fn clients_that_send_too_many_requests_are_told_when_to_go_on() {
    let server = TestServer::builder().limits(slow_clients).start().await;
    let answer = refused(&server, "/studies/all", ("x-forwarded-for", "192.0.2.1")).await.unwrap();
    let text = "Too many requests came from this client; the header Retry-After says when to go on";
    answer.assert_error(429, "HttpServer", "too.many.requests", text);
    assert!(answer.header("retry-after").unwrap().parse::<u64>().unwrap() >= 1);
    // Others have allowances of their own.
    for other in ["192.0.2.2", "2001:db8::1", "2001:db8:0:1::1"] {
        server.send(Method::GET, "/studies/all", &[("x-forwarded-for", other)], None).await.assert_status(200);
    }
}

#[tokio::test]
async fn searches_are_refused_in_the_words_of_graphql() {
    let catalogues = TestCatalogues::new()
        .file("base.json", &json!({"documentType": "file", "esIndex": "files"}))
        .index("files", &json!({"properties": {"a": {"type": "keyword"}}}), []);
    let server = TestServer::builder().limits(slow_clients).catalogues(catalogues).start().await;
    let path = "/graphql?query=%7B__typename%7D";
    let answer = refused(&server, path, ("x-forwarded-for", "192.0.2.1")).await.unwrap();
    let code = &answer.json()["errors"][0]["extensions"]["code"];
    assert_eq!(code, "TOO_MANY_REQUESTS");
    assert!(answer.header("retry-after").is_some());
}

#[tokio::test]
async fn whoever_has_one_address_of_a_network_has_all_of_them() {
    let server = TestServer::builder().limits(slow_clients).start().await;
    let mut addresses = (0..MAX_REQUESTS).map(|number| format!("2001:db8:0:7::{number:x}"));
    let mut is_refused = false;
    while let Some(address) = addresses.next()
        && !is_refused
    {
        let header = [("x-forwarded-for", address.as_str())];
        is_refused = server.send(Method::GET, "/studies/all", &header, None).await.status == 429;
    }
    assert!(is_refused, "a client can have a new address for every request");
}

#[tokio::test]
async fn clients_cannot_say_that_they_are_others() {
    let server = TestServer::builder()
        .limits(|limits| {
            slow_clients(limits);
            limits.trusted_proxies = "203.0.113.1".parse().unwrap();
        })
        .start()
        .await;
    let mut is_refused = false;
    for number in 0..MAX_REQUESTS {
        let address = format!("192.0.2.{}", number % 256);
        let answer = server.send(Method::GET, "/studies/all", &[("x-forwarded-for", &address)], None).await;
        is_refused |= answer.status == 429;
    }
    assert!(is_refused, "a client can write any address into a header");
}

#[tokio::test]
async fn each_key_has_an_allowance_of_its_own_wherever_it_is_used() {
    let folder = tempfile::tempdir().unwrap();
    let keys = Arc::new(KeyRegistry::new(Arc::new(SqliteStore::open(folder.path()).unwrap())));
    let add = async |name: &str| {
        let (record, secret) = KeyRecord::new(name, &["song.WRITE".to_owned()], None).unwrap();
        keys.add(record).await.unwrap();
        format!("Bearer {}", secret.reveal())
    };
    let (one, other) = (add("one").await, add("other").await);
    let authenticator = Authenticator::default().with_keys(Arc::clone(&keys));
    let access = AccessControl { authenticator, ..AccessControl::default() };
    let server = TestServer::builder().access(access).limits(slow_clients).start().await;
    let send = async |key: &str, address: &str| {
        let headers = [("authorization", key), ("x-forwarded-for", address)];
        server.send(Method::GET, "/studies/all", &headers, None).await.status
    };
    let mut addresses = (0..MAX_REQUESTS).map(|number| format!("198.51.{}.{}", number / 256, number % 256));
    let mut is_refused = false;
    while let Some(address) = addresses.next()
        && !is_refused
    {
        is_refused = send(&one, &address).await == 429;
    }
    assert!(is_refused, "a key has a new allowance at every address");
    assert!(refused(&server, "/studies/all", ("x-forwarded-for", "192.0.2.1")).await.is_some());
    assert_eq!(send(&other, "192.0.2.1").await, 200, "others at an address are not concerned");
}

#[tokio::test]
async fn all_keys_of_a_person_have_one_allowance() {
    let folder = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(folder.path()).unwrap());
    let scopes = vec!["song.READ".to_owned()];
    let times = SessionTimes { idle: Duration::from_secs(600), max_age: Duration::from_secs(600) };
    let ada = Person { subject: "ada".to_owned(), scopes: scopes.iter().cloned().collect(), claims: Map::new() };
    Sessions::new(Arc::clone(&store), "secret", times).begin(ada).await.unwrap();
    let keys = Arc::new(KeyRegistry::new(store));
    let mut credentials = Vec::new();
    for number in 0..50 {
        let (record, secret) = KeyRecord::new(&format!("k{number}"), &scopes, None).unwrap();
        keys.add(record.owned_by("ada")).await.unwrap();
        credentials.push(format!("Bearer {}", secret.reveal()));
    }
    let authenticator = Authenticator::default().with_keys(keys);
    let access = AccessControl { authenticator, ..AccessControl::default() };
    let server = TestServer::builder().access(access).limits(slow_clients).start().await;
    let mut is_refused = false;
    for credential in &credentials {
        let headers = [("authorization", credential.as_str())];
        is_refused |= server.send(Method::GET, "/studies/all", &headers, None).await.status == 429;
    }
    assert!(is_refused, "a person has a new allowance with every key");
}

#[tokio::test]
async fn by_default_nobody_is_slowed_down() {
    let server = TestServer::start().await;
    assert!(refused(&server, "/studies/all", ("x-forwarded-for", "192.0.2.1")).await.is_none());
}

#[tokio::test]
async fn guessing_keys_is_limited_for_each_address() {
    let folder = tempfile::tempdir().unwrap();
    let secret = KeySecret::generate().unwrap();
    let authenticator = Authenticator::default()
        .with_keys(Arc::new(KeyRegistry::new(Arc::new(SqliteStore::open(folder.path()).unwrap()))))
        .with_operator(&secret, "song.ADMIN");
    let server = TestServer::builder()
        .access(AccessControl { authenticator, ..AccessControl::default() })
        .limits(|limits| {
            limits.failures_per_minute = 5;
            limits.trusted_proxies = "127.0.0.1".parse().unwrap();
        })
        .start()
        .await;
    let send = async |address: &str, credential: Option<&str>| {
        let authorization = credential.map(|credential| format!("Bearer {credential}"));
        let mut headers = vec![("x-forwarded-for", address)];
        headers.extend(authorization.as_deref().map(|authorization| ("authorization", authorization)));
        server.send(Method::GET, "/studies/all", &headers, None).await.status
    };
    let right = Some(secret.reveal());
    for _ in 0..100 {
        assert_ne!(send("192.0.2.1", right).await, 429, "accepted credentials are not counted");
    }
    let mut guessed = 0;
    while send("192.0.2.1", Some("cantata_guess")).await != 429 {
        guessed += 1;
        assert!(guessed < MAX_REQUESTS, "keys can be guessed at any pace");
    }
    assert_eq!(send("192.0.2.1", right).await, 429, "the right one must not be found out either");
    assert_eq!(send("192.0.2.1", None).await, 200, "without a credential there is nothing to guess");
    assert_eq!(send("192.0.2.2", right).await, 200, "other addresses are not concerned");
}
