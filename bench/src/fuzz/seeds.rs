//! Valid requests to every route.

use rand::Rng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use serde_json::{Map, Value, json};

use super::mutation;
use crate::Outcome;
use crate::client::{Connection, get};

/// Requests whose answers do not end.
const ENDLESS: [(&str, &str); 3] = [("get", "/events"), ("get", "/mcp"), ("get", "/admin/jobs/events")];

/// The catalogue of the sample data, and an index that only random requests use.
const CATALOGUE: &str = "files";
const INDEX: &str = "fuzz";

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
    /// A part of the path of the routes that take a body, and the body.
    bodies: Vec<(&'static str, Value)>,
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
            ("analysisIds", text("/analysisId")),
            ("catalogue", CATALOGUE.to_owned()),
            ("fileId", text("/files/0/objectId")),
            ("objectId", text("/files/0/objectId")),
            ("name", type_name.clone()),
        ];
        let registered: Value = connection.fetch(&get(&format!("/schemas/{type_name}")))?;
        let schema =
            json!({"name": type_name, "schema": registered.get("schema"), "options": registered.get("options")});
        let file = json!({"fileSize": 10, "fileAccess": "open", "fileMd5sum": "0123456789abcdef0123456789abcdef"});
        let download =
            json!({"files": [{"fileType": "tsv", "sqon": filter(), "columns": [{"fieldName": "fileName"}]}]});
        let call = json!({"sqon": filter(), "catalogue": CATALOGUE, "query": "lung"});
        let bodies = vec![
            ("/submit", payload(analysis)),
            ("/schemas", schema),
            ("/analysis", json!({"experiment": analysis.get("experiment")})),
            ("/studies", json!({"studyId": study, "name": "a study", "organization": "x", "info": {"a": 1}})),
            ("/files", file),
            ("/graphql", json!({"query": PAGE, "variables": {"f": filter()}})),
            ("/graphql", json!({"query": NESTED, "variables": {"f": filter(), "n": 3}})),
            ("/graphql", json!({"query": SAVE_SET, "variables": {"f": filter()}})),
            ("/download", download),
            ("/mcp", json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})),
            (
                "/mcp",
                json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search", "arguments": call}}),
            ),
            (
                "/admin/indexes",
                json!({"mappings": {"properties": {"a": {"type": "nested", "properties": {"b": {"type": "text"}}}}}}),
            ),
            ("/admin/keys", json!({"name": "a key", "scopes": ["READ"], "expiresInDays": 1})),
            ("/admin", json!({})),
        ];
        let mut requests = Vec::new();
        for (template, methods) in document.get("paths").and_then(Value::as_object).into_iter().flatten() {
            for (method, operation) in methods.as_object().into_iter().flatten() {
                if !ENDLESS.contains(&(method.as_str(), template.as_str())) {
                    requests.push(request(template, method, operation, &values));
                }
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
            let fitting: Vec<&(&str, Value)> =
                self.bodies.iter().filter(|(route, _)| request.path.contains(*route)).collect();
            // Sometimes the body of another route.
            let is_fitting = !fitting.is_empty() && random.random_bool(0.9);
            let body = if is_fitting { fitting.choose(random).copied() } else { self.bodies.choose(random) };
            request.json = body.map(|(_, body)| body.clone());
        }
        request
    }
}

/// What a page of a portal asks for.
const PAGE: &str = "query P($f: JSON) { file { hits(filters: $f, first: 3, sort: [{fieldName: \"fileSize\", order: asc}]) { total \
                    edges { searchAfter node { id fileName fileSize } } } aggregations(filters: $f, include_missing: true, \
                    aggregations_filter_themselves: false) { fileType { bucket_count buckets { key doc_count } } fileSize { \
                    stats { min max avg } histogram(interval: 1000) { buckets { key doc_count } } } \
                    analysis__donors__gender { buckets { key doc_count top_hits(_source: [\"fileName\"], size: 2) } } } } }";

/// Elements of nested documents.
const NESTED: &str = "query N($f: JSON, $n: Int) { file { hits(filters: $f, first: $n, offset: $n) { edges { node { analysis { \
                      donors { hits(first: $n, filters: {op: \"in\", content: {fieldName: \"gender\", value: [\"Female\"]}}) { \
                      total edges { node { donorId age specimens { hits { total } } } } } } } } } } } }";

const SAVE_SET: &str = "mutation S($f: JSON) { saveSet(type: file, userId: \"a\", sqon: $f, path: \"fileName.keyword\", size: 5) { \
                        setId size } }";

fn filter() -> Value {
    json!({"op": "and", "content": [
        {"op": "in", "content": {"fieldName": "fileType", "value": ["BAM", "VCF", "C*"]}},
        {"op": "not", "content": [{"op": ">", "content": {"fieldName": "fileSize", "value": 3}}]},
        {"op": "or", "pivot": "analysis.donors", "content": [
            {"op": "filter", "content": {"fieldNames": ["fileName", "analysis.donors.donorId"], "value": "*1*"}},
            {"op": "fuzzy", "content": {"fieldNames": ["analysis.donors.gender"], "value": "Femal", "fuzziness": 1}},
            {"op": "between", "content": {"fieldName": "analysis.donors.age", "value": [3, 60]}},
        ]},
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
    if path.starts_with("/admin/indexes") {
        path = path.replace("{name}", INDEX);
    }
    for (name, value) in values {
        path = path.replace(&format!("{{{name}}}"), value);
    }
    // What is left are names of keys and jobs.
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
