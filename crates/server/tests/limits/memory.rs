//! The memory of bodies and answers: however many clients send or read slowly, it has a limit.

use cantata_testkit::{Payload, TestServer, raw};
use tokio::io::AsyncWriteExt;

use crate::support::{open, until};

/// Begins a request whose body has this many bytes. It is not JSON, so it is answered with 422 once it has come.
fn head_of_submission(length: usize) -> Vec<u8> {
    let head = "POST /submit/S HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json";
    format!("{head}\r\ncontent-length: {length}\r\n\r\n{{").into_bytes()
}

#[tokio::test]
async fn bodies_wait_for_their_share_and_are_refused_without_one() {
    let server = TestServer::builder().limits(|limits| limits.request_memory = 1 << 20).start().await;
    server.create_study("S").await;
    let mut body = head_of_submission(900_000);
    body.extend(vec![b' '; 899_999]);
    let send = async || raw::exchange(server.address(), &body).await.unwrap();
    let idle = open(server.address(), &head_of_submission(900_000)).await;
    assert_eq!(send().await.status, 422, "what is only declared takes no share");
    let mut stalled = open(server.address(), &head_of_submission(900_000)).await;
    stalled.write_all(&vec![b' '; 700_000]).await.unwrap();
    let mut refused = None;
    until("a refusal", async || refused.insert(send().await).status == 503).await;
    let refused = refused.unwrap();
    assert_eq!((refused.status, &refused.json()["errorId"]), (503, &serde_json::json!("service.unavailable")));
    assert!(refused.json()["message"].as_str().unwrap().contains("REQUEST_MEMORY"), "{}", refused.json());
    server.get("/studies/S").await.ok();
    // A client that leaves makes room.
    stalled.shutdown().await.unwrap();
    drop((stalled, idle));
    until("room", async || send().await.status == 422).await;
}

/// A batch may come slowly, but what waits for the end of its payload counts.
#[tokio::test]
async fn payloads_of_a_batch_that_do_not_end_count_too() {
    let server = TestServer::builder().limits(|limits| limits.request_memory = 1 << 20).start().await;
    server.create_study("S").await;
    let head = "POST /submit/S/batch HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-ndjson";
    let head = format!("{head}\r\ncontent-length: 2000000\r\n\r\n");
    let mut stalled = open(server.address(), head.as_bytes()).await;
    stalled.write_all(&vec![b' '; 700_000]).await.unwrap();
    let mut body = head_of_submission(900_000);
    body.extend(vec![b' '; 899_999]);
    let send = async || raw::exchange(server.address(), &body).await.unwrap().status;
    until("a refusal", async || send().await == 503).await;
    drop(stalled);
    until("room", async || send().await == 422).await;
}

#[tokio::test]
async fn answers_that_nobody_reads_take_no_more_than_the_limit() {
    let server = TestServer::builder().limits(|limits| limits.request_memory = 24 << 20).start().await;
    server.create_study("S").await;
    // More than the buffers of a connection hold.
    let id = server.submit(&Payload::new("S").with("text", "x".repeat(20_000_000))).await;
    let request = raw::request("GET", format!("/studies/S/analysis/{id}").as_bytes(), &[], b"");
    let stalled = open(server.address(), &request).await;
    stalled.readable().await.unwrap();
    let refused = raw::exchange(server.address(), &request).await.unwrap();
    assert_eq!((refused.status, &refused.json()["errorId"]), (503, &serde_json::json!("service.unavailable")));
    server.get("/studies/S").await.ok();
    drop(stalled);
    until("room", async || raw::exchange(server.address(), &request).await.unwrap().status == 200).await;
}
