//! The catalogues of a server at one moment.

use std::sync::Arc;

use cantata_access::Identity;
use cantata_catalogue::introspection::{
    AmbiguousCatalogueBody, CatalogueNotFoundBody, CatalogueResolution, CatalogueState, FailedCatalogue, HealthStatus,
    ServerIntrospectionBody, resolve,
};
use cantata_catalogue::{CatalogueConfig, CatalogueMode, NodeTarget};
use cantata_engine::SearchEngine;
use cantata_federation::NodeReport;

use crate::catalogue_entry::{CatalogueEntry, EntryState, ProbeLock};
use crate::counters::SearchCounters;
use crate::loaded_catalogue::LoadedCatalogue;
use crate::network_view::{LocalNodes, NetworkView};
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

    /// Returns the state of the nodes of each network, with the id of its catalogue.
    pub fn networks(&self) -> impl Iterator<Item = (&str, Vec<NodeReport>)> {
        let reports = |entry: &CatalogueEntry| entry.network.as_ref().map(|network| network.reports());
        self.entries.iter().filter_map(move |entry| Some((entry.configured.id.as_str(), reports(entry)?)))
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
            (CatalogueMode::Single, [entry]) => Some(self.view_entry(entry, identity)),
            _ => None,
        }
    }

    /// Resolves an id or a document type, as an identity sees the catalogue.
    pub fn find(&self, name: &str, identity: &Identity) -> CatalogueLookup {
        match resolve(name, &self.states()) {
            CatalogueResolution::One(index) => self.view_entry(&self.entries[index], identity),
            CatalogueResolution::Ambiguous(ids) => CatalogueLookup::Ambiguous(AmbiguousCatalogueBody::new(name, ids)),
            CatalogueResolution::Unknown => CatalogueLookup::Unknown(CatalogueNotFoundBody::new(name)),
        }
    }

    fn view_entry(&self, entry: &CatalogueEntry, identity: &Identity) -> CatalogueLookup {
        let view = |loaded: &LoadedCatalogue| self.view(entry, loaded, identity).map(Arc::new).map_err(Arc::new);
        let lookup = match &entry.state {
            EntryState::Available(loaded) => view(loaded).map(CatalogueLookup::Available),
            EntryState::Degraded(loaded, failed) => {
                view(loaded).map(|served| CatalogueLookup::Degraded(served, Arc::clone(failed)))
            }
            EntryState::Failed(failed) => Err(Arc::clone(failed)),
        };
        lookup.unwrap_or_else(CatalogueLookup::Failed)
    }

    /// Returns a catalogue with its network, as an identity sees them.
    fn view(
        &self,
        entry: &CatalogueEntry,
        loaded: &LoadedCatalogue,
        identity: &Identity,
    ) -> Result<ServedCatalogue, FailedCatalogue> {
        let own = loaded.view_for(identity, &entry.counters)?;
        let Some(network) = &entry.network else { return Ok(own) };
        let own = Arc::new(own);
        let locals = network.targets().map(|target| match target {
            NodeTarget::OwnRecords => Some(Arc::clone(&own)),
            NodeTarget::Catalogue(name) => self.view_node(name, identity),
            NodeTarget::Remote(_) => None,
        });
        let locals = Arc::new(LocalNodes(locals.collect()));
        loaded.with_network(&own, NetworkView { network: Arc::clone(network), locals })
    }

    /// Returns a catalogue that is a node of another one, without a network of its own.
    fn view_node(&self, name: &str, identity: &Identity) -> Option<Arc<ServedCatalogue>> {
        let CatalogueResolution::One(index) = resolve(name, &self.states()) else { return None };
        let entry = self.entries.get(index)?;
        match &entry.state {
            EntryState::Available(loaded) | EntryState::Degraded(loaded, _) => {
                loaded.view_for(identity, &entry.counters).ok().map(Arc::new)
            }
            EntryState::Failed(_) => None,
        }
    }
}
