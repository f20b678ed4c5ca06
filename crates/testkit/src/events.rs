//! Server-sent events, read one at a time.

use serde_json::Value;

/// One event.
#[derive(Debug, Clone, PartialEq)]
pub struct SentEvent {
    /// Its number.
    pub id: u64,
    /// The text of its message.
    pub text: String,
}

impl SentEvent {
    /// Returns the message.
    pub fn message(&self) -> Value {
        serde_json::from_str(&self.text).unwrap()
    }
}

/// An open event stream; dropping it closes the connection.
pub struct EventReader {
    response: reqwest::Response,
    unread: Vec<u8>,
}

impl EventReader {
    pub(crate) fn new(response: reqwest::Response) -> Self {
        Self { response, unread: Vec::new() }
    }

    /// Waits for the next event; returns none when the server ends the stream.
    pub async fn next(&mut self) -> Option<SentEvent> {
        loop {
            if let Some(end) = self.unread.windows(2).position(|pair| pair == b"\n\n") {
                let block: Vec<u8> = self.unread.drain(..end + 2).collect();
                match read_event(std::str::from_utf8(&block).unwrap()) {
                    Some(event) => return Some(event),
                    None => continue,
                }
            }
            let chunk = self.response.chunk().await.unwrap()?;
            self.unread.extend_from_slice(&chunk);
        }
    }
}

/// Reads an event; comments, which only keep the connection alive, are none.
fn read_event(block: &str) -> Option<SentEvent> {
    let member = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    let id = member("id")?.parse().unwrap();
    Some(SentEvent { id, text: member("data").unwrap().to_owned() })
}
