//! `/admin/keys`: the API keys of this server.
//!
//! All servers of a database have the same keys, and `cantata key` changes them too. A key that is made here counts here with
//! the next request, and one that is revoked here does not; on other servers within a second. Where the server takes no keys
//! of its own, none can be created: a key made while authentication is off would be valid once it is on.

use std::fmt::Display;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use cantata_access::{KeyError, KeyRecord, KeyRegistry, KeySecret, KeySummary, ScopeRules};
use cantata_core::{Error, ErrorId, ErrorOrigin, Result, Timestamp};
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa_axum::routes;

use super::{ADMINISTRATION, log_not_writable};
use crate::AccessControl;
use crate::error_body::ApiResult;
use crate::extract::{JsonObject, Segments};
use crate::openapi::schemas::{ApiKeys, KeyPath, MadeApiKey, NewApiKey};
use crate::response::{json as json_response, json_with_status};
use crate::routes::Routes;
use crate::state::AppState;

/// The service that errors of these routes name.
const ORIGIN: ErrorOrigin = ErrorOrigin::KeyService;

/// The longest time of a key, in days: a hundred years.
const MAX_EXPIRY_DAYS: u64 = 36_500;

/// How many scopes a key may have.
const MAX_SCOPES: usize = 1000;

const MEMBERS: [&str; 4] = ["name", "scopes", "expiresInDays", "expiresAt"];

/// Returns the routes with their descriptions.
pub(crate) fn routes(access: &Arc<AccessControl>) -> Routes<AppState> {
    Routes::new(access).add(ADMINISTRATION, routes!(list, create)).add(ADMINISTRATION, routes!(revoke))
}

/// The response to the creation of a key, the only one that has its secret.
#[derive(Serialize)]
struct CreatedKey<'a> {
    key: &'a str,
    #[serde(flatten)]
    summary: KeySummary<'a>,
}

/// Lists the API keys, revoked ones included; no key is shown itself.
#[utoipa::path(
    get, path = "/admin/keys", tag = "Keys",
    responses((status = 200, description = "The keys, oldest first", body = ApiKeys))
)]
async fn list(State(state): State<AppState>) -> ApiResult {
    let records = keys_of(&state.access)?.list().await.map_err(key_error)?;
    let keys: Vec<KeySummary<'_>> = records.iter().map(KeyRecord::summary).collect();
    Ok(json_response(&json!({"keys": keys})))
}

/// Makes an API key, which only this answer shows.
#[utoipa::path(
    post, path = "/admin/keys", tag = "Keys",
    request_body = NewApiKey,
    responses((status = 201, description = "The key", body = MadeApiKey))
)]
async fn create(State(state): State<AppState>, JsonObject(members): JsonObject) -> ApiResult {
    let (record, secret) = parse_key(&members, &state.access.scopes)?;
    keys_of(&state.access)?.add(record.clone()).await.map_err(key_error)?;
    Ok(created_key(&record, &secret))
}

/// Answers the creation of a key.
pub(crate) fn created_key(record: &KeyRecord, secret: &KeySecret) -> Response {
    let created = CreatedKey { key: secret.reveal(), summary: record.summary() };
    let mut response = json_with_status(StatusCode::CREATED, &created);
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Revokes an API key: it is refused from now on, for good.
#[utoipa::path(
    delete, path = "/admin/keys/{id}", tag = "Keys",
    params(KeyPath),
    responses((status = 204, description = "The key is revoked"))
)]
async fn revoke(State(state): State<AppState>, Segments(id): Segments<String>) -> ApiResult<StatusCode> {
    keys_of(&state.access)?.revoke_id(&id).await.map_err(key_error)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the keys, if this server takes any.
pub(crate) fn keys_of(access: &AccessControl) -> Result<&KeyRegistry> {
    access.authenticator.keys().map(|keys| &**keys).ok_or_else(|| {
        let text = "This server takes no API keys of its own, so there are none to look after; with api-key in AUTH_MODE \
                    it would";
        Error::new(ORIGIN, ErrorId::KeysNotTaken, text)
    })
}

/// Creates the key that a body describes.
pub(crate) fn parse_key(members: &Map<String, Value>, rules: &ScopeRules) -> Result<(KeyRecord, KeySecret)> {
    if let Some(unknown) = members.keys().find(|name| !MEMBERS.contains(&name.as_str())) {
        return Err(unfit(
            unknown,
            "a member that is not known",
            "name, scopes and perhaps expiresInDays or expiresAt",
        ));
    }
    let name = match members.get("name") {
        Some(Value::String(name)) => name,
        other => return Err(unfit("name", describe(other), "what people call the key")),
    };
    let scopes = match members.get("scopes") {
        Some(Value::Array(scopes)) if (1..=MAX_SCOPES).contains(&scopes.len()) => scopes,
        Some(Value::Array(scopes)) => {
            return Err(unfit("scopes", format!("{} scopes", scopes.len()), format!("1 to {MAX_SCOPES}")));
        }
        other => return Err(unfit("scopes", describe(other), "a list of texts such as STUDY.ABC.WRITE")),
    };
    let parse_scope = |(index, scope): (usize, &Value)| match scope {
        Value::String(scope) if rules.lacks_verb(scope) => {
            let expected = format!("a scope that says what it allows, such as {}", rules.for_study("ABC"));
            Err(unfit(&format!("scopes[{index}]"), format!("'{scope}'"), expected))
        }
        Value::String(scope) => Ok(scope.clone()),
        other => Err(unfit(&format!("scopes[{index}]"), describe(Some(other)), "a text such as STUDY.ABC.WRITE")),
    };
    let scopes: Vec<String> = scopes.iter().enumerate().map(parse_scope).collect::<Result<_>>()?;
    let given = |name: &str| members.get(name).filter(|value| !value.is_null());
    let expires = match (given("expiresInDays"), given("expiresAt")) {
        (None, None) => None,
        (Some(days), None) => Some(in_days(days)?),
        (None, Some(moment)) => Some(at(moment)?),
        (Some(_), Some(moment)) => {
            return Err(unfit("expiresAt", describe(Some(moment)), "nothing, because expiresInDays says it already"));
        }
    };
    KeyRecord::new(name, &scopes, expires).map_err(|error| match error {
        KeyError::Name(found) => unfit(
            "name",
            format!("'{found}'"),
            "1 to 100 characters, not all of them spaces and none of them a control character",
        ),
        KeyError::Scope(found) => {
            let index = scopes.iter().position(|scope| *scope == found).unwrap_or_default();
            let expected = "a text without spaces, of at most 500 characters, such as STUDY.ABC.WRITE";
            unfit(&format!("scopes[{index}]"), format!("'{found}'"), expected)
        }
        other => key_error(other),
    })
}

fn in_days(given: &Value) -> Result<Timestamp> {
    const DAY: i64 = 24 * 3600 * 1_000_000;
    let days = given.as_u64().filter(|days| (1..=MAX_EXPIRY_DAYS).contains(days));
    let days = days.and_then(|days| i64::try_from(days).ok());
    let expected = format!("a whole number of days, 1 to {MAX_EXPIRY_DAYS}; without it the key does not end");
    let days = days.ok_or_else(|| unfit("expiresInDays", describe(Some(given)), expected))?;
    Ok(Timestamp::from_micros(Timestamp::now().as_micros() + days * DAY))
}

fn at(given: &Value) -> Result<Timestamp> {
    let moment = given.as_str().and_then(|text| text.parse::<Timestamp>().ok());
    let expected = "a moment in the future, in UTC, such as 2027-01-31T12:00:00";
    let moment = moment.filter(|moment| *moment > Timestamp::now());
    moment.ok_or_else(|| unfit("expiresAt", describe(Some(given)), expected))
}

/// Describes a value that is not as expected.
fn describe(found: Option<&Value>) -> String {
    match found {
        None => "nothing".to_owned(),
        Some(Value::String(text)) => format!("'{text}'"),
        Some(Value::Array(_)) => "a list".to_owned(),
        Some(Value::Object(_)) => "an object".to_owned(),
        Some(other) => other.to_string(),
    }
}

fn unfit(member: &str, found: impl Display, expected: impl Display) -> Error {
    Error::malformed_parameter(ORIGIN, format!("{member}: found {found}; expected {expected}"))
}

/// Gives an error of the keys its row in the error table.
pub(crate) fn key_error(error: KeyError) -> Error {
    let (id, text) = match error {
        KeyError::Name(_) | KeyError::Scope(_) => (ErrorId::MalformedParameter, error.to_string()),
        KeyError::NameTaken(_) => (ErrorId::KeyAlreadyExists, format!("name: {error}")),
        KeyError::TooMany(_) => (ErrorId::TooManyKeys, error.to_string()),
        KeyError::Unknown(id) => {
            (ErrorId::KeyNotFound, format!("No key has the id '{id}'; GET /admin/keys lists the keys with their ids"))
        }
        KeyError::Unavailable(reason) => {
            tracing::error!(reason, "the keys cannot be used at the moment");
            (ErrorId::ServiceUnavailable, "The keys cannot be used at the moment; try again".to_owned())
        }
        KeyError::NotWritable(reason) => {
            log_not_writable(&reason);
            let text = "The disk of the keys is full or read-only; nothing was changed. The operator must free space";
            (ErrorId::DiskNotWritable, text.to_owned())
        }
        KeyError::Unusable(reason) => {
            tracing::error!(reason, "the keys cannot be used");
            (ErrorId::UnknownError, "The keys cannot be used; the log of the server has the cause".to_owned())
        }
    };
    Error::new(ORIGIN, id, text)
}
