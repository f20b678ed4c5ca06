//! `/auth`: people sign in at the identity provider, and out again; `/admin/sessions`: operators end their sessions.
//!
//! A session is in a cookie that scripts cannot read and other sites cannot set. It counts only for requests with the header
//! `X-Cantata-Session`, which pages of other sites cannot send: a link, a form or a picture elsewhere does nothing in the
//! name of a person. What must match when the provider sends a person back is in a cookie, too, so a sign-in that was begun in
//! another browser is not accepted. Afterwards the browser goes to a path of this server, never elsewhere.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use cantata_access::{AuditEntry, Identity, PendingSignIn, Sessions, SignIn, SignInAnswer, SignInError};
use cantata_core::{ErrorId, ErrorOrigin, Timestamp};
use http::uri::PathAndQuery;
use http::{Extensions, HeaderMap, HeaderValue, StatusCode, header};
use serde_json::{Value, json};
use utoipa_axum::routes;

use crate::AccessControl;
use crate::access::{ChangeAudit, RequiredScope, SESSION_COOKIE, cookie, identity_of, session_secret};
use crate::admin::ADMINISTRATION;
use crate::error_body::{ApiError, ApiResult};
use crate::extract::{Params, Segments};
use crate::openapi::schemas::{SessionHeader, SessionState, SignedOut};
use crate::request_id::RequestId;
use crate::response::json as json_response;
use crate::routes::Routes;
use crate::state::AppState;

/// The cookie of a sign-in that was begun.
const PENDING_COOKIE: &str = "__Host-cantata-sign-in";

/// How long a person may take at the provider, in seconds.
const PENDING_TTL_SECONDS: u64 = 900;

/// The longest path to return to.
const MAX_PATH_BYTES: usize = 2_000;

/// Returns the routes with their descriptions.
pub(crate) fn routes(access: &Arc<AccessControl>) -> Routes<AppState> {
    Routes::new(access)
        .add(RequiredScope::None, routes!(begin))
        .add(RequiredScope::None, routes!(complete))
        .add(RequiredScope::None, routes!(session))
        .add(RequiredScope::None, routes!(sign_out))
        .add(ADMINISTRATION, routes!(end_sessions))
}

/// Sends the browser to the identity provider.
#[utoipa::path(
    get, path = "/auth/sign-in", tag = "Sign-in",
    params(("returnTo" = Option<String>, Query, description = "The path of this server to which the browser comes back")),
    responses((status = 303, description = "The browser goes to the identity provider"))
)]
async fn begin(State(state): State<AppState>, headers: HeaderMap, params: Params) -> ApiResult {
    let (sign_in, _) = offered(&state.access)?;
    let return_to = return_path(params.get("returnTo"), state.base_path(&headers));
    let (url, pending) = sign_in.begin(return_to).await.map_err(sign_in_error)?;
    let mut response = see_other(&url)?;
    set_cookie(&mut response, PENDING_COOKIE, &pending.encode(), PENDING_TTL_SECONDS)?;
    Ok(response)
}

/// Takes back a person from the identity provider, and begins a session.
#[utoipa::path(
    get, path = "/auth/callback", tag = "Sign-in",
    params(
        ("state" = Option<String>, Query, description = "As the provider was given it"),
        ("code" = Option<String>, Query, description = "For which the provider gives tokens, once"),
        ("iss" = Option<String>, Query, description = "The issuer, if the provider names it"),
        ("error" = Option<String>, Query, description = "Why the provider has refused"),
    ),
    responses((status = 303, description = "The person has signed in; the browser goes to the path that was wanted"))
)]
async fn complete(State(app): State<AppState>, headers: HeaderMap, params: Params) -> ApiResult {
    let (sign_in, sessions) = offered(&app.access)?;
    let pending = cookie(&headers, PENDING_COOKIE).and_then(PendingSignIn::decode).ok_or_else(|| {
        failed("no sign-in was begun in this browser, or too long ago, or it is complete already; begin again")
    })?;
    if let Some(error) = params.get("error") {
        tracing::info!(error, "the identity provider has refused a sign-in");
        return Err(failed("the identity provider has refused it; begin again"));
    }
    let text = |name: &str| params.get(name).map(str::to_owned);
    let (Some(state), Some(code)) = (text("state"), text("code")) else {
        return Err(failed("the answer of the identity provider has no state or no code"));
    };
    let person = sign_in.complete(&pending, SignInAnswer { state, code, issuer: text("iss") }).await;
    let person = person.map_err(sign_in_error)?;
    if let Some(earlier) = cookie(&headers, SESSION_COOKIE) {
        sessions.end(earlier).await.map_err(store_error)?;
    }
    let subject = person.subject.clone();
    let secret = sessions.begin(person).await.map_err(store_error)?;
    record_sign_in(&app.access, &subject);
    let mut response = see_other(&return_path(Some(&pending.return_to), app.base_path(&headers)))?;
    set_cookie(&mut response, SESSION_COOKIE, secret.reveal(), sessions.times().max_age.as_secs())?;
    set_cookie(&mut response, PENDING_COOKIE, "", 0)?;
    Ok(response)
}

/// Says who has signed in in this browser, and whether people can.
#[utoipa::path(
    get, path = "/auth/session", tag = "Sign-in",
    params(SessionHeader),
    responses((status = 200, description = "The session", body = SessionState))
)]
async fn session(State(state): State<AppState>, headers: HeaderMap, extensions: Extensions) -> ApiResult {
    let is_session = session_secret(&headers).is_some();
    let identity = identity_of(&extensions);
    let person = (is_session && identity.is_session()).then(|| describe(&identity));
    let mut response = json_response(&json!({"signIn": state.access.sign_in.is_some(), "person": person}));
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// Ends the session of this browser, or every session of the person.
#[utoipa::path(
    post, path = "/auth/sign-out", tag = "Sign-in",
    params(
        SessionHeader,
        ("everywhere" = Option<bool>, Query, description = "true: end the sessions in other browsers, too"),
    ),
    responses((status = 200, description = "The session has ended", body = SignedOut))
)]
async fn sign_out(
    State(state): State<AppState>,
    headers: HeaderMap,
    params: Params,
    extensions: Extensions,
) -> ApiResult {
    ChangeAudit::of(&extensions).begin().await?;
    let (sign_in, sessions) = offered(&state.access)?;
    let everywhere = params.boolean(ErrorOrigin::HttpServer, "everywhere", false)?;
    let mut url = None;
    if let Some(secret) = session_secret(&headers) {
        let identity = identity_of(&extensions);
        sessions.end(secret).await.map_err(store_error)?;
        if everywhere && identity.is_session() {
            sessions.end_all(&identity.name).await.map_err(store_error)?;
        }
        url = sign_in.end_session_url().await;
    }
    let mut response = json_response(&json!({"url": url}));
    set_cookie(&mut response, SESSION_COOKIE, "", 0)?;
    Ok(response)
}

/// Ends every session of a person; the keys of the person stay.
#[utoipa::path(
    delete, path = "/admin/sessions/{person}", tag = "Sign-in",
    params(("person" = String, Path, description = "The subject of the person, as the audit log has it")),
    responses((status = 204, description = "The person has no session any more"))
)]
async fn end_sessions(State(state): State<AppState>, Segments(person): Segments<String>) -> ApiResult<StatusCode> {
    let (_, sessions) = offered(&state.access)?;
    sessions.end_all(&person).await.map_err(store_error)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Writes a sign-in to the audit log, which has no reads but denied ones otherwise.
fn record_sign_in(access: &AccessControl, subject: &str) {
    if let Some(log) = &access.audit {
        log.write(&AuditEntry {
            time: Timestamp::now(),
            principal: subject,
            auth_method: "session",
            method: "GET",
            path: "/auth/callback",
            study: None,
            status: Some(StatusCode::SEE_OTHER.as_u16()),
            result: "done",
            dry_run: false,
            request_id: RequestId::current_or_new().as_str(),
        });
    }
}

/// Returns what people sign in with, if they can.
fn offered(access: &AccessControl) -> Result<(&SignIn, &Sessions), ApiError> {
    access.sign_in.as_ref().zip(access.authenticator.sessions()).ok_or_else(|| {
        let text = "People cannot sign in at this server; with oidc in AUTH_MODE they could";
        ApiError::new(ErrorId::SignInNotOffered, text)
    })
}

fn describe(identity: &Identity) -> Value {
    let claim = |name: &str| identity.claims.get(name).and_then(Value::as_str);
    let label = ["name", "preferred_username", "email"].into_iter().find_map(claim).unwrap_or(&identity.name);
    json!({"id": identity.name, "name": label, "scopes": identity.scopes})
}

/// Returns a path of this host: the given one, else the home page, which may be below a path. What a browser could take for
/// another server is none.
fn return_path(given: Option<&str>, base_path: &str) -> String {
    let is_own = |path: &&str| {
        path.len() <= MAX_PATH_BYTES
            && path.starts_with('/')
            && !path.starts_with("//")
            && !path.contains(['\\', '\t', '\n', '\r'])
            && PathAndQuery::try_from(*path).is_ok()
    };
    given.filter(is_own).map_or_else(|| format!("{base_path}/"), str::to_owned)
}

fn see_other(location: &str) -> Result<Response, ApiError> {
    let mut response = StatusCode::SEE_OTHER.into_response();
    let headers = response.headers_mut();
    headers.insert(header::LOCATION, HeaderValue::try_from(location).map_err(|_| unusable())?);
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    Ok(response)
}

/// Sets a cookie that scripts cannot read, and that a browser sends to this server only; without a time it is removed.
fn set_cookie(response: &mut Response, name: &str, value: &str, seconds: u64) -> Result<(), ApiError> {
    let text = format!("{name}={value}; Path=/; Max-Age={seconds}; Secure; HttpOnly; SameSite=Lax");
    let value = HeaderValue::try_from(text).map_err(|_| unusable())?;
    response.headers_mut().append(header::SET_COOKIE, value);
    Ok(())
}

fn unusable() -> ApiError {
    ApiError::new(ErrorId::UnknownError, "The identity provider has an address that cannot be used")
}

fn failed(reason: &str) -> ApiError {
    ApiError::new(ErrorId::SignInFailed, format!("The sign-in failed: {reason}"))
}

fn sign_in_error(error: SignInError) -> ApiError {
    match error {
        SignInError::Rejected(reason) => {
            tracing::warn!(reason, "a sign-in was not accepted");
            failed("what the identity provider has sent is not accepted; begin again")
        }
        SignInError::Unavailable(reason) => {
            tracing::error!(reason, "the identity provider cannot be used");
            ApiError::new(ErrorId::ServiceUnavailable, "The identity provider cannot be used at the moment; try again")
        }
    }
}

fn store_error(error: cantata_store::StoreError) -> ApiError {
    ApiError(error.into())
}

#[cfg(test)]
mod tests {
    use super::return_path;

    #[test]
    fn only_paths_of_this_server_are_returned_to() {
        for own in ["/", "/portal/files?filter=%7B%7D&page=2", "/portal/a//b", "/a?next=https://evil.example"] {
            assert_eq!(return_path(Some(own), ""), own);
        }
        for other in [
            "https://evil.example",
            "//evil.example",
            "/\\evil.example",
            "\\\\evil.example",
            "/\t/evil.example",
            "/\n/evil.example",
            "javascript:alert(1)",
            "evil.example",
            "",
            " /portal",
            &format!("/{}", "a".repeat(2_000)),
        ] {
            assert_eq!(return_path(Some(other), ""), "/", "{other:?}");
        }
        assert_eq!(return_path(None, ""), "/");
        assert_eq!(return_path(None, "/catalogue"), "/catalogue/");
    }
}
