//! `/auth/keys`: the API keys of a person who has signed in.
//!
//! They are made with a session, never with another key, so that a key that was stolen makes no more of them. A key allows no
//! more than its owner may: what its owner does not have cannot be given to it, and what they lose, it loses at their next
//! sign-in. Administrators see all keys at `/admin/keys`.

use std::sync::Arc;

use axum::extract::State;
use cantata_access::{KeyRecord, KeySummary};
use cantata_core::{Error, ErrorId, ErrorOrigin};
use http::{Extensions, StatusCode};
use serde_json::json;
use utoipa_axum::routes;

use crate::AccessControl;
use crate::access::{RequiredScope, identity_of};
use crate::admin::{created_key, key_error, keys_of, parse_key};
use crate::error_body::ApiResult;
use crate::extract::{JsonObject, Segments};
use crate::openapi::schemas::{ApiKeys, KeyPath, MadeApiKey, NewApiKey};
use crate::response::json as json_response;
use crate::routes::Routes;
use crate::state::AppState;

/// Returns the routes with their descriptions.
pub(crate) fn routes(access: &Arc<AccessControl>) -> Routes<AppState> {
    Routes::new(access).add(RequiredScope::Person, routes!(list, create)).add(RequiredScope::Person, routes!(revoke))
}

/// Lists the API keys of the person, revoked ones included; no key is shown itself.
#[utoipa::path(
    get, path = "/auth/keys", tag = "Keys",
    responses((status = 200, description = "The keys, oldest first", body = ApiKeys))
)]
async fn list(State(state): State<AppState>, extensions: Extensions) -> ApiResult {
    let owner = identity_of(&extensions).person.clone();
    let records = keys_of(&state.access)?.list().await.map_err(key_error)?;
    let own = records.iter().filter(|record| record.owner.is_some() && record.owner == owner);
    let keys: Vec<KeySummary<'_>> = own.map(KeyRecord::summary).collect();
    Ok(json_response(&json!({"keys": keys})))
}

/// Makes an API key of the person, which only this answer shows.
#[utoipa::path(
    post, path = "/auth/keys", tag = "Keys",
    request_body = NewApiKey,
    responses((status = 201, description = "The key", body = MadeApiKey))
)]
async fn create(State(state): State<AppState>, extensions: Extensions, JsonObject(members): JsonObject) -> ApiResult {
    let identity = identity_of(&extensions);
    let rules = &state.access.scopes;
    let (record, secret) = parse_key(&members, rules)?;
    if let Some(scope) = record.scopes.iter().find(|scope| !rules.covers(&identity, scope)) {
        let text = format!("scopes: found '{scope}', which you do not have yourself; expected scopes that you have");
        return Err(Error::new(ErrorOrigin::KeyService, ErrorId::ForbiddenToken, text).into());
    }
    let record = record.owned_by(identity.person.as_deref().unwrap_or(&identity.name));
    keys_of(&state.access)?.add(record.clone()).await.map_err(key_error)?;
    Ok(created_key(&record, &secret))
}

/// Revokes an API key of the person: it is refused from now on, for good.
#[utoipa::path(
    delete, path = "/auth/keys/{id}", tag = "Keys",
    params(KeyPath),
    responses((status = 204, description = "The key is revoked"))
)]
async fn revoke(
    State(state): State<AppState>,
    extensions: Extensions,
    Segments(id): Segments<String>,
) -> ApiResult<StatusCode> {
    let owner = identity_of(&extensions).person.clone();
    let keys = keys_of(&state.access)?;
    let records = keys.list().await.map_err(key_error)?;
    if !records.iter().any(|record| record.id == id && record.owner.is_some() && record.owner == owner) {
        let text = format!("You have no key with the id '{id}'; GET /auth/keys lists your keys with their ids");
        return Err(Error::new(ErrorOrigin::KeyService, ErrorId::KeyNotFound, text).into());
    }
    keys.revoke_id(&id).await.map_err(key_error)?;
    Ok(StatusCode::NO_CONTENT)
}
