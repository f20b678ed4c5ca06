//! The display configuration to begin with.

use cantata_catalogue::{Catalogue, CatalogueConfig, ConfigDefaults};
use cantata_indexing::mapping_derivation::derive_mapping;
use cantata_mapping::IndexMapping;
use serde_json::{Value, json};

use crate::support::{analysis_type, source};

fn properties() -> Value {
    json!({
        "experiment": {"properties": {
            "librarySource": {"type": "string", "title": "Library", "enum": ["genomic_dna", "RNA"]},
            "kit": {"type": "string", "oneOf": [{"const": "a", "title": "Kit A"}, {"const": "b"}]},
            "paired": {"type": "boolean"},
            "coverage": {"type": "number", "description": " How often a base was read "},
            "runId": {"type": "string"},
            "lanes": {"type": "array", "items": {"type": "integer"}},
            "notes": {"type": "string"},
            "free": {},
        }},
        "donors": {"type": "array", "description": "Who gave the samples", "items": {
            "description": "A person",
            "properties": {"sex": {"enum": ["F", "M"]}},
        }},
    })
}

fn sections(document: &str) -> Value {
    let types = [analysis_type("t", 1, properties())];
    derive_mapping(&source(json!({"document": document})), &types).mapping["_meta"]["cantata"].clone()
}

fn entry(sections: &Value, path: &str) -> Value {
    let entries = sections["extended"].as_array().unwrap();
    entries.iter().find(|entry| entry["fieldName"] == path).unwrap().clone()
}

#[test]
fn titles_and_counted_up_values_are_what_people_read() {
    let sections = sections("analysis-centric");
    assert_eq!(
        entry(&sections, "experiment.librarySource"),
        json!({"fieldName": "experiment.librarySource", "displayName": "Library", "isActive": true,
            "displayValues": {"genomic_dna": "Genomic dna", "RNA": "RNA"}})
    );
    assert_eq!(entry(&sections, "experiment.kit")["displayValues"], json!({"a": "Kit A", "b": "B"}));
    assert_eq!(entry(&sections, "experiment.paired")["displayName"], "Paired");
    assert_eq!(entry(&sections, "experiment.runId")["quickSearchEnabled"], true);
    assert_eq!(entry(&sections, "experiment.lanes")["isArray"], true);
    assert_eq!(entry(&sections, "analysisId")["primaryKey"], true);
    assert_eq!(
        entry(&sections, "files.fileAccess")["displayValues"],
        json!({"open": "Open", "controlled": "Controlled"})
    );
}

#[test]
fn what_a_schema_says_of_a_property_is_its_meaning() {
    for (document, above) in [("analysis-centric", ""), ("file-centric", "analysis.")] {
        let sections = sections(document);
        let meaning = |path: &str| entry(&sections, &format!("{above}{path}"))["description"].clone();
        assert_eq!(meaning("experiment.coverage"), "How often a base was read");
        assert_eq!(meaning("donors"), "Who gave the samples");
        assert_eq!(meaning("experiment.paired"), Value::Null);
    }
}

#[test]
fn facets_begin_with_fields_of_few_values_and_have_no_ids() {
    let names = |document| -> Vec<String> {
        let sections = sections(document);
        let facets = sections["facets"]["aggregations"].as_array().unwrap().clone();
        facets.iter().map(|facet| facet["fieldName"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(
        names("analysis-centric"),
        [
            "studyId",
            "analysisType.name",
            "files.fileType",
            "files.fileAccess",
            "files.dataType",
            "experiment.librarySource",
            "experiment.kit",
            "donors.sex",
            "experiment.paired",
            "firstPublishedAt",
            "publishedAt",
            "files.fileSize",
            "experiment.coverage",
            "experiment.lanes",
            "experiment.notes",
        ]
    );
    assert_eq!(
        names("file-centric")[..6],
        [
            "fileType",
            "fileAccess",
            "dataType",
            "studyId",
            "analysis.analysisType.name",
            "analysis.experiment.librarySource"
        ]
    );
}

#[test]
fn the_table_begins_with_telling_columns() {
    let columns = |document| -> (Value, Vec<String>) {
        let table = sections(document)["table"].clone();
        let shown = table["columns"].as_array().unwrap().iter().filter(|column| column["show"] == true);
        (
            table["rowIdFieldName"].clone(),
            shown.map(|column| column["fieldName"].as_str().unwrap().to_owned()).collect(),
        )
    };
    let (row_id, shown) = columns("file-centric");
    assert_eq!(row_id, "objectId");
    assert_eq!(
        shown,
        [
            "fileName",
            "fileSize",
            "fileType",
            "fileAccess",
            "dataType",
            "studyId",
            "analysis.analysisType.name",
            "analysis.firstPublishedAt",
            "analysis.publishedAt",
            "analysis.experiment.librarySource",
        ]
    );
    let (row_id, shown) = columns("analysis-centric");
    assert_eq!(row_id, "analysisId");
    assert_eq!(shown[..3], ["analysisId", "studyId", "analysisType.name"]);
}

#[test]
fn a_catalogue_without_files_of_its_own_shows_what_was_generated() {
    let keys = json!({"esIndex": "files", "documentType": "file", "source": {"document": "file-centric"}});
    let config = CatalogueConfig::from_value("files", &keys, &ConfigDefaults::default()).unwrap();
    let types = [analysis_type("t", 1, properties())];
    let derived = derive_mapping(config.source.as_ref().unwrap(), &types);
    let catalogue = Catalogue::build(&config, &IndexMapping::parse(&derived.mapping).unwrap()).unwrap();
    assert_eq!(catalogue.warnings, []);
    let display = &catalogue.display;
    assert_eq!(display.generated, ["extended", "facets", "table"]);
    assert_eq!(display.table.row_id_field_name, "objectId");
    assert_eq!(display.table.columns[0].field_name, "fileName");
    assert_eq!(display.facets.aggregations[0].field_name, "fileType");
    assert_eq!(display.field("analysis.experiment.librarySource").unwrap().display_name, "Library");
    assert!(display.field("analysis.experiment.lanes").unwrap().is_array);
}

#[test]
fn an_override_that_takes_fields_away_leaves_no_warnings() {
    let keys = json!({"esIndex": "files", "documentType": "file", "source": {
        "document": "analysis-centric", "mapping": {"properties": {"experiment": {"type": "flattened"}}},
    }});
    let config = CatalogueConfig::from_value("files", &keys, &ConfigDefaults::default()).unwrap();
    let derived = derive_mapping(config.source.as_ref().unwrap(), &[analysis_type("t", 1, properties())]);
    let catalogue = Catalogue::build(&config, &IndexMapping::parse(&derived.mapping).unwrap()).unwrap();
    assert_eq!(catalogue.warnings, []);
    assert!(catalogue.display.field("experiment").is_some());
    assert!(catalogue.display.field("experiment.kit").is_none());
}
