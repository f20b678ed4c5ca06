//! Bringing a configuration and the index it names together.

use std::sync::Arc;

use cantata_catalogue::introspection::FailedCatalogue;
use cantata_catalogue::{Catalogue, CatalogueConfig, CatalogueError, ConfigProblem, ConfiguredCatalogue, ErrorCode};
use cantata_engine::{EngineError, SearchEngine};
use cantata_mapping::IndexMapping;

use crate::built::BuiltCatalogue;
use crate::catalogues::{Entry, State};
use crate::engines::Engines;

/// Finds the engine of a catalogue, of whose index nothing is known yet.
pub(crate) fn unasked(engines: &dyn Engines, configured: ConfiguredCatalogue) -> Entry {
    tell(&configured.id, configured.problems());
    let engine = match (&configured.config, configured.error()) {
        (Ok(config), _) => engines.engine(&config.engine).map_err(|reason| unusable_engine(&configured.id, &reason)),
        (Err(_), error) => {
            let error = error
                .unwrap_or_else(|| CatalogueError::new(ErrorCode::UnknownError, "The configuration has problems."));
            tracing::warn!(catalogue = configured.id, %error, "a catalogue cannot be served");
            Err(error)
        }
    };
    let (engine, error) = match engine {
        Ok(engine) => (Some(engine), CatalogueError::new(ErrorCode::ConnectionError, NOT_YET)),
        Err(error) => (None, error),
    };
    let state = State::Failed(Arc::new(FailedCatalogue::new(&configured, error)));
    Entry {
        configured: Arc::new(configured),
        engine,
        mapping: None,
        state,
        turn: Arc::default(),
        tally: Arc::default(),
    }
}

/// What is told of a catalogue until its engine has answered.
const NOT_YET: &str = "the search engine has not answered yet";

/// Says in the log why an engine cannot be used; clients need not know its address.
fn unusable_engine(id: &str, reason: &str) -> CatalogueError {
    tracing::warn!(catalogue = id, reason, "the search engine of a catalogue cannot be used");
    let message = "The settings of the search engine cannot be used; the log of the server says why.";
    CatalogueError::new(ErrorCode::UnknownError, message)
}

/// Says in the log what is wrong with the files; clients are not told everything.
fn tell(id: &str, problems: &[ConfigProblem]) {
    for problem in problems {
        match problem.is_error() {
            true => tracing::warn!(catalogue = id, %problem, "a part of a configuration cannot be used"),
            false => tracing::warn!(catalogue = id, %problem, "a part of a configuration is not used as written"),
        }
    }
}

impl Entry {
    /// Returns the engine and the index to ask for the mapping, if there are any.
    pub(crate) fn index(&self) -> Option<(&Arc<dyn SearchEngine>, &CatalogueConfig)> {
        self.engine.as_ref().zip(self.configured.config.as_ref().ok())
    }

    /// Returns whether a mapping is the one that the state follows from.
    pub(crate) fn is_built_from(&self, mapping: &Arc<IndexMapping>) -> bool {
        self.mapping.as_ref().is_some_and(|then| {
            Arc::ptr_eq(mapping, then) || (mapping.raw() == then.raw() && mapping.meta() == then.meta())
        })
    }

    /// Takes over what is known of the index, if the entry of an earlier configuration was on the same one: then no
    /// engine has to be waited for.
    pub(crate) fn after(self, earlier: &Self) -> Self {
        let is_same = match (self.index(), earlier.index()) {
            (Some((engine, config)), Some((then, before))) => Arc::ptr_eq(engine, then) && config.index == before.index,
            _ => false,
        };
        let Some(mapping) = earlier.mapping.clone().filter(|_| is_same) else { return self };
        let rebuilt = self.rebuilt(mapping);
        match (&rebuilt.state, &earlier.state) {
            (State::Available(served), State::Disturbed(_, failed)) => {
                let failed = FailedCatalogue::new(&rebuilt.configured, failed.error.clone());
                Self { state: State::Disturbed(Arc::clone(served), Arc::new(failed)), ..rebuilt }
            }
            _ => rebuilt,
        }
    }

    /// Builds the catalogue anew from a mapping.
    pub(crate) fn rebuilt(&self, mapping: Arc<IndexMapping>) -> Self {
        let state = match self.index() {
            Some((engine, config)) => match BuiltCatalogue::build(engine, config, &mapping) {
                Ok(built) => {
                    tell(&self.configured.id, &built.catalogue.warnings);
                    State::Available(Arc::new(built))
                }
                Err(error) => {
                    tell(&self.configured.id, &Catalogue::access_misfits(config, &mapping));
                    State::Failed(Arc::new(FailedCatalogue::new(&self.configured, error)))
                }
            },
            None => self.state.clone(),
        };
        Self { mapping: Some(mapping), state, ..self.clone() }
    }

    /// Notes that the mapping cannot be had. What was built before stays, since searching it is worth a try.
    pub(crate) fn without_answer(&self, error: &EngineError) -> Self {
        let failed = Arc::new(FailedCatalogue::new(&self.configured, unavailable(error)));
        match &self.state {
            State::Available(served) | State::Disturbed(served, _) => {
                Self { state: State::Disturbed(Arc::clone(served), failed), ..self.clone() }
            }
            State::Failed(_) => Self { mapping: None, state: State::Failed(failed), ..self.clone() },
        }
    }
}

fn unavailable(error: &EngineError) -> CatalogueError {
    let code = match error {
        EngineError::IndexNotFound(_) => ErrorCode::IndexNotFound,
        EngineError::PermissionDenied => ErrorCode::PermissionDenied,
        EngineError::Unreachable | EngineError::TimedOut | EngineError::Busy => ErrorCode::ConnectionError,
        EngineError::IndexExists(_) | EngineError::Refused(_) | EngineError::Failed(_) => ErrorCode::MappingFetchError,
    };
    CatalogueError::new(code, error.client_message())
}
