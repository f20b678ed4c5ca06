use serde_json::json;

use crate::{mapping, paths, problems};

#[test]
fn an_alias_leads_to_its_field() {
    let mapping = mapping(json!({
        "short": {"type": "alias", "path": "middle"},
        "middle": {"type": "alias", "path": "o.long.raw"},
        "o": {"type": "nested", "properties": {"long": {"type": "text", "fields": {"raw": {"type": "keyword"}}}}},
    }));
    assert_eq!(mapping.field("short").unwrap().path, "o.long.raw");
    assert_eq!(mapping.field("short").unwrap().nested, ["o"]);
    assert_eq!(mapping.entry("short").unwrap().type_name, "alias");
    assert_eq!(paths(&mapping), ["short", "middle", "o", "o.long"]);
}

#[test]
fn an_alias_must_lead_somewhere() {
    let cases = [
        (json!({"x": {"type": "alias"}}), "found no `path`"),
        (json!({"x": {"type": "alias", "path": 3}}), "found `path`: the number 3"),
        (json!({"x": {"type": "alias", "path": "y"}}), "found `path`: \"y\", which is not a field"),
        (json!({"x": {"type": "alias", "path": "x"}}), "found `path`: \"x\", an alias that leads back to itself"),
        (json!({"x": {"type": "alias", "path": "o"}, "o": {"properties": {}}}), "\"o\", which is a container"),
    ];
    for (properties, message) in cases {
        let errors = problems(properties.clone());
        assert_eq!(errors.len(), 1, "{properties}: {errors:?}");
        assert_eq!(errors[0].path, "x");
        assert!(errors[0].to_string().contains(message), "{}", errors[0]);
    }
}

#[test]
fn each_alias_of_a_loop_is_reported() {
    let errors = problems(json!({
        "a": {"type": "alias", "path": "b"},
        "b": {"type": "alias", "path": "c"},
        "c": {"type": "alias", "path": "b"},
    }));
    assert_eq!(errors.iter().map(|error| error.path.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
}

#[test]
fn values_are_copied_only_to_fields_with_values() {
    mapping(json!({"a": {"type": "text", "copy_to": ["all", "missing"]}, "all": {"type": "text"}}));
    for target in ["o", "t.raw", "other"] {
        let errors = problems(json!({
            "a": {"type": "text", "copy_to": target},
            "o": {"properties": {}},
            "t": {"type": "text", "fields": {"raw": {"type": "keyword"}}},
            "other": {"type": "alias", "path": "t"},
        }));
        assert_eq!(errors.len(), 1, "{target}: {errors:?}");
        assert!(errors[0].found.contains("copy_to"), "{target}: {errors:?}");
    }
}
