//! Saving what a catalogue shows at first, in its configuration files.

use std::io;
use std::path::Path;
use std::sync::Arc;

use cantata_catalogue::{Catalogue, ChosenDisplay, ConfigProblem};
use cantata_durable_file::create_folder;

use crate::catalogue_entry::EntryState;
use crate::config_journal::{finish_changes, replace_files};
use crate::service::{ConfigSource, SearchService};

/// Why a display was not saved.
#[derive(Debug, thiserror::Error)]
pub enum DisplaySaveError {
    /// There is no catalogue of this id.
    #[error("there is no such catalogue")]
    UnknownCatalogue,
    /// The catalogue cannot be served, so its fields are not known.
    #[error("the catalogue cannot be served at present")]
    NotServed,
    /// The catalogues were given by a program.
    #[error("the catalogues of this server have no configuration files")]
    NoFiles,
    /// The choice does not fit the catalogue, or its files cannot be read.
    #[error("{} problems", .0.len())]
    Problems(Vec<ConfigProblem>),
    /// A file cannot be written.
    #[error("the configuration cannot be written: {0}")]
    Unwritable(#[from] io::Error),
}

impl SearchService {
    /// Saves what a catalogue shows at first, and loads it again.
    ///
    /// # Errors
    ///
    /// If the choice does not fit the catalogue, then nothing has changed; or the files cannot be read or written.
    pub async fn save_display(&self, id: &str, display: ChosenDisplay) -> Result<(), DisplaySaveError> {
        let catalogues = self.catalogues();
        let entry = catalogues.entries.iter().find(|entry| entry.configured.id == id);
        let entry = entry.ok_or(DisplaySaveError::UnknownCatalogue)?;
        let (EntryState::Available(loaded) | EntryState::Degraded(loaded, _)) = &entry.state else {
            return Err(DisplaySaveError::NotServed);
        };
        let folder = match (&entry.configured.folder, &self.source) {
            (Some(folder), _) | (None, ConfigSource::Folder(folder, _)) => folder.clone(),
            (None, ConfigSource::Fixed(_)) => return Err(DisplaySaveError::NoFiles),
        };
        let problems = display.problems(&loaded.catalogue);
        if !problems.is_empty() {
            return Err(DisplaySaveError::Problems(problems));
        }
        let catalogue = Arc::clone(&loaded.catalogue);
        let guard = Arc::clone(&self.reload_lock).lock_owned().await;
        let written = tokio::task::spawn_blocking(move || {
            // Held until all files are written, also if the client leaves meanwhile.
            let _guard = guard;
            write(&display, &catalogue, &folder)
        });
        written.await.map_err(io::Error::other)??;
        self.reload(id).await.map_err(DisplaySaveError::Problems)?;
        Ok(())
    }
}

fn write(display: &ChosenDisplay, catalogue: &Catalogue, folder: &Path) -> Result<(), DisplaySaveError> {
    finish_changes(folder)?;
    let files = display.changed_files(catalogue, folder);
    let files = files.map_err(|problem| DisplaySaveError::Problems(vec![problem]))?;
    create_folder(folder)?;
    Ok(replace_files(folder, &files)?)
}
