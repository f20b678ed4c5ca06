//! `/schemas`

mod options;

use std::collections::HashSet;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use bytes::Bytes;
use cantata_core::{Error, ErrorId, ErrorOrigin, Result};
use cantata_metadata::{RegisteredType, SchemaView, TypePage, TypeRegistration};
use cantata_schema::meta_schema;
use cantata_store::{TypeQuery, TypeSortField};
use futures_util::Stream;
use serde::Serialize;
use serde_json::{Map, Value};

use self::options::read_options;
use crate::error_body::ApiResult;
use crate::extract::{JsonObject, Params, Segments, malformed, parse_integer};
use crate::openapi::schemas::{
    AnalysisType, AnalysisTypePage, AnalysisTypeQuery, AnalysisTypeRegistration, AnalysisTypeVersions, TypePath,
};
use crate::response::{json, json_text};
use crate::state::AppState;

const ORIGIN: ErrorOrigin = ErrorOrigin::AnalysisTypeService;

/// How many types a page has unless asked otherwise.
const DEFAULT_LIMIT: u64 = 20;

/// How many types are in memory at once.
const PAGE_TYPES: u64 = 32;

/// Registers the next version of an analysis type.
#[utoipa::path(
    post, path = "/schemas", tag = "Analysis types",
    request_body = AnalysisTypeRegistration,
    responses((status = 200, description = "The registered version with its rendered schema", body = AnalysisType))
)]
pub(crate) async fn register(State(state): State<AppState>, JsonObject(body): JsonObject) -> ApiResult {
    Ok(json(&state.metadata.register_type(read_registration(body)?).await?))
}

fn read_registration(mut body: Map<String, Value>) -> Result<TypeRegistration> {
    let malformed = |text: String| Error::new(ORIGIN, ErrorId::MalformedRequestBody, text);
    let name = match body.shift_remove("name") {
        None | Some(Value::Null) => None,
        Some(Value::String(name)) => Some(name),
        Some(other) => return Err(malformed(format!("#/name: expected a string, found: {other}"))),
    };
    let options = read_options(body.shift_remove("options"))?;
    Ok(TypeRegistration { name, schema: body.shift_remove("schema"), options })
}

/// Lists registered versions, newest first unless asked otherwise.
#[utoipa::path(
    get, path = "/schemas", tag = "Analysis types",
    params(AnalysisTypeQuery),
    responses((status = 200, description = "One page of versions", body = AnalysisTypePage))
)]
pub(crate) async fn list(State(state): State<AppState>, params: Params) -> ApiResult {
    let query = TypeQuery {
        names: params.list("names").into_iter().map(str::to_owned).collect(),
        versions: read_versions(&params)?,
        sort: read_sort(&params)?,
        descending: read_descending(&params)?,
        limit: params.integer(ORIGIN, "limit", 0)?.unwrap_or(DEFAULT_LIMIT),
        offset: params.integer(ORIGIN, "offset", 0)?.unwrap_or(0),
    };
    let view = match params.boolean(ORIGIN, "hideSchema", false)? {
        true => SchemaView::Hidden,
        false => read_view(&params)?,
    };
    let limit = query.limit.min(PAGE_TYPES);
    let first: TypePage = state.metadata.list_types(&TypeQuery { limit, ..query.clone() }, view).await?;
    let page = TypePage { limit: query.limit, ..first };
    if query.limit <= PAGE_TYPES || (page.result_set.len() as u64) < PAGE_TYPES {
        return Ok(json(&page));
    }
    let head = list_head(&TypePage { result_set: Vec::new(), ..page })?;
    Ok(json_text(Body::from_stream(type_pages(state, query, view, head, page.result_set))))
}

/// Returns the JSON of a page without versions, up to where they follow: its last member is their list.
fn list_head(page: &impl Serialize) -> Result<Vec<u8>> {
    let mut head = json_bytes(page)?;
    head.truncate(head.len().saturating_sub(b"]}".len()));
    Ok(head)
}

/// Writes a long list of versions after its head; a few of them at a time are in memory. A version that is registered
/// meanwhile moves others to a later place of the order, never to an earlier one: what was written already is left out.
fn type_pages(
    state: AppState,
    query: TypeQuery,
    view: SchemaView,
    head: Vec<u8>,
    first: Vec<RegisteredType>,
) -> impl Stream<Item = Result<Bytes>> + Send {
    async_stream::try_stream! {
        let TypeQuery { limit, offset, .. } = query;
        let (mut piece, mut page) = (head, first);
        let mut written = HashSet::new();
        let mut read = 0;
        loop {
            let found = page.len() as u64;
            read += found;
            for registered in page {
                if written.insert((registered.name.clone(), registered.version)) {
                    if written.len() > 1 {
                        piece.push(b',');
                    }
                    piece.extend_from_slice(&json_bytes(&registered)?);
                }
            }
            yield Bytes::from(std::mem::take(&mut piece));
            if found < PAGE_TYPES || read >= limit {
                break;
            }
            let next = TypeQuery {
                limit: PAGE_TYPES.min(limit - read),
                offset: offset.saturating_add(read),
                ..query.clone()
            };
            page = state.metadata.list_types(&next, view).await?.result_set;
        }
        yield Bytes::from_static(b"]}");
    }
}

fn json_bytes(value: &impl Serialize) -> Result<Vec<u8>> {
    serde_json::to_vec(value).map_err(|error| {
        tracing::error!(%error, "an analysis type could not be written as JSON");
        Error::new(ORIGIN, ErrorId::UnknownError, "The answer could not be written; the log has the cause")
    })
}

fn read_versions(params: &Params) -> Result<Vec<u32>> {
    let read = |text: &str| {
        parse_integer(text, 1)
            .map(|version| u32::try_from(version).unwrap_or(u32::MAX))
            .ok_or_else(|| malformed(ORIGIN, "versions", text, "a list of integers of 1 or more"))
    };
    params.list("versions").into_iter().map(read).collect()
}

fn read_sort(params: &Params) -> Result<Vec<TypeSortField>> {
    let read = |text: &str| match text.to_ascii_lowercase().as_str() {
        "version" => Ok(TypeSortField::Version),
        "name" => Ok(TypeSortField::Name),
        _ => Err(malformed(ORIGIN, "sort", text, "a list of version and name")),
    };
    let fields: Vec<TypeSortField> = params.list("sort").into_iter().map(read).collect::<Result<_>>()?;
    Ok(if fields.is_empty() { vec![TypeSortField::Version] } else { fields })
}

fn read_descending(params: &Params) -> Result<bool> {
    match params.get("sortOrder").filter(|order| !order.is_empty()) {
        None => Ok(true),
        Some(order) if order.eq_ignore_ascii_case("desc") => Ok(true),
        Some(order) if order.eq_ignore_ascii_case("asc") => Ok(false),
        Some(order) => Err(malformed(ORIGIN, "sortOrder", order, "ASC or DESC")),
    }
}

fn read_view(params: &Params) -> Result<SchemaView> {
    let unrendered = params.boolean(ORIGIN, "unrenderedOnly", false)?;
    Ok(if unrendered { SchemaView::Unrendered } else { SchemaView::Rendered })
}

/// Returns the schema that registered schemas must follow.
#[utoipa::path(
    get, path = "/schemas/registration", tag = "Analysis types",
    responses((status = 200, description = "The schema of schemas", body = Object))
)]
pub(crate) async fn registration() -> Response {
    json(meta_schema())
}

/// The latest version at the top level, and all of them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Versions {
    #[serde(flatten)]
    latest: RegisteredType,
    count: u64,
    result_set: Vec<RegisteredType>,
}

/// Returns one version of a type; without `version`, the latest at the top level and every version in `resultSet`.
#[utoipa::path(
    get, path = "/schemas/{name}", tag = "Analysis types",
    params(
        TypePath,
        ("version" = Option<u32>, Query, description = "The version; all if not given"),
        ("unrenderedOnly" = Option<bool>, Query, description = "Show the schema as registered, without the base"),
    ),
    responses((status = 200, description = "The version asked for, or all of them", body = AnalysisTypeVersions))
)]
pub(crate) async fn get(State(state): State<AppState>, Segments(name): Segments<String>, params: Params) -> ApiResult {
    let view = read_view(&params)?;
    if let Some(version) = params.integer(ORIGIN, "version", 1)? {
        return Ok(json(&state.metadata.analysis_type(&name, version, view).await?));
    }
    let TypePage { count, result_set, .. } = state.metadata.type_versions(&name, view, PAGE_TYPES).await?;
    let latest = result_set[0].clone();
    if count <= PAGE_TYPES {
        return Ok(json(&Versions { latest, count, result_set }));
    }
    let head = list_head(&Versions { latest, count, result_set: Vec::new() })?;
    let pages = type_pages(state, TypeQuery::versions_of(&name), view, head, result_set);
    Ok(json_text(Body::from_stream(pages)))
}
