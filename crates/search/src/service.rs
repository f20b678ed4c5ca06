//! The service itself.

use std::path::PathBuf;
use std::sync::Arc;

use arc_swap::ArcSwap;
use cantata_catalogue::{ConfigProblem, Configs, Defaults};
use cantata_engine::SearchEngine;
use tokio::sync::Mutex;

use crate::catalogues::Catalogues;
use crate::loading;

/// Where the configurations of the catalogues come from.
#[derive(Debug, Clone)]
pub enum ConfigSource {
    /// A value, which stays as it is.
    Configs(Configs),
    /// A folder, which is read again when it changes, and what its files do not say.
    Folder(PathBuf, Box<Defaults>),
}

impl ConfigSource {
    /// Reads the configurations.
    ///
    /// # Errors
    ///
    /// If there is no catalogue at all, or the folder cannot be read.
    pub fn read(&self) -> Result<Configs, Vec<ConfigProblem>> {
        match self {
            Self::Configs(configs) => Ok(configs.clone()),
            Self::Folder(folder, defaults) => Configs::from_folder(folder, defaults),
        }
    }
}

/// The search service.
pub struct SearchService {
    pub(crate) engine: Arc<dyn SearchEngine>,
    pub(crate) source: ConfigSource,
    catalogues: ArcSwap<Catalogues>,
    /// Held while catalogues are loaded, so that an older state never replaces a newer one.
    loading: Mutex<()>,
}

impl SearchService {
    /// Loads the catalogues.
    ///
    /// # Errors
    ///
    /// If there is no catalogue at all, or the configuration cannot be read.
    pub async fn start(engine: Arc<dyn SearchEngine>, source: ConfigSource) -> Result<Self, Vec<ConfigProblem>> {
        let catalogues = loading::load(&*engine, source.read()?, None).await;
        Ok(Self { engine, source, catalogues: ArcSwap::from_pointee(catalogues), loading: Mutex::new(()) })
    }

    /// Returns the catalogues as they are now.
    pub fn catalogues(&self) -> Arc<Catalogues> {
        self.catalogues.load_full()
    }

    /// Returns the engine.
    pub fn engine(&self) -> &Arc<dyn SearchEngine> {
        &self.engine
    }

    /// Reads the configurations and mappings again; what did not change stays.
    ///
    /// # Errors
    ///
    /// If there is no catalogue at all any more, or the configuration cannot be read; then everything stays as it is.
    pub async fn refresh(&self) -> Result<(), Vec<ConfigProblem>> {
        let _loading = self.loading.lock().await;
        let configs = self.source.read()?;
        let before = self.catalogues();
        let after = loading::load(&*self.engine, configs, Some(&before)).await;
        self.catalogues.store(Arc::new(after));
        Ok(())
    }

    /// Reads one catalogue again, whether it changed or not; returns false if there is none of this id.
    ///
    /// # Errors
    ///
    /// As [`SearchService::refresh`].
    pub async fn reload(&self, id: &str) -> Result<bool, Vec<ConfigProblem>> {
        self.refresh().await?;
        let _loading = self.loading.lock().await;
        let before = self.catalogues();
        let Some(place) = before.entries.iter().position(|entry| entry.configured.id == id) else { return Ok(false) };
        let mut entries = before.entries.clone();
        entries[place] = loading::fresh(&*self.engine, Arc::clone(&entries[place].configured)).await;
        self.catalogues.store(Arc::new(Catalogues { mode: before.mode, entries }));
        Ok(true)
    }

    /// Looks whether mappings changed, so that a catalogue is another now or can be served at last.
    pub(crate) async fn follow_mappings(&self) {
        for entry in &self.catalogues().entries {
            if loading::has_changed(&*self.engine, entry).await == Some(true) {
                if let Err(problems) = self.refresh().await {
                    tracing::warn!(?problems, "the catalogues stay as they are");
                }
                return;
            }
        }
    }
}
