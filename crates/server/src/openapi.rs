//! The OpenAPI document and the page that shows it.

pub(crate) mod schemas;

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::response::Redirect;
use axum::routing::get;
use cantata_core::ErrorId;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use utoipa::OpenApi;
use utoipa::openapi::Server;
use utoipa_axum::router::OpenApiRouter;
use utoipa_swagger_ui::Config;

use crate::AccessControl;
use crate::access::RequiredScope;
use crate::error_body::{ApiError, ApiResult, ErrorBody};
use crate::extract::Segments;
use crate::response::{json, with_content_type};
use crate::routes::{Routes, describe_credentials};
use crate::state::AppState;

/// What the page may load: its own files alone. Swagger UI writes styles into its elements and has images in its styles.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; \
     connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
);

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Cantata",
        description = "Metadata of studies, analyses and files: registered, validated, published, exported, searched.\n\n\
                       Every error has the same body; its `errorId` says what kind it is, its `message` what to do. \
                       Only the routes under Search have the errors that clients of a search server know.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    tags(
        (name = "Analysis types", description = "Versioned schemas that submissions are checked against"),
        (name = "Submission", description = "New analyses"),
        (name = "Studies", description = "What analyses belong to"),
        (name = "Analyses", description = "Reading, updating and publishing"),
        (name = "Files", description = "The files of analyses"),
        (name = "Export", description = "Analyses as payloads"),
        (name = "Entities", description = "The view of files that storage servers use"),
        (name = "Events", description = "Every change, in order"),
        (name = "Search", description = "Catalogues: what there is, GraphQL, downloads"),
        (name = "Indexes", description = "What the search service searches: made, filled, checked, removed"),
        (name = "Keys", description = "API keys: made, listed, revoked"),
        (name = "Sign-in", description = "Sessions of people"),
        (name = "Backup", description = "Everything that the server keeps, as one file"),
        (name = "Language models", description = "The same services by the Model Context Protocol"),
        (name = "Health", description = "Is it there, can it work"),
    ),
    components(schemas(ErrorBody)),
)]
struct Description;

/// Completes the document of the routes.
pub(crate) fn documented(routes: Routes<AppState>) -> (Router<AppState>, utoipa::openapi::OpenApi) {
    let mut description = Description::openapi();
    describe_credentials(&mut description);
    OpenApiRouter::with_openapi(description).merge(routes.into_described()).split_for_parts()
}

/// Returns the routes that show the document: as JSON, and to people.
pub(crate) fn documentation_routes(
    access: &Arc<AccessControl>,
    document: utoipa::openapi::OpenApi,
) -> Routes<AppState> {
    let document = Arc::new(document);
    let described = move |State(state): State<AppState>, headers: HeaderMap| async move {
        match state.base_path(&headers) {
            "" => json(&*document),
            base_path => json(&below(base_path, &document)),
        }
    };
    // Relative to the page, which may be below a path of the host.
    let config = Arc::new(Config::from("../openapi.json"));
    let file = async move |Segments(path): Segments<String>| page_file(config, &path);
    Routes::new(access)
        .add_undescribed(RequiredScope::None, "/openapi.json", get(described))
        .add_undescribed(RequiredScope::None, "/docs", get(documentation_page))
        // Browsers ask for it everywhere; there is none, and that is no failure.
        .add_undescribed(RequiredScope::None, "/favicon.ico", get(async || StatusCode::NO_CONTENT))
        .add_undescribed(RequiredScope::None, "/docs/{*file}", get(file))
}

/// Returns the document of a server below a path, which its paths do not have.
fn below(base_path: &str, document: &utoipa::openapi::OpenApi) -> utoipa::openapi::OpenApi {
    let mut document = document.clone();
    document.servers = Some(vec![Server::new(base_path)]);
    document
}

async fn documentation_page(State(state): State<AppState>, headers: HeaderMap) -> Redirect {
    to_documentation(state.base_path(&headers))
}

/// Sends a client to the page; `base_path` is the path below which it has the server.
pub(crate) fn to_documentation(base_path: &str) -> Redirect {
    Redirect::temporary(&format!("{base_path}/docs/index.html"))
}

fn page_file(config: Arc<Config<'static>>, path: &str) -> ApiResult {
    let unknown = || ApiError::new(ErrorId::PathNotFound, format!("There is nothing at '/docs/{path}'"));
    let file = utoipa_swagger_ui::serve(path, config).ok().flatten().ok_or_else(unknown)?;
    let content_type = HeaderValue::from_str(&file.content_type)
        .unwrap_or_else(|_| HeaderValue::from_static("application/octet-stream"));
    let mut response = with_content_type(file.bytes.into_owned(), content_type);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, POLICY);
    Ok(response)
}
