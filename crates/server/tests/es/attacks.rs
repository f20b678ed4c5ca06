//! What no good client sends: nothing of it may break the server, or leave its folder.

use cantata_testkit::{TestServer, raw};
use http::Method;
use serde_json::json;

use crate::support::{bulk, count, server_with_index};

/// Requires that the server is there and its index is as it was.
async fn assert_unharmed(server: &TestServer, documents: u64) {
    assert_eq!(count(server, "files").await, json!(documents));
    let verified = server.send(Method::POST, "/admin/indexes/files/verify", &[], None).await.ok();
    assert_eq!(verified, json!({"problems": []}));
}

#[tokio::test]
async fn names_lead_nowhere_but_to_indexes() {
    let server = server_with_index().await;
    let names = [
        "..",
        ".",
        "%2e%2e",
        "%2E%2E%2F",
        "..%2Fup",
        "a%2Fb",
        "%2Fetc",
        "a%5Cb",
        "%00",
        "a%00b",
        "%0A",
        "%20",
        "_all",
        "_x",
        "-x",
        "+x",
        ".aliases.json",
        ".deleted-files",
        ".unfinished-x",
        "lock",
        "*",
        "f*",
        "%FF",
        "%C3%28",
        "ü",
        "a:b",
        "a|b",
        "%22",
        "%3C%3E",
        "CON",
        "files%2Fmanifest.json",
        &"n".repeat(256),
        &"n".repeat(5000),
    ];
    for name in names {
        for (method, path) in [
            ("PUT", format!("/_es/{name}")),
            ("DELETE", format!("/_es/{name}")),
            ("GET", format!("/_es/{name}/_mapping")),
            ("PUT", format!("/_es/{name}/_doc/1")),
            ("GET", format!("/_es/{name}/_doc/..%2F..%2Flock")),
            ("PUT", format!("/_es/files/_alias/{name}")),
            ("POST", format!("/_es/{name}/_bulk")),
        ] {
            let body = if path.ends_with("_bulk") { "{\"index\":{\"_id\":\"1\"}}\n{}\n" } else { "{}" };
            let request = raw::request(method, path.as_bytes(), &[], body.as_bytes());
            if let Some(response) = raw::exchange(server.address(), &request).await {
                assert!(response.status < 500, "{method} {path} -> {}", response.head);
            }
        }
    }
    let listed = server.get("/admin/indexes").await.ok();
    let made: Vec<&str> = listed.as_array().unwrap().iter().map(|index| index["name"].as_str().unwrap()).collect();
    assert!(made.iter().all(|name| ["CON", "files"].contains(name)), "{made:?}");
    assert_unharmed(&server, 0).await;
}

#[tokio::test]
async fn bodies_of_any_bytes_are_answered() {
    let server = server_with_index().await;
    let deep = |depth: usize| format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth)).into_bytes();
    let lists = |depth: usize| format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth)).into_bytes();
    let bodies: Vec<Vec<u8>> = vec![
        b"\xff\xfe\x00".to_vec(),
        b"{\"size\": \"\xff\"}".to_vec(),
        b"{\"\xc3\x28\": 1}".to_vec(),
        b"{\"a\": \"\\ud800\"}".to_vec(),
        b"{\"a\": 1e400}".to_vec(),
        b"\0".to_vec(),
        b"{\"a\": 1, \"a\": 2}".to_vec(),
        b"{\"\": {\"\": 1}}".to_vec(),
        b"{\"a.b\": 1, \"a\": {\"b\": \"x\"}}".to_vec(),
        deep(90),
        deep(101),
        deep(128),
        deep(100_000),
        lists(120),
        lists(100_000),
    ];
    for body in bodies {
        let mut lines = b"{\"index\":{\"_id\":\"x\"}}\n".to_vec();
        lines.extend_from_slice(&body);
        lines.push(b'\n');
        let shown = String::from_utf8_lossy(&body[..body.len().min(40)]).into_owned();
        let mut update = b"{\"doc\":".to_vec();
        update.extend_from_slice(&body);
        update.push(b'}');
        for (method, path, body) in [
            (Method::PUT, "/_es/other", &body),
            (Method::PUT, "/_es/files/_mapping", &body),
            (Method::PUT, "/_es/files/_doc/x", &body),
            (Method::POST, "/_es/files/_update/x", &update),
            (Method::POST, "/_es/files/_update/x", &body),
            (Method::POST, "/_es/_aliases", &body),
            (Method::POST, "/_es/files/_count", &body),
            (Method::POST, "/_es/files/_bulk", &body),
            (Method::POST, "/_es/files/_bulk", &lines),
        ] {
            let response = server.send(method.clone(), path, &[], Some(body.clone())).await;
            assert!(response.status < 500, "{method} {path} {shown} -> {} {}", response.status, response.text());
        }
        // Whatever was taken can be read.
        assert!(server.get("/_es/files/_doc/x").await.status < 500, "{shown}");
        server.delete("/_es/files/_doc/x").await;
        server.delete("/_es/other").await;
    }
    assert_unharmed(&server, 0).await;
}

#[tokio::test]
async fn lines_without_an_end_and_bombs_are_given_up() {
    let server = server_with_index().await;
    let line = vec![b'x'; (64 << 20) + 10];
    let response = server.send(Method::POST, "/_es/files/_bulk", &[], Some(line.clone())).await;
    assert!([400, 413].contains(&response.status), "{}", response.status);
    let response = server.send(Method::PUT, "/_es/files/_doc/x", &[], Some(line)).await;
    assert_eq!(response.status, 413);
    // A few megabytes that become several gigabytes.
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let zeros = vec![b' '; 1 << 20];
    for _ in 0..2000 {
        std::io::Write::write_all(&mut encoder, &zeros).unwrap();
    }
    let bomb = encoder.finish().unwrap();
    // In a bulk it is one line, which is too long before the whole is.
    for (method, path, status) in [
        (Method::POST, "/_es/files/_bulk", 400),
        (Method::PUT, "/_es/files/_doc/x", 413),
        (Method::PUT, "/_es/other", 413),
        (Method::PUT, "/_es/files/_mapping", 413),
        (Method::POST, "/_es/_aliases", 413),
    ] {
        let response = server.send(method, path, &[("content-encoding", "gzip")], Some(bomb.clone())).await;
        assert_eq!(response.status, status, "{path}");
    }
    assert_unharmed(&server, 0).await;
}

#[tokio::test]
async fn a_request_that_breaks_off_does_nothing() {
    let server = server_with_index().await;
    bulk(&server, "/_es/files/_bulk", &[json!({"index": {"_id": "a"}}), json!({"size": 1})]).await.ok();
    let whole = "{\"index\":{\"_id\":\"b\"}}\n{\"size\":1}\n{\"delete\":{\"_id\":\"a\"}}\n";
    for length in [0, 5, 22, 30, whole.len() - 1] {
        let head =
            format!("POST /_es/files/_bulk HTTP/1.1\r\nhost: localhost\r\ncontent-length: {}\r\n\r\n", whole.len());
        let cut = format!("{head}{}", &whole[..length]);
        if let Some(response) = raw::exchange_half_closed(server.address(), cut.as_bytes()).await {
            assert_eq!(response.status, 400, "{}", response.head);
        }
        assert_unharmed(&server, 1).await;
    }
    for strange in [
        "transfer-encoding: chunked\r\n\r\nzz\r\n",
        "transfer-encoding: chunked\r\n\r\n5\r\n{\"ind",
        "content-encoding: gzip\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n\r\n{}",
        "content-encoding: gzip, gzip\r\ncontent-length: 2\r\n\r\n{}",
        "expect: 100-continue\r\ncontent-length: 9999999999999\r\n\r\n",
    ] {
        let request = format!("POST /_es/files/_bulk HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{strange}");
        if let Some(response) = raw::exchange_half_closed(server.address(), request.as_bytes()).await {
            assert!((400..500).contains(&response.status), "{strange}: {}", response.head);
        }
    }
    assert_unharmed(&server, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_is_removed_while_it_is_written_to_is_not_found_and_its_name_is_free() {
    const ROUNDS: usize = 60;
    let server = server_with_index().await;
    let write = async |writer: usize| {
        for n in 0..ROUNDS {
            let operation = json!({"index": {"_index": "files", "_id": format!("{writer}-{n}")}});
            let answer = bulk(&server, "/_es/_bulk", &[operation, json!({"name": "x"})]).await;
            answer.assert_status(200);
            let status = answer.json()["items"][0]["index"]["status"].as_u64();
            assert!(status.is_some_and(|status| status < 500), "{}", answer.json());
        }
    };
    let remove = async {
        for _ in 0..ROUNDS {
            for answer in [server.delete("/_es/files").await, server.put("/_es/files", &json!({})).await] {
                assert!(answer.status < 500, "{}", answer.json());
            }
        }
    };
    tokio::join!(write(1), write(2), write(3), remove);
    server.delete("/_es/files").await;
    server.put("/_es/files", &json!({})).await.assert_status(200);
    assert_unharmed(&server, 0).await;
}
