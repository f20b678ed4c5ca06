//! Compressed responses.

use std::convert::Infallible;
use std::future::ready;
use std::time::Duration;

use bytes::Bytes;
use cantata_testkit::raw::{self, RawResponse};
use cantata_testkit::{Payload, TestServer};
use http_body_util::{BodyExt, Full};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tower::ServiceExt;
use tower_http::decompression::Decompression;

use crate::support::server_with_study;

async fn get(server: &TestServer, path: &str, headers: &[&str]) -> RawResponse {
    let answer = raw::exchange(server.address(), &raw::request("GET", path.as_bytes(), headers, b"")).await.unwrap();
    assert_eq!(answer.status, 200, "{}", answer.head);
    answer
}

async fn decoded(coding: &str, body: Vec<u8>) -> Bytes {
    let mut encoded =
        http::Response::builder().header("content-encoding", coding).body(Full::new(Bytes::from(body))).ok();
    let server = tower::service_fn(move |_: http::Request<()>| ready(Ok::<_, Infallible>(encoded.take().unwrap())));
    let response = Decompression::new(server).oneshot(http::Request::new(())).await.unwrap();
    response.into_body().collect().await.unwrap().to_bytes()
}

#[tokio::test]
async fn text_is_compressed_as_the_client_accepts_it() {
    let server = TestServer::start().await;
    let plain = get(&server, "/openapi.json", &[]).await;
    assert!(!plain.head.contains("content-encoding"), "{}", plain.head);
    assert!(plain.head.contains("vary: accept-encoding"), "{}", plain.head);
    for coding in ["gzip", "br", "zstd"] {
        let answer = get(&server, "/openapi.json", &[&format!("accept-encoding: {coding}")]).await;
        assert!(answer.head.contains(&format!("content-encoding: {coding}")), "{}", answer.head);
        assert!(answer.body.len() < plain.body.len() / 3, "{coding}: {} bytes", answer.body.len());
        assert_eq!(decoded(coding, answer.body).await, plain.body, "{coding}");
    }
}

#[tokio::test]
async fn what_is_short_or_compressed_already_stays_as_it_is() {
    let server = TestServer::start().await;
    let short = get(&server, "/isAlive", &["accept-encoding: gzip, br, zstd"]).await;
    assert!(!short.head.contains("content-encoding"), "{}", short.head);
    let page = get(&server, "/portal", &[]).await;
    let page = String::from_utf8(page.body).unwrap();
    let script = page.split("/assets/portal/").nth(1).unwrap().split('"').next().unwrap();
    let file = get(&server, &format!("/assets/portal/{script}"), &["accept-encoding: gzip, br"]).await;
    assert_eq!(file.head.matches("content-encoding").count(), 1, "{}", file.head);
    assert!(file.head.contains("content-encoding: br"), "{}", file.head);
}

/// Reads until something arrived that contains a text.
async fn read_until(stream: &mut TcpStream, is_enough: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut received = Vec::new();
    let read = async {
        while !is_enough(&received) {
            let mut piece = [0; 4096];
            let length = stream.read(&mut piece).await.unwrap();
            assert!(length > 0, "the connection ended: {}", String::from_utf8_lossy(&received));
            received.extend_from_slice(&piece[..length]);
        }
    };
    tokio::time::timeout(Duration::from_secs(120), read).await.unwrap();
    received
}

fn has(received: &[u8], text: &str) -> bool {
    String::from_utf8_lossy(received).contains(text)
}

#[tokio::test]
async fn events_are_sent_at_once() {
    let server = server_with_study().await;
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let request = raw::request("GET", b"/events?follow=true", &["accept-encoding: gzip, br, zstd"], b"");
    stream.write_all(&request).await.unwrap();
    let head = read_until(&mut stream, |received| has(received, "\r\n\r\n")).await;
    assert!(!has(&head, "content-encoding"), "{}", String::from_utf8_lossy(&head));
    for _ in 0..2 {
        let id = server.submit(&Payload::new("S")).await;
        read_until(&mut stream, |received| has(received, &id)).await;
    }
}

/// A client may wait for the result of a payload before it sends the next.
#[tokio::test]
async fn results_of_a_batch_are_sent_at_once_when_compressed() {
    let server = server_with_study().await;
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let head = b"POST /submit/S/batch HTTP/1.1\r\nhost: x\r\nconnection: close\r\naccept-encoding: gzip\r\n\
        content-type: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head).await.unwrap();
    let line = format!("{}\n", Payload::new("S").build());
    stream.write_all(format!("{:x}\r\n{line}\r\n", line.len()).as_bytes()).await.unwrap();
    // The header of gzip alone has ten bytes, a result more.
    let is_enough = |received: &[u8]| {
        let end_of_head = received.windows(4).position(|four| four == b"\r\n\r\n");
        end_of_head.is_some_and(|end| received.len() > end + 64)
    };
    let received = read_until(&mut stream, is_enough).await;
    assert!(has(&received, "content-encoding: gzip"), "{}", String::from_utf8_lossy(&received));
}
