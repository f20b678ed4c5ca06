//! HTTP/1.1 messages as the proxy and the mock server read and make them.

use std::io::{Error, ErrorKind, Result};

use serde_json::json;
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// A message as it came, head with its empty line.
pub(crate) struct Message {
    pub(crate) head: Vec<u8>,
    pub(crate) body: Vec<u8>,
}

impl Message {
    fn first_line(&self) -> impl Iterator<Item = &str> {
        std::str::from_utf8(&self.head).unwrap().lines().next().unwrap_or_default().split(' ')
    }

    fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        let lines = std::str::from_utf8(&self.head).unwrap().lines().skip(1);
        lines.filter_map(|line| line.split_once(':')).map(|(name, value)| (name, value.trim()))
    }

    fn header(&self, wanted: &str) -> Option<&str> {
        self.headers().find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value)
    }
}

/// A request that a proxy got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedRequest {
    /// The method.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// The headers as they came.
    pub headers: Vec<(String, String)>,
    /// The body as it came.
    pub body: Vec<u8>,
}

impl RecordedRequest {
    pub(crate) fn new(request: &Message) -> Self {
        let mut words = request.first_line().map(str::to_owned);
        Self {
            method: words.next().unwrap_or_default(),
            target: words.next().unwrap_or_default(),
            headers: request.headers().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            body: request.body.clone(),
        }
    }

    /// Returns the path without the query.
    pub fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// Returns the value of a header.
    pub fn header(&self, wanted: &str) -> Option<&str> {
        self.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value.as_str())
    }
}

/// Reads a request; none if the connection ends before one begins.
pub(crate) async fn read_request(stream: &mut (impl AsyncBufRead + Unpin)) -> Result<Option<Message>> {
    if stream.fill_buf().await?.is_empty() {
        return Ok(None);
    }
    let mut request = Message { head: read_head(stream).await?, body: Vec::new() };
    request.body = read_body(stream, &request).await?;
    Ok(Some(request))
}

/// Reads the response to a request, which has no body if that was a HEAD.
pub(crate) async fn read_response(stream: &mut (impl AsyncBufRead + Unpin), is_head: bool) -> Result<Message> {
    let mut response = Message { head: read_head(stream).await?, body: Vec::new() };
    if !is_head {
        response.body = read_body(stream, &response).await?;
    }
    Ok(response)
}

async fn read_head(stream: &mut (impl AsyncBufRead + Unpin)) -> Result<Vec<u8>> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        read_line(stream, &mut head).await?;
    }
    Ok(head)
}

async fn read_line(stream: &mut (impl AsyncBufRead + Unpin), text: &mut Vec<u8>) -> Result<()> {
    match stream.read_until(b'\n', text).await? {
        0 => Err(Error::from(ErrorKind::UnexpectedEof)),
        _ => Ok(()),
    }
}

/// Reads a body with everything that marks its end.
async fn read_body(stream: &mut (impl AsyncBufRead + Unpin), message: &Message) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    if message.header("transfer-encoding").is_some_and(|encoding| encoding.eq_ignore_ascii_case("chunked")) {
        loop {
            let start = body.len();
            read_line(stream, &mut body).await?;
            let size = usize::from_str_radix(std::str::from_utf8(&body[start..]).unwrap().trim(), 16).unwrap();
            let chunk = body.len();
            body.resize(chunk + size + 2, 0);
            stream.read_exact(&mut body[chunk..]).await?;
            if size == 0 {
                return Ok(body);
            }
        }
    }
    let length = message.header("content-length").map_or(0, |length| length.parse().unwrap());
    body.resize(length, 0);
    stream.read_exact(&mut body).await?;
    Ok(body)
}

/// Makes a response of a status, with a body like that of a search engine. A redirect leads to the same server.
pub(crate) fn status(status: u16, retry_after: Option<u64>) -> Vec<u8> {
    let body = json!({ "error": { "type": "fault", "reason": "made by a test" }, "status": status }).to_string();
    let retry = retry_after.map(|seconds| format!("retry-after: {seconds}\r\n")).unwrap_or_default();
    let location = if (300..400).contains(&status) { "location: /elsewhere\r\n" } else { "" };
    let headers = format!("content-type: application/json\r\n{retry}{location}");
    response(&format!("{status} Fault"), &headers, body.as_bytes())
}

/// Makes a response that is a page.
pub(crate) fn html() -> Vec<u8> {
    response("200 OK", "content-type: text/html\r\n", b"<!doctype html><title>Welcome</title><p>It works.")
}

/// Makes a response with the first half of a body, and with the length of that half.
pub(crate) fn cut(whole: &Message) -> Vec<u8> {
    response("200 OK", "content-type: application/json\r\n", &whole.body[..whole.body.len() / 2])
}

/// Makes a response with these header lines.
pub(crate) fn response(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}
