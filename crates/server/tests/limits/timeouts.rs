//! Answers that take too long.
//!
//! A server with a short timeout must still answer the requests that prepare a test, however busy
//! the machine is: the timeout is never shorter than [`REQUEST_TIMEOUT`].

use std::time::Duration;

use cantata_testkit::{Payload, TestServer};
use tokio::net::TcpListener;

use crate::support::soon;

const REQUEST_TIMEOUT: Duration = Duration::from_secs(3);

#[tokio::test]
async fn an_answer_that_takes_too_long_is_given_up() {
    // Accepts connections and never says anything.
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = TestServer::builder()
        .score_url(&format!("http://{}", silent.local_addr().unwrap()))
        .call_timeout(Duration::from_secs(3600))
        .limits(|limits| limits.request_timeout = REQUEST_TIMEOUT)
        .start()
        .await;
    server.create_study("S").await;
    let id = server.submit(&Payload::new("S")).await;
    let answer = soon("an answer", server.put_empty(&format!("/studies/S/analysis/publish/{id}"))).await;
    let text = "The answer took too long and was given up; a change may have happened all the same";
    answer.assert_error(504, "HttpServer", "answer.timeout", text);
    assert_eq!(server.analysis("S", &id).await["analysisState"], "UNPUBLISHED");
}

#[tokio::test]
async fn the_time_for_an_answer_begins_when_the_request_is_there() {
    use tokio::io::AsyncWriteExt;

    let server = TestServer::builder()
        .limits(|limits| {
            limits.request_timeout = REQUEST_TIMEOUT;
            limits.client_timeout = Duration::from_secs(60);
        })
        .start()
        .await;
    server.create_study("S").await;
    let body = Payload::new("S").build().to_string();
    let request =
        cantata_testkit::raw::request("POST", b"/submit/S", &["content-type: application/json"], body.as_bytes());
    let mut stream = tokio::net::TcpStream::connect(server.address()).await.unwrap();
    let (head, rest) = request.split_at(request.len() - body.len());
    stream.write_all(head).await.unwrap();
    // Altogether longer than an answer may take, but never silent for as long.
    for piece in rest.chunks(body.len() / 10) {
        tokio::time::sleep(REQUEST_TIMEOUT / 8).await;
        stream.write_all(piece).await.unwrap();
    }
    let answer = soon("an answer", cantata_testkit::raw::read_response(&mut stream)).await.unwrap();
    assert_eq!(answer.status, 200, "{}", String::from_utf8_lossy(&answer.body));
}

#[tokio::test]
async fn streams_go_on_for_as_long_as_they_like() {
    let server = TestServer::builder().limits(|limits| limits.request_timeout = REQUEST_TIMEOUT).start().await;
    let mut events = server.event_stream("after=0", &[]).await;
    tokio::time::sleep(REQUEST_TIMEOUT + Duration::from_millis(500)).await;
    server.create_study("S").await;
    server.submit(&Payload::new("S")).await;
    assert!(soon("an event", events.next()).await.is_some());
}
