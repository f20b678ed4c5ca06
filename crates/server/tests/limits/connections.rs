//! How many connections there may be, and who has to go.

use std::time::Duration;

use cantata_testkit::{Payload, TestServer, raw};
use tokio::net::TcpStream;

use crate::support::{fill, is_closed, open, soon, until};

const MAX_CONNECTIONS: usize = 20;

#[tokio::test]
async fn where_there_are_too_many_those_go_that_do_nothing() {
    let server = TestServer::builder().limits(|limits| limits.max_connections = MAX_CONNECTIONS).start().await;
    server.create_study("S").await;
    let id = server.submit(&Payload::new("S")).await;
    let mut silent: Vec<TcpStream> = Vec::new();
    for _ in 0..5 * MAX_CONNECTIONS {
        silent.push(open(server.address(), b"GET /isAlive HTTP/1.1\r\n").await);
    }
    // A client that sends a request is served, on a new connection too.
    soon("a read", server.analysis("S", &id)).await;
    for _ in 0..MAX_CONNECTIONS {
        let request = raw::request("GET", b"/isAlive", &[], b"");
        let answer = soon("an answer", raw::exchange(server.address(), &request)).await.unwrap();
        assert_eq!(answer.status, 200);
    }
    until("the end of connections that do nothing", async || {
        let mut closed = 0;
        for stream in &mut silent {
            closed += usize::from(is_closed(stream).await);
        }
        closed >= 4 * MAX_CONNECTIONS
    })
    .await;
}

#[tokio::test]
async fn nobody_goes_who_is_being_worked_for() {
    let server = TestServer::builder().limits(|limits| limits.max_connections = MAX_CONNECTIONS).start().await;
    fill(&server).await;
    let mut busy = Vec::new();
    for _ in 0..MAX_CONNECTIONS / 2 {
        let address = server.address();
        busy.push(tokio::spawn(async move {
            let request = raw::request("GET", b"/export/studies/S", &[], b"");
            raw::exchange(address, &request).await.unwrap()
        }));
    }
    let mut silent = Vec::new();
    for _ in 0..5 * MAX_CONNECTIONS {
        silent.push(open(server.address(), b"").await);
        tokio::task::yield_now().await;
    }
    for task in busy {
        let answer = soon("an export", task).await.unwrap();
        assert_eq!((answer.status, answer.json()[0]["payloads"].as_array().unwrap().len()), (200, 12));
    }
}

/// Clients that begin something and do not go on do nothing either.
#[tokio::test]
async fn nobody_stays_by_a_body_that_does_not_come_or_an_answer_that_is_not_read() {
    let body = b"POST /schemas HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{";
    let unread = raw::request("GET", b"/studies/S/analysis?analysisStates=UNPUBLISHED", &[], b"");
    let followed = raw::request("GET", b"/events?after=1000", &[], b"");
    for (what, bytes) in [("bodies", &body[..]), ("answers", &unread), ("events", &followed)] {
        let server = TestServer::builder()
            .limits(|limits| {
                limits.max_connections = MAX_CONNECTIONS;
                limits.client_timeout = Duration::from_secs(3600);
            })
            .start()
            .await;
        fill(&server).await;
        let mut holding = Vec::new();
        for _ in 0..2 * MAX_CONNECTIONS {
            holding.push(open(server.address(), bytes).await);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        let request = raw::request("GET", b"/isAlive", &[], b"");
        let is_answered =
            async || raw::exchange(server.address(), &request).await.is_some_and(|answer| answer.status == 200);
        until(&format!("an answer in spite of {what}"), is_answered).await;
    }
}
