//! Configuration files of a catalogue.

use std::sync::Arc;

use cantata_catalogue::{Catalogue, CatalogueConfig, ConfigDefaults, ConfigProblem};
use cantata_graphql::CatalogueSchema;
use cantata_mapping::IndexMapping;
use serde_json::Value;

use crate::sample::MAPPING;

/// Reads a configuration and, if it is valid, builds its catalogue and the schema of it. The input has a `config` and a
/// `mapping`, or is a configuration.
pub fn target(data: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(data) else { return };
    let mapping = value.get("mapping").and_then(|mapping| IndexMapping::parse(mapping).ok());
    let mapping = mapping.as_ref().unwrap_or(&MAPPING);
    let config = value.get("config").unwrap_or(&value);
    match CatalogueConfig::from_value("sample", config, &ConfigDefaults::default()) {
        Err(problems) => assert!(problems.iter().any(ConfigProblem::is_error), "{problems:?}"),
        Ok(config) => {
            let _ = Catalogue::access_rule_problems(&config, mapping);
            if let Ok(catalogue) = Catalogue::build(&config, mapping) {
                let _ = CatalogueSchema::build(Arc::new(catalogue));
            }
        }
    }
}
