//! A mock of the HTTP servers that Cantata calls.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncWriteExt, BufStream};
use tokio::net::{TcpListener, TcpStream};

use crate::http_message;

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
    stream: TcpStream,
    answer: Arc<impl Fn(&str) -> (u16, String)>,
    log: Arc<Mutex<Vec<String>>>,
) -> std::io::Result<()> {
    let mut stream = BufStream::new(stream);
    let Some(request) = http_message::read_request(&mut stream).await? else { return Ok(()) };
    let request = String::from_utf8([request.head, request.body].concat()).unwrap();
    let (status, body) = answer(target(&request));
    log.lock().unwrap().push(request);
    let location = if (300..400).contains(&status) { format!("location: {body}\r\n") } else { String::new() };
    let headers = format!("connection: close\r\n{location}");
    stream.write_all(&http_message::response(&format!("{status} X"), &headers, body.as_bytes())).await?;
    stream.flush().await
}

fn target(request: &str) -> &str {
    request.split(' ').nth(1).unwrap()
}
