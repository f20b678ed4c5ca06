//! A catalogue whose configuration and mapping were brought together, and its views.
//!
//! What depends on hidden fields (schema, introspection, parsed documents) is compiled once per distinct view and
//! cached. Nothing of it is shared between views, so nothing of one can leak into another.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use cantata_access::Identity;
use cantata_catalogue::introspection::{CatalogueIntrospectionBody, FailedCatalogue};
use cantata_catalogue::{Catalogue, CatalogueConfig, CatalogueError, CatalogueView, EngineChoice, NetworkField};
use cantata_engine::SearchEngine;
use cantata_graphql::CatalogueSchema;
use cantata_mapping::{IndexMapping, RedactedFields};
use cantata_store::Store;
use jiff::Timestamp;
use moka::sync::Cache;

use crate::counters::SearchCounters;
use crate::index_probe::IndexFields;
use crate::network_view::NetworkView;
use crate::served_catalogue::ServedCatalogue;
use crate::set_locks::SetLocks;
use crate::set_reader::SetReader;
use crate::shared_sets::SharedSets;

/// The size of all cached views, measured by the SDL of their schemas.
const MAX_CACHED_SDL_BYTES: u64 = 64 << 20;

/// The weight of a view with a small schema. There are few views, as they follow from rules, not from identities.
const MIN_VIEW_WEIGHT_BYTES: usize = 1 << 20;

/// A catalogue that can be served.
pub(crate) struct LoadedCatalogue {
    /// The catalogue with all its fields.
    pub(crate) catalogue: Arc<Catalogue>,
    config: CatalogueConfig,
    mapping: Arc<IndexMapping>,
    engine: Arc<dyn SearchEngine>,
    /// The saved sets, if they are in a store.
    shared_sets: Option<Arc<SharedSets>>,
    set_locks: Arc<SetLocks>,
    views: Cache<ViewKey, Arc<CompiledView>>,
    logged_truncations: Arc<Mutex<HashSet<String>>>,
    generated_at: String,
}

/// What a compiled view depends on; the visible records are not part of it.
#[derive(PartialEq, Eq, Hash)]
struct ViewKey {
    hidden_fields: RedactedFields,
    suppression_threshold: Option<u64>,
    is_unrestricted: bool,
    /// The visible fields of the network; `None` without one.
    network: Option<Arc<Vec<NetworkField>>>,
}

/// What is known of a view before any request.
struct CompiledView {
    catalogue: Arc<Catalogue>,
    schema: CatalogueSchema,
    introspection: Arc<CatalogueIntrospectionBody>,
}

impl LoadedCatalogue {
    pub(crate) fn build(
        engine: &Arc<dyn SearchEngine>,
        set_store: Option<&Arc<dyn Store>>,
        config: &CatalogueConfig,
        fields: &IndexFields,
    ) -> Result<Self, CatalogueError> {
        let IndexFields { mapping, list_fields, profile } = fields;
        let config = config.with_list_fields(Arc::clone(list_fields)).with_profile(Arc::clone(profile));
        let weigh = |_: &ViewKey, view: &Arc<CompiledView>| {
            u32::try_from(view.schema.sdl().len().max(MIN_VIEW_WEIGHT_BYTES)).unwrap_or(u32::MAX)
        };
        let catalogue = Arc::new(Catalogue::build(&config, mapping)?);
        let shared_sets = set_store
            .filter(|_| config.engine == EngineChoice::Embedded)
            .map(|store| Arc::new(SharedSets::new(Arc::clone(store), Arc::clone(engine), &catalogue.sets.index)));
        let loaded = Self {
            set_locks: Arc::new(SetLocks::new(set_store.cloned(), &catalogue.sets.index)),
            catalogue,
            shared_sets,
            config,
            mapping: Arc::clone(mapping),
            engine: Arc::clone(engine),
            views: Cache::builder().max_capacity(MAX_CACHED_SDL_BYTES).weigher(weigh).build(),
            logged_truncations: Arc::default(),
            generated_at: Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string(),
        };
        loaded.compile_view(&CatalogueView::without_rules(), None)?;
        Ok(loaded)
    }

    /// Returns the catalogue as an identity sees it.
    ///
    /// # Errors
    ///
    /// If no schema can be made of the visible fields.
    pub(crate) fn view_for(
        &self,
        identity: &Identity,
        counters: &Arc<SearchCounters>,
    ) -> Result<ServedCatalogue, FailedCatalogue> {
        let view = self.catalogue.view(identity);
        let compiled = self.compile_view(&view, None).map_err(|error| self.failed(error))?;
        Ok(ServedCatalogue {
            catalogue: Arc::clone(&compiled.catalogue),
            schema: compiled.schema.clone(),
            introspection: Arc::clone(&compiled.introspection),
            view,
            reader: SetReader::of(identity),
            shared_sets: self.shared_sets.clone(),
            set_locks: Arc::clone(&self.set_locks),
            engine: Arc::clone(&self.engine),
            logged_truncations: Arc::clone(&self.logged_truncations),
            counters: Arc::clone(counters),
            network: None,
        })
    }

    /// Returns a view of the catalogue with its network.
    ///
    /// # Errors
    ///
    /// If no schema can be made of the visible fields.
    pub(crate) fn with_network(
        &self,
        own: &ServedCatalogue,
        network: NetworkView,
    ) -> Result<ServedCatalogue, FailedCatalogue> {
        let fields = network.fields(own);
        let compiled = self.compile_view(&own.view, Some(fields)).map_err(|error| self.failed(error))?;
        Ok(ServedCatalogue { schema: compiled.schema.clone(), network: Some(network), ..own.clone() })
    }

    fn failed(&self, error: CatalogueError) -> FailedCatalogue {
        FailedCatalogue {
            id: self.catalogue.id.clone(),
            document_type: self.catalogue.document_type.clone(),
            description: self.catalogue.description.clone(),
            error,
        }
    }

    fn compile_view(
        &self,
        view: &CatalogueView,
        network: Option<Arc<Vec<NetworkField>>>,
    ) -> Result<Arc<CompiledView>, CatalogueError> {
        let fields = network.clone();
        let key = ViewKey {
            hidden_fields: view.hidden_fields.clone(),
            suppression_threshold: view.suppression_threshold,
            is_unrestricted: view.is_unrestricted(),
            network,
        };
        let compile = || -> Result<_, CatalogueError> {
            let catalogue = match view.hidden_fields.is_empty() {
                true => Arc::clone(&self.catalogue),
                false => Arc::new(Catalogue::build_restricted(&self.config, &self.mapping, &view.hidden_fields)?),
            };
            let network = fields.as_deref().map(Vec::as_slice);
            Ok(Arc::new(CompiledView {
                schema: CatalogueSchema::build_with_network(Arc::clone(&catalogue), network)?,
                introspection: Arc::new(CatalogueIntrospectionBody::new(&catalogue, view, self.generated_at.clone())),
                catalogue,
            }))
        };
        self.views.try_get_with(key, compile).map_err(|error| CatalogueError::clone(&error))
    }
}
