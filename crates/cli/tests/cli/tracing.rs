//! Spans that are exported to an OpenTelemetry collector.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use tempfile::TempDir;

use crate::log::ask;
use crate::process::Server;

/// A request of the exporter: its first line and its body.
type Export = (String, Vec<u8>);

/// A collector that accepts everything and records it.
struct Collector {
    url: String,
    exports: Arc<Mutex<Vec<Export>>>,
}

impl Collector {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let exports = Arc::default();
        let recorded = Arc::clone(&exports);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let recorded = Arc::clone(&recorded);
                std::thread::spawn(move || receive(stream.unwrap(), &recorded));
            }
        });
        Self { url, exports }
    }
}

/// Answers the requests of a connection until it is closed.
fn receive(stream: TcpStream, exports: &Mutex<Vec<Export>>) {
    let mut reader = BufReader::new(stream);
    loop {
        let (mut head, mut line) = (Vec::new(), String::new());
        while reader.read_line(&mut line).is_ok_and(|length| length > 2) {
            head.push(std::mem::take(&mut line));
        }
        let Some(first) = head.first() else { return };
        let length = head.iter().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().unwrap())
        });
        let mut body = vec![0; length.unwrap_or_default()];
        reader.read_exact(&mut body).unwrap();
        exports.lock().unwrap().push((first.trim().to_owned(), body));
        reader.get_mut().write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").unwrap();
    }
}

fn contains(body: &[u8], text: &str) -> bool {
    body.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn spans_of_requests_are_exported_with_their_id_and_route() {
    let (folder, collector) = (TempDir::new().unwrap(), Collector::start());
    let server = Server::start("serve", folder.path(), &[&format!("--otlp-endpoint={}", collector.url)]);
    ask(&server, "/studies/all", "trace-42");
    server.stop("TERM");
    let exports = collector.exports.lock().unwrap();
    assert!(exports.iter().all(|(line, _)| line == "POST /v1/traces HTTP/1.1"), "{exports:?}");
    let has_span =
        |body: &[u8]| ["request_id", "trace-42", "route", "/studies/all"].iter().all(|text| contains(body, text));
    assert!(exports.iter().any(|(_, body)| has_span(body)), "{exports:?}");
}

#[test]
fn a_collector_that_is_down_disturbs_nobody() {
    let folder = TempDir::new().unwrap();
    let server = Server::start("serve", folder.path(), &["--otlp-endpoint=http://127.0.0.1:9"]);
    assert!(ask(&server, "/studies/all", "trace-43").starts_with("HTTP/1.0 200"));
    let (_, status) = server.stop("TERM");
    assert!(status.success());
}
