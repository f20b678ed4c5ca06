//! The least HTTP/1.1 client: blocking, one kept connection, reused buffers.
//!
//! It shares the processors with the server it measures, so it does nothing that it need not: requests are bytes made
//! beforehand, and of an answer only the status and the length are understood. It trusts the server to speak HTTP;
//! what it does not understand ends the run.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::Outcome;

/// How long a server may take to send anything.
const READ_TIMEOUT: Duration = Duration::from_secs(60);

/// A connection that was idle for longer is opened again: servers close one that is idle for a minute, and what is measured
/// in turn with this server may take longer.
const MAX_IDLE_TIME: Duration = Duration::from_secs(30);

/// How much room there is for what arrives at once.
const READ_BUFFER_BYTES: usize = 64 * 1024;

/// Makes the bytes of a request with a body.
pub(crate) fn post(path: &str, content_type: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// Makes the bytes of a request with a JSON body.
pub(crate) fn post_json(path: &str, body: &Value) -> Vec<u8> {
    post(path, "application/json", body.to_string().as_bytes())
}

/// Makes the bytes of a request without a body.
pub(crate) fn get(path: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n").into_bytes()
}

/// Makes the bytes of a request that changes something and has no body.
pub(crate) fn put(path: &str) -> Vec<u8> {
    format!("PUT {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n").into_bytes()
}

/// Makes the bytes of a request without a body and with one more header.
pub(crate) fn get_with(path: &str, header: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n{header}\r\n\r\n").into_bytes()
}

/// How long an answer was that was not kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Downloaded {
    pub(crate) bytes: usize,
    pub(crate) lines: usize,
}

/// A connection that is kept for many requests.
pub(crate) struct Connection {
    address: SocketAddr,
    stream: TcpStream,
    last_used: Instant,
    /// What has arrived and is not used up: `buffer[used..filled]`.
    buffer: Vec<u8>,
    used: usize,
    filled: usize,
    body: Vec<u8>,
    retry_after: Option<Duration>,
}

enum Length {
    Known(usize),
    Chunked,
}

fn connect(address: SocketAddr) -> Outcome<TcpStream> {
    let stream = TcpStream::connect(address)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(READ_TIMEOUT))?;
    Ok(stream)
}

impl Connection {
    pub(crate) fn open(address: SocketAddr) -> Outcome<Self> {
        Ok(Self {
            address,
            stream: connect(address)?,
            last_used: Instant::now(),
            buffer: vec![0; READ_BUFFER_BYTES],
            used: 0,
            filled: 0,
            body: Vec::new(),
            retry_after: None,
        })
    }

    /// Sends a request and returns the body of its answer, which must be a success.
    pub(crate) fn exchange(&mut self, request: &[u8]) -> Outcome<&[u8]> {
        let status = self.status(request)?;
        if !(200..300).contains(&status) {
            let start = String::from_utf8_lossy(&self.body[..self.body.len().min(1_000)]);
            return Err(format!("expected an answer that is a success, found {status}: {start}").into());
        }
        Ok(&self.body)
    }

    /// Sends a request and returns the status of its answer.
    pub(crate) fn status(&mut self, request: &[u8]) -> Outcome<u16> {
        self.write(request)?;
        let (status, length) = self.read_head()?;
        self.body.clear();
        match length {
            // The length is that of the answer to a GET.
            _ if request.starts_with(b"HEAD ") => {}
            Length::Known(length) => self.read_body(length)?,
            Length::Chunked => while self.read_chunk()? {},
        }
        self.last_used = Instant::now();
        Ok(status)
    }

    /// Returns how long the last answer asks to wait before the request is sent again.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        self.retry_after
    }

    /// Returns the body of the last answer.
    pub(crate) fn body(&self) -> &[u8] {
        &self.body
    }

    /// Sends a request whose answer must be a success.
    pub(crate) fn send(&mut self, request: &[u8]) -> Outcome<()> {
        self.exchange(request).map(|_| ())
    }

    /// Sends a request whose answer must be a success, and returns how long that took.
    pub(crate) fn time(&mut self, request: &[u8]) -> Outcome<Duration> {
        let begun = Instant::now();
        self.send(request)?;
        Ok(begun.elapsed())
    }

    /// Sends a request and parses the JSON of its answer, which must be a success.
    pub(crate) fn fetch<T: DeserializeOwned>(&mut self, request: &[u8]) -> Outcome<T> {
        Ok(serde_json::from_slice(self.exchange(request)?)?)
    }

    /// Sends a request whose answer comes in pieces and is too long to be kept; returns how long it was.
    pub(crate) fn download(&mut self, request: &[u8]) -> Outcome<Downloaded> {
        self.write(request)?;
        let (status, Length::Chunked) = self.read_head()? else {
            return Err("expected an answer in pieces, found one of known length".into());
        };
        let mut downloaded = Downloaded::default();
        let mut is_more = true;
        while is_more {
            self.body.clear();
            is_more = self.read_chunk()?;
            downloaded.bytes += self.body.len();
            downloaded.lines += self.body.iter().filter(|byte| **byte == b'\n').count();
        }
        self.last_used = Instant::now();
        if status == 200 { Ok(downloaded) } else { Err(format!("expected status 200, found {status}").into()) }
    }

    fn write(&mut self, request: &[u8]) -> Outcome<()> {
        if self.last_used.elapsed() > MAX_IDLE_TIME {
            self.stream = connect(self.address)?;
            (self.used, self.filled) = (0, 0);
        }
        self.stream.write_all(request)?;
        Ok(())
    }

    fn read_head(&mut self) -> Outcome<(u16, Length)> {
        let end = self.find(b"\r\n\r\n")?;
        let head = std::str::from_utf8(&self.buffer[self.used..end])?;
        let mut lines = head.split("\r\n");
        let status = lines.next().and_then(|line| line.split(' ').nth(1)).ok_or("the answer has no status")?.parse()?;
        let (mut length, mut retry_after) = (Length::Known(0), None);
        for (name, value) in lines.filter_map(|line| line.split_once(':')) {
            if name.eq_ignore_ascii_case("content-length") {
                length = Length::Known(value.trim().parse()?);
            } else if name.eq_ignore_ascii_case("transfer-encoding") {
                length = Length::Chunked;
            } else if name.eq_ignore_ascii_case("retry-after") {
                retry_after = value.trim().parse().ok().map(Duration::from_secs);
            }
        }
        self.used = end + 4;
        self.retry_after = retry_after;
        Ok((status, length))
    }

    /// Appends a piece to the body; returns whether there are more.
    fn read_chunk(&mut self) -> Outcome<bool> {
        let end = self.find(b"\r\n")?;
        let length = usize::from_str_radix(std::str::from_utf8(&self.buffer[self.used..end])?, 16)?;
        self.used = end + 2;
        self.read_body(length)?;
        if self.find(b"\r\n")? != self.used {
            return Err("a piece of an answer is longer than it says".into());
        }
        self.used += 2;
        Ok(length > 0)
    }

    /// Appends this many bytes to the body: first what is in the buffer, then straight from the connection.
    fn read_body(&mut self, length: usize) -> Outcome<()> {
        let buffered = length.min(self.filled - self.used);
        self.body.extend_from_slice(&self.buffer[self.used..self.used + buffered]);
        self.used += buffered;
        let missing = length - buffered;
        let start = self.body.len();
        self.body.resize(start + missing, 0);
        self.stream.read_exact(&mut self.body[start..])?;
        Ok(())
    }

    /// Returns where the mark begins, reading on until it has arrived.
    fn find(&mut self, mark: &[u8]) -> Outcome<usize> {
        loop {
            let unused = &self.buffer[self.used..self.filled];
            if let Some(position) = unused.windows(mark.len()).position(|window| window == mark) {
                return Ok(self.used + position);
            }
            self.buffer.copy_within(self.used..self.filled, 0);
            self.filled -= self.used;
            self.used = 0;
            if self.filled == self.buffer.len() {
                return Err("the head of an answer is too long".into());
            }
            let arrived = self.stream.read(&mut self.buffer[self.filled..])?;
            if arrived == 0 {
                return Err("the server closed the connection".into());
            }
            self.filled += arrived;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    /// Sends the answers one after the other, one for each request, in pieces of the given size.
    fn serve(answers: Vec<&'static [u8]>, piece: usize) -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.set_nodelay(true).unwrap();
            for answer in answers {
                let mut request = [0; 1_024];
                assert!(stream.read(&mut request).unwrap() > 0);
                answer.chunks(piece).for_each(|bytes| stream.write_all(bytes).unwrap());
            }
        });
        address
    }

    #[test]
    fn bodies_of_known_length_and_in_chunks_are_read_however_they_arrive() {
        for piece in [1, 7, 1_000] {
            let address = serve(
                vec![
                    b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nfirst",
                    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nsec\r\nA\r\nond answer\r\n0\r\n\r\n",
                    b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
                ],
                piece,
            );
            let mut connection = Connection::open(address).unwrap();
            assert_eq!(connection.exchange(&get("/")).unwrap(), b"first");
            assert_eq!(connection.exchange(&get("/")).unwrap(), b"second answer");
            assert_eq!(connection.exchange(&get("/")).unwrap(), b"");
        }
    }

    #[test]
    fn a_download_is_counted_and_not_kept() {
        let answer = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\na\nb\n\r\n2\r\nc\n\r\n0\r\n\r\n";
        let mut connection = Connection::open(serve(vec![answer], 5)).unwrap();
        assert_eq!(connection.download(&get("/")).unwrap(), Downloaded { bytes: 6, lines: 3 });
    }

    #[test]
    fn a_rejection_says_how_long_to_wait() {
        let answers: Vec<&[u8]> = vec![
            b"HTTP/1.1 503 Busy\r\nRetry-After: 10\r\ncontent-length: 5\r\n\r\nlater",
            b"HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nnow",
        ];
        let mut connection = Connection::open(serve(answers, 1_000)).unwrap();
        assert_eq!(connection.status(&get("/")).unwrap(), 503);
        assert_eq!((connection.body(), connection.retry_after()), (&b"later"[..], Some(Duration::from_secs(10))));
        assert_eq!(connection.status(&get("/")).unwrap(), 200);
        assert_eq!((connection.body(), connection.retry_after()), (&b"now"[..], None));
    }

    #[test]
    fn an_answer_that_is_no_success_is_an_error_that_shows_it() {
        let address = serve(vec![b"HTTP/1.1 409 Conflict\r\ncontent-length: 9\r\n\r\nnot again"], 1_000);
        let error = Connection::open(address).unwrap().exchange(&get("/")).unwrap_err().to_string();
        assert!(error.contains("409") && error.contains("not again"), "{error}");
    }

    #[test]
    fn a_connection_that_was_idle_is_opened_again() {
        let mut connection =
            Connection::open(serve(vec![b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nfirst"], 7)).unwrap();
        assert_eq!(connection.exchange(&get("/")).unwrap(), b"first");
        connection.address = serve(vec![b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecond"], 7);
        connection.last_used = connection.last_used.checked_sub(2 * MAX_IDLE_TIME).unwrap();
        assert_eq!(connection.exchange(&get("/")).unwrap(), b"second");
    }
}
