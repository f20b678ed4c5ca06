//! What an index brings along of how it is to be shown, and what the files say instead.

use cantata_catalogue::Catalogue;
use cantata_mapping::{IndexMapping, RedactedFields};
use serde_json::{Value, json};

use crate::support::{config, warnings};

fn mapping(sections: Value) -> IndexMapping {
    let properties = json!({"a": {"type": "keyword"}, "b": {"type": "long"}, "c": {"type": "keyword"}});
    IndexMapping::parse(&json!({"properties": properties, "_meta": {"cantata": sections}})).unwrap()
}

fn sections() -> Value {
    json!({
        "extended": [
            {"fieldName": "a", "displayName": "First", "description": "What comes first", "isArray": true},
            {"fieldName": "b", "displayName": "Second", "unit": "B"},
        ],
        "facets": {"aggregations": [{"fieldName": "b", "isActive": true, "show": true}]},
        "table": {"rowIdFieldName": "a", "columns": [{"fieldName": "c", "show": true}, {"fieldName": "b"}]},
    })
}

fn columns(catalogue: &Catalogue) -> Vec<&str> {
    catalogue.display.table.columns.iter().map(|column| column.field_name.as_str()).collect()
}

fn facets(catalogue: &Catalogue) -> Vec<&str> {
    catalogue.display.facets.aggregations.iter().map(|facet| facet.field_name.as_str()).collect()
}

#[test]
fn what_the_index_brings_stands_where_the_files_say_nothing() {
    let catalogue = Catalogue::build(&config(json!({})), &mapping(sections())).unwrap();
    assert_eq!(warnings(&catalogue), Vec::<String>::new());
    let first = catalogue.display.field("a").unwrap();
    assert_eq!((first.display_name.as_str(), first.is_array), ("First", true));
    assert_eq!(facets(&catalogue), ["b"]);
    assert_eq!(columns(&catalogue), ["c", "b"]);
    assert_eq!(catalogue.display.table.row_id_field_name, "a");
    assert_eq!(catalogue.display.generated, ["extended", "facets", "table"]);
}

#[test]
fn what_the_files_say_counts() {
    let keys = json!({
        "extended": [{"fieldName": "a", "displayName": "Mine"}],
        "facets": {"aggregations": [{"fieldName": "c"}]},
        "table": {"rowIdFieldName": "b", "columns": [{"fieldName": "a"}]},
    });
    let catalogue = Catalogue::build(&config(keys), &mapping(sections())).unwrap();
    let first = catalogue.display.field("a").unwrap();
    assert_eq!((first.display_name.as_str(), first.is_array), ("Mine", true), "the files say nothing of lists");
    assert_eq!(first.description.as_deref(), Some("What comes first"), "nor of its meaning");
    assert_eq!(catalogue.display.field("b").unwrap().display_name, "Second");
    assert_eq!(facets(&catalogue), ["c"]);
    assert_eq!(columns(&catalogue), ["a"]);
    assert_eq!(catalogue.display.table.row_id_field_name, "b");
    assert_eq!(catalogue.display.generated, Vec::<&str>::new());
}

#[test]
fn nothing_of_it_tells_of_what_is_hidden() {
    let covers = RedactedFields { hidden: ["b".to_owned()].into(), ..RedactedFields::default() };
    let catalogue = Catalogue::build_restricted(&config(json!({})), &mapping(sections()), &covers).unwrap();
    assert!(catalogue.display.field("b").is_none());
    assert_eq!(facets(&catalogue), Vec::<&str>::new());
    assert_eq!(columns(&catalogue), ["c"]);
    assert_eq!(warnings(&catalogue), Vec::<String>::new());
}

#[test]
fn nonsense_in_it_is_a_warning_about_the_mapping() {
    for nonsense in [json!(5), json!([]), json!({"extended": 5}), json!({"facets": [], "table": "x"})] {
        let catalogue = Catalogue::build(&config(json!({})), &mapping(nonsense.clone())).unwrap();
        assert!(warnings(&catalogue).iter().all(|warning| warning.starts_with("index mapping, `_meta.cantata.")));
        assert_eq!(columns(&catalogue), ["a", "b", "c"], "{nonsense}");
    }
    let unknown = json!({"table": {"columns": [{"fieldName": "gone"}]}});
    let catalogue = Catalogue::build(&config(json!({})), &mapping(unknown)).unwrap();
    assert_eq!(
        warnings(&catalogue),
        [
            "index mapping, `_meta.cantata.table.columns[0].fieldName`: found \"gone\", which is left out, expected a field of the index"
        ]
    );
}

#[test]
fn texts_are_counted_by_their_keyword() {
    let keyword = json!({"keyword": {"type": "keyword"}});
    let properties = json!({
        "a": {"type": "text"}, "b": {"type": "text", "fields": keyword}, "c": {"type": "keyword"},
    });
    let mapping = IndexMapping::parse(&json!({"properties": properties})).unwrap();
    let catalogue = Catalogue::build(&config(json!({})), &mapping).unwrap();
    assert_eq!(facets(&catalogue), ["b__keyword", "c"]);
}
