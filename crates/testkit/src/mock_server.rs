//! A mock of the HTTP servers that Cantata calls.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A server that answers with a closure and records its requests.
pub struct MockServer {
    /// Its address.
    pub url: String,
    /// Head and body of each request.
    requests: Arc<Mutex<Vec<String>>>,
}

impl MockServer {
    /// Starts a server that answers each path and query with a status and a body. The body of a redirect is its
    /// location.
    pub async fn start(answer: impl Fn(&str) -> (u16, String) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (answer, log) = (Arc::new(answer), Arc::clone(&requests));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&answer), Arc::clone(&log)));
            }
        });
        Self { url, requests }
    }

    /// Returns path and query of every request so far, sorted, and clears them.
    pub fn take_targets(&self) -> Vec<String> {
        let mut targets: Vec<String> = self.take_requests().iter().map(|request| target(request).to_owned()).collect();
        targets.sort();
        targets
    }

    /// Returns every request so far, with its head and its body, and clears them.
    pub fn take_requests(&self) -> Vec<String> {
        std::mem::take(&mut *self.requests.lock().unwrap())
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
    let mut request = String::from_utf8(head).unwrap();
    let mut body = vec![0; content_length(&request)];
    stream.read_exact(&mut body).await?;
    request.push_str(&String::from_utf8(body).unwrap());
    let (status, body) = answer(target(&request));
    log.lock().unwrap().push(request);
    let length = body.len();
    let location = if (300..400).contains(&status) { format!("location: {body}\r\n") } else { String::new() };
    let head = format!("HTTP/1.1 {status} X\r\nconnection: close\r\n{location}content-length: {length}\r\n\r\n");
    stream.write_all((head + &body).as_bytes()).await
}

fn target(request: &str) -> &str {
    request.split(' ').nth(1).unwrap()
}

fn content_length(head: &str) -> usize {
    let lines = head.lines().filter_map(|line| line.split_once(": "));
    lines
        .filter(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .map(|(_, length)| length.parse::<usize>().unwrap())
        .sum()
}
