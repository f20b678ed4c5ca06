use cantata_mapping::{DateFormat, DynamicMapping, FieldKind, TypedValue};
use serde_json::json;

use crate::{field, mapping};

#[test]
fn types_become_kinds() {
    let cases = [
        (json!({"type": "keyword"}), FieldKind::Keyword),
        (json!({"type": "text"}), FieldKind::Text),
        (json!({"type": "boolean"}), FieldKind::Boolean),
        (json!({"type": "byte"}), FieldKind::Byte),
        (json!({"type": "short"}), FieldKind::Short),
        (json!({"type": "integer"}), FieldKind::Integer),
        (json!({"type": "long"}), FieldKind::Long),
        (json!({"type": "unsigned_long"}), FieldKind::UnsignedLong),
        (json!({"type": "half_float"}), FieldKind::HalfFloat),
        (json!({"type": "float"}), FieldKind::Float),
        (json!({"type": "double"}), FieldKind::Double),
        (json!({"type": "scaled_float", "scaling_factor": 100}), FieldKind::ScaledFloat { scaling_factor: 100.0 }),
        (json!({"type": "date"}), FieldKind::Date { format: DateFormat::default() }),
        (
            json!({"type": "date_nanos", "format": "epoch_millis"}),
            FieldKind::DateNanos { format: DateFormat::parse("epoch_millis") },
        ),
        (json!({"type": "ip"}), FieldKind::Ip),
        (json!({"type": "flattened"}), FieldKind::Flattened),
        (json!({"type": "flat_object"}), FieldKind::Flattened),
        (json!({"type": "wildcard"}), FieldKind::Wildcard),
        (json!({"type": "constant_keyword"}), FieldKind::ConstantKeyword { value: None }),
        (json!({"type": "constant_keyword", "value": "a"}), FieldKind::ConstantKeyword { value: Some("a".into()) }),
        (json!({"type": "object"}), FieldKind::Object),
        (json!({"properties": {}}), FieldKind::Object),
        (json!({"enabled": false}), FieldKind::Object),
        (json!({"type": "nested"}), FieldKind::Nested),
        (json!({"type": "geo_point"}), FieldKind::Unsupported("geo_point".into())),
        (json!({"type": "invented_tomorrow", "a": [1]}), FieldKind::Unsupported("invented_tomorrow".into())),
    ];
    for (definition, kind) in cases {
        let field = field(definition.clone());
        assert_eq!(field.kind, kind, "{definition}");
        assert_eq!(field.type_name, definition["type"].as_str().unwrap_or("object"), "{definition}");
    }
}

#[test]
fn attributes_are_read() {
    let field = field(json!({
        "type": "keyword", "ignore_above": 20, "null_value": "none", "copy_to": "all", "index": false,
        "doc_values": "false", "ignore_malformed": true, "fields": {"words": {"type": "text"}},
    }));
    assert_eq!(field.ignore_above, Some(20));
    assert_eq!(field.null_value, Some(TypedValue::Text("none".into())));
    assert_eq!(field.copy_to, ["all"]);
    assert_eq!(field.multi_fields, ["x.words"]);
    assert!(!field.indexed && !field.doc_values && field.ignore_malformed && field.enabled);
}

#[test]
fn attributes_have_the_defaults_of_the_engines() {
    let field = field(json!({"type": "keyword"}));
    assert_eq!((field.ignore_above, field.null_value, field.dynamic), (None, None, None));
    assert!(field.copy_to.is_empty() && field.multi_fields.is_empty());
    assert!(field.indexed && field.doc_values && field.enabled && !field.ignore_malformed);
}

#[test]
fn copy_to_takes_a_list() {
    assert_eq!(field(json!({"type": "text", "copy_to": ["a", "b.c"]})).copy_to, ["a", "b.c"]);
}

#[test]
fn dynamic_is_read_from_flags_and_names() {
    let cases = [
        (json!(true), DynamicMapping::Add),
        (json!("true"), DynamicMapping::Add),
        (json!("runtime"), DynamicMapping::Add),
        (json!(false), DynamicMapping::Ignore),
        (json!("false"), DynamicMapping::Ignore),
        (json!("strict"), DynamicMapping::Strict),
    ];
    for (given, dynamic) in cases {
        assert_eq!(field(json!({"dynamic": given, "properties": {}})).dynamic, Some(dynamic), "{given}");
    }
}

#[test]
fn what_lies_in_a_disabled_object_is_disabled() {
    let mapping = mapping(json!({
        "off": {"enabled": false, "properties": {"in": {"properties": {"a": {"type": "long"}}}}},
        "on": {"properties": {"a": {"type": "long"}}},
    }));
    let enabled = |path: &str| mapping.field(path).unwrap().enabled;
    assert!(!enabled("off") && !enabled("off.in") && !enabled("off.in.a") && enabled("on") && enabled("on.a"));
}

#[test]
fn kinds_know_what_they_are() {
    let sorts = |definition| {
        let kind = field(definition).kind;
        (kind.is_container(), kind.is_integer(), kind.is_numeric(), kind.is_date(), kind.is_string(), kind.has_values())
    };
    assert_eq!(sorts(json!({"type": "nested"})), (true, false, false, false, false, false));
    assert_eq!(sorts(json!({"type": "byte"})), (false, true, true, false, false, true));
    assert_eq!(sorts(json!({"type": "float"})), (false, false, true, false, false, true));
    assert_eq!(sorts(json!({"type": "date_nanos"})), (false, false, false, true, false, true));
    assert_eq!(sorts(json!({"type": "wildcard"})), (false, false, false, false, true, true));
    assert_eq!(sorts(json!({"type": "geo_shape"})), (false, false, false, false, false, false));
}
