//! One catalogue in the list: its configuration, its engine, and what came of bringing them together.

use std::sync::Arc;

use cantata_catalogue::introspection::{CatalogueState, FailedCatalogue};
use cantata_catalogue::{
    Catalogue, CatalogueConfig, CatalogueError, CatalogueErrorCode, ConfigProblem, ConfiguredCatalogue, NetworkConfig,
};
use cantata_engine::{EngineError, SearchEngine};
use cantata_federation::Network;
use cantata_mapping::IndexMapping;
use cantata_store::Store;

use crate::counters::SearchCounters;
use crate::engine_provider::{EngineProvider, EngineSetupError};
use crate::index_probe::IndexFields;
use crate::index_profile::CountingPause;
use crate::loaded_catalogue::LoadedCatalogue;

/// The error of a catalogue until its engine has answered once.
const NOT_PROBED: &str = "the search engine has not answered yet";

/// A catalogue, whether it can be served or not.
#[derive(Clone)]
pub(crate) struct CatalogueEntry {
    pub(crate) configured: Arc<ConfiguredCatalogue>,
    /// `None` if the configuration or the settings of the engine cannot be used.
    pub(crate) engine: Option<Arc<dyn SearchEngine>>,
    /// The store that has the saved sets, if they are shared.
    pub(crate) set_store: Option<Arc<dyn Store>>,
    /// The fields that the state was built from; `None` if the engine has not given them.
    pub(crate) fields: Option<IndexFields>,
    pub(crate) state: EntryState,
    pub(crate) probe: ProbeLock,
    /// Kept for a catalogue of the same id when its configuration changes.
    pub(crate) counters: Arc<SearchCounters>,
    /// The network that the catalogue is asked with.
    pub(crate) network: Option<Arc<Network>>,
}

/// Held while the index of a catalogue is probed. Clones of an entry share it, so it is also their identity.
pub(crate) type ProbeLock = Arc<tokio::sync::Mutex<ProbeState>>;

/// What is kept between the probes of an index.
#[derive(Debug, Default)]
pub(crate) struct ProbeState {
    /// How many probes in a row timed out.
    pub(crate) consecutive_timeouts: usize,
    pub(crate) probes_since_search: usize,
    pub(crate) counting_pause: CountingPause,
}

/// Whether a catalogue can be served.
#[derive(Clone)]
pub(crate) enum EntryState {
    Available(Arc<LoadedCatalogue>),
    /// It was available; its engine or index fails at present.
    Degraded(Arc<LoadedCatalogue>, Arc<FailedCatalogue>),
    Failed(Arc<FailedCatalogue>),
}

impl CatalogueEntry {
    /// Creates the entry of a configuration with its engine. The index has not been probed yet.
    pub(crate) fn new(engines: &dyn EngineProvider, configured: ConfiguredCatalogue) -> Self {
        log_problems(&configured.id, configured.problems());
        let engine = match (&configured.config, configured.error()) {
            (Ok(config), _) => engines.engine(&config.engine).map_err(|error| unusable_engine(&configured.id, &error)),
            (Err(_), error) => {
                let unknown =
                    || CatalogueError::new(CatalogueErrorCode::UnknownError, "The configuration has problems.");
                let error = error.unwrap_or_else(unknown);
                tracing::warn!(catalogue = configured.id, %error, "a catalogue cannot be served");
                Err(error)
            }
        };
        let (engine, error) = match engine {
            Ok(engine) => (Some(engine), CatalogueError::new(CatalogueErrorCode::ConnectionError, NOT_PROBED)),
            Err(error) => (None, error),
        };
        let state = EntryState::Failed(Arc::new(FailedCatalogue::new(&configured, error)));
        let network = configured.config.as_ref().ok().and_then(|config| config.network.as_ref());
        let network = network.map(Network::start);
        Self {
            configured: Arc::new(configured),
            engine,
            set_store: engines.set_store(),
            fields: None,
            state,
            probe: Arc::default(),
            counters: Arc::default(),
            network,
        }
    }

    fn network_config(&self) -> Option<&NetworkConfig> {
        self.configured.config.as_ref().ok().and_then(|config| config.network.as_ref())
    }

    /// Returns the state as introspection shows it.
    pub(crate) fn public_state(&self) -> CatalogueState<'_> {
        match &self.state {
            EntryState::Available(loaded) => CatalogueState::Available(&loaded.catalogue),
            EntryState::Degraded(_, failed) | EntryState::Failed(failed) => CatalogueState::Failed(failed),
        }
    }

    pub(crate) fn error(&self) -> Option<&CatalogueError> {
        match &self.state {
            EntryState::Available(_) => None,
            EntryState::Degraded(_, failed) | EntryState::Failed(failed) => Some(&failed.error),
        }
    }

    /// Returns whether this server fills the index.
    pub(crate) fn has_source(&self) -> bool {
        self.index().is_some_and(|(_, config)| config.source.is_some())
    }

    /// Returns the engine and the configuration that names the index, if both can be used.
    pub(crate) fn index(&self) -> Option<(&Arc<dyn SearchEngine>, &CatalogueConfig)> {
        self.engine.as_ref().zip(self.configured.config.as_ref().ok())
    }

    /// Returns whether the state was built from these fields.
    pub(crate) fn is_built_from(&self, now: &IndexFields) -> bool {
        let is_same = |one: &Arc<IndexMapping>, other: &Arc<IndexMapping>| {
            Arc::ptr_eq(one, other) || (one.raw() == other.raw() && one.meta() == other.meta())
        };
        self.fields.as_ref().is_some_and(|then| {
            is_same(&now.mapping, &then.mapping) && now.list_fields == then.list_fields && now.profile == then.profile
        })
    }

    /// Takes over the fields from the entry of an earlier configuration on the same index, which saves a probe, and a
    /// network that did not change.
    pub(crate) fn carry_over(self, earlier: &Self) -> Self {
        let is_same_network = self.network_config() == earlier.network_config();
        let network = if is_same_network { earlier.network.clone() } else { self.network.clone() };
        let this = Self { network, ..self };
        let is_same = match (this.index(), earlier.index()) {
            (Some((engine, config)), Some((then, before))) => Arc::ptr_eq(engine, then) && config.index == before.index,
            _ => false,
        };
        let Some(fields) = earlier.fields.clone().filter(|_| is_same) else { return this };
        let rebuilt = this.rebuild(fields);
        match (&rebuilt.state, &earlier.state) {
            (EntryState::Available(loaded), EntryState::Degraded(_, failed)) => {
                let failed = FailedCatalogue::new(&rebuilt.configured, failed.error.clone());
                Self { state: EntryState::Degraded(Arc::clone(loaded), Arc::new(failed)), ..rebuilt }
            }
            _ => rebuilt,
        }
    }

    /// Builds the catalogue from the fields of its index.
    pub(crate) fn rebuild(&self, fields: IndexFields) -> Self {
        let state = match self.index() {
            Some((engine, config)) => match LoadedCatalogue::build(engine, self.set_store.as_ref(), config, &fields) {
                Ok(loaded) => {
                    log_problems(&self.configured.id, &loaded.catalogue.warnings);
                    EntryState::Available(Arc::new(loaded))
                }
                Err(error) => {
                    log_problems(&self.configured.id, &Catalogue::access_rule_problems(config, &fields.mapping));
                    EntryState::Failed(Arc::new(FailedCatalogue::new(&self.configured, error)))
                }
            },
            None => self.state.clone(),
        };
        Self { fields: Some(fields), state, ..self.clone() }
    }

    /// Records that a probe failed. What was built before is kept, since a search may still succeed.
    pub(crate) fn degrade(&self, error: &EngineError) -> Self {
        let failed = Arc::new(FailedCatalogue::new(&self.configured, catalogue_error(error)));
        match &self.state {
            EntryState::Available(loaded) | EntryState::Degraded(loaded, _) => {
                Self { state: EntryState::Degraded(Arc::clone(loaded), failed), ..self.clone() }
            }
            EntryState::Failed(_) => Self { fields: None, state: EntryState::Failed(failed), ..self.clone() },
        }
    }
}

/// Logs why an engine cannot be used; clients must not learn its address.
fn unusable_engine(id: &str, error: &EngineSetupError) -> CatalogueError {
    tracing::warn!(catalogue = id, %error, "the search engine of a catalogue cannot be used");
    let message = "The settings of the search engine cannot be used; the log of the server says why.";
    CatalogueError::new(CatalogueErrorCode::UnknownError, message)
}

/// Logs the problems of a configuration, which clients see only in part.
fn log_problems(id: &str, problems: &[ConfigProblem]) {
    for problem in problems {
        match problem.is_error() {
            true => tracing::warn!(catalogue = id, %problem, "a part of a configuration cannot be used"),
            false => tracing::warn!(catalogue = id, %problem, "a part of a configuration is not used as written"),
        }
    }
}

fn catalogue_error(error: &EngineError) -> CatalogueError {
    let code = match error {
        EngineError::IndexNotFound(_) => CatalogueErrorCode::IndexNotFound,
        EngineError::PermissionDenied => CatalogueErrorCode::PermissionDenied,
        EngineError::Unreachable | EngineError::TimedOut | EngineError::Busy | EngineError::IndexUnavailable { .. } => {
            CatalogueErrorCode::ConnectionError
        }
        EngineError::IndexExists(_)
        | EngineError::Rejected(_)
        | EngineError::IndexDamaged { .. }
        | EngineError::NotWritable(_)
        | EngineError::Failed(_) => CatalogueErrorCode::MappingFetchError,
    };
    CatalogueError::new(code, error.client_message())
}
