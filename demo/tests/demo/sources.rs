//! The two catalogues that are made of the submissions: their config files fit what is derived from the types.

use std::collections::BTreeSet;
use std::path::Path;

use cantata_catalogue::{Catalogue, CatalogueConfig, ConfigDefaults};
use cantata_core::{AnalysisType, AnalysisTypeId, Timestamp, TypeOptions};
use cantata_demo::{analysis_types, configs, submissions};
use cantata_indexing::document_builder::DocumentBuilder;
use cantata_indexing::mapping_derivation::derive_mapping;
use cantata_mapping::IndexMapping;
use cantata_schema::builtin_types;
use serde_json::{Map, Value, json};

const CATALOGUES: [&str; 2] = ["files", "analyses"];

fn config(catalogue: &str) -> CatalogueConfig {
    let mut keys = Map::new();
    for (_, text) in configs().iter().filter(|(path, _)| path.starts_with(&format!("{catalogue}/"))) {
        let file: Map<String, Value> = serde_json::from_str(text).unwrap();
        keys.extend(file);
    }
    let config = CatalogueConfig::from_value(catalogue, &keys.into(), &ConfigDefaults::default()).unwrap();
    assert_eq!(config.warnings, []);
    config
}

/// Returns all types that a server with the sample data knows.
fn types() -> Vec<AnalysisType> {
    let builtin = builtin_types().iter().map(|builtin| (builtin.id.name.clone(), builtin.schema.clone()));
    let own = analysis_types();
    let own = own.iter().map(|body| (body["name"].as_str().unwrap().to_owned(), body["schema"].clone()));
    let mut types: Vec<AnalysisType> = Vec::new();
    for (name, schema) in builtin.chain(own) {
        let version = 1 + types.iter().filter(|known| known.id.name == name).count() as u32;
        let id = AnalysisTypeId { name, version };
        types.push(AnalysisType { id, created_at: Timestamp::from_micros(1), options: TypeOptions::default(), schema });
    }
    types
}

#[test]
fn every_file_of_the_folder_is_embedded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    let mut on_disk = BTreeSet::new();
    for catalogue in CATALOGUES {
        for entry in std::fs::read_dir(folder.join(catalogue)).unwrap() {
            on_disk.insert(format!("{catalogue}/{}", entry.unwrap().file_name().to_str().unwrap()));
        }
    }
    assert_eq!(configs().iter().map(|(path, _)| (*path).to_owned()).collect::<BTreeSet<_>>(), on_disk);
}

#[test]
fn what_the_files_name_is_there_and_the_types_agree() {
    for catalogue in CATALOGUES {
        let config = config(catalogue);
        let derived = derive_mapping(config.source.as_ref().unwrap(), &types());
        assert_eq!(derived.notes, Vec::<String>::new(), "{catalogue}");
        let built = Catalogue::build(&config, &IndexMapping::parse(&derived.mapping).unwrap()).unwrap();
        assert_eq!(built.warnings, [], "{catalogue}");
        assert_eq!(built.display.generated, ["extended"], "{catalogue}");
        let facets = &built.display.facets.aggregations;
        assert!(facets.iter().filter(|facet| facet.show).count() >= 12);
        assert!(facets.iter().all(|facet| facet.display_name.is_some()));
    }
}

#[test]
fn documents_have_no_member_that_the_mapping_lacks() {
    for catalogue in CATALOGUES {
        let config = config(catalogue);
        let source = config.source.as_ref().unwrap();
        let mapping = IndexMapping::parse(&derive_mapping(source, &types()).mapping).unwrap();
        let shape = DocumentBuilder::new(source);
        for (number, submission) in submissions(60).enumerate() {
            for document in shape.documents(&stored(number, submission.payload).to_string()).unwrap() {
                check(&mapping, &serde_json::from_slice(&document.source).unwrap(), "");
            }
        }
    }
}

/// Returns an analysis as the server shows what was submitted.
fn stored(number: usize, mut payload: Value) -> Value {
    payload["analysisId"] = json!(format!("a-{number}"));
    payload["analysisState"] = json!("PUBLISHED");
    for (place, file) in payload["files"].as_array_mut().unwrap().iter_mut().enumerate() {
        file["objectId"] = json!(format!("f-{number}-{place}"));
    }
    payload
}

fn check(mapping: &IndexMapping, value: &Value, path: &str) {
    match value {
        Value::Array(elements) => elements.iter().for_each(|element| check(mapping, element, path)),
        Value::Object(members) => members.iter().for_each(|(name, member)| {
            check(mapping, member, &if path.is_empty() { name.clone() } else { format!("{path}.{name}") });
        }),
        scalar => {
            let field = mapping.field(path).unwrap_or_else(|| panic!("no field {path}"));
            field.read(scalar).unwrap_or_else(|error| panic!("{path}: {error}"));
        }
    }
}
