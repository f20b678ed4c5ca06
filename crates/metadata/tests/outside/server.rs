//! A small HTTP server that answers as a test tells it and keeps every request as it came over the wire.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Semaphore;

/// What the server does with a request.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// Sends a status and a body.
    Status(u16, String),
    /// Sends a redirect to a path of its own.
    Redirect(String),
    /// Sends the headers of a 200 and a part of the body announced, and then nothing more.
    HalfBody,
    /// Sends nothing and keeps the connection.
    Hang,
    /// Closes the connection without an answer.
    Close,
    /// Sends something that is not HTTP.
    Garbage,
    /// Sends a status once the test has opened the gate often enough.
    AfterGate(Arc<Semaphore>, u16),
}

impl Answer {
    pub(crate) fn ok(body: &(impl ToString + ?Sized)) -> Self {
        Self::Status(200, body.to_string())
    }
}

/// A request as received.
#[derive(Debug, Clone)]
pub(crate) struct Received {
    /// Path and query, byte for byte.
    pub(crate) target: String,
    /// The lines before the body.
    pub(crate) head: String,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        lines.filter(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value).next()
    }
}

pub(crate) struct TestServer {
    pub(crate) url: String,
    received: Arc<Mutex<Vec<Received>>>,
}

impl TestServer {
    /// Starts a server that answers each request as `answer` says of its path and query.
    pub(crate) async fn start(answer: impl Fn(&str) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let answer = Arc::new(answer);
        let log = received.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, answer.clone(), log.clone()));
            }
        });
        Self { url, received }
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// Returns path and query of every request, in the order of the alphabet, since calls run side by side.
    pub(crate) fn targets(&self) -> Vec<String> {
        let mut targets: Vec<String> = self.received().into_iter().map(|request| request.target).collect();
        targets.sort();
        targets
    }
}

/// Returns the address of a port that nobody listens on, and that nobody else gets as long as the tests run.
pub(crate) fn nobody() -> String {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = socket.local_addr().unwrap();
    std::mem::forget(socket);
    format!("http://{address}")
}

async fn serve(
    mut stream: TcpStream,
    answer: Arc<impl Fn(&str) -> Answer>,
    received: Arc<Mutex<Vec<Received>>>,
) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if stream.read(&mut byte).await? == 0 {
            return Ok(());
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let target = head.split(' ').nth(1).unwrap().to_owned();
    received.lock().unwrap().push(Received { target: target.clone(), head });
    let (status, extra, body) = match answer(&target) {
        Answer::Status(status, body) => (status, String::new(), body),
        Answer::Redirect(to) => (301, format!("location: {to}\r\n"), String::new()),
        Answer::AfterGate(gate, status) => {
            gate.acquire().await.unwrap().forget();
            (status, String::new(), String::new())
        }
        Answer::HalfBody => {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\ntru").await?;
            return std::future::pending().await;
        }
        Answer::Hang => return std::future::pending().await,
        Answer::Close => return Ok(()),
        Answer::Garbage => return stream.write_all(b"good day\r\n\r\n").await,
    };
    let length = body.len();
    let response = format!("HTTP/1.1 {status} X\r\n{extra}connection: close\r\ncontent-length: {length}\r\n\r\n{body}");
    stream.write_all(response.as_bytes()).await
}
