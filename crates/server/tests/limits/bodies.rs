//! Bodies that are larger than they may be, or than they look.

use std::io::Write;
use std::time::Duration;

use cantata_testkit::{Payload, TestCatalogues, TestServer, raw};
use flate2::Compression;
use flate2::write::GzEncoder;
use http::Method;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::support::soon;

async fn searching(change: impl FnOnce(&mut cantata_server::LimitSettings)) -> TestServer {
    let catalogues = TestCatalogues::new()
        .file("base.json", &json!({"documentType": "file", "esIndex": "files"}))
        .index("files", &json!({"properties": {"a": {"type": "keyword"}}}), []);
    let server = TestServer::builder().catalogues(catalogues).limits(change).start().await;
    server.create_study("S").await;
    server
}

/// What a hundred megabytes of nothing come in.
fn bomb() -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    for _ in 0..100 {
        encoder.write_all(&vec![b' '; 1 << 20]).unwrap();
    }
    encoder.finish().unwrap()
}

#[tokio::test]
async fn compressed_bodies_are_refused_and_never_unpacked() {
    let server = searching(|_| ()).await;
    let bomb = bomb();
    for path in [
        "/submit/S",
        "/submit/S/batch",
        "/schemas",
        "/studies/NEW",
        "/admin/indexes/files/import",
        "/graphql",
        "/download",
    ] {
        for coding in ["gzip", "deflate", "br", "zstd", "gzip, identity", "GZIP"] {
            let headers = [("content-type", "application/json"), ("content-encoding", coding)];
            let answer = server.send(Method::POST, path, &headers, Some(bomb.clone())).await;
            answer.assert_status(415);
            assert_eq!(answer.header("accept-encoding"), Some("identity"), "{path}");
            let text = answer.text();
            assert!(text.contains("bodies are not decompressed"), "{path}: {text}");
            assert_eq!(answer.json().get("errors").is_some(), matches!(path, "/graphql" | "/download"), "{path}");
        }
    }
    let headers = [("content-type", "application/json"), ("content-encoding", "identity")];
    let body = br#"{"query":"{__typename}"}"#.to_vec();
    server.send(Method::POST, "/graphql", &headers, Some(body)).await.assert_status(200);
}

#[tokio::test]
async fn searches_and_downloads_have_smaller_bodies() {
    let server = searching(|limits| limits.search_body_limit = 1000).await;
    let query = format!("#{}\n{{__typename}}", "x".repeat(2000));
    for path in ["/graphql", "/file/graphql", "/download", "/"] {
        let answer = server.graphql(path, &query, &json!({})).await;
        answer.assert_text(413, "The body is larger than the limit of 1000 bytes; send less, or in several requests");
    }
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "x".repeat(2000)});
    server.post("/mcp", &message).await.assert_error_id(413, "payload.too.large");
    server.graphql("/graphql", "{__typename}", &json!({})).await.assert_status(200);
    // Metadata is not concerned.
    server.submit(&Payload::new("S").with("text", "x".repeat(2000))).await;
}

#[tokio::test]
async fn batches_have_a_limit_in_all() {
    let server = searching(|limits| limits.batch_limit = 10_000).await;
    let lines: String = (0..100).map(|_| format!("{}\n", Payload::new("S").build())).collect();
    assert!(lines.len() > 20_000);
    let headers = [("content-type", "application/x-ndjson")];
    let answer = server.send(Method::POST, "/submit/S/batch", &headers, Some(lines.clone().into_bytes())).await;
    let text = "The body is larger than the limit of 10000 bytes; send less, or in several requests";
    answer.assert_error(413, "HttpServer", "payload.too.large", text);
    // A client that does not say how much it sends is told in the place of the payload that was too much.
    let mut request = b"POST /submit/S/batch HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\
        content-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n"
        .to_vec();
    for line in lines.lines() {
        write!(request, "{:x}\r\n{line}\n\r\n", line.len() + 1).unwrap();
    }
    request.extend_from_slice(b"0\r\n\r\n");
    let answer = raw::exchange(server.address(), &request).await.unwrap();
    assert_eq!(answer.status, 200);
    let results: Vec<Value> =
        String::from_utf8(answer.body).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (last, stored) = results.split_last().unwrap();
    assert!(!stored.is_empty() && stored.iter().all(|result| result["status"] == "OK"), "{stored:?}");
    assert_eq!(last["errorId"], "payload.too.large");
    let page = server.get("/studies/S/analysis/paginated?analysisStates=UNPUBLISHED&limit=1").await.ok();
    assert_eq!(page["totalAnalyses"], stored.len());
}

/// Nothing of a body is asked for that is too large by its own account.
#[tokio::test]
async fn clients_that_ask_first_need_not_send_what_is_too_large() {
    let server = TestServer::builder().body_limit(1000).start().await;
    let head = "POST /schemas HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n\
        content-length: 1000000000000\r\nexpect: 100-continue\r\n\r\n";
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    let answer = soon("an answer", raw::read_response(&mut stream)).await.unwrap();
    assert_eq!((answer.status, &answer.json()["errorId"]), (413, &json!("payload.too.large")));
}

/// A client that sends nothing of it is not waited for.
#[tokio::test]
async fn a_body_that_is_too_large_by_its_own_account_is_refused_before_it_comes() {
    let server = searching(|limits| {
        limits.search_body_limit = 1000;
        limits.client_timeout = Duration::from_secs(3600);
    })
    .await;
    for path in ["/schemas", "/submit/S", "/graphql"] {
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 1000000000000\r\n\r\n"
        );
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let answer = soon("an answer and the end of the connection", raw::read_response(&mut stream)).await.unwrap();
        assert_eq!(answer.status, 413, "{path}");
    }
}

/// What is refused is read for a while, so that its client gets to read why, but not for ever.
#[tokio::test]
async fn a_refused_body_without_an_end_is_not_read_to_it() {
    const MAX_READ_MEGABYTES: usize = 256;
    let server = TestServer::builder().body_limit(1000).start().await;
    for (why, header) in [("too large", "content-type: application/json"), ("compressed", "content-encoding: gzip")] {
        let head = format!("POST /schemas HTTP/1.1\r\nhost: x\r\n{header}\r\ncontent-length: 1000000000000\r\n\r\n");
        let mut stream = TcpStream::connect(server.address()).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let megabyte = vec![b' '; 1 << 20];
        let mut sent = 0;
        while sent < MAX_READ_MEGABYTES && soon("the end of a write", stream.write_all(&megabyte)).await.is_ok() {
            sent += 1;
        }
        assert!(sent < MAX_READ_MEGABYTES, "{why}: {sent} MB were read");
    }
}
