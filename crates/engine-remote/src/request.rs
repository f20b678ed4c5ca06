//! Building requests; names are percent-encoded into paths.

use bytes::Bytes;
use cantata_engine::EngineError;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Method;
use serde_json::Value;

/// A request to a cluster.
#[derive(Debug, Clone)]
pub(crate) struct ClusterRequest {
    /// The method.
    pub(crate) method: Method,
    /// The path, percent-encoded, with the query; begins with a slash.
    pub(crate) path: String,
    /// The body, if there is one.
    pub(crate) body: Option<Bytes>,
    /// Whether the body is NDJSON, as in bulk requests.
    pub(crate) is_ndjson: bool,
    /// Whether the request may be retried when it may have been executed already.
    pub(crate) is_idempotent: bool,
    /// Whether the request only reads, so that it may be hedged.
    pub(crate) is_read_only: bool,
}

/// Characters of a path segment that are not escaped.
const UNESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Characters that no index name has; most would address several indexes, or something else.
const FORBIDDEN_CHARACTERS: [char; 14] = ['\\', '/', '*', '?', '"', '<', '>', '|', ' ', ',', '#', ':', '%', '&'];

/// The greatest length of an index name.
const MAX_INDEX_NAME_BYTES: usize = 255;

/// Returns the path of an index, such as `/files`.
///
/// # Errors
///
/// If no index can have the name.
pub(crate) fn index_path(index: &str) -> Result<String, EngineError> {
    let is_fine = !index.is_empty()
        && index.len() <= MAX_INDEX_NAME_BYTES
        && !index.starts_with(['_', '-', '+'])
        && !matches!(index, "." | "..")
        && !index.contains(|letter: char| FORBIDDEN_CHARACTERS.contains(&letter) || letter.is_control());
    if is_fine {
        return Ok(format!("/{}", utf8_percent_encode(index, UNESCAPED)));
    }
    Err(EngineError::Rejected(format!(
        "{index:?} cannot be the name of an index; expected 1 to {MAX_INDEX_NAME_BYTES} bytes without spaces and without any of \
         \\ / * ? \" < > | , # : % &, the first of them none of _ - +"
    )))
}

/// Returns an encoded path segment.
pub(crate) fn path_segment(text: &str) -> String {
    utf8_percent_encode(text, UNESCAPED).to_string()
}

/// A GET request.
pub(crate) fn get(path: impl Into<String>) -> ClusterRequest {
    build(Method::GET, path, None, true)
}

/// A HEAD request.
pub(crate) fn head(path: impl Into<String>) -> ClusterRequest {
    build(Method::HEAD, path, None, true)
}

/// A read with a body, such as a search.
pub(crate) fn post(path: impl Into<String>, body: &Value) -> ClusterRequest {
    build(Method::POST, path, Some(json(body)), true)
}

/// The next page of a scroll; sent twice, a page would be lost.
pub(crate) fn scroll(path: impl Into<String>, body: &Value) -> ClusterRequest {
    build(Method::POST, path, Some(json(body)), false)
}

/// Several searches, each of a header line and a body line.
pub(crate) fn multi_search(path: impl Into<String>, lines: Vec<u8>) -> ClusterRequest {
    ClusterRequest { is_ndjson: true, ..build(Method::POST, path, Some(lines.into()), true) }
}

/// Creates something that must not exist yet.
pub(crate) fn create(path: impl Into<String>, body: &Value) -> ClusterRequest {
    build(Method::PUT, path, Some(json(body)), false)
}

/// An idempotent PUT.
pub(crate) fn replace(path: impl Into<String>, body: &Value) -> ClusterRequest {
    ClusterRequest { is_read_only: false, ..build(Method::PUT, path, Some(json(body)), true) }
}

/// An idempotent POST that changes something.
pub(crate) fn update(path: impl Into<String>, body: &Value) -> ClusterRequest {
    ClusterRequest { is_read_only: false, ..build(Method::POST, path, Some(json(body)), true) }
}

/// A refresh of an index; clusters accept no body with it.
pub(crate) fn refresh(path: impl Into<String>) -> ClusterRequest {
    ClusterRequest { is_read_only: false, ..build(Method::POST, path, None, true) }
}

/// Opens a resource on the cluster that must be closed.
pub(crate) fn open(path: impl Into<String>) -> ClusterRequest {
    build(Method::POST, path, None, false)
}

/// A DELETE request.
pub(crate) fn delete(path: impl Into<String>, body: Option<&Value>) -> ClusterRequest {
    build(Method::DELETE, path, body.map(json), false)
}

/// A bulk write; idempotent, since every document has its id.
pub(crate) fn bulk(path: impl Into<String>, lines: Vec<u8>) -> ClusterRequest {
    ClusterRequest { is_ndjson: true, is_read_only: false, ..build(Method::POST, path, Some(lines.into()), true) }
}

fn build(method: Method, path: impl Into<String>, body: Option<Bytes>, is_idempotent: bool) -> ClusterRequest {
    ClusterRequest { method, path: path.into(), body, is_ndjson: false, is_idempotent, is_read_only: is_idempotent }
}

fn json(value: &Value) -> Bytes {
    Bytes::from(value.to_string())
}
