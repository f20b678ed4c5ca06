//! The directory of all catalogues: the body of `GET /introspection`.

use serde::Serialize;

use super::{CatalogueState, FAILED, Ordered};
use crate::config::Limits;
use crate::configs::Mode;
use crate::error::CatalogueError;

const SQON_SCHEMA: &str = "/introspection/sqon";
const FIELDS: &str = "/introspection/fields";

/// How many of the catalogues can be served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// All.
    Healthy,
    /// Some.
    Degraded,
    /// None.
    Unhealthy,
}

impl Status {
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

/// The directory of all catalogues.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerBody {
    /// How many there are.
    pub catalog_count: usize,
    /// Each by its id.
    pub catalogs: Ordered<EntryBody>,
    /// How they are addressed.
    pub mode: Mode,
    /// Where filters are described.
    pub sqon_schema_path: &'static str,
    /// How many of them can be served.
    pub status: Status,
}

/// One catalogue in the directory.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EntryBody {
    /// What it is, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The name of the root field.
    pub document_type: String,
    /// Why it cannot be served.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<CatalogueError>,
    /// What a request may ask for; absent if it cannot be served.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// Where it is.
    pub paths: Paths,
    /// `available` or `failed`.
    pub status: &'static str,
}

/// Where a catalogue is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Paths {
    /// Its fields, without its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields: Option<&'static str>,
    /// Searching.
    pub graphql: String,
    /// Its fields.
    pub introspection: String,
}

impl ServerBody {
    /// Returns the directory of these catalogues.
    pub fn new(mode: Mode, states: &[CatalogueState<'_>]) -> Self {
        Self {
            catalog_count: states.len(),
            catalogs: Ordered(
                states.iter().map(|state| (state.id().to_owned(), EntryBody::new(mode, *state))).collect(),
            ),
            mode,
            sqon_schema_path: SQON_SCHEMA,
            status: Status::of(states),
        }
    }
}

impl EntryBody {
    fn new(mode: Mode, state: CatalogueState<'_>) -> Self {
        let paths = Paths::new(mode, state.id());
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

impl Paths {
    fn new(mode: Mode, id: &str) -> Self {
        let (fields, graphql) = match mode {
            Mode::Single => (Some(FIELDS), "/graphql".to_owned()),
            Mode::Multiple => (None, format!("/{id}/graphql")),
        };
        Self { fields, graphql, introspection: format!("/introspection/{id}") }
    }
}
