//! The GraphQL schema of a catalogue, built once and shared by all its requests.

use std::fmt::{self, Debug};
use std::sync::Arc;

use apollo_compiler::Schema;
use apollo_compiler::collections::HashMap;
use apollo_compiler::schema::{Implementers, Name};
use apollo_compiler::validation::Valid;
use cantata_catalogue::{Catalogue, CatalogueError, ErrorCode};
use serde_json::Value;

use crate::error::ErrorBody;
use crate::output::{Index, Ready};
use crate::prepare::{self, Prepared};
use crate::request::{Documents, Request};
use crate::{sdl, sets};

/// The GraphQL schema of a catalogue. Clones share everything.
#[derive(Clone)]
pub struct CatalogueSchema(pub(crate) Arc<SchemaParts>);

/// What a schema consists of.
pub(crate) struct SchemaParts {
    pub(crate) schema: Valid<Schema>,
    pub(crate) implementers: HashMap<Name, Implementers>,
    pub(crate) documents: Documents,
    sdl: String,
    records: Side,
    sets: Side,
}

/// One of the two indexes that a request can ask: what is known of it beforehand.
pub(crate) struct Side {
    pub(crate) catalogue: Arc<Catalogue>,
    /// The display configuration, by the names that GraphQL has for it.
    pub(crate) display: Value,
    /// The raw mapping.
    pub(crate) mapping: Ready,
}

impl Side {
    fn of(catalogue: Arc<Catalogue>) -> Result<Self, CatalogueError> {
        let failed = |error: serde_json::Error| CatalogueError::new(ErrorCode::SchemaBuildError, error.to_string());
        let display = serde_json::to_value(&catalogue.display).map_err(failed)?;
        let mapping = serde_json::to_vec(catalogue.mapping.raw()).map_err(failed)?.into();
        Ok(Self { catalogue, display, mapping })
    }
}

impl SchemaParts {
    pub(crate) fn side(&self, index: Index) -> &Side {
        match index {
            Index::Records => &self.records,
            Index::Sets => &self.sets,
        }
    }
}

impl CatalogueSchema {
    /// Builds the schema of a catalogue.
    ///
    /// # Errors
    ///
    /// If GraphQL does not allow it, which the catalogue's own checks prevent for all that is known.
    pub fn build(catalogue: Arc<Catalogue>) -> Result<Self, CatalogueError> {
        let records = Side::of(catalogue)?;
        let sets = Side::of(Arc::new(sets::catalogue_of_sets(&records.catalogue)?))?;
        let sdl = sdl::sdl(&records.catalogue.root, &sets.catalogue.root);
        let schema = Schema::parse_and_validate(sdl.as_str(), "schema.graphql").map_err(|failed| {
            let first = failed.errors.iter().next().map(|error| error.unstable_to_json_compat().message);
            let message = format!("No GraphQL schema can be made: {}", first.unwrap_or_default());
            CatalogueError::new(ErrorCode::SchemaBuildError, message)
        })?;
        let limits = records.catalogue.limits;
        let documents = Documents::new(limits.max_aliases, limits.max_depth);
        let implementers = schema.implementers_map();
        Ok(Self(Arc::new(SchemaParts { schema, implementers, documents, sdl, records, sets })))
    }

    /// Returns the catalogue.
    pub fn catalogue(&self) -> &Arc<Catalogue> {
        &self.0.records.catalogue
    }

    /// Returns the schema as SDL.
    pub fn sdl(&self) -> &str {
        &self.0.sdl
    }

    /// Reads a request: parses and validates its document, holds it against the limits of the catalogue and finds what
    /// is selected.
    ///
    /// # Errors
    ///
    /// If it cannot be run: the body to answer.
    pub fn prepare(&self, request: &Request) -> Result<Prepared, ErrorBody> {
        prepare::prepare(&self.0, request)
    }
}

impl Debug for CatalogueSchema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("CatalogueSchema").field(&self.0.records.catalogue.id).finish()
    }
}
