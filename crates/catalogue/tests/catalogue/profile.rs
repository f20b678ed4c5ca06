//! What is chosen of an index that no file describes, by its values.

use std::collections::HashMap;
use std::sync::Arc;

use cantata_catalogue::display::ExtendedField;
use cantata_catalogue::{Catalogue, FieldProfile, IndexProfile};
use cantata_mapping::IndexMapping;
use serde_json::{Map, Value, json};

use crate::support::{config, mapping};

const RECORDS: u64 = 1_000;

/// Properties of a table as people have it, with what their values are.
fn columns() -> [(&'static str, Value, FieldProfile); 12] {
    let keyword = json!({"type": "keyword"});
    let values = |missing, distinct| FieldProfile { missing, distinct, range: None };
    let numbers = |missing, distinct, least, most| FieldProfile { missing, distinct, range: Some((least, most)) };
    [
        ("batch", keyword.clone(), values(0, 1)),
        ("note", keyword.clone(), values(990, 10)),
        ("md5sum", keyword.clone(), values(0, RECORDS)),
        ("sample_id", keyword.clone(), values(0, RECORDS)),
        ("donor_id", keyword.clone(), values(0, 400)),
        ("sample_name", json!({"type": "text", "fields": {"keyword": keyword}}), FieldProfile::default()),
        ("sex", keyword.clone(), values(10, 2)),
        ("site", keyword.clone(), values(100, 25)),
        ("age", json!({"type": "integer"}), numbers(50, 70, 18.0, 89.0)),
        ("year", json!({"type": "long"}), numbers(0, 12, 2009.0, 2021.0)),
        ("file_size", json!({"type": "long"}), numbers(0, 998, 5_000.0, 3e9)),
        ("remarks", json!({"type": "text"}), FieldProfile::default()),
    ]
}

fn index() -> (IndexMapping, IndexProfile) {
    let properties: Map<String, Value> =
        columns().into_iter().map(|(name, property, _)| (name.to_owned(), property)).collect();
    let mut fields: HashMap<String, FieldProfile> =
        columns().into_iter().map(|(name, _, values)| (name.to_owned(), values)).collect();
    fields.remove("remarks");
    fields.remove("sample_name");
    fields.insert("sample_name.keyword".to_owned(), FieldProfile { distinct: 950, ..FieldProfile::default() });
    (mapping(properties.into()), IndexProfile { records: RECORDS, fields })
}

#[track_caller]
fn build(keys: Value) -> Catalogue {
    let (mapping, profile) = index();
    Catalogue::build(&config(keys).with_profile(Arc::new(profile)), &mapping).unwrap()
}

fn facets(catalogue: &Catalogue) -> Vec<&str> {
    catalogue.display.facets.aggregations.iter().map(|facet| facet.field_name.as_str()).collect()
}

fn shown(catalogue: &Catalogue) -> Vec<&str> {
    catalogue.display.table.columns.iter().map(|column| column.field_name.as_str()).collect()
}

fn flagged(catalogue: &Catalogue, flag: fn(&ExtendedField) -> bool) -> Vec<&str> {
    let fields = catalogue.display.extended.iter().filter(|field| flag(field));
    fields.map(|field| field.field_name.as_str()).collect()
}

#[test]
fn facets_have_few_values_or_a_range() {
    assert_eq!(facets(&build(json!({}))), ["sex", "site", "age", "year", "file_size"]);
}

#[test]
fn columns_are_filled_and_tell_records_apart() {
    let catalogue = build(json!({}));
    let columns = shown(&catalogue);
    assert_eq!(columns[0], "sample_id", "the key comes first");
    assert!(columns.contains(&"sample_name") && columns.contains(&"site"), "{columns:?}");
    assert!(!columns.contains(&"batch") && !columns.contains(&"note"), "{columns:?}");
    let sortable = |name: &str| {
        let column = catalogue.display.table.columns.iter().find(|column| column.field_name == name);
        column.and_then(|column| column.sortable)
    };
    assert_eq!((sortable("age"), sortable("sample_name")), (Some(true), Some(false)));
}

#[test]
fn quick_search_has_identifiers_names_and_texts() {
    let catalogue = build(json!({}));
    let quick = flagged(&catalogue, |field| field.quick_search_enabled);
    assert_eq!(quick, ["sample_id", "donor_id", "sample_name", "remarks"]);
    assert_eq!(flagged(&catalogue, |field| field.primary_key), ["sample_id"]);
}

#[test]
fn numbers_are_shown_as_what_they_are() {
    let catalogue = build(json!({}));
    let display = |name: &str| catalogue.display.field(name).unwrap().display_type.clone();
    assert_eq!([display("age"), display("year"), display("file_size")], ["integer", "year", "bytes"]);
}

#[test]
fn what_the_files_say_wins() {
    let catalogue = build(json!({
        "extended": [
            {"fieldName": "year", "displayName": "Year"},
            {"fieldName": "donor_id", "primaryKey": true},
            {"fieldName": "sex", "quickSearchEnabled": true},
        ],
        "facets": {"aggregations": [{"fieldName": "batch", "isActive": true}]},
    }));
    assert_eq!(facets(&catalogue), ["batch"]);
    assert_eq!(flagged(&catalogue, |field| field.quick_search_enabled), ["sex"]);
    assert_eq!(flagged(&catalogue, |field| field.primary_key), ["donor_id"]);
    assert_eq!(catalogue.display.field("year").unwrap().display_type, "long");
    assert_eq!(catalogue.display.field("file_size").unwrap().display_type, "bytes");
}

#[test]
fn a_few_records_decide_nothing() {
    let (mapping, profile) = index();
    let few = IndexProfile { records: 10, ..profile };
    let with_few = Catalogue::build(&config(json!({})).with_profile(Arc::new(few)), &mapping).unwrap();
    let without = Catalogue::build(&config(json!({})), &mapping).unwrap();
    assert_eq!(with_few.display, without.display);
}

#[test]
fn values_are_counted_where_a_section_is_missing_and_nothing_is_hidden() {
    let (mapping, _) = index();
    assert!(config(json!({})).uses_profile(&mapping));
    let complete = json!({
        "extended": [{"fieldName": "sex"}],
        "facets": {"aggregations": [{"fieldName": "sex"}]},
        "table": {"columns": [{"fieldName": "sex"}]},
    });
    assert!(!config(complete).uses_profile(&mapping));
    let rules = json!({"access": {"records": [{"scope": "*", "filter": null}]}});
    assert!(!config(rules.clone()).uses_profile(&mapping));
    // Values that were counted before there were rules.
    let without = Catalogue::build(&config(rules.clone()), &mapping).unwrap();
    assert_eq!(build(rules).display, without.display);
    assert!(IndexProfile { records: 100, ..IndexProfile::default() }.fits(199));
    assert!(!IndexProfile { records: 100, ..IndexProfile::default() }.fits(300));
}
