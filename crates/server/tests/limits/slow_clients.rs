//! Clients that are slow on purpose: they hold the server up for nobody, and not for long.

use std::time::{Duration, Instant};

use bytes::Bytes;
use cantata_testkit::{Payload, TestServer, raw};
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{drip, fill, is_closed, open, open_at_server, soon, until};

/// How many there are of each sort; 504 altogether.
const CLIENTS_PER_KIND: usize = 168;

/// How long the server waits for a client: long enough for one that does not mean to be slow, on a busy machine too.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(3);

/// Often enough never to be silent for long.
const DRIP_INTERVAL: Duration = Duration::from_millis(100);

#[tokio::test(flavor = "multi_thread")]
async fn five_hundred_slow_clients_hold_nobody_up() {
    let server = TestServer::builder().limits(|limits| limits.client_timeout = CLIENT_TIMEOUT).start().await;
    let address = server.address();
    fill(&server).await;
    let id = server.submit(&Payload::new("S")).await;
    let body = b"POST /submit/S HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n{";
    let list = raw::request("GET", b"/studies/S/analysis?analysisStates=UNPUBLISHED", &[], b"");
    let mut dripping = tokio::task::JoinSet::new();
    let mut unread = Vec::new();
    for _ in 0..CLIENTS_PER_KIND {
        dripping.spawn(drip(open(address, b"GET /isAlive HTTP/1.1\r\nx-header: ").await, DRIP_INTERVAL));
        dripping.spawn(drip(open(address, body).await, DRIP_INTERVAL));
        unread.push(open(address, &list).await);
    }
    // Everybody else is served meanwhile.
    let read = raw::request("GET", format!("/studies/S/analysis/{id}").as_bytes(), &[], b"");
    for _ in 0..50 {
        let answer = soon("a read", raw::exchange(address, &read)).await.unwrap();
        assert_eq!((answer.status, &answer.json()["analysisId"]), (200, &json!(id)));
    }
    soon("the end of the dripping connections", async { while dripping.join_next().await.is_some() {} }).await;
    // What nobody reads is given up: what is in the buffers still comes, but never the end.
    until("the end of the unread connections", async || open_at_server(address, &unread) == 0).await;
    for mut stream in unread {
        let mut received = Vec::new();
        // A connection that is reset has said what it had to say.
        let _ = soon("the end of an unread answer", stream.read_to_end(&mut received)).await;
        assert!(received.starts_with(b"HTTP/1.1 200") && !received.ends_with(b"0\r\n\r\n"), "it was sent as a whole");
    }
    let answer = raw::exchange(address, &read).await.unwrap();
    assert_eq!(answer.status, 200);
}

#[tokio::test]
async fn a_body_that_comes_too_slowly_is_answered_with_408() {
    let server = TestServer::builder().limits(|limits| limits.client_timeout = CLIENT_TIMEOUT).start().await;
    server.create_study("S").await;
    let head = b"POST /submit/S HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n\
        content-length: 9999\r\n\r\n{";
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    stream.write_all(head).await.unwrap();
    let answer = soon("an answer", raw::read_response(&mut stream)).await.unwrap();
    assert_eq!((answer.status, &answer.json()["errorId"]), (408, &json!("request.timeout")));
}

/// What a client sent quickly is no credit for what it does not send afterwards.
#[tokio::test]
async fn a_body_that_stops_near_its_end_is_given_up() {
    let server = TestServer::builder().limits(|limits| limits.client_timeout = CLIENT_TIMEOUT).start().await;
    server.create_study("S").await;
    let head = b"POST /submit/S HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n\
        content-length: 2000000\r\n\r\n";
    let mut stream = open(server.address(), head).await;
    stream.write_all(&vec![b' '; 1_900_000]).await.unwrap();
    soon("the end of the dripping connection", drip(stream, DRIP_INTERVAL)).await;
}

/// A client of a batch may take its time between payloads, but not for ever.
#[tokio::test]
async fn batches_may_come_slowly_as_long_as_they_come() {
    let server = TestServer::builder().limits(|limits| limits.client_timeout = CLIENT_TIMEOUT).start().await;
    server.create_study("S").await;
    let head =
        b"POST /submit/S/batch HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/x-ndjson\r\n\
        transfer-encoding: chunked\r\n\r\n";
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    stream.write_all(head).await.unwrap();
    for _ in 0..6 {
        let line = format!("{}\n", Payload::new("S").build());
        stream.write_all(format!("{:x}\r\n{line}\r\n", line.len()).as_bytes()).await.unwrap();
        tokio::time::sleep(CLIENT_TIMEOUT / 3).await;
    }
    let answer = soon("the end of the batch", raw::read_response(&mut stream)).await.unwrap();
    let results = String::from_utf8(answer.body).unwrap();
    let results: Vec<serde_json::Value> = results.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(results.len(), 7, "{results:?}");
    assert!(results[..6].iter().all(|result| result["status"] == "OK"));
    assert!(results[6]["message"].as_str().unwrap().contains("it came too slowly"), "{}", results[6]);
}

#[tokio::test]
async fn an_export_that_nobody_reads_gives_its_place_back() {
    let server = TestServer::builder()
        .limits(|limits| {
            limits.client_timeout = CLIENT_TIMEOUT;
            limits.max_exports = 1;
        })
        .start()
        .await;
    fill(&server).await;
    let request = raw::request("GET", b"/export/studies/S", &[], b"");
    let status = async || raw::exchange(server.address(), &request).await.map(|answer| answer.status);
    let stream = open(server.address(), &request).await;
    stream.readable().await.unwrap();
    assert_eq!(status().await, Some(503));
    until("a free place", async || status().await == Some(200)).await;
}

/// A client of HTTP/2 decides by its windows how much is sent, and may send something else all the while.
#[tokio::test]
async fn answers_that_are_read_too_slowly_over_http2_are_given_up() {
    let server = TestServer::builder()
        .limits(|limits| {
            limits.client_timeout = CLIENT_TIMEOUT;
            limits.min_client_rate = 100 << 20;
        })
        .start()
        .await;
    server.create_study("S").await;
    let id = server.submit(&Payload::new("S").with("text", "x".repeat(12_000_000))).await;
    let stream = TcpStream::connect(server.address()).await.unwrap();
    let (mut requests, connection) = http2::Builder::new(TokioExecutor::new())
        .initial_stream_window_size(16 << 10)
        .handshake(TokioIo::new(stream))
        .await
        .unwrap();
    tokio::spawn(connection);
    let address = format!("http://localhost/studies/S/analysis/{id}");
    let request = http::Request::builder().uri(address).body(Empty::<Bytes>::new()).unwrap();
    let mut body = requests.send_request(request).await.unwrap().into_body();
    let read = async {
        while let Some(frame) = body.frame().await {
            if frame.is_err() {
                return false;
            }
            tokio::time::sleep(DRIP_INTERVAL).await;
        }
        true
    };
    assert!(!soon("the end of the answer", read).await, "it was sent as a whole");
}

/// What a client reads of one answer does not keep another one in memory, and one that it does not read ends no other.
#[tokio::test]
async fn an_answer_over_http2_that_is_not_read_beside_others_is_given_up() {
    const LENGTH: usize = 2_000_000;
    let server = TestServer::builder()
        .limits(|limits| {
            limits.client_timeout = CLIENT_TIMEOUT;
            limits.min_client_rate = 1 << 20;
        })
        .start()
        .await;
    server.create_study("S").await;
    let id = server.submit(&Payload::new("S").with("text", "x".repeat(LENGTH))).await;
    let stream = TcpStream::connect(server.address()).await.unwrap();
    let (mut requests, connection) = http2::Builder::new(TokioExecutor::new())
        .initial_stream_window_size(1 << 17)
        .initial_connection_window_size(16 << 20)
        .handshake(TokioIo::new(stream))
        .await
        .unwrap();
    tokio::spawn(connection);
    let address = format!("http://localhost/studies/S/analysis/{id}");
    let request = || http::Request::builder().uri(&address).body(Empty::<Bytes>::new()).unwrap();
    let mut unread = requests.send_request(request()).await.unwrap().into_body();
    let mut read_another = async || {
        let answer = requests.send_request(request()).await.unwrap().into_body();
        answer.collect().await.expect("others go on").to_bytes().len()
    };
    // By then it is more than overdue: at the minimum rate it takes two seconds.
    let overdue = Instant::now() + 2 * CLIENT_TIMEOUT + Duration::from_secs(4);
    while Instant::now() < overdue {
        assert!(read_another().await > LENGTH);
    }
    let end = async {
        while let Some(frame) = unread.frame().await {
            if frame.is_err() {
                return true;
            }
        }
        false
    };
    assert!(soon("the end of the answer", end).await, "it was kept as a whole");
    assert!(read_another().await > LENGTH);
}

#[tokio::test]
async fn connections_that_ask_for_nothing_are_closed() {
    let server = TestServer::builder().limits(|limits| limits.client_timeout = CLIENT_TIMEOUT).start().await;
    let mut silent = TcpStream::connect(server.address()).await.unwrap();
    let mut idle = TcpStream::connect(server.address()).await.unwrap();
    idle.write_all(b"GET /isAlive HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
    until("the end of a silent connection", async || is_closed(&mut silent).await).await;
    until("the end of an idle connection", async || is_closed(&mut idle).await).await;
}
