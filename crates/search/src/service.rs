//! The search service: loading, reloading and probing the catalogues of a server.

use std::path::PathBuf;
use std::slice;
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use cantata_catalogue::{CatalogueConfigs, ConfigDefaults, ConfigProblem};
use cantata_engine::{EngineError, SearchEngine};
use futures_util::future::join_all;
use tokio::sync::Mutex;

use crate::catalogue_entry::{CatalogueEntry, ProbeLock, ProbeState};
use crate::catalogues::Catalogues;
use crate::config_journal::finish_all_changes;
use crate::engine_provider::EngineProvider;
use crate::index_probe::probe_index;

/// How long a probe in the background may take.
const BACKGROUND_PROBE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a probe may take that a caller waits for.
const FOREGROUND_PROBE_TIMEOUT: Duration = Duration::from_secs(3);

/// Where the configurations of the catalogues come from.
#[derive(Debug, Clone)]
pub enum ConfigSource {
    /// A value that never changes.
    Fixed(CatalogueConfigs),
    /// A folder that is watched, and the defaults for what its files do not set.
    Folder(PathBuf, Box<ConfigDefaults>),
}

impl ConfigSource {
    /// Reads the configurations.
    ///
    /// # Errors
    ///
    /// If there is no catalogue at all, or the folder cannot be read.
    pub fn read(&self) -> Result<CatalogueConfigs, Vec<ConfigProblem>> {
        match self {
            Self::Fixed(configs) => Ok(configs.clone()),
            Self::Folder(folder, defaults) => {
                finish_all_changes(folder);
                CatalogueConfigs::from_folder(folder, defaults)
            }
        }
    }

    /// Reads the configurations for a server without catalogues: a folder that is missing or empty is waited for.
    fn read_first(&self) -> Result<CatalogueConfigs, Vec<ConfigProblem>> {
        match self {
            Self::Fixed(configs) => Ok(configs.clone()),
            Self::Folder(folder, defaults) => {
                finish_all_changes(folder);
                let configs = CatalogueConfigs::from_pending_folder(folder, defaults)?;
                if configs.catalogues.is_empty() {
                    let folder = folder.display();
                    tracing::warn!(%folder, "CONFIGS_PATH is missing or empty; there are no catalogues until it is not");
                }
                Ok(configs)
            }
        }
    }
}

/// The search service.
pub struct SearchService {
    engines: Box<dyn EngineProvider>,
    pub(crate) source: ConfigSource,
    catalogues: ArcSwap<Catalogues>,
    /// Held while configurations are read or written, so that an older one never replaces a newer one.
    pub(crate) reload_lock: Arc<Mutex<()>>,
}

impl SearchService {
    /// Loads the catalogues. There are none yet if the folder of the configurations is missing or empty.
    ///
    /// # Errors
    ///
    /// If the configuration cannot be read.
    pub async fn start(engines: impl EngineProvider, source: ConfigSource) -> Result<Self, Vec<ConfigProblem>> {
        let CatalogueConfigs { mode, catalogues } = source.read_first()?;
        let entries = catalogues.into_iter().map(|configured| probe_new(CatalogueEntry::new(&engines, configured)));
        let catalogues = Catalogues { mode, entries: join_all(entries).await };
        let catalogues = ArcSwap::from_pointee(catalogues);
        Ok(Self { engines: Box::new(engines), source, catalogues, reload_lock: Arc::default() })
    }

    /// Returns a snapshot of the catalogues.
    pub fn catalogues(&self) -> Arc<Catalogues> {
        self.catalogues.load_full()
    }

    /// Checks that the engines of the catalogues can be written, as far as they know.
    ///
    /// # Errors
    ///
    /// Why one of them cannot.
    pub async fn check_writes(&self) -> Result<(), EngineError> {
        let engines: Vec<Arc<dyn SearchEngine>> =
            self.catalogues().configured().map(|(_, engine)| Arc::clone(engine)).collect();
        for engine in engines {
            engine.check_health().await?;
        }
        Ok(())
    }

    /// Returns why the background work of the index of a catalogue failed, as far as the engines know.
    pub fn maintenance_failure(&self) -> Option<EngineError> {
        self.catalogues().configured().find_map(|(config, engine)| engine.maintenance_failure(&config.index))
    }

    /// Reloads configurations and mappings; what did not change is kept.
    ///
    /// # Errors
    ///
    /// If there is no catalogue at all any more, or the configuration cannot be read; then nothing changes.
    pub async fn refresh(&self) -> Result<(), Vec<ConfigProblem>> {
        self.reload_configs().await?;
        self.probe_now(&self.catalogues().entries, false).await;
        Ok(())
    }

    /// Rebuilds one catalogue, whether it changed or not; returns false if there is none of this id.
    ///
    /// # Errors
    ///
    /// As [`SearchService::refresh`].
    pub async fn reload(&self, id: &str) -> Result<bool, Vec<ConfigProblem>> {
        self.reload_configs().await?;
        let catalogues = self.catalogues();
        let Some(entry) = catalogues.entries.iter().find(|entry| entry.configured.id == id) else { return Ok(false) };
        self.probe_now(slice::from_ref(entry), true).await;
        Ok(true)
    }

    /// Reads the configurations again. Only indexes that are new are probed here.
    pub(crate) async fn reload_configs(&self) -> Result<(), Vec<ConfigProblem>> {
        let _guard = self.reload_lock.lock().await;
        let before = self.catalogues();
        let configs = if before.entries.is_empty() { self.source.read_first() } else { self.source.read() };
        let CatalogueConfigs { mode, catalogues } = configs?;
        let entries = catalogues.into_iter().map(async |configured| {
            // The setup of an engine is tried again: a missing certificate, for instance, may be there now.
            let is_settled = |entry: &CatalogueEntry| entry.engine.is_some() || entry.configured.config.is_err();
            let is_known = |entry: &&CatalogueEntry| *entry.configured == configured && is_settled(entry);
            if let Some(entry) = before.entries.iter().find(is_known) {
                return entry.clone();
            }
            let entry = CatalogueEntry::new(&*self.engines, configured);
            let entry = match before.entries.iter().find(|earlier| earlier.configured.id == entry.configured.id) {
                Some(earlier) => {
                    CatalogueEntry { counters: Arc::clone(&earlier.counters), ..entry.carry_over(earlier) }
                }
                None => entry,
            };
            if entry.fields.is_some() { entry } else { probe_new(entry).await }
        });
        let entries = join_all(entries).await;
        self.replace(|now| {
            // An entry that was taken over may have been probed meanwhile.
            let entries = entries.iter().map(|entry| now.entry(&entry.probe).unwrap_or(entry).clone());
            Catalogues { mode, entries: entries.collect() }
        });
        Ok(())
    }

    /// Starts a probe of every index in the background; catalogues that are being probed are skipped.
    pub(crate) fn probe_in_background(self: &Arc<Self>) {
        for entry in &self.catalogues().entries {
            let Ok(mut state) = Arc::clone(&entry.probe).try_lock_owned() else { continue };
            let (service, lock) = (Arc::clone(self), Arc::clone(&entry.probe));
            tokio::spawn(async move { service.probe(&lock, &mut state, BACKGROUND_PROBE_TIMEOUT, false).await });
        }
    }

    /// Probes the indexes of entries and waits for it up to a timeout.
    async fn probe_now(&self, entries: &[CatalogueEntry], rebuild: bool) {
        let probe = async |entry: &CatalogueEntry| {
            // A probe that is under way may take longer; its result becomes visible later.
            if let Ok(mut state) = tokio::time::timeout(FOREGROUND_PROBE_TIMEOUT, entry.probe.lock()).await {
                self.probe(&entry.probe, &mut state, FOREGROUND_PROBE_TIMEOUT, rebuild).await;
            }
        };
        join_all(entries.iter().map(probe)).await;
    }

    /// Probes the index of the entry with this lock, and replaces that entry alone.
    async fn probe(&self, lock: &ProbeLock, state: &mut ProbeState, timeout: Duration, rebuild: bool) {
        let catalogues = self.catalogues();
        let Some(entry) = catalogues.entry(lock) else { return };
        let Some(after) = probe_index(entry, state, timeout, rebuild).await else { return };
        self.replace(|now| {
            let mut catalogues = Catalogues::clone(now);
            catalogues.entries.iter_mut().filter(|entry| Arc::ptr_eq(&entry.probe, lock)).for_each(|entry| {
                entry.clone_from(&after);
            });
            catalogues
        });
    }

    fn replace(&self, make: impl Fn(&Catalogues) -> Catalogues) {
        self.catalogues.rcu(|now| Arc::new(make(now)));
    }
}

/// Probes the index of an entry that is not in the list yet.
async fn probe_new(entry: CatalogueEntry) -> CatalogueEntry {
    probe_index(&entry, &mut ProbeState::default(), FOREGROUND_PROBE_TIMEOUT, false).await.unwrap_or(entry)
}
