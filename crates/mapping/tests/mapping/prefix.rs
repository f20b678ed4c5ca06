use cantata_mapping::{FieldKind, IndexMapping};
use serde_json::json;

use crate::{mapping, paths};

#[test]
fn the_mapping_below_an_object_becomes_the_root() {
    let whole = mapping(json!({
        "meta": {"type": "keyword"},
        "data": {"properties": {
            "id": {"type": "keyword", "copy_to": ["data.all", "meta"]},
            "all": {"type": "text", "fields": {"raw": {"type": "keyword"}}},
            "donors": {"type": "nested", "properties": {"age": {"type": "byte"}}},
            "inside": {"type": "alias", "path": "data.donors.age"},
            "outside": {"type": "alias", "path": "meta"},
        }},
    }));
    let below = whole.without_prefix("data").unwrap();
    assert_eq!(paths(&below), ["id", "all", "donors", "donors.age", "inside", "outside"]);
    assert_eq!(below.field("donors.age").unwrap().nested, ["donors"]);
    assert_eq!(below.field("inside").unwrap().path, "donors.age");
    assert_eq!(below.field("outside").unwrap().kind, FieldKind::Unsupported("alias".into()));
    assert_eq!(below.field("id").unwrap().copy_to, ["all"]);
    assert!(below.field("all.raw").is_some());
    assert_eq!(below.raw().keys().collect::<Vec<_>>(), ["id", "all", "donors", "inside", "outside"]);
}

#[test]
fn an_envelope_may_be_deep_or_written_with_dots() {
    let expected = ["x", "y"];
    for properties in [
        json!({"a": {"properties": {"b": {"properties": {"x": {"type": "ip"}, "y": {"type": "ip"}}}}}}),
        json!({"a.b": {"properties": {"x": {"type": "ip"}, "y": {"type": "ip"}}}}),
        json!({"a.b.x": {"type": "ip"}, "a": {"properties": {"b.y": {"type": "ip"}}}}),
    ] {
        let whole = mapping(properties.clone());
        assert_eq!(paths(&whole.without_prefix("a.b").unwrap()), expected, "{properties}");
        let in_steps = whole.without_prefix("a").unwrap().without_prefix("b").unwrap();
        assert_eq!(paths(&in_steps), expected, "{properties}");
    }
}

#[test]
fn an_envelope_that_is_no_object_is_refused() {
    let whole = mapping(json!({
        "k": {"type": "keyword"},
        "n": {"type": "nested", "properties": {"o": {"properties": {}}}},
        "off": {"type": "object", "enabled": false},
    }));
    let cases = [
        ("data", "no field \"data\""),
        ("", "no field \"\""),
        ("k", "type keyword"),
        ("n", "type nested"),
        ("n.o", "an object inside of nested `n`"),
        ("off", "an object that is not enabled"),
    ];
    for (prefix, found) in cases {
        let errors = whole.without_prefix(prefix).unwrap_err();
        assert_eq!(errors.len(), 1);
        assert_eq!((errors[0].path.as_str(), errors[0].found.as_str()), (prefix, found));
    }
}

#[test]
fn documents_may_extend_what_is_below() {
    let whole = IndexMapping::parse(&json!({"dynamic": "strict", "properties": {"data": {
        "dynamic": true, "properties": {"a": {"type": "alias", "path": "data.b"}, "b": {"type": "long"}},
    }}}));
    let mut below = whole.unwrap().without_prefix("data").unwrap();
    assert_eq!(below.extend_from(&json!({"c": true})), ["c"]);
    assert_eq!(below.field("a").unwrap().path, "b");
}
