//! The config files of the catalogues fit the mappings of their indices.

use std::collections::BTreeSet;
use std::path::Path;

use cantata_demo::catalogue::{DONOR_INDEX, FILE_INDEX, catalogue_files, mapping};
use cantata_mapping::{FieldKind, IndexMapping};
use serde_json::Value;

/// A catalogue: its folder, document type and index.
const CATALOGUES: [(&str, &str, &str); 2] = [("files", "file", FILE_INDEX), ("donors", "donor", DONOR_INDEX)];

fn config(catalogue: &str, file: &str) -> Value {
    let path = format!("{catalogue}/{file}.json");
    let (_, text) = catalogue_files().iter().find(|(name, _)| *name == path).unwrap();
    serde_json::from_str(text).unwrap()
}

fn mapping_of(index: &str) -> IndexMapping {
    IndexMapping::parse(&mapping(index)).unwrap()
}

fn field_names(entries: &Value) -> Vec<&str> {
    entries.as_array().unwrap().iter().map(|entry| entry["fieldName"].as_str().unwrap()).collect()
}

/// Collects the field names anywhere in a config.
fn collect_names<'c>(config: &'c Value, names: &mut Vec<&'c str>) {
    match config {
        Value::Array(items) => items.iter().for_each(|item| collect_names(item, names)),
        Value::Object(members) => {
            for (key, value) in members {
                match (key.as_str(), value) {
                    ("fieldName" | "keyFieldName" | "rowIdFieldName" | "accessor", Value::String(name)) => {
                        names.push(name);
                    }
                    ("searchFields", Value::Array(fields)) => names.extend(fields.iter().filter_map(Value::as_str)),
                    _ => collect_names(value, names),
                }
            }
        }
        _ => {}
    }
}

#[test]
fn every_file_of_the_folder_is_embedded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("documents/configs");
    let mut on_disk = BTreeSet::new();
    for (catalogue, ..) in CATALOGUES {
        for entry in std::fs::read_dir(folder.join(catalogue)).unwrap() {
            on_disk.insert(format!("{catalogue}/{}", entry.unwrap().file_name().to_str().unwrap()));
        }
    }
    let embedded: BTreeSet<String> = catalogue_files().iter().map(|(path, _)| (*path).to_owned()).collect();
    assert_eq!(embedded, on_disk);
}

#[test]
fn the_base_names_the_type_and_an_index_that_has_a_mapping() {
    for (catalogue, document_type, index) in CATALOGUES {
        let base = config(catalogue, "base");
        assert_eq!(base["documentType"], document_type);
        assert_eq!(base["esIndex"], index);
        assert!(!mapping_of(index).is_empty());
    }
    assert_eq!(mapping("elsewhere"), Value::Null);
}

#[test]
fn every_field_name_is_in_the_mapping() {
    for (catalogue, _, index) in CATALOGUES {
        let mapping = mapping_of(index);
        for file in ["base", "extended", "facets", "table", "matchbox", "charts"] {
            let config = config(catalogue, file);
            let mut names = Vec::new();
            collect_names(&config, &mut names);
            for name in names {
                assert!(mapping.field(name).is_some(), "{catalogue}/{file}.json: {name}");
            }
        }
    }
}

#[test]
fn every_field_is_described_once_and_by_the_type_it_has() {
    for (catalogue, _, index) in CATALOGUES {
        let extended = config(catalogue, "extended");
        let described = field_names(&extended["extended"]);
        let mapping = mapping_of(index);
        let mapped: Vec<&str> = mapping.fields().map(|field| field.path.as_str()).collect();
        assert_eq!(described, mapped);
        for entry in extended["extended"].as_array().unwrap() {
            let field = mapping.field(entry["fieldName"].as_str().unwrap()).unwrap();
            assert_eq!(entry["displayType"], field.type_name, "{}", field.path);
            assert!(!entry["displayName"].as_str().unwrap().is_empty());
        }
    }
}

#[test]
fn there_are_twelve_facets_four_of_them_nested_on_fields_that_can_be_counted() {
    for (catalogue, _, index) in CATALOGUES {
        let facets = config(catalogue, "facets");
        let names = field_names(&facets["facets"]["aggregations"]);
        let mapping = mapping_of(index);
        let fields: Vec<_> = names.iter().map(|name| mapping.field(name).unwrap()).collect();
        assert!(fields.len() >= 12);
        assert!(fields.iter().filter(|field| !field.nested.is_empty()).count() >= 4);
        for field in fields {
            assert!(field.kind.has_values() && field.kind != FieldKind::Text, "{}", field.path);
        }
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    }
}

#[test]
fn columns_find_their_values_within_the_depth_that_is_allowed() {
    for (catalogue, _, index) in CATALOGUES {
        let depth = config(catalogue, "base")["maxDepth"].as_u64().unwrap();
        let table = config(catalogue, "table");
        let columns = table["table"]["columns"].as_array().unwrap();
        let mapping = mapping_of(index);
        assert!(columns.len() >= 12);
        for column in columns {
            let name = column["fieldName"].as_str().unwrap();
            let field = mapping.field(name).unwrap();
            let (query, path) = selection(&mapping, name);
            // The document type, `hits`, `edges` and `node` stand around what a column selects.
            assert!(4 + 1 + query.matches('{').count() as u64 <= depth, "{catalogue}: {name}");
            if field.nested.is_empty() {
                assert!(column.get("query").is_none() && column.get("jsonPath").is_none(), "{name}: the default does");
            } else {
                assert_eq!(column["query"], query);
                assert_eq!(column["jsonPath"], path);
            }
            if column["sortable"] == true {
                assert_ne!(field.kind, FieldKind::Text, "{name}");
            }
        }
        for sorting in field_names(&table["table"]["defaultSorting"]) {
            assert_ne!(mapping.field(sorting).unwrap().kind, FieldKind::Text, "{sorting}");
        }
    }
}

/// Returns the selection of a field in GraphQL, and the JSON path to it in the answer.
fn selection(mapping: &IndexMapping, name: &str) -> (String, String) {
    let (mut opening, mut closing, mut path) = (String::new(), String::new(), "$".to_owned());
    for (end, _) in name.match_indices('.') {
        let container = mapping.field(&name[..end]).unwrap();
        let is_nested = container.kind == FieldKind::Nested;
        opening += &container.name;
        opening += if is_nested { " { hits { edges { node { " } else { " { " };
        closing += if is_nested { " } } } }" } else { " }" };
        path += &format!(".{}", container.name);
        path += if is_nested { ".hits.edges[*].node" } else { "" };
    }
    let leaf = &mapping.field(name).unwrap().name;
    (format!("{opening}{leaf}{closing}"), format!("{path}.{leaf}"))
}
