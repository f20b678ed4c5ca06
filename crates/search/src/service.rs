//! The service itself.

use std::path::PathBuf;
use std::slice;
use std::sync::Arc;

use arc_swap::ArcSwap;
use cantata_catalogue::{ConfigProblem, Configs, Defaults};
use futures_util::future::join_all;
use tokio::sync::Mutex;

use crate::catalogues::{Catalogues, Entry};
use crate::engines::Engines;
use crate::following::first_look;
use crate::loading::unasked;

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
    engines: Box<dyn Engines>,
    pub(crate) source: ConfigSource,
    catalogues: ArcSwap<Catalogues>,
    /// Held while configurations are read, so that an older one never replaces a newer one.
    reading: Mutex<()>,
}

impl SearchService {
    /// Loads the catalogues.
    ///
    /// # Errors
    ///
    /// If there is no catalogue at all, or the configuration cannot be read.
    pub async fn start(engines: impl Engines, source: ConfigSource) -> Result<Self, Vec<ConfigProblem>> {
        let Configs { mode, catalogues } = source.read()?;
        let entries = catalogues.into_iter().map(|configured| first_look(unasked(&engines, configured)));
        let catalogues = Catalogues { mode, entries: join_all(entries).await };
        let catalogues = ArcSwap::from_pointee(catalogues);
        Ok(Self { engines: Box::new(engines), source, catalogues, reading: Mutex::new(()) })
    }

    /// Returns the catalogues as they are now.
    pub fn catalogues(&self) -> Arc<Catalogues> {
        self.catalogues.load_full()
    }

    /// Reads the configurations and mappings again; what did not change stays.
    ///
    /// # Errors
    ///
    /// If there is no catalogue at all any more, or the configuration cannot be read; then everything stays as it is.
    pub async fn refresh(&self) -> Result<(), Vec<ConfigProblem>> {
        self.read_again().await?;
        self.follow_now(&self.catalogues().entries, false).await;
        Ok(())
    }

    /// Reads one catalogue again, whether it changed or not; returns false if there is none of this id.
    ///
    /// # Errors
    ///
    /// As [`SearchService::refresh`].
    pub async fn reload(&self, id: &str) -> Result<bool, Vec<ConfigProblem>> {
        self.read_again().await?;
        let catalogues = self.catalogues();
        let Some(entry) = catalogues.entries.iter().find(|entry| entry.configured.id == id) else { return Ok(false) };
        self.follow_now(slice::from_ref(entry), true).await;
        Ok(true)
    }

    /// Reads the configurations again. Only new indexes are waited for; those that are known are followed elsewhere.
    pub(crate) async fn read_again(&self) -> Result<(), Vec<ConfigProblem>> {
        let _reading = self.reading.lock().await;
        let Configs { mode, catalogues } = self.source.read()?;
        let before = self.catalogues();
        let entries = catalogues.into_iter().map(async |configured| {
            // What kept a catalogue from its engine may be over, such as a certificate that was not there.
            let is_settled = |entry: &Entry| entry.engine.is_some() || entry.configured.config.is_err();
            let is_known = |entry: &&Entry| *entry.configured == configured && is_settled(entry);
            if let Some(entry) = before.entries.iter().find(is_known) {
                return entry.clone();
            }
            let entry = unasked(&*self.engines, configured);
            let entry = match before.entries.iter().find(|earlier| earlier.configured.id == entry.configured.id) {
                Some(earlier) => Entry { tally: Arc::clone(&earlier.tally), ..entry.after(earlier) },
                None => entry,
            };
            if entry.mapping.is_some() { entry } else { first_look(entry).await }
        });
        let entries = join_all(entries).await;
        self.replace(|now| {
            // What was taken over may have changed meanwhile.
            let entries = entries.iter().map(|entry| now.entry(&entry.turn).unwrap_or(entry).clone());
            Catalogues { mode, entries: entries.collect() }
        });
        Ok(())
    }

    /// Replaces the catalogues by what is made of those that are there.
    pub(crate) fn replace(&self, make: impl Fn(&Catalogues) -> Catalogues) {
        self.catalogues.rcu(|now| Arc::new(make(now)));
    }
}
