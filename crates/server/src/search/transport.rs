//! GraphQL over HTTP: what a body or an address says a request is.

use bytes::Bytes;
use cantata_graphql::GraphqlRequest;
use cantata_sqon::parse_nested_json;
use http::StatusCode;
use moka::sync::Cache;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::{SearchRejection, graphql_error, text};

/// How many bytes of queries are kept by their hash.
const MAX_PERSISTED_BYTES: u64 = 16 << 20;

/// The longest query that is kept.
const MAX_PERSISTED_QUERY_BYTES: usize = 64 * 1024;

/// Queries that clients may name by their hash once they have sent them.
#[derive(Clone)]
pub(crate) struct PersistedQueries(Cache<String, String>);

impl Default for PersistedQueries {
    fn default() -> Self {
        let weigh = |hash: &String, query: &String| u32::try_from(hash.len() + query.len()).unwrap_or(u32::MAX);
        Self(Cache::builder().max_capacity(MAX_PERSISTED_BYTES).weigher(weigh).build())
    }
}

/// A request, or several in one body.
pub(super) enum Incoming {
    One(GraphqlRequest),
    Several(Vec<Result<GraphqlRequest, SearchRejection>>),
}

/// Reads a body.
pub(super) fn from_body(
    body: &Bytes,
    is_form: bool,
    persisted: &PersistedQueries,
) -> Result<Incoming, SearchRejection> {
    if is_form {
        return from_object(form_members(body), persisted).map(Incoming::One);
    }
    if body.iter().all(u8::is_ascii_whitespace) {
        return Err(missing_body());
    }
    let value = parse_nested_json(body)
        .map_err(|error| text(StatusCode::BAD_REQUEST, format!("The body is not JSON: {error}")))?;
    match value {
        Value::Object(members) => from_object(members, persisted).map(Incoming::One),
        Value::Array(several) => {
            let several = several.into_iter().map(|one| match one {
                Value::Object(members) => from_object(members, persisted),
                _ => Err(missing_body()),
            });
            Ok(Incoming::Several(several.collect()))
        }
        _ => Err(missing_body()),
    }
}

/// Reads the query part of an address; nothing if it has no request.
pub(super) fn from_address(
    query: &str,
    persisted: &PersistedQueries,
) -> Option<Result<GraphqlRequest, SearchRejection>> {
    let members = form_members(query.as_bytes());
    (members.contains_key("query") || members.contains_key("extensions")).then(|| from_object(members, persisted))
}

fn form_members(form: &[u8]) -> Map<String, Value> {
    form_urlencoded::parse(form).map(|(key, value)| (key.into_owned(), value.into())).collect()
}

fn from_object(
    mut members: Map<String, Value>,
    persisted: &PersistedQueries,
) -> Result<GraphqlRequest, SearchRejection> {
    let bad = |message: &str| Err(text(StatusCode::BAD_REQUEST, message).into());
    if members.is_empty() {
        return Err(missing_body());
    }
    let query = match members.remove("query") {
        None | Some(Value::Null) => None,
        Some(Value::String(query)) => Some(query),
        Some(_) => return bad("GraphQL queries must be strings."),
    };
    let Ok(variables) = object_of(members.remove("variables")) else { return bad("Variables are invalid JSON.") };
    let Ok(extensions) = object_of(members.remove("extensions")) else { return bad("Extensions are invalid JSON.") };
    let operation_name = match members.remove("operationName") {
        Some(Value::String(name)) => Some(name),
        None | Some(Value::Null) => None,
        Some(_) => return bad("The operationName must be a string."),
    };
    let hash = extensions.as_ref().and_then(|extensions| extensions.get("persistedQuery")?.get("sha256Hash")?.as_str());
    let query = match (query, hash) {
        (Some(query), None) => query,
        (None, None) => return Err(missing_body()),
        (query, Some(hash)) => persisted.resolve(query, hash)?,
    };
    Ok(GraphqlRequest { query, variables, operation_name })
}

/// Returns an object that may be given as its JSON text.
fn object_of(value: Option<Value>) -> Result<Option<Map<String, Value>>, ()> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(members)) => Ok(Some(members)),
        // What some languages write for an empty object.
        Some(Value::Array(list)) if list.is_empty() => Ok(None),
        Some(Value::String(text)) if text.is_empty() => Ok(None),
        Some(Value::String(text)) => match parse_nested_json(text.as_bytes()) {
            Ok(Value::Object(members)) => Ok(Some(members)),
            Ok(Value::Null) => Ok(None),
            _ => Err(()),
        },
        Some(_) => Err(()),
    }
}

impl PersistedQueries {
    /// Returns the query that a request names by its hash, and keeps one that comes with it.
    fn resolve(&self, query: Option<String>, hash: &str) -> Result<String, SearchRejection> {
        let Some(query) = query else {
            // The client then sends the query with its hash, so this is no failure.
            let unknown = || graphql_error(StatusCode::OK, "PersistedQueryNotFound", "PERSISTED_QUERY_NOT_FOUND");
            return Ok(self.0.get(hash).ok_or_else(unknown)?);
        };
        let digest = format!("{:x}", Sha256::digest(query.as_bytes()));
        if digest != hash {
            let message = "provided sha does not match query";
            return Err(graphql_error(StatusCode::BAD_REQUEST, message, "BAD_REQUEST").into());
        }
        if query.len() <= MAX_PERSISTED_QUERY_BYTES {
            self.0.insert(digest, query.clone());
        }
        Ok(query)
    }
}

fn missing_body() -> SearchRejection {
    text(StatusCode::BAD_REQUEST, "POST body missing, invalid Content-Type, or JSON object has no keys.").into()
}
