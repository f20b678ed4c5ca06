//! Where catalogues get their engines from.

use std::error::Error;
use std::sync::Arc;

use cantata_catalogue::EngineChoice;
use cantata_engine::SearchEngine;
use cantata_store::Store;

/// The settings of an engine cannot be used. The message is for the log: it may hold an address.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct EngineSetupError(pub Box<dyn Error + Send + Sync>);

/// Provides catalogues with engines.
pub trait EngineProvider: Send + Sync + 'static {
    /// Returns the engine of a choice: for equal choices the same one, for as long as it is in use.
    ///
    /// # Errors
    ///
    /// If the choice cannot be used.
    fn engine(&self, choice: &EngineChoice) -> Result<Arc<dyn SearchEngine>, EngineSetupError>;

    /// Returns the store that has the saved sets of all servers with an embedded engine; without one each engine has its own.
    fn set_store(&self) -> Option<Arc<dyn Store>> {
        None
    }
}

impl<E: SearchEngine> EngineProvider for Arc<E> {
    fn engine(&self, _choice: &EngineChoice) -> Result<Arc<dyn SearchEngine>, EngineSetupError> {
        Ok(Arc::clone(self) as Arc<dyn SearchEngine>)
    }
}

impl EngineProvider for Arc<dyn SearchEngine> {
    fn engine(&self, _choice: &EngineChoice) -> Result<Arc<dyn SearchEngine>, EngineSetupError> {
        Ok(Arc::clone(self))
    }
}
