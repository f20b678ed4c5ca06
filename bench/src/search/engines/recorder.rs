//! A stand-in between the server and OpenSearch that catches what the server asks.
//!
//! The searches of a page come together in one request, those of rows without facets as one search. It is rejected, not
//! passed on, so that OpenSearch has not seen it when it is measured. Everything else is passed on, and so are the searches
//! before the recording begins: the server reads what it shows of a catalogue when it starts.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use cantata_demo::catalogue::FILE_INDEX;
use serde_json::Value;

use crate::Outcome;
use crate::client::post;

/// How long the server may take to send a search.
const SEARCH_TIMEOUT: Duration = Duration::from_secs(10);

/// How a request for a page goes on after the index, and the type of its body.
const PAGES: [(&str, &str); 2] = [("/_msearch", "application/x-ndjson"), ("/_search?", "application/json")];

/// The response to a search.
const REJECTION: &str = r#"{"error":{"type":"not_asked","reason":"this was only recorded"},"status":400}"#;

/// A recorder that runs.
pub(super) struct Recorder {
    pub(super) address: SocketAddr,
    caught: Receiver<Vec<u8>>,
    is_recording: Arc<AtomicBool>,
}

/// A request or an answer, taken apart.
struct Message {
    /// The first line and the headers, as they came.
    head: Vec<u8>,
    body: Vec<u8>,
}

impl Recorder {
    /// Starts a recorder in front of a node.
    pub(super) fn start(node: SocketAddr) -> Outcome<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let (sender, caught) = channel();
        let is_recording = Arc::new(AtomicBool::new(false));
        let is_on = Arc::clone(&is_recording);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (sender, is_on) = (sender.clone(), Arc::clone(&is_on));
                // A connection that breaks off is opened again by the server.
                std::thread::spawn(move || serve(stream, node, &is_on, &sender).ok());
            }
        });
        Ok(Self { address, caught, is_recording })
    }

    /// Lets searches be caught from now on.
    pub(super) fn begin(&self) {
        self.is_recording.store(true, Ordering::SeqCst);
    }

    /// Returns the one search that was asked since the last call, as a request that can be sent to the node.
    pub(super) fn search(&self) -> Outcome<Vec<u8>> {
        let search = self.caught.recv_timeout(SEARCH_TIMEOUT).map_err(|_| "the server asked OpenSearch for nothing")?;
        match self.caught.try_recv() {
            Ok(_) => Err("the server asked OpenSearch more than once for one page".into()),
            Err(_) => Ok(search),
        }
    }
}

/// Serves one connection of the server.
fn serve(stream: TcpStream, node: SocketAddr, is_recording: &AtomicBool, caught: &Sender<Vec<u8>>) -> Outcome<()> {
    let mut upstream = TcpStream::connect(node)?;
    let mut from_node = BufReader::new(upstream.try_clone()?);
    let mut from_server = BufReader::new(stream.try_clone()?);
    let mut server = stream;
    while let Some(request) = read(&mut from_server)? {
        let path = String::from_utf8_lossy(&request.head).split(' ').nth(1).unwrap_or_default().to_owned();
        let action = path.strip_prefix('/').and_then(|path| path.strip_prefix(FILE_INDEX)).unwrap_or_default();
        let page = PAGES.iter().find(|(start, _)| action.starts_with(start));
        let is_caught = is_recording.load(Ordering::SeqCst) && !is_probe(&request.body);
        if let Some((_, content_type)) = page.filter(|_| is_caught) {
            caught.send(post(&path, content_type, &request.body)).ok();
            let length = REJECTION.len();
            let head = format!(
                "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
            );
            server.write_all(&[head.as_bytes(), REJECTION.as_bytes()].concat())?;
            continue;
        }
        upstream.write_all(&[request.head, request.body].concat())?;
        let Some(answer) = read(&mut from_node)? else { return Ok(()) };
        server.write_all(&[answer.head, answer.body].concat())?;
    }
    Ok(())
}

/// Returns whether a search only counts records: the server does that now and then to see whether the index can be searched.
fn is_probe(body: &[u8]) -> bool {
    let search: Option<Value> = serde_json::from_slice(body).ok();
    search.is_some_and(|search| search["size"] == 0 && search["aggs"].is_null())
}

/// Reads a request or an answer; nothing if the connection was closed.
fn read(stream: &mut impl BufRead) -> Outcome<Option<Message>> {
    let (mut head, mut length) = (Vec::new(), 0);
    loop {
        let start = head.len();
        if stream.read_until(b'\n', &mut head)? == 0 {
            return Ok(None);
        }
        let line = String::from_utf8_lossy(&head[start..]).trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse()?;
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body)?;
    Ok(Some(Message { head, body }))
}
