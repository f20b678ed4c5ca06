//! Valid requests to every route.

use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use serde_json::{Map, Value, json};

use super::mutation;
use crate::Outcome;
use crate::client::{Connection, get};

/// Routes that keep the connection open.
const ENDLESS: [&str; 2] = ["/events", "/mcp"];

/// A request.
#[derive(Clone)]
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) query: Vec<(String, String)>,
    pub(super) content_type: String,
    pub(super) body: Option<Vec<u8>>,
    pub(super) json: Option<Value>,
}

impl Request {
    /// Returns the request with something changed.
    pub(super) fn mutated(mut self, random: &mut StdRng) -> Self {
        mutation::mutate(&mut self, random);
        self
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let query: Vec<String> = self.query.iter().map(|(name, value)| format!("{name}={}", escaped(value))).collect();
        let separator = if query.is_empty() { "" } else { "?" };
        let mut bytes =
            format!("{} {}{separator}{} HTTP/1.1\r\nHost: localhost\r\n", self.method, self.path, query.join("&"))
                .into_bytes();
        if let Some(body) = &self.body {
            let head = format!("Content-Type: {}\r\nContent-Length: {}\r\n", self.content_type, body.len());
            bytes.extend_from_slice(head.as_bytes());
        }
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(self.body.as_deref().unwrap_or_default());
        bytes
    }
}

/// Writes a value so that it does not end the line of a request.
pub(super) fn escaped(value: &str) -> String {
    let mut text = String::new();
    for byte in value.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'*' | b',' => {
                text.push(char::from(byte))
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

/// The requests that random ones are made of.
pub(super) struct Seeds {
    requests: Vec<Request>,
    bodies: Vec<Value>,
}

impl Seeds {
    /// Collects routes and parameters from the OpenAPI document, and ids and bodies from the sample data.
    pub(super) fn collect(connection: &mut Connection) -> Outcome<Self> {
        let document: Value = connection.fetch(&get("/openapi.json"))?;
        let studies: Vec<String> = connection.fetch(&get("/studies/all"))?;
        let study = studies.first().ok_or("the server has no studies")?.clone();
        let analyses: Value = connection.fetch(&get(&format!("/studies/{study}/analysis?limit=1")))?;
        let analysis =
            analyses.get(0).or_else(|| analyses.pointer("/analyses/0")).ok_or("the study has no analyses")?;
        let text = |pointer: &str| analysis.pointer(pointer).and_then(Value::as_str).unwrap_or("x").to_owned();
        let type_name = text("/analysisType/name");
        let values = [
            ("studyId", study.clone()),
            ("id", text("/analysisId")),
            ("analysisId", text("/analysisId")),
            ("fileId", text("/files/0/objectId")),
            ("objectId", text("/files/0/objectId")),
            ("name", type_name.clone()),
        ];
        let registered: Value = connection.fetch(&get(&format!("/schemas/{type_name}")))?;
        let bodies = vec![
            payload(analysis),
            json!({"name": type_name, "schema": registered.get("schema"), "options": registered.get("options")}),
            json!({"experiment": analysis.get("experiment")}),
            json!({"studyId": study, "name": "a study", "description": "", "organization": "x", "info": {"a": 1}}),
            json!({"fileSize": 10, "fileAccess": "open", "fileMd5sum": "0123456789abcdef0123456789abcdef", "info": {"a": []}}),
            json!({"query": QUERY, "variables": {"f": filter()}}),
            json!({"sqon": filter(), "columns": ["file_id"], "fileType": "json", "files": [{"fileType": "tsv"}]}),
            json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}),
            json!({"actions": [{"add": {"index": "a", "alias": "b"}}]}),
        ];
        let mut requests = Vec::new();
        for (template, methods) in document.get("paths").and_then(Value::as_object).into_iter().flatten() {
            if ENDLESS.iter().any(|endless| template.starts_with(endless)) {
                continue;
            }
            for (method, operation) in methods.as_object().into_iter().flatten() {
                requests.push(request(template, method, operation, &values));
            }
        }
        if requests.is_empty() {
            return Err("the OpenAPI document has no routes".into());
        }
        Ok(Self { requests, bodies })
    }

    /// Returns a valid request, as far as that is known.
    pub(super) fn choose(&self, random: &mut StdRng) -> Request {
        let mut request = self.requests[random.random_range(0..self.requests.len())].clone();
        if request.method != "GET" && request.method != "DELETE" {
            request.json = self.bodies.choose(random).cloned();
        }
        request
    }
}

/// A search of everything that a catalogue of the sample data has.
const QUERY: &str = "query Q($f: JSON) { file { hits(filters: $f, first: 3, sort: [{fieldName: \"file_id\", order: asc}]) \
                     { total edges { searchAfter node { id file_id } } } aggregations(filters: $f) { file_type { bucket_count \
                     buckets { key doc_count } } } } }";

fn filter() -> Value {
    json!({"op": "and", "content": [
        {"op": "in", "content": {"fieldName": "file_type", "value": ["BAM", "VCF"]}},
        {"op": "not", "content": [{"op": ">", "content": {"fieldName": "file_size", "value": 3}}]},
    ]})
}

/// Returns what a submitter sends for an analysis like this one.
fn payload(analysis: &Value) -> Value {
    let mut payload: Map<String, Value> = analysis.as_object().cloned().unwrap_or_default();
    for name in [
        "analysisId",
        "analysisState",
        "createdAt",
        "updatedAt",
        "firstPublishedAt",
        "publishedAt",
        "analysisStateHistory",
    ] {
        payload.remove(name);
    }
    for file in payload.get_mut("files").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(file) = file.as_object_mut() {
            file.retain(|name, _| !matches!(name.as_str(), "objectId" | "studyId" | "analysisId"));
        }
    }
    Value::Object(payload)
}

/// Returns a request to a route, with its parameters.
fn request(template: &str, method: &str, operation: &Value, values: &[(&str, String)]) -> Request {
    let mut path = template.to_owned();
    for (name, value) in values {
        path = path.replace(&format!("{{{name}}}"), value);
    }
    // What is left are names of catalogues, keys and indexes.
    let path = path.replace(['{', '}'], "");
    let parameters = operation.get("parameters").and_then(Value::as_array).into_iter().flatten();
    let query = parameters
        .filter(|parameter| parameter.get("in").and_then(Value::as_str) == Some("query"))
        .filter_map(|parameter| Some((parameter.get("name")?.as_str()?.to_owned(), "1".to_owned())))
        .collect();
    Request {
        method: method.to_ascii_uppercase(),
        path,
        query,
        content_type: "application/json".to_owned(),
        body: None,
        json: None,
    }
}
