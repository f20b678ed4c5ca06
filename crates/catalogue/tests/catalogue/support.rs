//! Short forms for the tests, and a catalogue of files with donors, specimens and samples, nested three deep.

use cantata_catalogue::{Catalogue, CatalogueConfig, CatalogueError, ConfigDefaults};
use cantata_mapping::IndexMapping;
use serde_json::{Value, json};

/// Reads a mapping from its properties.
#[track_caller]
pub(crate) fn mapping(properties: Value) -> IndexMapping {
    IndexMapping::parse(&json!({ "properties": properties })).unwrap()
}

/// Reads a configuration of index `files` and document type `file`, with more keys.
#[track_caller]
pub(crate) fn config(keys: Value) -> CatalogueConfig {
    let mut value = json!({ "esIndex": "files", "documentType": "file" });
    value.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    CatalogueConfig::from_value("files", &value, &ConfigDefaults::default()).unwrap()
}

/// Builds a catalogue from keys of its configuration and the properties of its index.
pub(crate) fn try_build(keys: Value, properties: Value) -> Result<Catalogue, CatalogueError> {
    Catalogue::build(&config(keys), &mapping(properties))
}

/// Builds a catalogue that must be right.
#[track_caller]
pub(crate) fn build(keys: Value, properties: Value) -> Catalogue {
    try_build(keys, properties).unwrap()
}

/// The warnings of a catalogue, as people read them.
pub(crate) fn warnings(catalogue: &Catalogue) -> Vec<String> {
    catalogue.warnings.iter().map(ToString::to_string).collect()
}

/// The properties of the sample index.
pub(crate) fn sample_properties() -> Value {
    json!({
        "object_id": { "type": "keyword" },
        "file_name": { "type": "text", "fields": { "keyword": { "type": "keyword" } } },
        "size": { "type": "long" },
        "is_open": { "type": "boolean" },
        "released": { "type": "date" },
        "access-level": { "type": "keyword" },
        "analysis": { "properties": {
            "analysis_id": { "type": "keyword" },
            "experiment": { "type": "object" },
        } },
        "donors": { "type": "nested", "properties": {
            "donor_id": { "type": "keyword" },
            "age": { "type": "byte" },
            "specimens": { "type": "nested", "properties": {
                "specimen_type": { "type": "keyword" },
                "samples": { "type": "nested", "properties": {
                    "sample_id": { "type": "keyword" },
                    "score": { "type": "double" },
                } },
            } },
        } },
    })
}

/// The configuration of the sample catalogue.
pub(crate) fn sample_keys() -> Value {
    json!({
        "description": "Files of a study",
        "maxDepth": 12,
        "extended": [
            { "fieldName": "donors.age", "displayName": "Age", "unit": "year", "rangeStep": 1 },
            { "fieldName": "object_id", "primaryKey": true, "quickSearchEnabled": true },
            { "fieldName": "access-level", "isArray": true, "displayValues": { "open": "Open access" } },
        ],
        "facets": { "aggregations": [
            { "fieldName": "donors.specimens.specimen_type", "isActive": true, "show": true },
            { "fieldName": "donors__age", "isActive": true },
            { "fieldName": "access-level", "displayName": "Access", "show": true },
            { "fieldName": "file_name.keyword" },
        ] },
        "table": {
            "columns": [
                { "fieldName": "id", "show": true },
                { "fieldName": "access-level", "sortable": true },
                { "fieldName": "analysis.analysis_id", "displayName": "Analysis", "show": true },
                { "fieldName": "donors.specimens.samples.sample_id", "canChangeShow": false },
            ],
            "defaultSorting": [ { "fieldName": "size", "desc": true }, { "fieldName": "object_id" } ],
            "maxResultsWindow": 5000,
        },
        "matchbox": [ {
            "fieldName": "donors", "displayName": "Donor", "isActive": true, "keyFieldName": "donors.donor_id",
            "searchFields": [ "donors.donor_id" ],
        } ],
        "downloads": { "maxRows": 1000 },
    })
}

/// The sample catalogue.
#[track_caller]
pub(crate) fn sample() -> Catalogue {
    build(sample_keys(), sample_properties())
}
