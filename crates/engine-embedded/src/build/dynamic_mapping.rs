//! The mapping of an index while documents are added that may bring new fields.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use cantata_mapping::IndexMapping;
use serde_json::Value;

use super::document_error::DocumentError;

/// A mapping that documents extend, from several threads at once.
pub(crate) struct DynamicMapping(Mutex<Arc<IndexMapping>>);

impl DynamicMapping {
    pub(crate) fn new(mapping: Arc<IndexMapping>) -> Self {
        Self(Mutex::new(mapping))
    }

    pub(crate) fn current(&self) -> Arc<IndexMapping> {
        Arc::clone(&self.lock())
    }

    /// Returns the mapping with the fields of a document added. They become part of the mapping by
    /// [`DynamicMapping::extend`], when the document is accepted.
    ///
    /// # Errors
    ///
    /// If the mapping forbids some of them.
    pub(super) fn extended_by(&self, document: &Value) -> Result<Arc<IndexMapping>, DocumentError> {
        let current = self.current();
        let forbidden = current.forbidden_fields(document);
        if !forbidden.is_empty() {
            return Err(DocumentError::UnmappedFields(forbidden));
        }
        Ok(current.extended_by(document).map_or(current, |(extended, _)| Arc::new(extended)))
    }

    /// Adds the fields of an accepted document.
    pub(super) fn extend(&self, document: &Value) -> Arc<IndexMapping> {
        let mut current = self.lock();
        if let Some((extended, _)) = current.extended_by(document) {
            *current = Arc::new(extended);
        }
        Arc::clone(&current)
    }

    fn lock(&self) -> MutexGuard<'_, Arc<IndexMapping>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
