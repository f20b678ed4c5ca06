//! The GraphQL schema of a catalogue, built once and shared by all its requests.

use std::fmt::{self, Debug};
use std::sync::Arc;

use apollo_compiler::Schema;
use apollo_compiler::collections::HashMap;
use apollo_compiler::schema::{Implementers, Name};
use apollo_compiler::validation::Valid;
use cantata_catalogue::{Catalogue, CatalogueError, CatalogueErrorCode, NetworkField};
use serde_json::Value;

use crate::error::GraphqlErrorBody;
use crate::output::{JsonBytes, TargetIndex};
use crate::prepared_request::{self, PreparedRequest};
use crate::request::{GraphqlRequest, QueryDocumentCache};
use crate::{saved_sets, sdl};

/// The GraphQL schema of a catalogue. Clones share everything.
#[derive(Clone)]
pub struct CatalogueSchema(pub(crate) Arc<CompiledSchema>);

/// A schema with everything that is derived from it once.
pub(crate) struct CompiledSchema {
    pub(crate) schema: Valid<Schema>,
    pub(crate) implementers: HashMap<Name, Implementers>,
    pub(crate) documents: QueryDocumentCache,
    sdl: String,
    /// The fields of the network of the catalogue; `None` if it has none.
    pub(crate) network: Option<Box<[NetworkField]>>,
    records: IndexSchema,
    sets: IndexSchema,
}

/// What is known of one of the two indexes of a request before the search.
pub(crate) struct IndexSchema {
    pub(crate) catalogue: Arc<Catalogue>,
    /// The display configuration, by its GraphQL names.
    pub(crate) display: Value,
    /// The raw mapping.
    pub(crate) mapping: JsonBytes,
}

impl IndexSchema {
    fn new(catalogue: Arc<Catalogue>) -> Result<Self, CatalogueError> {
        let failed =
            |error: serde_json::Error| CatalogueError::new(CatalogueErrorCode::SchemaBuildError, error.to_string());
        let display = serde_json::to_value(&catalogue.display).map_err(failed)?;
        let mapping = serde_json::to_vec(catalogue.mapping.raw()).map_err(failed)?.into();
        Ok(Self { catalogue, display, mapping })
    }
}

impl CompiledSchema {
    pub(crate) fn index_schema(&self, index: TargetIndex) -> &IndexSchema {
        match index {
            TargetIndex::Records => &self.records,
            TargetIndex::Sets => &self.sets,
        }
    }
}

impl CatalogueSchema {
    /// Builds the schema of a catalogue.
    ///
    /// # Errors
    ///
    /// If the SDL is invalid, which the validation of the catalogue should prevent.
    pub fn build(catalogue: Arc<Catalogue>) -> Result<Self, CatalogueError> {
        Self::build_with_network(catalogue, None)
    }

    /// Builds the schema of a catalogue with a network that has these fields.
    ///
    /// # Errors
    ///
    /// As [`CatalogueSchema::build`].
    pub fn build_with_network(
        catalogue: Arc<Catalogue>,
        network: Option<&[NetworkField]>,
    ) -> Result<Self, CatalogueError> {
        let records = IndexSchema::new(catalogue)?;
        let sets = IndexSchema::new(Arc::new(saved_sets::saved_sets_catalogue(&records.catalogue)?))?;
        let sdl = sdl::sdl(&records.catalogue.root, &sets.catalogue.root, network);
        let schema = Schema::parse_and_validate(sdl.as_str(), "schema.graphql").map_err(|failed| {
            let first = failed.errors.iter().next().map(|error| error.unstable_to_json_compat().message);
            let message = format!("No GraphQL schema can be made: {}", first.unwrap_or_default());
            CatalogueError::new(CatalogueErrorCode::SchemaBuildError, message)
        })?;
        let limits = records.catalogue.limits;
        let documents = QueryDocumentCache::new(limits.max_aliases, limits.max_depth, sdl.len());
        let implementers = schema.implementers_map();
        let network: Option<Box<[NetworkField]>> = network.map(Box::from);
        Ok(Self(Arc::new(CompiledSchema { schema, implementers, documents, sdl, network, records, sets })))
    }

    /// Returns the catalogue.
    pub fn catalogue(&self) -> &Arc<Catalogue> {
        &self.0.records.catalogue
    }

    /// Returns the schema as SDL.
    pub fn sdl(&self) -> &str {
        &self.0.sdl
    }

    /// Returns the fields of the network of the catalogue; `None` if it has none.
    pub fn network_fields(&self) -> Option<&[NetworkField]> {
        self.0.network.as_deref()
    }

    /// Parses and validates a request, and checks it against the limits of the catalogue.
    ///
    /// # Errors
    ///
    /// The response to a request that is rejected.
    pub fn prepare(&self, request: &GraphqlRequest) -> Result<PreparedRequest, GraphqlErrorBody> {
        prepared_request::prepare(&self.0, request)
    }
}

impl Debug for CatalogueSchema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("CatalogueSchema").field(&self.0.records.catalogue.id).finish()
    }
}
