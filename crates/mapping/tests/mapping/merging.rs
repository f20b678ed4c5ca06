use cantata_mapping::IndexMapping;
use serde_json::{Value, json};

use crate::{mapping, paths};

#[test]
fn fields_and_attributes_are_taken_over() {
    let mut one = mapping(json!({
        "a": {"type": "text", "fields": {"raw": {"type": "keyword"}}},
        "o": {"properties": {"x": {"type": "long"}}},
        "d.e": {"type": "ip"},
        "c": {"type": "constant_keyword"},
    }));
    let two = mapping(json!({
        "o": {"dynamic": false, "properties": {"y": {"type": "nested", "properties": {"z": {"type": "date"}}}}},
        "a": {"type": "text", "copy_to": "all", "fields": {
            "raw": {"type": "keyword", "ignore_above": 9}, "wild": {"type": "wildcard"},
        }},
        "d": {"properties": {"f": {"type": "ip"}}},
        "p.q": {"type": "byte"},
        "c": {"type": "constant_keyword", "value": "v"},
        "empty": {"type": "object"},
    }));
    one.merge(&two).unwrap();
    assert_eq!(
        paths(&one),
        ["a", "o", "o.x", "o.y", "o.y.z", "d", "d.e", "d.f", "c", "p", "p.q", "empty"],
        "{:?}",
        one.raw()
    );
    assert_eq!(one.field("a").unwrap().copy_to, ["all"]);
    assert_eq!(one.field("a").unwrap().multi_fields, ["a.raw", "a.wild"]);
    assert_eq!(one.field("a.raw").unwrap().ignore_above, Some(9));
    assert!(one.field("o").unwrap().dynamic.is_some());
    assert_eq!(one.field("o.y.z").unwrap().nested, ["o.y"]);
}

#[test]
fn merging_the_same_changes_nothing() {
    let properties = json!({
        "a.b": {"type": "text", "fields": {"raw": {"type": "keyword"}}},
        "n": {"type": "nested", "properties": {"o": {"properties": {}}, "s": {"type": "alias", "path": "a.b"}}},
    });
    let mut one = mapping(properties.clone());
    one.merge(&one.clone()).unwrap();
    assert_eq!(json!(one.raw()), properties);
}

#[test]
fn conflicts_are_all_reported_and_nothing_is_changed() {
    let before = json!({
        "a": {"type": "long"},
        "b": {"type": "date"},
        "c": {"properties": {"x": {"type": "keyword"}}},
        "t": {"type": "text", "fields": {"raw": {"type": "keyword"}}},
        "s": {"type": "scaled_float", "scaling_factor": 10},
        "same": {"type": "ip"},
    });
    let mut one = mapping(before.clone());
    let two = mapping(json!({
        "new": {"type": "ip"},
        "a": {"type": "keyword"},
        "b": {"type": "date", "format": "epoch_second"},
        "c": {"type": "nested", "properties": {"x": {"type": "keyword"}}},
        "t": {"type": "text", "fields": {"raw": {"type": "wildcard"}}},
        "s": {"type": "scaled_float", "scaling_factor": 100},
        "same": {"type": "ip"},
    }));
    let conflicts = one.merge(&two).unwrap_err();
    let told: Vec<_> = conflicts.iter().map(|conflict| (conflict.path.as_str(), conflict.found.as_str())).collect();
    assert_eq!(
        told,
        [
            ("a", "keyword where the mapping has long"),
            (
                "b",
                "date (format \"epoch_second\") where the mapping has date (format \
                 \"strict_date_optional_time||epoch_millis\")"
            ),
            ("c", "nested where the mapping has object"),
            ("s", "scaled_float (factor 100) where the mapping has scaled_float (factor 10)"),
            ("t.raw", "wildcard where the mapping has keyword"),
        ]
    );
    assert_eq!(json!(one.raw()), before);
}

#[test]
fn what_the_maker_keeps_is_replaced_as_a_whole() {
    let with = |meta: Value| {
        IndexMapping::parse(&json!({"_meta": meta, "properties": {"a": {"properties": {"b": {"type": "long"}}}}}))
            .unwrap()
    };
    let mut mapping = with(json!({"one": 1, "two": {"x": 1}}));
    assert_eq!(mapping.without_prefix("a").unwrap().meta(), mapping.meta());
    mapping.merge(&with(json!({"two": {"y": 2}}))).unwrap();
    assert_eq!(Value::Object(mapping.meta().clone()), json!({"two": {"y": 2}}));
    mapping.merge(&with(json!({}))).unwrap();
    assert_eq!(mapping.meta().len(), 1);
    assert!(IndexMapping::parse(&json!({"_meta": 5, "properties": {}})).is_err());
}
