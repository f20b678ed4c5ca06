//! Bringing a configuration and the index it names together.

use std::sync::{Arc, Mutex};

use cantata_catalogue::introspection::{CatalogueBody, FailedCatalogue};
use cantata_catalogue::{Catalogue, CatalogueError, ConfigProblem, Configs, ConfiguredCatalogue, ErrorCode};
use cantata_engine::{EngineError, SearchEngine};
use cantata_graphql::CatalogueSchema;
use cantata_mapping::IndexMapping;
use jiff::Timestamp;

use crate::catalogues::{Catalogues, Entry, ServedCatalogue, State};

/// Loads all catalogues. Those that did not change since are taken over as they are, with the answers they have cached.
pub(crate) async fn load(engine: &dyn SearchEngine, configs: Configs, before: Option<&Catalogues>) -> Catalogues {
    let mut entries = Vec::with_capacity(configs.catalogues.len());
    for configured in configs.catalogues {
        let known = before.and_then(|before| before.entries.iter().find(|entry| *entry.configured == configured));
        entries.push(match known {
            Some(entry) => refreshed(engine, entry).await,
            None => fresh(engine, Arc::new(configured)).await,
        });
    }
    Catalogues { mode: configs.mode, entries }
}

/// Returns a catalogue anew if its index is another than it was or cannot be asked, else as it is.
async fn refreshed(engine: &dyn SearchEngine, entry: &Entry) -> Entry {
    match has_changed(engine, entry).await {
        Some(false) => entry.clone(),
        Some(true) | None => fresh(engine, Arc::clone(&entry.configured)).await,
    }
}

/// Tells whether the mapping is another than the one a catalogue was built from; nothing if there is none to be had. A
/// configuration that cannot be used has to do with no mapping.
pub(crate) async fn has_changed(engine: &dyn SearchEngine, entry: &Entry) -> Option<bool> {
    let Ok(config) = &entry.configured.config else { return Some(false) };
    let now = engine.mapping(&config.index).await.ok()?;
    let is_same = |then: &Arc<IndexMapping>| Arc::ptr_eq(&now, then) || now.raw() == then.raw();
    Some(!entry.mapping.as_ref().is_some_and(is_same))
}

/// Builds a catalogue.
pub(crate) async fn fresh(engine: &dyn SearchEngine, configured: Arc<ConfiguredCatalogue>) -> Entry {
    tell(&configured, configured.problems());
    let mut mapping = None;
    let state = match build(engine, &configured, &mut mapping).await {
        Ok(served) => {
            tell(&configured, &served.catalogue.warnings);
            State::Available(Arc::new(served))
        }
        Err(error) => {
            tracing::warn!(catalogue = configured.id, %error, "a catalogue cannot be served");
            State::Failed(Arc::new(FailedCatalogue::new(&configured, error)))
        }
    };
    Entry { configured, mapping, state }
}

/// Says in the log what is not used as written; what keeps the catalogue from being served is told with its failure.
fn tell(configured: &ConfiguredCatalogue, problems: &[ConfigProblem]) {
    for warning in problems.iter().filter(|problem| !problem.is_error()) {
        tracing::warn!(catalogue = configured.id, %warning, "a part of a configuration is not used as written");
    }
}

async fn build(
    engine: &dyn SearchEngine,
    configured: &ConfiguredCatalogue,
    found: &mut Option<Arc<IndexMapping>>,
) -> Result<ServedCatalogue, CatalogueError> {
    let config = match (&configured.config, configured.error()) {
        (Ok(config), _) => config,
        (Err(_), Some(error)) => return Err(error),
        (Err(_), None) => return Err(CatalogueError::new(ErrorCode::UnknownError, "The configuration has problems.")),
    };
    let mapping = engine.mapping(&config.index).await.map_err(|error| unavailable(&error))?;
    let mapping = found.insert(mapping);
    let catalogue = Arc::new(Catalogue::build(config, mapping)?);
    let schema = CatalogueSchema::build(Arc::clone(&catalogue))?;
    let introspection = CatalogueBody::new(&catalogue, Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string());
    Ok(ServedCatalogue { catalogue, schema, introspection, cut_fields: Mutex::default() })
}

fn unavailable(error: &EngineError) -> CatalogueError {
    let code = match error {
        EngineError::IndexNotFound(_) => ErrorCode::IndexNotFound,
        EngineError::PermissionDenied => ErrorCode::PermissionDenied,
        EngineError::Unreachable | EngineError::TimedOut | EngineError::Busy => ErrorCode::ConnectionError,
        EngineError::IndexExists(_) | EngineError::Refused(_) | EngineError::Failed(_) => ErrorCode::MappingFetchError,
    };
    CatalogueError::new(code, error.to_string())
}
