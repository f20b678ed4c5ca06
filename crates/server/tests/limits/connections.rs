//! How many connections there may be, and who has to go.

use cantata_testkit::{Payload, TestServer, raw};
use tokio::net::TcpStream;

use crate::support::{fill, is_closed, open, soon, until};

const MOST: usize = 20;

#[tokio::test]
async fn where_there_are_too_many_those_go_that_do_nothing() {
    let server = TestServer::builder().limits(|limits| limits.max_connections = MOST).start().await;
    server.create_study("S").await;
    let id = server.submit(&Payload::new("S")).await;
    let mut silent: Vec<TcpStream> = Vec::new();
    for _ in 0..5 * MOST {
        silent.push(open(server.address(), b"GET /isAlive HTTP/1.1\r\n").await);
    }
    // Whoever asks for something is served, on a new connection too.
    soon("a read", server.analysis("S", &id)).await;
    for _ in 0..MOST {
        let request = raw::request("GET", b"/isAlive", &[], b"");
        let answer = soon("an answer", raw::exchange(server.address(), &request)).await.unwrap();
        assert_eq!(answer.status, 200);
    }
    until("the end of connections that do nothing", async || {
        let mut closed = 0;
        for stream in &mut silent {
            closed += usize::from(is_closed(stream).await);
        }
        closed >= 4 * MOST
    })
    .await;
}

#[tokio::test]
async fn nobody_goes_who_is_being_worked_for() {
    let server = TestServer::builder().limits(|limits| limits.max_connections = MOST).start().await;
    fill(&server).await;
    let mut busy = Vec::new();
    for _ in 0..MOST / 2 {
        let address = server.address();
        busy.push(tokio::spawn(async move {
            let request = raw::request("GET", b"/export/studies/S", &[], b"");
            raw::exchange(address, &request).await.unwrap()
        }));
    }
    let mut silent = Vec::new();
    for _ in 0..5 * MOST {
        silent.push(open(server.address(), b"").await);
        tokio::task::yield_now().await;
    }
    for task in busy {
        let answer = soon("an export", task).await.unwrap();
        assert_eq!((answer.status, answer.json()[0]["payloads"].as_array().unwrap().len()), (200, 12));
    }
}
