//! The memory of a real server under clients that ask for much and read or send slowly: it stays within what the limits
//! in `docs/operations.md` allow, however many of them there are.
//!
//! What the kernel counts as the server's own is compared with what it was before. Each bound is the sum of its parts,
//! and less than what the clients would take if everything that they ask for were kept.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::WriteHalf;
use tokio::task::JoinSet;

use crate::catalogue::Catalogue;
use crate::process::Server;

const MIB: u64 = 1 << 20;

/// How many threads serve requests, on every machine: each of them makes one answer at a time.
const WORKERS: u64 = 2;

const BLOCKING_THREADS: u64 = 4;

const CACHE_BYTES: u64 = 16 * MIB;

/// What the allocator may keep for a thread.
const THREAD_BYTES: u64 = 8 * MIB;

/// The length of one of the values of a document.
const TEXT_BYTES: u64 = 4_000;

/// How long to wait between two looks at the server, and how many looks there are until a test gives up.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);
const MAX_POLLS: usize = 6_000;

#[test]
fn downloads_take_a_page_each_whether_they_are_read_or_not() {
    const ROUNDS: u64 = 3;
    const STALLED_CLIENTS: u64 = 8;
    const READING_CLIENTS: u64 = 8;
    const MAX_EXPORTS: u64 = 40;
    /// A page of about a megabyte, the records that point into it, and the chunks that a connection has taken.
    const EXPORT_BYTES: u64 = 4 * MIB;
    const DOCUMENTS: u64 = 8_000;
    const ANSWER_BYTES: u64 = DOCUMENTS * TEXT_BYTES;
    const MAX_BYTES: u64 = MAX_EXPORTS * EXPORT_BYTES + CACHE_BYTES + BLOCKING_THREADS * THREAD_BYTES;
    const { assert!(ROUNDS * STALLED_CLIENTS + READING_CLIENTS <= MAX_EXPORTS) };
    const { assert!(ROUNDS * STALLED_CLIENTS * ANSWER_BYTES > 2 * MAX_BYTES, "whole answers take more than they may") };

    let place = filled(DOCUMENTS);
    let max_exports = format!("--max-exports={MAX_EXPORTS}");
    let server = start(&place, &[&max_exports, "--max-exports-per-client=0"]);
    let columns = [json!({"fieldName": "name"}), json!({"fieldName": "text"})];
    let file = json!({"fileName": "all", "fileType": "json", "columns": columns});
    let request = json!({"files": [file], "chunkSize": 10_000}).to_string();
    assert!(read_whole(&server, "/download", &request) > ANSWER_BYTES);

    let before = server.own_memory();
    let read = || read_whole(&server, "/download", &request);
    let mut most = 0;
    let mut stalled = Vec::new();
    for _ in 0..ROUNDS {
        for _ in 0..STALLED_CLIENTS {
            let (status, stream) = begin(&server, "/download", &request);
            assert_eq!(status, 200);
            stalled.push(stream);
        }
        thread::scope(|scope| {
            let readers: Vec<_> = (0..READING_CLIENTS).map(|_| scope.spawn(read)).collect();
            while !readers.iter().all(|reader| reader.is_finished()) {
                most = server.own_memory().max(most);
                thread::sleep(LOOK_INTERVAL);
            }
            assert!(readers.into_iter().all(|reader| reader.join().unwrap() > ANSWER_BYTES));
        });
        most = server.own_memory().max(most);
    }
    assert!(most < before + MAX_BYTES, "{most} bytes, and {before} before; {MAX_BYTES} more are allowed");
    let threads = server.runtime_threads() as u64;
    assert!(threads <= WORKERS + BLOCKING_THREADS, "{threads} threads");
    drop(stalled);
    assert_eq!(count(&server), DOCUMENTS);
}

/// A few hundred bytes ask for an answer of many megabytes.
#[test]
fn large_answers_that_nobody_reads_share_the_memory_of_requests_and_are_given_up() {
    const CLIENTS: u64 = 24;
    const DOCUMENTS: u64 = 1_000;
    const ALIASES: u64 = 6;
    const ANSWER_BYTES: u64 = ALIASES * DOCUMENTS * TEXT_BYTES;
    const REQUEST_MEMORY: u64 = 64 * MIB;
    /// An answer grows by doubling, and is copied each time.
    const COPIES: u64 = 4;
    /// Those that are sent, one that waits for its share, and those that are made.
    const MAX_BYTES: u64 = REQUEST_MEMORY + ANSWER_BYTES + WORKERS * COPIES * ANSWER_BYTES + CACHE_BYTES;
    const { assert!(CLIENTS * ANSWER_BYTES > 3 * MAX_BYTES / 2, "all answers together take more than they may") };

    let place = filled(DOCUMENTS);
    let request_memory = format!("--request-memory={REQUEST_MEMORY}");
    let server = start(&place, &[&request_memory, "--client-timeout=4"]);
    let facet = "file { aggregations { name { buckets(max: 300000) { key top_hits } } } }";
    let aliases: Vec<String> = (0..ALIASES).map(|n| format!("a{n}: {facet}")).collect();
    let request = json!({"query": format!("{{ {} }}", aliases.join(" "))}).to_string();
    assert!(read_whole(&server, "/graphql", &request) > ANSWER_BYTES);

    let sockets = idle_sockets(&server);
    let before = server.own_memory();
    let ask = || begin(&server, "/graphql", &request);
    let mut most = 0;
    let answers: Vec<(u16, TcpStream)> = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(ask)).collect();
        while !clients.iter().all(|client| client.is_finished()) {
            most = server.own_memory().max(most);
            thread::sleep(LOOK_INTERVAL);
        }
        clients.into_iter().map(|client| client.join().unwrap()).collect()
    });
    assert!(answers.iter().any(|(status, _)| *status == 200));
    assert!(answers.iter().all(|(status, _)| [200, 503].contains(status)), "{answers:?}");
    // All of them are closed, though nobody has read them.
    for look in 0.. {
        most = server.own_memory().max(most);
        if server.sockets() <= sockets {
            break;
        }
        assert!(look < MAX_POLLS, "answers that nobody reads are kept");
        thread::sleep(LOOK_INTERVAL);
    }
    for (_, mut stream) in answers {
        // A connection that was reset has said what it had to say.
        let received = std::io::copy(&mut stream, &mut std::io::sink()).unwrap_or_default();
        assert!(received < ANSWER_BYTES, "it was sent as a whole");
    }
    assert!(most < before + MAX_BYTES, "{most} bytes, and {before} before; {MAX_BYTES} more are allowed");
    assert_eq!(count(&server), DOCUMENTS);
}

/// No two of them are the same, so each could be kept for a repetition.
#[test]
fn searches_with_large_values_leave_no_more_than_caches_may_keep() {
    const SEARCHES: u64 = 128;
    const VALUE_BYTES: u64 = 1_000_000;
    /// A body is read, parsed, validated and planned, one search after the other.
    const COPIES: u64 = 8;
    const MAX_BYTES: u64 = CACHE_BYTES + COPIES * VALUE_BYTES + BLOCKING_THREADS * THREAD_BYTES;
    const { assert!(SEARCHES * VALUE_BYTES > 2 * MAX_BYTES, "all values together take more than they may") };

    let place = filled(10);
    let server = start(&place, &[]);
    let search = |n: u64| {
        let value = format!("{n} {}", "x".repeat(VALUE_BYTES as usize));
        let filter = json!({"op": "in", "content": {"fieldName": "name", "value": [value]}});
        let query = "query($f: JSON) { file { hits(filters: $f) { total } } }";
        let request = json!({"query": query, "variables": {"f": filter}}).to_string();
        let (status, answer) = server.request("POST", "/graphql", &request);
        assert_eq!((status, &answer["data"]["file"]["hits"]["total"]), (200, &json!(0)), "{answer}");
    };
    search(0);
    let before = server.own_memory();
    (1..=SEARCHES).for_each(search);
    let after = server.own_memory();
    assert!(after < before + MAX_BYTES, "{after} bytes, and {before} before; {MAX_BYTES} more are allowed");
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_whose_ends_drip_share_the_memory_of_requests_and_are_given_up() {
    const CLIENTS: u64 = 200;
    const REQUEST_MEMORY: u64 = 32 * MIB;
    /// A body grows by doubling, and is copied each time.
    const COPIES: u64 = 2;
    /// What a connection has read and not passed on.
    const CONNECTION_BYTES: u64 = MIB;
    const MAX_BYTES: u64 = COPIES * REQUEST_MEMORY + CLIENTS * CONNECTION_BYTES + CACHE_BYTES;
    const { assert!(CLIENTS * SENT_BYTES > 2 * MAX_BYTES, "all bodies together take more than they may") };

    let place = filled(10);
    let request_memory = format!("--request-memory={REQUEST_MEMORY}");
    let server = start(&place, &[&request_memory, "--client-timeout=2"]);
    assert_eq!(count(&server), 10);
    let before = server.own_memory();
    let mut most = 0;
    let mut clients = JoinSet::new();
    for _ in 0..CLIENTS {
        clients.spawn(drip(server.address.clone()));
    }
    let mut looks = 0;
    while !clients.is_empty() {
        most = server.own_memory().max(most);
        match tokio::time::timeout(LOOK_INTERVAL, clients.join_next()).await {
            Ok(ended) => assert!(!ended.unwrap().unwrap().starts_with(b"HTTP/1.1 200")),
            Err(_) => looks += 1,
        }
        assert!(looks < MAX_POLLS, "bodies that drip are waited for");
    }
    assert!(most < before + MAX_BYTES, "{most} bytes, and {before} before; {MAX_BYTES} more are allowed");
    assert_eq!(count(&server), 10);
}

/// How many bytes a dripping client declares, and how many it sends at once.
const BODY_BYTES: u64 = 4_000_000;
const SENT_BYTES: u64 = BODY_BYTES - 1_000;

static BLANKS: [u8; 50_000] = [b' '; 50_000];

/// Sends most of a body at once, and then a byte at a time until the server closes the connection; returns its answer.
async fn drip(address: String) -> Vec<u8> {
    let mut stream = tokio::net::TcpStream::connect(&address).await.unwrap();
    let (mut receiver, mut sender) = stream.split();
    let mut answer = Vec::new();
    tokio::select! {
        // A connection that was reset is closed.
        _ = receiver.read_to_end(&mut answer) => {}
        _ = send_slowly(&mut sender, &address) => {}
    }
    answer
}

async fn send_slowly(sender: &mut WriteHalf<'_>, address: &str) -> std::io::Result<()> {
    sender.write_all(head("/graphql", address, BODY_BYTES).as_bytes()).await?;
    let mut left = SENT_BYTES;
    while left > 0 {
        let piece = &BLANKS[..BLANKS.len().min(left as usize)];
        sender.write_all(piece).await?;
        left -= piece.len() as u64;
    }
    loop {
        tokio::time::sleep(Duration::from_millis(100)).await;
        sender.write_all(b" ").await?;
    }
}

/// Makes a data folder with an index of this many documents, each with a name of its own and a long text.
fn filled(documents: u64) -> Catalogue {
    let place = Catalogue::new();
    let properties = json!({"name": {"type": "keyword"}, "text": {"type": "keyword"}});
    let mapping = place.file("mapping.json", json!({"properties": properties}).to_string());
    let line = |n: u64| {
        let text = ["a", "b", "c", "d", "e"][n as usize % 5].repeat(TEXT_BYTES as usize);
        json!({"_id": n.to_string(), "name": format!("name {n}"), "text": text}).to_string() + "\n"
    };
    let file = place.file("documents.ndjson", (0..documents).map(line).collect::<String>());
    place.ok(&["import", "--index=files", "--mapping", &mapping, &file]);
    place
}

/// Starts a server with a catalogue of the documents.
fn start(place: &Catalogue, settings: &[&str]) -> Server {
    let configs = place.data_dir().with_file_name("configs");
    fs_err::create_dir_all(&configs).unwrap();
    let base = json!({"documentType": "file", "esIndex": "files"});
    fs_err::write(configs.join("base.json"), base.to_string()).unwrap();
    let (threads, cache) = (format!("--blocking-threads={BLOCKING_THREADS}"), format!("--cache-memory={CACHE_BYTES}"));
    let mut command = place.command(&["serve", "--server-port=0", "--auth-mode=none", &threads, &cache]);
    command.arg("--configs-path").arg(&configs).args(settings);
    command.env("TOKIO_WORKER_THREADS", WORKERS.to_string()).stderr(Stdio::null());
    let server = Server::of(command).unwrap();
    for _ in 0..MAX_POLLS {
        if server.get("/ready").0 == 200 {
            return server;
        }
        thread::sleep(LOOK_INTERVAL);
    }
    panic!("{}", server.get("/ready").1);
}

/// Returns how many sockets the server has while nobody asks for anything: the last ones may not be closed yet.
fn idle_sockets(server: &Server) -> usize {
    let look = |_| {
        thread::sleep(LOOK_INTERVAL);
        server.sockets()
    };
    (0..10).map(look).min().unwrap()
}

/// Returns how many documents a light search finds.
fn count(server: &Server) -> u64 {
    let (status, answer) = server.request("POST", "/graphql", "{\"query\": \"{ file { hits { total } } }\"}");
    assert_eq!(status, 200, "{answer}");
    answer["data"]["file"]["hits"]["total"].as_u64().unwrap()
}

fn head(path: &str, address: &str, length: u64) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {length}\r\n\r\n"
    )
}

/// Sends a request, and reads no more of the answer than its head; returns its status.
fn begin(server: &Server, path: &str, body: &str) -> (u16, TcpStream) {
    let mut stream = TcpStream::connect(&server.address).unwrap();
    let request = head(path, &server.address, body.len() as u64) + body;
    stream.write_all(request.as_bytes()).unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.extend(byte);
    }
    let status = String::from_utf8_lossy(&head).split(' ').nth(1).unwrap().parse().unwrap();
    (status, stream)
}

/// Sends a request, and reads the answer to its end; returns how many bytes it had.
fn read_whole(server: &Server, path: &str, body: &str) -> u64 {
    let (status, mut stream) = begin(server, path, body);
    assert_eq!(status, 200);
    std::io::copy(&mut stream, &mut std::io::sink()).unwrap()
}
