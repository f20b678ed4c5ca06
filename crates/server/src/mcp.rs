//! `/mcp`: the MCP server, for language models.
//!
//! It requires the scope to read; what a client sees beyond that is up to the services, which get its identity with each
//! call. The protocol asks servers to check the origin of a request: pages of other sites are rejected before a message
//! gets here, as everywhere beside the search service ([`crate::cors`]).

use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use cantata_access::AuthMethod;
use cantata_core::ErrorId;
use cantata_core::json::parse_json;
use cantata_mcp::{McpServer, McpServices, SubmitDenied};
use cantata_metadata::MetadataService;
use cantata_search::SearchService;
use http::{Extensions, StatusCode};
use serde_json::{Value, json};
use utoipa_axum::routes;

use crate::access::{AuditRecord, AuditSlot, RequiredScope, identity_of};
use crate::error_body::{ApiError, ApiResult};
use crate::extract::{content_type, read_limited};
use crate::response::json_with_status;
use crate::routes::{RouteSpec, Routes};
use crate::{AccessControl, HttpSettings};

/// How much of a reason is read.
const MAX_REASON_BYTES: usize = 64 * 1024;

/// The codes of JSON-RPC for what is no JSON, and for JSON that is no message.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;

/// What the route works with; clones share it.
#[derive(Clone)]
struct McpState {
    server: McpServer,
    body_limit: usize,
}

/// Returns the route with its description.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(
    access: &Arc<AccessControl>,
    metadata: Arc<MetadataService>,
    search: Option<Arc<SearchService>>,
    settings: &HttpSettings,
) -> Routes<S> {
    let body_limit = settings.limits.search_body_limit;
    let control = Arc::clone(access);
    let submit_policy = Arc::new(move |request: &Extensions, study: &str| check_submit(&control, request, study));
    let services = McpServices { metadata, search, submit_policy };
    let state = McpState { server: McpServer::new(services, body_limit), body_limit };
    // Tools that change something have small answers, which are always sent.
    Routes::new(access).add(RouteSpec::from(RequiredScope::Read).reading(), routes!(message)).with_state(state)
}

/// Takes a message of the Model Context Protocol.
///
/// The transport is streamable HTTP without sessions: each message is answered by itself, in JSON. Clients accept
/// `application/json` and `text/event-stream`.
#[utoipa::path(
    post, path = "/mcp", tag = "Language models",
    request_body(content((Object = "application/json"))),
    responses(
        (status = 200, description = "The answer to a request", body = Object),
        (status = 202, description = "A notification was taken"),
        (status = "default", description = "Why the message was not taken", body = Object),
    )
)]
async fn message(State(state): State<McpState>, request: Request) -> ApiResult {
    let (parts, body) = request.into_parts();
    let body = read_limited(Request::from_parts(parts.clone(), body), state.body_limit).await?;
    let is_json = content_type(&parts.headers).as_deref() == Some("application/json");
    let answer = state.server.handle(http::Request::from_parts(parts, body.clone())).await.map(Body::new);
    match content_type(answer.headers()).as_deref() {
        Some("application/json") => Ok(answer),
        _ if answer.status().is_success() => Ok(answer),
        // The library takes a body that it cannot read for one of another type.
        _ if is_json && answer.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE => Ok(not_a_message(&body)),
        _ => Err(protocol_error(answer).await),
    }
}

/// Answers, as JSON-RPC does, that a body is no message.
fn not_a_message(body: &[u8]) -> Response {
    let (code, id, message) = match parse_json(body) {
        Err(error) => (PARSE_ERROR, Value::Null, format!("Parse error: {error}")),
        Ok(mut found) => {
            let id = found.get_mut("id").filter(|id| id.is_string() || id.is_number()).map(Value::take);
            let message = "Invalid Request: expected a message of JSON-RPC 2.0".to_owned();
            (INVALID_REQUEST, id.unwrap_or_default(), message)
        }
    };
    let error = json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}});
    json_with_status(StatusCode::BAD_REQUEST, &error)
}

/// Makes the error for what is no message of the protocol, from the words of its library.
async fn protocol_error(answer: Response) -> ApiError {
    let status = answer.status();
    let text = to_bytes(answer.into_body(), MAX_REASON_BYTES).await.unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let (id, text) = match status {
        StatusCode::NOT_ACCEPTABLE | StatusCode::UNSUPPORTED_MEDIA_TYPE => (ErrorId::UnsupportedMediaType, text),
        status if status.is_client_error() => (ErrorId::MalformedRequestBody, text),
        status => {
            tracing::error!(%status, text, "a message of the Model Context Protocol was not answered");
            (ErrorId::UnknownError, "The message could not be answered; the log has the cause".to_owned())
        }
    };
    ApiError::new(id, text)
}

/// Denies a submission that the scopes of its sender do not allow, and notes that in the audit log.
fn check_submit(access: &AccessControl, request: &Extensions, study_id: &str) -> Result<(), SubmitDenied> {
    let identity = identity_of(request);
    let scopes = &access.scopes;
    if scopes.can_write(&identity, study_id) {
        return Ok(());
    }
    let is_anonymous = identity.auth_method == AuthMethod::Anonymous;
    if let Some(audit) = request.get::<AuditSlot>() {
        audit.set(AuditRecord { identity, is_refused: false, study: Some(study_id.to_owned()), is_denied: true });
    }
    let scope = scopes.for_study(study_id);
    Err(SubmitDenied(match is_anonymous {
        true => format!("This needs a credential with the scope '{scope}'; the client must be set up with one."),
        false => format!("The credential does not allow this; the scope '{scope}' would."),
    }))
}
