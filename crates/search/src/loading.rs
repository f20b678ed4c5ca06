//! Bringing a configuration and the index it names together.

use std::sync::{Arc, Mutex};

use cantata_catalogue::introspection::{CatalogueBody, FailedCatalogue};
use cantata_catalogue::{Catalogue, CatalogueError, ConfigProblem, Configs, ConfiguredCatalogue, ErrorCode};
use cantata_engine::{EngineError, SearchEngine};
use cantata_graphql::CatalogueSchema;
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

/// Returns a catalogue anew if its index is another than it was, else as it is.
pub(crate) async fn refreshed(engine: &dyn SearchEngine, entry: &Entry) -> Entry {
    if let State::Available(served) = &entry.state
        && let Ok(mapping) = engine.mapping(&served.catalogue.index).await
        && (Arc::ptr_eq(&mapping, &served.mapping) || mapping.raw() == served.mapping.raw())
    {
        return entry.clone();
    }
    fresh(engine, Arc::clone(&entry.configured)).await
}

/// Builds a catalogue.
pub(crate) async fn fresh(engine: &dyn SearchEngine, configured: Arc<ConfiguredCatalogue>) -> Entry {
    tell(&configured, configured.problems());
    let state = match build(engine, &configured).await {
        Ok(served) => {
            tell(&configured, &served.catalogue.warnings);
            State::Available(Arc::new(served))
        }
        Err(error) => {
            tracing::warn!(catalogue = configured.id, %error, "a catalogue cannot be served");
            State::Failed(Arc::new(FailedCatalogue::new(&configured, error)))
        }
    };
    Entry { configured, state }
}

/// Says in the log what is not used as written; what keeps the catalogue from being served is told with its failure.
fn tell(configured: &ConfiguredCatalogue, problems: &[ConfigProblem]) {
    for warning in problems.iter().filter(|problem| !problem.is_error()) {
        tracing::warn!(catalogue = configured.id, %warning, "a part of a configuration is not used as written");
    }
}

async fn build(engine: &dyn SearchEngine, configured: &ConfiguredCatalogue) -> Result<ServedCatalogue, CatalogueError> {
    let config = match (&configured.config, configured.error()) {
        (Ok(config), _) => config,
        (Err(_), Some(error)) => return Err(error),
        (Err(_), None) => return Err(CatalogueError::new(ErrorCode::UnknownError, "The configuration has problems.")),
    };
    let mapping = engine.mapping(&config.index).await.map_err(|error| unavailable(&error))?;
    let catalogue = Arc::new(Catalogue::build(config, &mapping)?);
    let schema = CatalogueSchema::build(Arc::clone(&catalogue))?;
    let introspection = CatalogueBody::new(&catalogue, Timestamp::now().strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string());
    Ok(ServedCatalogue { catalogue, schema, introspection, mapping, cut_fields: Mutex::default() })
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
