//! `/entities`, the view of files that storage servers use.

use axum::extract::State;
use cantata_core::{Error, ErrorId, ErrorOrigin, ObjectId, Result};
use cantata_metadata::EntityRequest;
use cantata_store::PageRange;

use crate::access::ReadableStudies;
use crate::error_body::ApiResult;
use crate::extract::{Params, Segments, malformed};
use crate::openapi::schemas::{Entity, EntityPage, EntityQuery};
use crate::response::json;
use crate::state::AppState;

const ORIGIN: ErrorOrigin = ErrorOrigin::LegacyEntityService;

const FIELDS: [&str; 5] = ["id", "gnosId", "fileName", "projectCode", "access"];
const PARAMETERS: [&str; 9] = ["id", "gnosId", "fileName", "projectCode", "access", "fields", "page", "size", "after"];

/// How many entities a page has unless asked otherwise.
const DEFAULT_SIZE: u64 = 10;

/// How many entities a page has at most, however many are asked for.
const MAX_SIZE: u64 = 2_000;

/// Returns one entity.
#[utoipa::path(
    get, path = "/entities/{id}", tag = "Entities",
    params(("id" = String, Path, description = "The object id of a file")),
    responses((status = 200, description = "The entity", body = Entity))
)]
pub(crate) async fn get(
    State(state): State<AppState>,
    Segments(id): Segments<String>,
    studies: ReadableStudies,
) -> ApiResult {
    let entity = state.metadata.entity(&id, |study| studies.states(study)).await?;
    Ok(json(&Entity::of(entity, &[])))
}

/// Lists the entities that the sender may see, ordered by id. Each filter is an exact value.
#[utoipa::path(
    get, path = "/entities", tag = "Entities",
    params(
        EntityQuery,
        ("after" = Option<String>, Query, description = "Instead of `page`: the id of the entity after which the page \
          begins, empty for the first page. The page has `next` for the one after it, and no totals, which cost time"),
    ),
    responses((status = 200, description = "One page of entities", body = EntityPage))
)]
pub(crate) async fn list(State(state): State<AppState>, studies: ReadableStudies, params: Params) -> ApiResult {
    refuse_unknown("query", ErrorId::IllegalQueryParameter, params.names(), &PARAMETERS)?;
    let fields = params.list("fields");
    refuse_unknown("filter", ErrorId::IllegalFilterParameter, fields.iter().copied(), &FIELDS)?;
    let text = |name: &str| params.get(name).map(str::to_owned);
    let request = EntityRequest {
        id: text("id"),
        gnos_id: text("gnosId"),
        file_name: text("fileName"),
        project_code: text("projectCode"),
        access: text("access"),
        visible: studies.visible_files(&state.metadata, params.get("projectCode")).await?,
    };
    // Storage servers rely on the rules of SONG: what is no number of 32 bits, or below the least one, is the default.
    let given = |name: &str| params.get(name).and_then(|text| u64::try_from(text.parse::<i32>().ok()?).ok());
    let number = given("page").unwrap_or(0);
    let size = given("size").filter(|size| *size > 0).unwrap_or(DEFAULT_SIZE).min(MAX_SIZE);
    if let Some(after) = params.get("after") {
        let not_an_id = || malformed(ORIGIN, "after", after, "the id of an entity");
        let after = match after.is_empty() {
            true => None,
            false => Some(ObjectId::parse(after).ok_or_else(not_an_id)?),
        };
        let found = state.metadata.entities_after(&request, after, size).await?;
        let next = found.last().map(|file| file.object_id);
        let content = found.into_iter().map(|file| Entity::of(file, &fields)).collect();
        return Ok(json(&EntityPage::after(content, size, next)));
    }
    let page = PageRange { offset: number.saturating_mul(size), limit: size };
    let found = state.metadata.entities(&request, page).await?;
    let content = found.files.into_iter().map(|file| Entity::of(file, &fields)).collect();
    Ok(json(&EntityPage::new(content, number, size, found.total)))
}

fn refuse_unknown<'a>(kind: &str, id: ErrorId, given: impl Iterator<Item = &'a str>, legal: &[&str]) -> Result<()> {
    let unknown: Vec<&str> = given.filter(|name| !legal.contains(name)).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    Err(Error::new(
        ORIGIN,
        id,
        format!(
            "The {kind} parameters '{}' must be a subset of the following legal {kind} parameters '{}'",
            unknown.join(","),
            legal.join(",")
        ),
    ))
}
