//! The routes of the search service, one file for each area of its paths.
//!
//! Bodies here are those that clients of a search server know: GraphQL errors, and `{"error": …}` or a line of text
//! elsewhere.

mod display;
mod downloads;
pub(crate) mod graphiql;
mod graphql;
mod health;
mod introspection;
mod reload;
mod transport;

pub(crate) use graphql::graphql_error;

use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use bytes::Bytes;
use cantata_catalogue::introspection::FailedCatalogueBody;
use cantata_catalogue::{CatalogueConfigs, ConfigDefaults, ConfigProblem};
use cantata_engine::EngineError;
use cantata_indexing::Indexing;
use cantata_search::{CatalogueLookup, Catalogues, ConfigSource, EngineProvider, SearchService, ServedCatalogue};
use http::{Extensions, HeaderMap, StatusCode, header};
use serde_json::json;
use utoipa_axum::router::UtoipaMethodRouter;
use utoipa_axum::routes;

use crate::access::{RequiredScope, identity_of};
use crate::admin::ADMINISTRATION;
use crate::app::unknown_path;
use crate::error_body::ApiError;
use crate::extract::read_limited;
use crate::limits::BUSY_RETRY_SECONDS;
use crate::response::json_with_status;
use crate::routes::{Dialect, RouteSpec, Routes};
use crate::shared_check::SharedCheck;
use crate::state::AppState;
use crate::{AccessControl, HttpSettings};

/// The spec of routes that read catalogues.
const READ: RouteSpec = RouteSpec::new(RequiredScope::Read, Dialect::Search);

/// How many addresses a message names at most.
const MAX_NAMED_ADDRESSES: usize = 10;

/// The search service behind a route; clones share it.
#[derive(Clone)]
pub(crate) struct SearchState {
    pub(crate) service: Arc<SearchService>,
    pub(crate) persisted: transport::PersistedQueries,
    pub(crate) body_limit: usize,
    write_check: Arc<SharedCheck<Result<(), EngineError>>>,
    /// The server that has the metadata service too; none where only the routes of catalogues are used.
    app: Option<AppState>,
    /// Keeps the indexes up to date, where this server does.
    indexing: Option<Arc<Indexing>>,
}

impl SearchState {
    pub(crate) fn new(
        service: Arc<SearchService>,
        settings: &HttpSettings,
        app: Option<AppState>,
        indexing: Option<Arc<Indexing>>,
    ) -> Self {
        let body_limit = settings.limits.search_body_limit;
        let persisted = transport::PersistedQueries::default();
        Self { service, persisted, body_limit, write_check: Arc::default(), app, indexing }
    }

    /// Returns the path below which the sender of a request has the server; empty where it has the whole host.
    fn base_path(&self, headers: &HeaderMap) -> &str {
        self.app.as_ref().map_or("", |app| app.base_path(headers))
    }
}

/// Returns the search service of these catalogues as routes, for a server that has routes of its own too. It follows the
/// mappings of their indexes for as long as the routes are in use.
///
/// # Errors
///
/// If there is no catalogue at all. A catalogue that cannot be served is no error; the routes report it.
pub async fn router<S: Clone + Send + Sync + 'static>(
    engines: impl EngineProvider,
    configs: CatalogueConfigs,
    settings: &HttpSettings,
) -> Result<Router<S>, Vec<ConfigProblem>> {
    let service = Arc::new(SearchService::start(engines, ConfigSource::Fixed(configs)).await?);
    service.watch();
    let state = SearchState::new(service, settings, None, None);
    // The server that has these routes has its own ways to let people in.
    let access = Arc::new(AccessControl::default());
    Ok(routes(&access, state, settings).into_router())
}

/// Returns the search service of the catalogues in a folder as routes.
///
/// # Errors
///
/// If there is no catalogue at all, or the folder cannot be read.
#[deprecated = "read the folder with `CatalogueConfigs::from_folder` and give the configurations to `router`"]
pub async fn router_from_folder<S: Clone + Send + Sync + 'static>(
    engines: impl EngineProvider,
    folder: impl AsRef<Path>,
    settings: &HttpSettings,
) -> Result<Router<S>, Vec<ConfigProblem>> {
    router(engines, CatalogueConfigs::from_folder(folder, &ConfigDefaults::default())?, settings).await
}

/// Returns the routes of the search service with their descriptions.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>(
    access: &Arc<AccessControl>,
    state: SearchState,
    settings: &HttpSettings,
) -> Routes<S> {
    let open = RouteSpec::new(RequiredScope::None, Dialect::Search);
    let only = routes!(graphql::only_by_get, graphql::only_by_post);
    let named = routes!(graphql::named_by_get, graphql::named_by_post);
    Routes::new(access)
        .add(open.probe(), at(&settings.ping_path, routes!(health::ping)))
        .add(open.probe(), at(&settings.ready_path, routes!(health::ready)))
        .add_complete(RouteSpec::from(RequiredScope::None).probe(), routes!(health::apollo))
        .add(READ, routes!(introspection::server))
        .add(READ, routes!(introspection::sqon))
        .add(READ, routes!(introspection::fields))
        .add(READ, routes!(introspection::catalogue))
        .add(READ, routes!(introspection::catalogue_first))
        // Portals name what they ask for in the address, which changes nothing.
        .add_undescribed(READ, "/graphql/{*rest}", only.2.clone())
        .add_undescribed(READ, "/{catalogue}/graphql/{*rest}", named.2.clone())
        .add(READ, only)
        .add(READ, named)
        .add(READ.export(), routes!(downloads::only_by_get, downloads::only))
        .add(READ.export(), routes!(downloads::named_by_get, downloads::named))
        .add_complete(ADMINISTRATION, routes!(reload::reload))
        .add_complete(ADMINISTRATION, routes!(display::save))
        .add_undescribed(RequiredScope::None, "/assets/graphiql/{file}", get(graphiql::file))
        .with_state(state)
}

/// Returns the routes for portals whose requests leave `graphql` out of the address, which has room for only one
/// catalogue. They are not for a server that has routes of its own: they take whole ranges of addresses.
pub(crate) fn routes_at_the_root<S: Clone + Send + Sync + 'static>(
    access: &Arc<AccessControl>,
    state: SearchState,
) -> Routes<S> {
    Routes::new(access)
        .add_undescribed(READ, "/", post(graphql::only_by_post))
        // Of other methods there is nothing, so that no header says which ones there are.
        .add_undescribed(READ, "/{tag}", post(graphql::tagged).merge(any(unknown_path)))
        .with_state(state)
}

/// Gives a route another path than its description has.
fn at<S>(path: &str, (schemas, mut paths, methods): UtoipaMethodRouter<S>) -> UtoipaMethodRouter<S> {
    let items = std::mem::take(&mut paths.paths);
    paths.paths = items.into_values().map(|item| (path.to_owned(), item)).collect();
    (schemas, paths, methods)
}

/// An answer to a request that goes no further; boxed, because it is large and rare.
pub(crate) struct SearchRejection(Box<Response>);

/// The result of a handler.
type SearchResult = Result<Response, SearchRejection>;

impl From<Response> for SearchRejection {
    fn from(response: Response) -> Self {
        Self(Box::new(response))
    }
}

impl IntoResponse for SearchRejection {
    fn into_response(self) -> Response {
        *self.0
    }
}

/// Answers that there is nothing at an address.
fn problem(error: &str) -> Response {
    json_with_status(StatusCode::NOT_FOUND, &json!({"error": error}))
}

/// Returns the catalogue that an address without a name means, as the sender of the request sees it.
fn only(state: &SearchState, route: &str, request: &Extensions) -> Result<Arc<ServedCatalogue>, SearchRejection> {
    let catalogues = state.service.catalogues();
    served(catalogues.only(&identity_of(request)).ok_or_else(|| problem(&addresses(&catalogues, route)))?)
}

/// Says where a route is on a server that has another number of catalogues than one.
fn addresses(catalogues: &Catalogues, route: &str) -> String {
    let mut addresses = catalogues.counters().map(|(id, _)| format!("/{id}/{route}")).peekable();
    if addresses.peek().is_none() {
        return "This server has no catalogues yet; CONFIGS_PATH names the folder of their configuration.".to_owned();
    }
    let named: Vec<String> = addresses.by_ref().take(MAX_NAMED_ADDRESSES).collect();
    let more = if addresses.peek().is_some() { ", …" } else { "" };
    let named = named.join(", ");
    format!("This server has several catalogues: {named}{more}; GET /introspection lists them with their paths.")
}

/// Returns the catalogue that a name in an address means, as the sender of the request sees it.
fn named(state: &SearchState, name: &str, request: &Extensions) -> Result<Arc<ServedCatalogue>, SearchRejection> {
    served(state.service.catalogues().find(name, &identity_of(request)))
}

fn served(found: CatalogueLookup) -> Result<Arc<ServedCatalogue>, SearchRejection> {
    let rejection = match found {
        // Whether the engine is back is for the search itself to find out.
        CatalogueLookup::Available(served) | CatalogueLookup::Degraded(served, _) => return Ok(served),
        CatalogueLookup::Failed(failed) => {
            json_with_status(StatusCode::NOT_FOUND, &FailedCatalogueBody::with_link(&failed))
        }
        CatalogueLookup::Ambiguous(body) => json_with_status(StatusCode::CONFLICT, &body),
        CatalogueLookup::Unknown(body) => json_with_status(StatusCode::NOT_FOUND, &body),
    };
    Err(rejection.into())
}

/// Reads a whole body, unless it is too large or ends early.
async fn read(request: Request, limit: usize) -> Result<Bytes, SearchRejection> {
    read_limited(request, limit).await.map_err(|ApiError(error)| {
        let status = StatusCode::from_u16(error.id.status()).unwrap_or(StatusCode::BAD_REQUEST);
        let mut response = text(status, error.text);
        if status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, BUSY_RETRY_SECONDS.into());
        }
        response.into()
    })
}

/// Answers with a text that is not JSON, as clients of a search server expect for some mistakes.
fn text(status: StatusCode, text: impl Into<String>) -> Response {
    (status, text.into()).into_response()
}
