//! What several targets need: a runtime, and a catalogue with a field of each kind.

use std::sync::{Arc, LazyLock};

use cantata_catalogue::{Catalogue, CatalogueConfig, ConfigDefaults};
use cantata_mapping::IndexMapping;
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// Runs what is asynchronous.
pub(crate) static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("a runtime starts"));

/// The mapping of the catalogue.
pub(crate) static MAPPING: LazyLock<IndexMapping> =
    LazyLock::new(|| IndexMapping::parse(&mapping()).expect("the mapping is valid"));

/// The catalogue.
pub(crate) static CATALOGUE: LazyLock<Arc<Catalogue>> = LazyLock::new(|| {
    let config = json!({ "documentType": "file", "esIndex": "files", "enableSets": true });
    let config = CatalogueConfig::from_value("sample", &config, &ConfigDefaults::default());
    let config = config.expect("the configuration is valid");
    Arc::new(Catalogue::build(&config, &MAPPING).expect("the catalogue can be built"))
});

/// Returns the mapping as JSON.
pub(crate) fn mapping() -> Value {
    json!({ "properties": {
        "analysis_id": { "type": "keyword" },
        "file-name": { "type": "text", "fields": { "keyword": { "type": "keyword" } } },
        "size": { "type": "long" },
        "reads": { "type": "unsigned_long" },
        "quality": { "type": "double" },
        "released": { "type": "boolean" },
        "created": { "type": "date" },
        "measured": { "type": "date_nanos" },
        "address": { "type": "ip" },
        "info": { "type": "flattened" },
        "place": { "type": "geo_point" },
        "named": { "type": "alias", "path": "analysis_id" },
        "file": { "properties": { "type": { "type": "keyword" } } },
        "donors": { "type": "nested", "properties": {
            "gender": { "type": "keyword" },
            "age": { "type": "integer" },
            "specimens": { "type": "nested", "properties": { "type": { "type": "keyword" } } }
        } }
    } })
}
