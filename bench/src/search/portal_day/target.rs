//! A catalogue by its address: the bytes of requests to it, with a credential where it needs one.

use std::net::{SocketAddr, ToSocketAddrs};

use serde_json::{Value, json};

use crate::Outcome;
use crate::client::Connection;

/// Where a catalogue is served.
pub(super) struct Target {
    pub(super) address: SocketAddr,
    /// The server, as the address of the catalogue names it.
    host: String,
    /// The path of the catalogue, without a slash at its end.
    path: String,
    key: Option<String>,
}

impl Target {
    /// Reads the address of a catalogue.
    pub(super) fn parse(url: &str, key: Option<&str>) -> Outcome<Self> {
        let expected = || {
            format!(
                "the address of a catalogue: found {url}; expected one such as http://127.0.0.1:5050/files, with its \
                 port; where a proxy speaks TLS, name the server behind it"
            )
        };
        let (host, path) = url.strip_prefix("http://").and_then(|rest| rest.split_once('/')).ok_or_else(expected)?;
        let path = path.trim_end_matches('/');
        if path.is_empty() {
            return Err(expected().into());
        }
        let mut addresses = host.to_socket_addrs().map_err(|error| format!("{} ({error})", expected()))?;
        Ok(Self {
            address: addresses.next().ok_or_else(expected)?,
            host: host.to_owned(),
            path: format!("/{path}"),
            key: key.map(str::to_owned),
        })
    }

    pub(super) fn connect(&self) -> Outcome<Connection> {
        Connection::open(self.address)
    }

    /// Returns the request for something below the catalogue.
    pub(super) fn get(&self, path: &str) -> Vec<u8> {
        self.request("GET", path, "")
    }

    /// Returns a GraphQL request.
    pub(super) fn graphql(&self, query: &str, variables: &Value) -> Vec<u8> {
        self.post("/graphql", &json!({ "query": query, "variables": variables }))
    }

    /// Returns a request with a JSON body.
    pub(super) fn post(&self, path: &str, body: &Value) -> Vec<u8> {
        self.request("POST", path, &body.to_string())
    }

    fn request(&self, method: &str, path: &str, body: &str) -> Vec<u8> {
        let Self { host, path: catalogue, key, .. } = self;
        let authorization = key.as_ref().map(|key| format!("Authorization: Bearer {key}\r\n")).unwrap_or_default();
        let length = body.len();
        format!(
            "{method} {catalogue}{path} HTTP/1.1\r\nHost: {host}\r\n{authorization}\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        )
        .into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_go_below_the_catalogue_with_the_key() {
        let target = Target::parse("http://127.0.0.1:5050/search/files/", Some("secret")).unwrap();
        assert_eq!(target.address.port(), 5050);
        let request = String::from_utf8(target.post("/download", &json!({}))).unwrap();
        assert!(request.starts_with("POST /search/files/download HTTP/1.1\r\nHost: 127.0.0.1:5050\r\n"), "{request}");
        assert!(request.contains("\r\nAuthorization: Bearer secret\r\n"), "{request}");
        assert!(request.ends_with("\r\nContent-Length: 2\r\n\r\n{}"), "{request}");
        let request = String::from_utf8(Target::parse("http://127.0.0.1:1/a", None).unwrap().get("/b")).unwrap();
        assert!(request.starts_with("GET /a/b ") && !request.contains("Authorization"), "{request}");
    }

    #[test]
    fn an_address_without_a_catalogue_a_port_or_with_tls_is_refused() {
        for url in ["http://127.0.0.1:5050", "http://127.0.0.1:5050/", "http://127.0.0.1/files", "https://x:1/files"] {
            let error = Target::parse(url, None).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(url) && error.contains("expected"), "{url}: {error}");
        }
    }
}
