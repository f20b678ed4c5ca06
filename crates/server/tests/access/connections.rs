//! What a connection remembers of a credential: clients behind a proxy may share one.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use cantata_access::{Authenticator, IntrospectionClient, IntrospectionSettings};
use cantata_server::AccessControl;
use cantata_testkit::{MockServer, TestServer};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::Guarded;

const KEY: &str = "7d2c1a34-2a6f-4c0b-9d59-64d9d7d0a1b2";

/// How long anything that must happen may take before a test gives up.
const WAIT_TIMEOUT: Duration = Duration::from_secs(60);

/// Asks for something with credentials, by a connection that stays open, and returns the status.
async fn ask(connection: &mut TcpStream, path: &str, credentials: &[&str]) -> u16 {
    let mut request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n");
    credentials.iter().for_each(|credential| request.push_str(&format!("authorization: Bearer {credential}\r\n")));
    request.push_str("\r\n");
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(connection.read_u8().await.unwrap());
    }
    let head = String::from_utf8(head).unwrap().to_lowercase();
    let length = head.split("content-length: ").nth(1).unwrap().lines().next().unwrap();
    connection.read_exact(&mut vec![0; length.parse().unwrap()]).await.unwrap();
    head.split(' ').nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn nothing_but_the_same_credential_is_taken_for_the_one_before() {
    let guarded = Guarded::open().await;
    let key = guarded.administrator.as_str();
    let mut connection = TcpStream::connect(guarded.server.address()).await.unwrap();
    let cut = &key[..key.len() - 1];
    let (longer, other) = (format!("{key}0"), format!("{cut}{}", if key.ends_with('0') { "1" } else { "0" }));
    for others in [
        &[][..],
        &["x"],
        &[cut],
        &[longer.as_str()],
        &[other.as_str()],
        // Of two credentials a proxy may have checked the other one.
        &[key, "x"],
        &["x", key],
        &[key, key],
    ] {
        assert_eq!(ask(&mut connection, "/admin/indexes", &[key]).await, 200);
        assert_eq!(ask(&mut connection, "/admin/indexes", others).await, 401, "{others:?}");
    }
}

/// A server that asks another one, which answers with a status that a test can change.
async fn asking() -> (TestServer, MockServer, Arc<AtomicU16>) {
    let status = Arc::new(AtomicU16::new(200));
    let shown = Arc::clone(&status);
    let body = json!({"user_id": "ada", "exp": 3600, "scope": ["song.WRITE"]}).to_string();
    let voucher = MockServer::start(move |_| (shown.load(Ordering::Relaxed), body.clone())).await;
    let introspection = IntrospectionClient::new(IntrospectionSettings {
        url: voucher.url.clone(),
        token_name: "apiKey".to_owned(),
        client_id: "song".to_owned(),
        client_secret: "secret".to_owned(),
        cache_ttl: Duration::ZERO,
    });
    let authenticator = Authenticator::default().with_introspection(introspection.unwrap());
    let access = AccessControl { authenticator, ..AccessControl::default() };
    (TestServer::builder().access(access).start().await, voucher, status)
}

#[tokio::test]
async fn a_credential_that_was_accepted_is_checked_again_soon() {
    let (server, _voucher, status) = asking().await;
    let mut connection = TcpStream::connect(server.address()).await.unwrap();
    assert_eq!(ask(&mut connection, "/admin/indexes", &[KEY]).await, 200);
    status.store(404, Ordering::Relaxed);
    let is_refused = async {
        while ask(&mut connection, "/admin/indexes", &[KEY]).await != 401 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(WAIT_TIMEOUT, is_refused).await.expect("a key that was revoked still counts");
}

#[tokio::test]
async fn a_credential_that_cannot_be_checked_opens_nothing() {
    let (server, _voucher, status) = asking().await;
    status.store(500, Ordering::Relaxed);
    let mut connection = TcpStream::connect(server.address()).await.unwrap();
    for path in ["/admin/indexes", "/studies/all"] {
        assert_eq!(ask(&mut connection, path, &[KEY]).await, 503, "{path}");
    }
}
