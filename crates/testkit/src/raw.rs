//! Requests byte by byte, for what an HTTP client would refuse to send.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A response as it came.
#[derive(Debug, Clone)]
pub struct RawResponse {
    /// The status.
    pub status: u16,
    /// Status line and headers.
    pub head: String,
    /// The body, its chunks put together.
    pub body: Vec<u8>,
}

impl RawResponse {
    /// Returns the body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("not JSON: {error}: {}{}", self.head, String::from_utf8_lossy(&self.body)))
    }
}

/// Makes a request that asks for the connection to be closed after it. The target may be any bytes.
pub fn request(method: &str, target: &[u8], headers: &[&str], body: &[u8]) -> Vec<u8> {
    let headers: String = headers.iter().map(|header| format!("{header}\r\n")).collect();
    let length = if body.is_empty() { String::new() } else { format!("content-length: {}\r\n", body.len()) };
    let rest = format!(" HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n{headers}{length}\r\n");
    [method.as_bytes(), b" ", target, rest.as_bytes(), body].concat()
}

/// Sends bytes, then reads until the server closes the connection; none if it closes without an answer.
pub async fn exchange(address: SocketAddr, bytes: &[u8]) -> Option<RawResponse> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    // The server may have answered and closed before it has read everything.
    let _ = stream.write_all(bytes).await;
    read_response(&mut stream).await
}

/// Sends bytes and closes the sending side, then reads until the server closes the connection.
pub async fn exchange_half_closed(address: SocketAddr, bytes: &[u8]) -> Option<RawResponse> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let _ = stream.write_all(bytes).await;
    let _ = stream.shutdown().await;
    read_response(&mut stream).await
}

/// Reads a response that ends with the connection.
pub async fn read_response(stream: &mut TcpStream) -> Option<RawResponse> {
    let mut received = Vec::new();
    // A connection that is reset may have delivered a whole response before.
    let _ = stream.read_to_end(&mut received).await;
    let end_of_head = received.windows(4).position(|four| four == b"\r\n\r\n")?;
    let body = received.split_off(end_of_head + 4);
    let head = String::from_utf8(received).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    Some(RawResponse { status, head, body: if is_chunked { decode_chunked(&body) } else { body } })
}

fn decode_chunked(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(end) = body.windows(2).position(|pair| pair == b"\r\n") {
        let length = usize::from_str_radix(std::str::from_utf8(&body[..end]).unwrap(), 16).unwrap();
        if length == 0 {
            return whole;
        }
        whole.extend_from_slice(&body[end + 2..end + 2 + length]);
        body = &body[end + 2 + length + 2..];
    }
    panic!("the chunked body has no end");
}
