//! A small HTTP server that stands in for those that Cantata calls.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A server that answers as a test tells it and remembers what it was asked.
pub struct StandIn {
    /// Its address.
    pub url: String,
    targets: Arc<Mutex<Vec<String>>>,
}

impl StandIn {
    /// Starts a server that answers each path and query with a status and a body.
    pub async fn start(answer: impl Fn(&str) -> (u16, String) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let targets = Arc::new(Mutex::new(Vec::new()));
        let (answer, log) = (Arc::new(answer), Arc::clone(&targets));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&answer), Arc::clone(&log)));
            }
        });
        Self { url, targets }
    }

    /// Returns path and query of every request so far, sorted, and forgets them.
    pub fn take_targets(&self) -> Vec<String> {
        let mut targets = std::mem::take(&mut *self.targets.lock().unwrap());
        targets.sort();
        targets
    }
}

async fn serve(
    mut stream: TcpStream,
    answer: Arc<impl Fn(&str) -> (u16, String)>,
    log: Arc<Mutex<Vec<String>>>,
) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        if stream.read(&mut byte).await? == 0 {
            return Ok(());
        }
        head.push(byte[0]);
    }
    let target = String::from_utf8(head).unwrap().split(' ').nth(1).unwrap().to_owned();
    log.lock().unwrap().push(target.clone());
    let (status, body) = answer(&target);
    let length = body.len();
    let response = format!("HTTP/1.1 {status} X\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}");
    stream.write_all(response.as_bytes()).await
}
