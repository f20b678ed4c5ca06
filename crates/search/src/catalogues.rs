//! The catalogues of a server at one moment.

use std::sync::Arc;

use cantata_access::Identity;
use cantata_catalogue::introspection::{
    AmbiguousCatalogueBody, CatalogueNotFoundBody, CatalogueResolution, CatalogueState, FailedCatalogue, HealthStatus,
    ServerIntrospectionBody, resolve,
};
use cantata_catalogue::{CatalogueConfig, CatalogueMode};
use cantata_engine::SearchEngine;

use crate::catalogue_entry::{CatalogueEntry, EntryState, ProbeLock};
use crate::counters::SearchCounters;
use crate::loaded_catalogue::LoadedCatalogue;
use crate::served_catalogue::ServedCatalogue;

/// All catalogues.
#[derive(Clone)]
pub struct Catalogues {
    pub(crate) mode: CatalogueMode,
    pub(crate) entries: Vec<CatalogueEntry>,
}

/// What a name in a path resolves to.
pub enum CatalogueLookup {
    /// A catalogue that can be searched.
    Available(Arc<ServedCatalogue>),
    /// A catalogue that was available, and the present error of its engine or index. A search may still succeed.
    Degraded(Arc<ServedCatalogue>, Arc<FailedCatalogue>),
    /// A catalogue that cannot be served.
    Failed(Arc<FailedCatalogue>),
    /// Several catalogues.
    Ambiguous(AmbiguousCatalogueBody),
    /// None.
    Unknown(CatalogueNotFoundBody),
}

impl Catalogues {
    /// Returns whether paths name the catalogue.
    pub fn mode(&self) -> CatalogueMode {
        self.mode
    }

    /// Returns the catalogues with a usable configuration, and their engines.
    pub fn configured(&self) -> impl Iterator<Item = (&CatalogueConfig, &Arc<dyn SearchEngine>)> {
        self.entries.iter().filter_map(CatalogueEntry::index).map(|(engine, config)| (config, engine))
    }

    /// Returns the counters of each catalogue with its id.
    pub fn counters(&self) -> impl Iterator<Item = (&str, &SearchCounters)> {
        self.entries.iter().map(|entry| (entry.configured.id.as_str(), &*entry.counters))
    }

    /// Returns the present state of the entry with this probe lock.
    pub(crate) fn entry(&self, probe: &ProbeLock) -> Option<&CatalogueEntry> {
        self.entries.iter().find(|entry| Arc::ptr_eq(&entry.probe, probe))
    }

    fn states(&self) -> Vec<CatalogueState<'_>> {
        self.entries.iter().map(CatalogueEntry::public_state).collect()
    }

    /// Returns the introspection response of the server.
    pub fn introspection(&self) -> ServerIntrospectionBody {
        ServerIntrospectionBody::new(self.mode, &self.states())
    }

    /// Returns the health of all catalogues together.
    pub fn status(&self) -> HealthStatus {
        HealthStatus::of(&self.states())
    }

    /// Returns the only catalogue of a server in single mode, as an identity sees it.
    pub fn only(&self, identity: &Identity) -> Option<CatalogueLookup> {
        match (self.mode, &self.entries[..]) {
            (CatalogueMode::Single, [entry]) => Some(view_entry(entry, identity)),
            _ => None,
        }
    }

    /// Resolves an id or a document type, as an identity sees the catalogue.
    pub fn find(&self, name: &str, identity: &Identity) -> CatalogueLookup {
        match resolve(name, &self.states()) {
            CatalogueResolution::One(index) => view_entry(&self.entries[index], identity),
            CatalogueResolution::Ambiguous(ids) => CatalogueLookup::Ambiguous(AmbiguousCatalogueBody::new(name, ids)),
            CatalogueResolution::Unknown => CatalogueLookup::Unknown(CatalogueNotFoundBody::new(name)),
        }
    }
}

fn view_entry(entry: &CatalogueEntry, identity: &Identity) -> CatalogueLookup {
    let view = |loaded: &LoadedCatalogue| loaded.view_for(identity, &entry.counters).map(Arc::new).map_err(Arc::new);
    let lookup = match &entry.state {
        EntryState::Available(loaded) => view(loaded).map(CatalogueLookup::Available),
        EntryState::Degraded(loaded, failed) => {
            view(loaded).map(|served| CatalogueLookup::Degraded(served, Arc::clone(failed)))
        }
        EntryState::Failed(failed) => Err(Arc::clone(failed)),
    };
    lookup.unwrap_or_else(CatalogueLookup::Failed)
}
