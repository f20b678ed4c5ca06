//! Filling OpenSearch as its manual advises for a first load: bulk requests from several clients, no refresh and no
//! replica meanwhile.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use cantata_demo::catalogue::{FILE_INDEX, mapping};
use serde_json::{Value, json};

use super::node::Node;
use crate::client::{get, post, post_json};
use crate::threads::run_threads;
use crate::{Outcome, report};

/// How many clients send at once.
const CLIENTS: usize = 4;

/// About how many bytes of documents one request has.
const BATCH_BYTES: usize = 8_000_000;

/// Loads the documents of a file, one on each line, and returns how long it took until all could be found and were on disk. The segments are then
/// merged into one, as for an index that is only read; that is not part of the time.
pub(crate) fn load(documents: &Path, node: &Node) -> Outcome<Duration> {
    create(node)?;
    let begun = Instant::now();
    let lines = Mutex::new(BufReader::new(fs_err::File::open(documents)?));
    run_threads(CLIENTS, |_| {
        let mut connection = node.connect()?;
        while let Some(batch) = next_batch(&lines)? {
            let answer: Value = connection.fetch(&batch)?;
            if answer["errors"] != json!(false) {
                return Err("OpenSearch rejected documents".into());
            }
        }
        Ok(())
    })?;
    let mut connection = node.connect()?;
    connection.send(&action("_refresh"))?;
    connection.send(&action("_flush"))?;
    let elapsed = begun.elapsed();
    report::progress("merging the segments of OpenSearch");
    merge(node)?;
    Ok(elapsed)
}

fn create(node: &Node) -> Outcome<()> {
    let body = json!({
        "settings": { "number_of_shards": 1, "number_of_replicas": 0, "refresh_interval": "-1" },
        "mappings": mapping(FILE_INDEX),
    });
    let request = post_json(&format!("/{FILE_INDEX}"), &body);
    let put = [b"PUT".as_slice(), request.strip_prefix(b"POST").unwrap_or_default()].concat();
    node.connect()?.send(&put)
}

/// Returns the request for an action on the index.
fn action(name: &str) -> Vec<u8> {
    post(&format!("/{FILE_INDEX}/{name}"), "application/json", b"")
}

/// Merges all segments into one. The response may take long, so the number of segments is polled instead.
fn merge(node: &Node) -> Outcome<()> {
    let mut connection = node.connect()?;
    connection.send(&action("_forcemerge?max_num_segments=1&wait_for_completion=false"))?;
    let segments = get(&format!("/{FILE_INDEX}/_stats/segments"));
    loop {
        std::thread::sleep(Duration::from_secs(1));
        connection.send(&action("_refresh"))?;
        let stats: Value = connection.fetch(&segments)?;
        if stats["_all"]["primaries"]["segments"]["count"] == json!(1) {
            return connection.send(&action("_flush"));
        }
    }
}

/// Returns the request for the next documents; nothing after the last ones.
fn next_batch(lines: &Mutex<impl BufRead>) -> Outcome<Option<Vec<u8>>> {
    let mut lines = lines.lock().map_err(|_| "a client panicked")?;
    let (mut body, mut line) = (Vec::with_capacity(BATCH_BYTES + BATCH_BYTES / 8), Vec::new());
    while body.len() < BATCH_BYTES {
        line.clear();
        if lines.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let (id, rest) = split_id(&line)?;
        serde_json::to_writer(&mut body, &json!({ "index": { "_id": id } }))?;
        body.extend_from_slice(b"\n{");
        body.extend_from_slice(rest);
    }
    let request = || post(&format!("/{FILE_INDEX}/_bulk"), "application/x-ndjson", &body);
    Ok((!body.is_empty()).then(request))
}

/// Splits the line of a document into its id, which comes first in it, and what follows the comma after that:
/// OpenSearch takes the id beside the document only.
fn split_id(line: &[u8]) -> Outcome<(String, &[u8])> {
    let comma = line.iter().position(|byte| *byte == b',').ok_or("a document has one member only")?;
    let (head, rest) = (&line[..comma], &line[comma + 1..]);
    let head: Value = serde_json::from_slice(&[head, b"}"].concat())?;
    Ok((head["_id"].as_str().ok_or("a document does not begin with its id")?.to_owned(), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_is_taken_out_of_a_document() {
        let (id, rest) = split_id(b"{\"_id\":\"a\",\"b\":1}\n").unwrap();
        assert_eq!((id.as_str(), rest), ("a", &b"\"b\":1}\n"[..]));
        assert!(split_id(b"{}").is_err());
        assert!(split_id(b"{\"a\":1,\"_id\":\"b\"}").is_err());
    }
}
