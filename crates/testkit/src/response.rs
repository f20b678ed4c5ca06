//! A response that has been read to its end.

use bytes::Bytes;
use http::HeaderMap;
use serde_json::Value;

/// A response.
#[derive(Debug, Clone)]
pub struct TestResponse {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

impl TestResponse {
    /// Returns the body as text.
    #[track_caller]
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// Returns the body as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("not JSON: {error}: {}", String::from_utf8_lossy(&self.body)))
    }

    /// Returns a header as text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    /// Returns the body as JSON; the status must be 200.
    #[track_caller]
    pub fn ok(&self) -> Value {
        self.assert_status(200);
        self.json()
    }

    /// Requires a status.
    #[track_caller]
    pub fn assert_status(&self, status: u16) {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
    }

    /// Requires a status and a body, byte for byte.
    #[track_caller]
    pub fn assert_text(&self, status: u16, text: &str) {
        self.assert_status(status);
        assert_eq!(self.text(), text);
    }

    /// Requires an error with a status, the service that refused, its id and its text.
    #[track_caller]
    pub fn assert_error(&self, status: u16, origin: &str, error_id: &str, text: &str) {
        self.assert_status(status);
        let body = self.json();
        assert_eq!(body["errorId"], error_id, "{}", body["message"]);
        assert_eq!(body["message"], format!("[{origin}::{error_id}] - {text}"));
    }

    /// Requires an error with a status and an id; returns its message.
    #[track_caller]
    pub fn assert_error_id(&self, status: u16, error_id: &str) -> String {
        self.assert_status(status);
        let body = self.json();
        assert_eq!(body["errorId"], error_id, "{}", body["message"]);
        body["message"].as_str().unwrap().to_owned()
    }
}
