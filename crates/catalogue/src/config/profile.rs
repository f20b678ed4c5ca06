//! The values of the index, for what neither the files nor the mapping say.

use std::sync::Arc;

use cantata_mapping::IndexMapping;

use super::CatalogueConfig;
use crate::profile::IndexProfile;

impl CatalogueConfig {
    /// Returns the configuration together with what the values of the index say. With access rules they say nothing,
    /// also where they were counted before there were rules: choices that follow from all records would disclose
    /// hidden ones.
    #[must_use]
    pub fn with_profile(&self, profile: Arc<IndexProfile>) -> Self {
        let profile = if self.access.is_none() { profile } else { Arc::default() };
        Self { profile, ..self.clone() }
    }

    /// Returns whether the values of the index decide anything: a section is missing in the files and in the mapping,
    /// and there are no access rules.
    pub fn uses_profile(&self, mapping: &IndexMapping) -> bool {
        self.access.is_none() && !self.with_mapping_meta(mapping).0.missing_sections().is_empty()
    }
}
