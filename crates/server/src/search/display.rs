//! Saving what a catalogue shows at first.

use axum::extract::{Path, Request, State};
use cantata_catalogue::ChosenDisplay;
use cantata_search::DisplaySaveError;
use http::StatusCode;
use serde_json::json;

use super::introspection::catalogue;
use super::{SearchResult, SearchState, problem, read};
use crate::admin::log_not_writable;
use crate::openapi::schemas::{
    AmbiguousCatalogue, CatalogueDisplay, CatalogueFields, SearchProblem, UnavailableCatalogue,
};
use crate::response::json_with_status;

/// Saves which facets and columns a catalogue shows at first, in its configuration files; answers as its introspection
/// does.
#[utoipa::path(
    put, path = "/admin/catalogues/{catalogue}/display", tag = "Search",
    params(("catalogue" = String, Path, description = "Its id")),
    request_body = CatalogueDisplay,
    responses(
        (status = 200, description = "The catalogue", body = CatalogueFields),
        (status = 400, description = "The name or the body cannot be read", body = String),
        (status = 404, description = "There is no such catalogue", body = SearchProblem),
        (status = 409, description = "Several catalogues have this document type", body = AmbiguousCatalogue),
        (status = 413, description = "The body is too large", body = String),
        (status = 422, description = "The choice does not fit the catalogue; nothing changed", body = SearchProblem),
        (status = 503, description = "Why the catalogue cannot be served", body = UnavailableCatalogue),
        (status = 507, description = "The configuration cannot be written", body = SearchProblem),
    )
)]
pub(super) async fn save(State(state): State<SearchState>, Path(name): Path<String>, request: Request) -> SearchResult {
    let extensions = request.extensions().clone();
    let body = read(request, state.body_limit).await?;
    let refused = |error: &str, problems: Vec<String>| {
        json_with_status(StatusCode::UNPROCESSABLE_ENTITY, &json!({"error": error, "problems": problems}))
    };
    let display: ChosenDisplay = match serde_json::from_slice(&body) {
        Ok(display) => display,
        Err(error) => {
            let text = "The body is not what a catalogue shows: an object with facets, columns and sorting.";
            return Ok(refused(text, vec![error.to_string()]));
        }
    };
    Ok(match state.service.save_display(&name, display).await {
        // A catalogue that cannot be served says why.
        Ok(()) | Err(DisplaySaveError::NotServed) => catalogue(State(state), Path(name), extensions).await,
        Err(DisplaySaveError::UnknownCatalogue) => problem(&format!("Catalogue {name:?} was not found.")),
        Err(DisplaySaveError::NoFiles) => {
            refused("The catalogues of this server have no configuration files, so nothing can be saved.", Vec::new())
        }
        Err(DisplaySaveError::Problems(problems)) => {
            let problems = problems.iter().map(ToString::to_string).collect();
            refused("This cannot be what the catalogue shows.", problems)
        }
        Err(DisplaySaveError::Unwritable(reason)) => {
            log_not_writable(&reason.to_string());
            let error = "The folder of the configuration cannot be written. Ask the operator to allow it, or to save the \
                         choice there.";
            json_with_status(StatusCode::INSUFFICIENT_STORAGE, &json!({"error": error}))
        }
    })
}
