//! The config files of the catalogues and the mappings of their indices, as they lie in `documents`.
//!
//! The mappings are kept apart from the config files because every JSON file of a catalogue's folder is configuration.

use serde_json::Value;

/// The index of the catalogue `files`.
pub const FILE_INDEX: &str = "file_centric";

/// The index of the catalogue `donors`.
pub const DONOR_INDEX: &str = "donor_centric";

const CONFIGS: [(&str, &str); 12] = [
    ("donors/base.json", include_str!("../../documents/configs/donors/base.json")),
    ("donors/charts.json", include_str!("../../documents/configs/donors/charts.json")),
    ("donors/extended.json", include_str!("../../documents/configs/donors/extended.json")),
    ("donors/facets.json", include_str!("../../documents/configs/donors/facets.json")),
    ("donors/matchbox.json", include_str!("../../documents/configs/donors/matchbox.json")),
    ("donors/table.json", include_str!("../../documents/configs/donors/table.json")),
    ("files/base.json", include_str!("../../documents/configs/files/base.json")),
    ("files/charts.json", include_str!("../../documents/configs/files/charts.json")),
    ("files/extended.json", include_str!("../../documents/configs/files/extended.json")),
    ("files/facets.json", include_str!("../../documents/configs/files/facets.json")),
    ("files/matchbox.json", include_str!("../../documents/configs/files/matchbox.json")),
    ("files/table.json", include_str!("../../documents/configs/files/table.json")),
];

/// Returns the config files of both catalogues: the path of each in the folder of all configs, and its text.
pub fn catalogue_files() -> &'static [(&'static str, &'static str)] {
    &CONFIGS
}

/// Returns the mapping of [`FILE_INDEX`] or [`DONOR_INDEX`]; null for any other index.
pub fn mapping(index: &str) -> Value {
    let text = match index {
        FILE_INDEX => include_str!("../../documents/mappings/file_centric.json"),
        DONOR_INDEX => include_str!("../../documents/mappings/donor_centric.json"),
        _ => return Value::Null,
    };
    serde_json::from_str(text).expect("the embedded mapping is JSON")
}
