//! Requests that no HTTP client would send.

use std::time::Duration;

use cantata_testkit::{TestServer, raw};
use serde_json::{Value, json};

use crate::support::server_with_study;

/// Sends a GET for any bytes and requires an error body, whose id is returned with the status.
async fn refused(server: &TestServer, target: &[u8]) -> (u16, Value) {
    let request = raw::request("GET", target, &[], b"");
    let response = raw::exchange(server.address(), &request).await.unwrap();
    assert!(response.status < 500, "{}", response.head);
    assert!(response.head.to_ascii_lowercase().contains("content-type: application/json"), "{}", response.head);
    let body = response.json();
    assert_eq!(body["httpStatusCode"], response.status);
    (response.status, body["errorId"].clone())
}

#[tokio::test]
async fn segments_that_are_no_text() {
    let server = server_with_study().await;
    for target in [
        b"/studies/%ff%fe".as_slice(),
        b"/studies/%C3%28/analysis",
        b"/schemas/%80",
        b"/entities/%ed%a0%80",
        b"/export/studies/%ff",
    ] {
        assert_eq!(refused(&server, target).await, (400, json!("malformed.parameter")), "{target:?}");
    }
}

#[tokio::test]
async fn escapes_that_are_none_and_signs_that_mean_nothing_name_nothing() {
    let server = server_with_study().await;
    for target in [
        b"/studies/%".as_slice(),
        b"/studies/%2",
        b"/studies/%zz",
        b"/studies/%00",
        b"/studies/S%00",
        b"/studies/S%0d%0aset-cookie:%20a=b",
        b"/studies/..",
        b"/studies/%2e%2e%2fS",
        b"/studies/S;x=1",
        b"/studies/'%20or%20'1'='1",
        b"/studies/{studyId}",
        b"/studies/\xc3\xa9",
    ] {
        assert_eq!(refused(&server, target).await, (404, json!("study.id.does.not.exist")), "{target:?}");
    }
}

#[tokio::test]
async fn nothing_from_a_request_gets_into_the_head_of_its_answer() {
    let server = server_with_study().await;
    let target = b"/studies/x%0d%0aset-cookie:%20a=b?y=%0d%0aset-cookie:%20c=d";
    let request = raw::request("GET", target, &[], b"");
    let response = raw::exchange(server.address(), &request).await.unwrap();
    assert_eq!(response.status, 404);
    assert!(!response.head.to_ascii_lowercase().contains("set-cookie"), "{}", response.head);
    let shown = response.json()["requestUrl"].as_str().unwrap().to_owned();
    assert!(shown.starts_with("http://localhost/studies/x"), "{shown}");
}

#[tokio::test]
async fn queries_of_any_bytes_are_read() {
    let server = server_with_study().await;
    for query in [
        b"limit=%ff".as_slice(),
        b"limit=%",
        b"limit=%zz",
        b"limit=%00",
        b"limit=%F0%9F%98%80",
        b"limit=1%002",
        b"sort=%ff",
        b"versions=,",
        b"versions=1,,2",
        b"hideSchema=%00",
    ] {
        let target = [b"/schemas?".as_slice(), query].concat();
        assert_eq!(refused(&server, &target).await, (400, json!("malformed.parameter")), "{query:?}");
    }
    for query in [b"".as_slice(), b"&&&", b"=", b"=x", b"%ff=%ff", b"a%00b=c", b"limit=2&limit=x", b"names=%ff,%00"] {
        let request = raw::request("GET", &[b"/schemas?".as_slice(), query].concat(), &[], b"");
        let response = raw::exchange(server.address(), &request).await.unwrap();
        assert_eq!(response.status, 200, "{query:?}");
    }
}

#[tokio::test]
async fn the_first_of_repeated_parameters_counts() {
    let server = server_with_study().await;
    assert_eq!(server.get("/schemas?limit=1&limit=x").await.ok()["limit"], 1);
}

#[tokio::test]
async fn hosts_of_any_kind_are_answered() {
    let server = server_with_study().await;
    for host in ["host: \u{e9}", "host: a b", "host: ", "host: [::1]:80", "host: x\r\nhost: y"] {
        let request = format!("GET /studies/none HTTP/1.1\r\n{host}\r\nconnection: close\r\n\r\n");
        let response = raw::exchange(server.address(), request.as_bytes()).await.unwrap();
        assert!((400..500).contains(&response.status), "{host}: {}", response.head);
    }
    let response = raw::exchange(server.address(), b"GET /studies/none HTTP/1.0\r\n\r\n").await.unwrap();
    assert_eq!(response.json()["requestUrl"], "http://localhost/studies/none");
    let behind_proxy =
        b"GET /studies/none HTTP/1.1\r\nhost: localhost\r\nx-forwarded-proto: https\r\nconnection: close\r\n\r\n";
    let response = raw::exchange(server.address(), behind_proxy).await.unwrap();
    assert_eq!(response.json()["requestUrl"], "https://localhost/studies/none");
    let absolute = b"GET http://elsewhere/studies/none HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    let response = raw::exchange(server.address(), absolute).await.unwrap();
    assert_eq!(response.json()["errorId"], "study.id.does.not.exist");
}

#[tokio::test]
async fn a_request_names_its_host_exactly_once() {
    let server = server_with_study().await;
    for (hosts, found) in [("", 0), ("host: x\r\nhost: y\r\n", 2), ("host: x\r\nHost: x\r\n", 2)] {
        for path in ["/isAlive", "/studies/all", "/nothing"] {
            let request = format!("GET {path} HTTP/1.1\r\n{hosts}connection: close\r\n\r\n");
            let response = raw::exchange(server.address(), request.as_bytes()).await.unwrap();
            assert_eq!(response.status, 400, "{path} {hosts}");
            let message = response.json()["message"].as_str().unwrap().to_owned();
            assert!(message.contains(&format!("{found} headers Host")), "{message}");
        }
    }
    let without = b"GET http://elsewhere/isAlive HTTP/1.1\r\nconnection: close\r\n\r\n";
    assert_eq!(raw::exchange(server.address(), without).await.unwrap().status, 400);
}

/// What is no HTTP is refused by the protocol itself, with a status and without a body.
#[tokio::test]
async fn what_is_no_http_is_refused() {
    let server = server_with_study().await;
    let long_head = format!("GET /isAlive HTTP/1.1\r\nx: {}\r\n\r\n", "y".repeat(1_000_000));
    let many_headers = format!("GET /isAlive HTTP/1.1\r\n{}\r\n", "x: y\r\n".repeat(1_000));
    let long_path = format!("GET /{} HTTP/1.1\r\nhost: x\r\n\r\n", "x".repeat(100_000));
    for request in [
        b"\x00\x01\x02\x03\r\n\r\n".as_slice(),
        b"GET\r\n\r\n",
        b"GET /isAlive\r\n\r\n",
        b"GET /is Alive HTTP/1.1\r\n\r\n",
        b"GET /isAlive HTTP/9.9\r\n\r\n",
        b"GET /isAlive HTTP/1.1\r\nbad header\r\n\r\n",
        b"GET /isAlive HTTP/1.1\r\nx: \x00\r\n\r\n",
        b"POST /submit/S HTTP/1.1\r\ncontent-length: x\r\n\r\n",
        b"POST /submit/S HTTP/1.1\r\ncontent-length: -1\r\n\r\n",
        b"POST /submit/S HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n{}",
        b"POST /submit/S HTTP/1.1\r\ntransfer-encoding: gzip\r\n\r\n{}",
        long_head.as_bytes(),
        many_headers.as_bytes(),
        long_path.as_bytes(),
    ] {
        let response = raw::exchange(server.address(), request).await;
        let shown = String::from_utf8_lossy(&request[..request.len().min(60)]).into_owned();
        if let Some(response) = response {
            assert!((400..500).contains(&response.status), "{shown}: {}", response.head);
        }
        server.get("/isAlive").await.assert_text(200, "true");
    }
    // A connection of HTTP/2 on which nothing is asked for is closed after the timeout of clients.
    let impatient = TestServer::builder().limits(|limits| limits.client_timeout = Duration::from_secs(3)).start().await;
    let response = raw::exchange(impatient.address(), b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await;
    assert!(response.is_none(), "{response:?}");
    // On a new connection: the one of the client is closed about now as well.
    let response = raw::exchange(impatient.address(), &raw::request("GET", b"/isAlive", &[], b"")).await.unwrap();
    assert_eq!((response.status, response.body.as_slice()), (200, &b"true"[..]));
}

/// Connections that are opened and left alone hold nobody up.
#[tokio::test]
async fn idle_connections_hold_nobody_up() {
    let server = server_with_study().await;
    let mut idle = Vec::new();
    for nth in 0..200 {
        let mut stream = tokio::net::TcpStream::connect(server.address()).await.unwrap();
        if nth % 2 == 0 {
            use tokio::io::AsyncWriteExt;
            stream.write_all(b"POST /submit/S HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{").await.unwrap();
        }
        idle.push(stream);
    }
    server.submit(&cantata_testkit::Payload::new("S")).await;
}

#[tokio::test]
async fn names_and_values_of_any_text_are_stored_as_they_are() {
    let server = server_with_study().await;
    server.register_minimal("t").await;
    let strange = json!({"": 1, "\u{0}": "\u{0}", "__proto__": {}, "a/b~c": "'; DROP TABLE analysis; --", "$ref": "#/x", "é\u{202e}": "{value}"});
    let payload =
        cantata_testkit::Payload::new("S").of_type("t").with("experiment", strange.clone()).with("", strange.clone());
    let id = server.submit(&payload).await;
    let analysis = server.analysis("S", &id).await;
    assert_eq!((&analysis["experiment"], &analysis[""]), (&strange, &strange));
    let patched = json!({"experiment": {"": null, "__proto__": null}});
    server.patch(&format!("/studies/S/analysis/{id}"), &patched).await.assert_status(200);
    assert_eq!(server.analysis("S", &id).await["experiment"].as_object().unwrap().len(), 4);
}
