use cantata_mapping::IndexMapping;
use serde_json::{Value, json};

use crate::{mapping, paths};

/// Returns the mapping that a document makes.
fn made_by(document: Value) -> IndexMapping {
    let mut mapping = IndexMapping::empty();
    mapping.extend_from(&document);
    mapping
}

#[test]
fn the_first_value_decides() {
    let text = json!({"type": "text", "fields": {"keyword": {"type": "keyword", "ignore_above": 256}}});
    let cases = [
        (json!(true), json!({"type": "boolean"})),
        (json!(3), json!({"type": "long"})),
        (json!(-3), json!({"type": "long"})),
        (json!(9_223_372_036_854_775_807_i64), json!({"type": "long"})),
        (json!(18_446_744_073_709_551_615_u64), json!({"type": "unsigned_long"})),
        (json!(3.5), json!({"type": "double"})),
        (json!("abc"), text.clone()),
        (json!(""), text.clone()),
        (json!("2024"), text.clone()),
        (json!("20240501"), text.clone()),
        (json!("2024-13-01"), text.clone()),
        (json!("2024-05"), json!({"type": "date"})),
        (json!("2024-05-01"), json!({"type": "date"})),
        (json!("2024-05-01T10:00:00Z"), json!({"type": "date"})),
        (json!("2024-05-01T10:00:00.123456+02:00"), json!({"type": "date"})),
        (json!("2024-05-01 10:00:00"), text.clone()),
        (json!([null, [], [4, "x"], "abc"]), json!({"type": "long"})),
        (json!([{"a": 1}, {"b": true}]), json!({"properties": {"a": {"type": "long"}, "b": {"type": "boolean"}}})),
        (json!({}), json!({"type": "object"})),
        (json!({"a": null}), json!({"type": "object"})),
        (json!([{}, {"a": {}}]), json!({"properties": {"a": {"type": "object"}}})),
    ];
    for (value, definition) in cases {
        assert_eq!(json!(made_by(json!({"x": value})).raw()), json!({"x": definition}), "{value}");
    }
    for nothing in [json!({"x": null}), json!({"x": []}), json!({"x": [null]}), json!({}), json!(3), json!([1])] {
        assert!(made_by(nothing.clone()).is_empty(), "{nothing}");
    }
}

#[test]
fn new_fields_are_returned_once_and_found() {
    let mut mapping = IndexMapping::empty();
    let document = json!({"_id": "7", "b": "x", "o": {"list": [{"n": 1}, {"m": 2}], "_id": 1}, "a.c": true});
    assert_eq!(mapping.extend_from(&document), ["b", "o", "o.list", "o.list.n", "o.list.m", "o._id", "a", "a.c"]);
    assert_eq!(mapping.extend_from(&document), Vec::<String>::new());
    assert_eq!(paths(&mapping), ["b", "o", "o.list", "o.list.n", "o.list.m", "o._id", "a", "a.c"]);
    assert_eq!(mapping.field("b.keyword").unwrap().ignore_above, Some(256));
    assert_eq!(mapping.nested_paths().count(), 0);
    assert_eq!(mapping.extend_from(&json!({"o": {"x": {"y": 1}}, "a": {"d": 1}})), ["o.x", "o.x.y", "a.d"]);
}

#[test]
fn a_contradiction_changes_nothing() {
    let given = json!({
        "k": {"type": "keyword"}, "o": {"properties": {}}, "f": {"type": "flattened"},
        "t": {"type": "text", "fields": {"raw": {"type": "keyword"}}},
        "off": {"enabled": false}, "i": {"dynamic": false, "properties": {}}, "g": {"type": "geo_point"},
    });
    let mut mapping = mapping(given.clone());
    let document = json!({
        "k": {"a": 1}, "k.b": 1, "o": 3, "f": {"a": {"b": 1}}, "t.raw": "x", "t.raw.y": 1, "off": {"a": 1},
        "i": {"a": {"b": 1}}, "g": {"lat": 1, "lon": 2}, "": 1, "a..b": 1, ".": 1,
    });
    assert_eq!(mapping.extend_from(&document), Vec::<String>::new());
    assert_eq!(json!(mapping.raw()), given);
}

#[test]
fn fields_inside_of_nested_containers_are_found_too() {
    let mut mapping = mapping(json!({"donors": {"type": "nested", "properties": {"age": {"type": "byte"}}}}));
    assert_eq!(mapping.extend_from(&json!({"donors": [{"age": 3}, {"sex": "f"}]})), ["donors.sex"]);
    assert_eq!(mapping.field("donors.sex.keyword").unwrap().nested, ["donors"]);
}

#[test]
fn a_copy_brings_its_field() {
    let mut mapping = mapping(json!({"n": {"type": "long", "copy_to": ["all.n", "n2"]}, "n2": {"type": "ip"}}));
    assert_eq!(mapping.extend_from(&json!({"n": [null, 4]})), ["all", "all.n"]);
    assert_eq!(mapping.field("all.n").unwrap().type_name, "long");
}

#[test]
fn dates_need_not_be_looked_for() {
    let mut mapping = IndexMapping::parse(&json!({"date_detection": false})).unwrap();
    mapping.extend_from(&json!({"d": "2024-05-01"}));
    assert_eq!(mapping.field("d").unwrap().type_name, "text");
}

#[test]
fn strict_containers_forbid_names() {
    let mapping = IndexMapping::parse(&json!({"dynamic": "strict", "properties": {
        "a": {"type": "long"},
        "open": {"dynamic": true, "properties": {"shut": {"dynamic": "strict", "properties": {}}}},
    }}));
    let mut mapping = mapping.unwrap();
    let document = json!({"a": 1, "b": 1, "c": [{"d": 1}, {"d": 2}], "open": {"x": 1, "shut": [{"y": 1}, {"y": 1}]}});
    assert_eq!(mapping.forbidden_fields(&document), ["b", "c", "open.shut.y"]);
    assert_eq!(mapping.extend_from(&document), ["open.x"]);
    assert!(self::mapping(json!({})).forbidden_fields(&document).is_empty());
}

#[test]
fn a_deep_document_is_followed_as_far_as_a_mapping_goes() {
    let deep = (0..120).fold(json!(1), |inner, _| json!({ "a": inner }));
    let mut mapping = IndexMapping::empty();
    assert_eq!(mapping.extend_from(&deep).len(), 100);
    assert_eq!(mapping.fields().count(), 100);
}
