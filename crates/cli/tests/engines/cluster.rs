//! A real cluster, as its operators see it.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};
use uuid::Uuid;

/// The documents of a small index, by id.
pub(crate) const DOCUMENTS: [(&str, &str); 3] = [("1", "Daisy"), ("2", "Sunflower"), ("3", "Moss")];

/// An index of a name that no other test has; it goes with the test.
pub(crate) struct Index {
    address: String,
    pub(crate) name: String,
}

impl Index {
    /// Thinks of a name; there is no such index yet.
    pub(crate) fn named(cluster: &str) -> Self {
        let address = cluster.strip_prefix("http://").unwrap().to_owned();
        Self { address, name: format!("served-{}", Uuid::new_v4()) }
    }

    /// Makes a small index.
    pub(crate) fn small(cluster: &str) -> Self {
        let index = Self::named(cluster);
        index.create(&small_index());
        index
    }

    /// Makes the index as a body says; a small one gets its documents.
    pub(crate) fn create(&self, body: &Value) {
        self.send("PUT", "", &body.to_string());
        if *body == small_index() {
            let document = |(id, name): &(&str, &str)| ((*id).to_owned(), json!({ "name": name }));
            self.fill(DOCUMENTS.iter().map(document));
        }
    }

    /// Puts documents into the index.
    pub(crate) fn fill(&self, documents: impl IntoIterator<Item = (String, Value)>) {
        let mut lines = String::new();
        for (id, document) in documents {
            lines.push_str(&format!("{}\n{document}\n", json!({ "index": { "_id": id } })));
        }
        let answer = self.send("POST", "/_bulk?refresh=true", &lines);
        assert_eq!(answer["errors"], false, "{answer}");
    }

    /// Removes the index.
    pub(crate) fn delete(&self) {
        self.send("DELETE", "", "");
    }

    /// Sends a request about the index, which must be accepted.
    pub(crate) fn send(&self, method: &str, rest: &str, body: &str) -> Value {
        let (status, answer) = self.exchange(method, rest, body);
        assert!((200..300).contains(&status), "{method} {rest}: {answer}");
        serde_json::from_str(&answer).unwrap()
    }

    fn exchange(&self, method: &str, rest: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let (name, host, length) = (&self.name, &self.address, body.len());
        write!(
            stream,
            "{method} /{name}{rest} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), body.to_owned())
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        self.exchange("DELETE", "", "");
    }
}

/// Returns the body that makes a small index.
pub(crate) fn small_index() -> Value {
    json!({ "mappings": { "properties": { "name": { "type": "keyword" } } } })
}
