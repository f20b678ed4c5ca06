//! Reading a catalogue again without a restart.

use axum::extract::{Path, State};
use axum::response::Response;
use http::{Extensions, StatusCode};
use serde_json::json;

use super::SearchState;
use super::introspection::catalogue;
use crate::openapi::schemas::{CatalogueFields, SearchProblem, UnservedCatalogue};
use crate::response::json_with_status;

/// Reads the configuration and the mapping of a catalogue again and answers as its introspection does.
#[utoipa::path(
    post, path = "/admin/catalogues/{catalogue}/reload", tag = "Search",
    params(("catalogue" = String, Path, description = "Its id")),
    responses(
        (status = 200, description = "The catalogue", body = CatalogueFields),
        UnservedCatalogue,
        (status = 422, description = "The configuration cannot be read; nothing changed", body = SearchProblem),
    )
)]
pub(super) async fn reload(
    State(state): State<SearchState>,
    Path(name): Path<String>,
    extensions: Extensions,
) -> Response {
    match state.service.reload(&name).await {
        Ok(_) => catalogue(State(state), Path(name), extensions).await,
        Err(problems) => {
            let problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
            let error = "The configuration cannot be read; everything stays as it is.";
            json_with_status(StatusCode::UNPROCESSABLE_ENTITY, &json!({"error": error, "problems": problems}))
        }
    }
}
