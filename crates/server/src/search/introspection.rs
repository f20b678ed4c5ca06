//! What there is to search: catalogues, fields, and the filter language.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::extract::{Path, State};
use axum::response::Response;
use cantata_catalogue::CatalogueError;
use cantata_catalogue::introspection::{CatalogueIntrospectionBody, FailedCatalogueBody};
use cantata_search::{CatalogueLookup, ServedCatalogue};
use http::{Extensions, StatusCode};
use serde::Serialize;
use serde_json::Value;

use super::SearchState;
use crate::access::identity_of;
use crate::openapi::schemas::{
    CatalogueDirectory, CatalogueFields, CataloguePath, SearchProblem, UnavailableCatalogue, UnservedCatalogue,
};
use crate::response::{json, json_with_status};

static SQON: LazyLock<Value> = LazyLock::new(cantata_sqon::json_schema);

/// A catalogue with its network. If its index cannot be reached at present, the rest is known from before.
#[derive(Serialize)]
struct CatalogueBody<'c> {
    #[serde(flatten)]
    known: &'c CatalogueIntrospectionBody,
    #[serde(skip_serializing_if = "Option::is_none")]
    network: Option<NetworkBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'c CatalogueError>,
    /// As in the list of catalogues.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
}

/// The network of a catalogue.
#[derive(Serialize)]
struct NetworkBody {
    fields: BTreeMap<String, &'static str>,
    nodes: Vec<NodeBody>,
}

/// A node of a network.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct NodeBody {
    #[serde(skip_serializing_if = "Option::is_none")]
    node_id: Option<String>,
    name: String,
    remote: bool,
    asked: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
}

impl NetworkBody {
    /// Returns the network of a catalogue, if it has one.
    fn of(served: &ServedCatalogue) -> Option<Self> {
        let nodes = served.node_reports()?.into_iter().map(|node| NodeBody {
            node_id: node.id,
            name: node.name,
            remote: node.is_remote,
            asked: node.error.is_none(),
            error: node.error,
            version: node.version,
        });
        let fields = served.schema.network_fields().unwrap_or_default().iter();
        let fields = fields.map(|field| (field.name.clone(), field.kind.type_name()));
        Some(Self { fields: fields.collect(), nodes: nodes.collect() })
    }
}

/// Lists the catalogues.
#[utoipa::path(
    get, path = "/introspection", tag = "Search",
    responses((status = 200, description = "The catalogues, with their paths", body = CatalogueDirectory))
)]
pub(super) async fn server(State(state): State<SearchState>) -> Response {
    json(&state.service.catalogues().introspection())
}

/// Describes the filter language.
#[utoipa::path(
    get, path = "/introspection/sqon", tag = "Search",
    responses((status = 200, description = "Its JSON Schema and its operators", body = Object))
)]
pub(super) async fn sqon() -> Response {
    json(&*SQON)
}

/// Lists the fields of the only catalogue.
#[utoipa::path(
    get, path = "/introspection/fields", tag = "Search",
    responses(
        (status = 200, description = "The catalogue", body = CatalogueFields),
        (status = 404, description = "There are several catalogues", body = SearchProblem),
        (status = 503, description = "Why the catalogue cannot be served", body = UnavailableCatalogue),
    )
)]
pub(super) async fn fields(State(state): State<SearchState>, extensions: Extensions) -> Response {
    let (catalogues, identity) = (state.service.catalogues(), identity_of(&extensions));
    match catalogues.only(&identity) {
        Some(found) => describe(found),
        None => describe(catalogues.find("fields", &identity)),
    }
}

/// Lists the fields of a catalogue.
#[utoipa::path(
    get, path = "/introspection/{catalogue}", tag = "Search",
    params(CataloguePath),
    responses((status = 200, description = "The catalogue", body = CatalogueFields), UnservedCatalogue)
)]
pub(super) async fn catalogue(
    State(state): State<SearchState>,
    Path(name): Path<String>,
    extensions: Extensions,
) -> Response {
    describe(state.service.catalogues().find(&name, &identity_of(&extensions)))
}

/// Lists the fields of a catalogue, at the address that portals use.
#[utoipa::path(
    get, path = "/{catalogue}/introspection", tag = "Search",
    params(CataloguePath),
    responses((status = 200, description = "The catalogue", body = CatalogueFields), UnservedCatalogue)
)]
pub(super) async fn catalogue_first(state: State<SearchState>, name: Path<String>, extensions: Extensions) -> Response {
    catalogue(state, name, extensions).await
}

fn describe(found: CatalogueLookup) -> Response {
    match found {
        CatalogueLookup::Available(served) => json(&CatalogueBody {
            known: &served.introspection,
            network: NetworkBody::of(&served),
            error: None,
            status: None,
        }),
        // Requests are tried with what is known, so clients need it.
        CatalogueLookup::Degraded(served, failed) => {
            let body = CatalogueBody {
                known: &served.introspection,
                network: NetworkBody::of(&served),
                error: Some(&failed.error),
                status: Some("failed"),
            };
            json_with_status(StatusCode::SERVICE_UNAVAILABLE, &body)
        }
        CatalogueLookup::Failed(failed) => {
            json_with_status(StatusCode::SERVICE_UNAVAILABLE, &FailedCatalogueBody::new(&failed))
        }
        CatalogueLookup::Ambiguous(body) => json_with_status(StatusCode::CONFLICT, &body),
        CatalogueLookup::Unknown(body) => json_with_status(StatusCode::NOT_FOUND, &body),
    }
}
