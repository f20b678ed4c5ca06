//! The engine and the service in this process, on a copy of the index: the server has its own open.

use std::sync::Arc;

use cantata_access::Identity;
use cantata_engine_embedded::EmbeddedEngine;
use cantata_search::{CatalogueLookup, ConfigSource, SearchService, ServedCatalogue};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use super::SearchBench;
use super::importing::{SEARCH_FOLDER, imported};
use super::search_server::write_configs;
use crate::{Outcome, seeding};

/// The engine, the catalogue of files, and what runs them.
pub(super) struct Inside {
    pub(super) runtime: Runtime,
    pub(super) engine: EmbeddedEngine,
    pub(super) catalogue: Arc<ServedCatalogue>,
    _copy: TempDir,
}

impl Inside {
    pub(super) fn open(bench: &SearchBench) -> Outcome<Self> {
        let copy = bench.workspace.new_folder()?;
        seeding::copy_folder(&imported(bench)?, copy.path())?;
        let engine = EmbeddedEngine::open(&copy.path().join(SEARCH_FOLDER))?;
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let configs = write_configs(bench)?;
        let source = ConfigSource::Folder(configs.path().to_owned(), Box::default());
        let service = runtime
            .block_on(SearchService::start(Arc::new(engine.clone()), source))
            .map_err(|problems| format!("the sample catalogues cannot be read: {problems:?}"))?;
        let catalogue = match service.catalogues().find("files", &Identity::unchecked()) {
            CatalogueLookup::Available(catalogue) => catalogue,
            CatalogueLookup::Failed(failed) | CatalogueLookup::Degraded(_, failed) => {
                return Err(failed.error.to_string().into());
            }
            CatalogueLookup::Ambiguous(_) | CatalogueLookup::Unknown(_) => {
                return Err("there is no catalogue of files".into());
            }
        };
        Ok(Self { runtime, engine, catalogue, _copy: copy })
    }
}
