//! The seam between catalogues and engines.

use std::sync::Arc;

use cantata_catalogue::EngineChoice;
use cantata_engine::SearchEngine;

/// Gives catalogues their engines.
pub trait Engines: Send + Sync + 'static {
    /// Returns the engine that a catalogue has chosen: for equal choices the same one, for as long as it is in use.
    ///
    /// # Errors
    ///
    /// If the choice cannot be used: why, for the log.
    fn engine(&self, choice: &EngineChoice) -> Result<Arc<dyn SearchEngine>, String>;
}

/// One engine for all catalogues, whatever they choose.
impl<E: SearchEngine> Engines for Arc<E> {
    fn engine(&self, _choice: &EngineChoice) -> Result<Arc<dyn SearchEngine>, String> {
        Ok(Arc::clone(self) as Arc<dyn SearchEngine>)
    }
}

/// One engine for all catalogues, whatever they choose.
impl Engines for Arc<dyn SearchEngine> {
    fn engine(&self, _choice: &EngineChoice) -> Result<Arc<dyn SearchEngine>, String> {
        Ok(Arc::clone(self))
    }
}
