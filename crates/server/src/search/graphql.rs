//! GraphQL, at any address that ends in or goes through `/graphql`.

use axum::body::Body;
use axum::extract::{Path, RawQuery, Request, State};
use axum::response::{IntoResponse, Response};
use bytes::BytesMut;
use cantata_search::{ForwardedHeader, ServedCatalogue};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use serde_json::json;

use super::transport::{self, Incoming};
use super::{SearchRejection, SearchResult, SearchState, graphiql, text};
use crate::access::ChangeAudit;
use crate::admission::ChangeMade;
use crate::app::unknown_path;
use crate::error_body::ApiError;
use crate::extract::content_type;
use crate::openapi::schemas::{CataloguePath, GraphqlAnswers, GraphqlQuery, GraphqlRequest, SearchRefusal};
use crate::response::with_content_type;

const JSON: HeaderValue = HeaderValue::from_static("application/json; charset=utf-8");

/// The header with the version of this server, for servers that ask it as a node of their network.
const VERSION_HEADER: HeaderName = HeaderName::from_static("x-cantata-version");

const VERSION: HeaderValue = HeaderValue::from_static(env!("CARGO_PKG_VERSION"));

/// The header with the suppression threshold that the answer was rounded to, for the same servers.
const SUPPRESSION_HEADER: HeaderName = HeaderName::from_static("x-cantata-suppressed-below");

/// What the names begin with that portals give their requests.
const PORTAL_TAG: &str = "Arranger-";

/// How many requests one body may have.
const MAX_BATCH_OPERATIONS: usize = 100;

/// Runs a GraphQL query on the only catalogue.
///
/// Anything may follow in the address, as in `/graphql/Arranger-Table`.
#[utoipa::path(
    get, path = "/graphql", tag = "Search",
    params(GraphqlQuery),
    responses(
        (status = 200, description = "The answer; for browsers without a query, a page to try queries with", content(
            (GraphqlAnswers = "application/json"), (String = "text/html"),
        )),
        (status = "default", description = "What is wrong with the request, or with the catalogue", content(
            (SearchRefusal = "application/json"), (String = "text/plain"),
        )),
    )
)]
pub(super) async fn only_by_get(State(state): State<SearchState>, query: RawQuery, request: Request) -> SearchResult {
    let served = super::only(&state, "graphql", request.extensions())?;
    by_get(&state, &served, query, request.headers()).await
}

/// Runs a GraphQL request, or several, on the only catalogue.
///
/// Anything may follow in the address, as in `/graphql/Arranger-Table`.
#[utoipa::path(
    post, path = "/graphql", tag = "Search",
    request_body(content(
        (GraphqlRequest = "application/json"), (GraphqlRequest = "application/x-www-form-urlencoded"),
    )),
    responses(
        (status = 200, description = "The answer", body = GraphqlAnswers),
        (status = "default", description = "What is wrong with the request, or with the catalogue", content(
            (SearchRefusal = "application/json"), (String = "text/plain"),
        )),
    )
)]
pub(super) async fn only_by_post(State(state): State<SearchState>, request: Request) -> SearchResult {
    let served = super::only(&state, "graphql", request.extensions())?;
    by_post(&state, &served, request).await
}

/// Runs a GraphQL query on a catalogue.
///
/// Anything may follow in the address, as in `/files/graphql/Arranger-Table`.
#[utoipa::path(
    get, path = "/{catalogue}/graphql", tag = "Search",
    params(
        CataloguePath,
        GraphqlQuery,
    ),
    responses(
        (status = 200, description = "The answer; for browsers without a query, a page to try queries with", content(
            (GraphqlAnswers = "application/json"), (String = "text/html"),
        )),
        (status = "default", description = "What is wrong with the request, or with the catalogue", content(
            (SearchRefusal = "application/json"), (String = "text/plain"),
        )),
    )
)]
pub(super) async fn named_by_get(
    State(state): State<SearchState>,
    path: NamedPath,
    query: RawQuery,
    request: Request,
) -> SearchResult {
    let served = super::named(&state, name_in(&path), request.extensions())?;
    by_get(&state, &served, query, request.headers()).await
}

/// Runs a GraphQL request, or several, on a catalogue.
///
/// Anything may follow in the address, as in `/files/graphql/Arranger-Table`.
#[utoipa::path(
    post, path = "/{catalogue}/graphql", tag = "Search",
    params(CataloguePath),
    request_body(content(
        (GraphqlRequest = "application/json"), (GraphqlRequest = "application/x-www-form-urlencoded"),
    )),
    responses(
        (status = 200, description = "The answer", body = GraphqlAnswers),
        (status = "default", description = "What is wrong with the request, or with the catalogue", content(
            (SearchRefusal = "application/json"), (String = "text/plain"),
        )),
    )
)]
pub(super) async fn named_by_post(State(state): State<SearchState>, path: NamedPath, request: Request) -> SearchResult {
    let served = super::named(&state, name_in(&path), request.extensions())?;
    by_post(&state, &served, request).await
}

/// Runs a request whose address has nothing but the name that portals give it.
pub(super) async fn tagged(state: State<SearchState>, Path(tag): Path<String>, request: Request) -> SearchResult {
    if tag.starts_with(PORTAL_TAG) {
        only_by_post(state, request).await
    } else {
        Ok(unknown_path(request.uri().clone()).await.into_response())
    }
}

/// The segments of an address: the catalogue, and perhaps more.
type NamedPath = Path<Vec<(String, String)>>;

fn name_in(Path(segments): &NamedPath) -> &str {
    segments.first().map(|(_, name)| name.as_str()).unwrap_or_default()
}

async fn by_get(
    state: &SearchState,
    served: &ServedCatalogue,
    RawQuery(query): RawQuery,
    headers: &HeaderMap,
) -> SearchResult {
    Ok(match transport::from_address(query.as_deref().unwrap_or_default(), &state.persisted) {
        Some(query) => run(served, &query?, None, &forwarded(served, headers)).await,
        None if wants_page(headers) && !served.catalogue.flags.disable_playground => {
            graphiql::page(state.base_path(headers))
        }
        None => text(StatusCode::BAD_REQUEST, "GET query missing."),
    })
}

fn wants_page(headers: &HeaderMap) -> bool {
    headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok())
        .is_some_and(|accept| accept.contains("text/html"))
}

async fn by_post(state: &SearchState, served: &ServedCatalogue, request: Request) -> SearchResult {
    let is_form = content_type(request.headers()).as_deref() == Some("application/x-www-form-urlencoded");
    let audit = ChangeAudit::of(request.extensions());
    let headers = forwarded(served, request.headers());
    let body = super::read(request, state.body_limit).await?;
    let requests = match transport::from_body(&body, is_form, &state.persisted)? {
        Incoming::One(request) => return Ok(run(served, &request, Some(&audit), &headers).await),
        Incoming::Several(requests) => requests,
    };
    if !served.catalogue.flags.enable_batching {
        return Ok(graphql_error(StatusCode::BAD_REQUEST, "Operation batching disabled.", "INTERNAL_SERVER_ERROR"));
    }
    if requests.len() > MAX_BATCH_OPERATIONS {
        let message = format!(
            "Operation batching is limited: found {} operations, at most {MAX_BATCH_OPERATIONS} are allowed.",
            requests.len()
        );
        return Ok(graphql_error(StatusCode::BAD_REQUEST, &message, "BAD_USER_INPUT"));
    }
    batch(served, requests, &audit, &headers).await
}

async fn batch(
    served: &ServedCatalogue,
    requests: Vec<Result<cantata_graphql::GraphqlRequest, SearchRejection>>,
    audit: &ChangeAudit,
    headers: &[ForwardedHeader],
) -> SearchResult {
    let mut answers = BytesMut::from(&b"["[..]);
    let mut has_mutation = false;
    for (index, request) in requests.into_iter().enumerate() {
        if index > 0 {
            answers.extend_from_slice(b",");
        }
        match served.prepare(&request?) {
            Ok(prepared) => {
                if prepared.is_mutation() {
                    audit.begin().await.map_err(|error| unaudited(&error))?;
                    has_mutation = true;
                }
                let answer = served.execute_with_headers(&prepared, headers).await;
                answers.extend_from_slice(answer.trim_ascii_end());
            }
            Err(rejected) => answers.extend_from_slice(rejected.bytes.trim_ascii_end()),
        }
        let most = served.catalogue.limits.max_response_bytes;
        if answers.len() as u64 > most {
            let message = format!("The answers to these operations have more than {most} bytes; send fewer of them.");
            return Ok(graphql_error(StatusCode::BAD_REQUEST, &message, "BAD_USER_INPUT"));
        }
    }
    answers.extend_from_slice(b"]\n");
    Ok(answer(served, answers.freeze(), has_mutation))
}

/// Returns the headers that are configured for a node of the network.
fn forwarded(served: &ServedCatalogue, headers: &HeaderMap) -> Vec<ForwardedHeader> {
    let mut names: Vec<&str> = served.forwarded_header_names().collect();
    names.sort_unstable();
    names.dedup();
    let values = names.into_iter().flat_map(|name| headers.get_all(name).iter().map(move |value| (name, value)));
    values.map(|(name, value)| ForwardedHeader { name: name.to_owned(), value: value.as_bytes().to_vec() }).collect()
}

/// Answers with results; those of a mutation are sent in any case.
fn answer(served: &ServedCatalogue, results: impl Into<Body>, is_mutation: bool) -> Response {
    let mut response = with_content_type(results, JSON);
    response.headers_mut().insert(VERSION_HEADER, VERSION);
    if let Some(threshold) = served.suppression_threshold() {
        response.headers_mut().insert(SUPPRESSION_HEADER, threshold.into());
    }
    if is_mutation {
        response.extensions_mut().insert(ChangeMade);
    }
    response
}

/// Runs a request; one without an audit may change nothing.
async fn run(
    served: &ServedCatalogue,
    request: &cantata_graphql::GraphqlRequest,
    audit: Option<&ChangeAudit>,
    headers: &[ForwardedHeader],
) -> Response {
    let prepared = match served.prepare(request) {
        Ok(prepared) => prepared,
        Err(rejected) => {
            let status = StatusCode::from_u16(rejected.status).unwrap_or(StatusCode::BAD_REQUEST);
            return (status, with_content_type(rejected.bytes, JSON)).into_response();
        }
    };
    if prepared.is_mutation() {
        let Some(audit) = audit else {
            let mut response =
                graphql_error(StatusCode::METHOD_NOT_ALLOWED, "GET supports only query operation", "BAD_REQUEST");
            response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
            return response;
        };
        if let Err(error) = audit.begin().await {
            return unaudited(&error);
        }
    }
    answer(served, served.execute_with_headers(&prepared, headers).await, prepared.is_mutation())
}

/// Answers that a change is not made because it cannot be audited.
fn unaudited(ApiError(error): &ApiError) -> Response {
    graphql_error(StatusCode::SERVICE_UNAVAILABLE, &error.text, "SERVICE_UNAVAILABLE")
}

/// Answers with one GraphQL error.
pub(crate) fn graphql_error(status: StatusCode, message: &str, code: &str) -> Response {
    let body = json!({"errors": [{"message": message, "extensions": {"code": code}}]});
    (status, with_content_type(format!("{body}\n"), JSON)).into_response()
}
