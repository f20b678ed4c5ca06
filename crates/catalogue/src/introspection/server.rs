//! The list of all catalogues: the body of `GET /introspection`.

use serde::Serialize;

use super::{CatalogueState, FAILED, OrderedMap};
use crate::config::RequestLimits;
use crate::configs::CatalogueMode;
use crate::error::CatalogueError;

const SQON_SCHEMA: &str = "/introspection/sqon";
const FIELDS: &str = "/introspection/fields";

/// How many of the catalogues can be served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum HealthStatus {
    /// All.
    Healthy,
    /// Some.
    Degraded,
    /// None.
    Unhealthy,
}

impl HealthStatus {
    /// Returns the status of a server with these catalogues.
    pub fn of(states: &[CatalogueState<'_>]) -> Self {
        let available = states.iter().filter(|state| matches!(state, CatalogueState::Available(_))).count();
        match available {
            0 => Self::Unhealthy,
            all if all == states.len() => Self::Healthy,
            _ => Self::Degraded,
        }
    }
}

/// The list of all catalogues.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerIntrospectionBody {
    /// How many there are.
    pub catalog_count: usize,
    /// Each by its id.
    pub catalogs: OrderedMap<CatalogueEntryBody>,
    /// Whether paths name the catalogue.
    pub mode: CatalogueMode,
    /// The path of the JSON Schema of filters.
    pub sqon_schema_path: &'static str,
    /// How many of them can be served.
    pub status: HealthStatus,
}

/// One catalogue in the list.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CatalogueEntryBody {
    /// A description for users.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The name of the root field.
    pub document_type: String,
    /// Why it cannot be served.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<CatalogueError>,
    /// The limits of a request; absent if it cannot be served.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<RequestLimits>,
    /// Its paths.
    pub paths: CataloguePaths,
    /// `available` or `failed`.
    pub status: &'static str,
}

/// The paths of a catalogue.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CataloguePaths {
    /// Its fields, without its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<&'static str>,
    /// Searching.
    pub graphql: String,
    /// Its fields.
    pub introspection: String,
}

impl ServerIntrospectionBody {
    /// Returns the list of these catalogues.
    pub fn new(mode: CatalogueMode, states: &[CatalogueState<'_>]) -> Self {
        Self {
            catalog_count: states.len(),
            catalogs: OrderedMap(
                states.iter().map(|state| (state.id().to_owned(), CatalogueEntryBody::new(mode, *state))).collect(),
            ),
            mode,
            sqon_schema_path: SQON_SCHEMA,
            status: HealthStatus::of(states),
        }
    }
}

impl CatalogueEntryBody {
    fn new(mode: CatalogueMode, state: CatalogueState<'_>) -> Self {
        let paths = CataloguePaths::new(mode, state.id());
        let document_type = state.document_type().to_owned();
        match state {
            CatalogueState::Available(catalogue) => Self {
                description: catalogue.description.clone(),
                document_type,
                error: None,
                limits: Some(catalogue.limits),
                paths,
                status: "available",
            },
            CatalogueState::Failed(failed) => Self {
                description: failed.description.clone(),
                document_type,
                error: Some(failed.error.clone()),
                limits: None,
                paths,
                status: FAILED,
            },
        }
    }
}

impl CataloguePaths {
    fn new(mode: CatalogueMode, id: &str) -> Self {
        let (fields, graphql) = match mode {
            CatalogueMode::Single => (Some(FIELDS), "/graphql".to_owned()),
            CatalogueMode::Multiple => (None, format!("/{id}/graphql")),
        };
        Self { fields, graphql, introspection: format!("/introspection/{id}") }
    }
}
