use std::collections::HashSet;

use cantata_mapping::{DateExpression, DateFormat, FieldKind, IndexMapping, UtcDateTime};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Any JSON, with names and strings that mean something in a mapping among them.
fn any_json() -> impl Strategy<Value = Value> {
    let name = || {
        prop_oneof![
            4 => prop::sample::select(vec![
                "properties", "mappings", "type", "fields", "path", "copy_to", "null_value", "ignore_above", "format",
                "dynamic", "enabled", "scaling_factor", "a", "b", "a.b", "a.b.a", "",
            ]).prop_map(str::to_owned),
            1 => ".{0,6}",
        ]
    };
    let word = prop_oneof![
        4 => prop::sample::select(vec![
            "keyword", "text", "nested", "object", "alias", "date", "long", "scaled_float", "flattened", "a", "a.b", "b",
            "strict", "2024-05-01", "epoch_millis||yyyy",
        ]).prop_map(|word| json!(word)),
        1 => ".{0,8}".prop_map(|text| json!(text)),
    ];
    let scalar = prop_oneof![
        word,
        any::<i64>().prop_map(|number| json!(number)),
        any::<f64>().prop_map(|number| json!(number)),
        any::<bool>().prop_map(|flag| json!(flag)),
        Just(Value::Null),
    ];
    scalar.prop_recursive(6, 60, 6, move |inner| {
        prop_oneof![
            1 => prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            5 => prop::collection::vec((name(), inner), 0..6)
                .prop_map(|members| Value::Object(Map::from_iter(members))),
        ]
    })
}

/// A properties object that is mostly right.
fn properties() -> impl Strategy<Value = Value> {
    let name = || prop::sample::select(vec!["a", "b", "c", "d", "e", "f", "a.b", "b.c.d"]);
    let leaf = prop_oneof![
        6 => prop::sample::select(vec!["keyword", "long", "date", "boolean", "ip", "flattened", "geo_point"])
            .prop_map(|kind| json!({"type": kind})),
        3 => Just(json!({"type": "text", "fields": {"keyword": {"type": "keyword"}, "raw": {"type": "wildcard"}}})),
        1 => name().prop_map(|path| json!({"type": "alias", "path": path})),
        1 => name().prop_map(|path| json!({"type": "long", "copy_to": path})),
    ];
    let definition = leaf.prop_recursive(4, 30, 4, move |inner| {
        let members = || {
            prop::collection::vec((name(), inner.clone()), 0..4)
                .prop_map(|members| members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
                .prop_map(Value::Object)
        };
        prop_oneof![
            members().prop_map(|members| json!({"type": "nested", "properties": members})),
            members().prop_map(|members| json!({"properties": members})),
            members().prop_map(|members| json!({"dynamic": false, "properties": members})),
        ]
    });
    prop::collection::vec((name(), definition), 1..5)
        .prop_map(|members| members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
        .prop_map(Value::Object)
}

/// Checks what must hold for every mapping.
fn check(mapping: &IndexMapping) {
    let mut seen = HashSet::new();
    for field in mapping.fields().chain(mapping.multi_fields()) {
        assert!(seen.insert(field.path.clone()), "{} twice", field.path);
        assert_eq!(mapping.entry(&field.path), Some(field));
        let found = mapping.field(&field.path).unwrap();
        match field.kind {
            FieldKind::Alias { .. } => assert!(!found.kind.is_container() && found.path != field.path),
            _ => assert_eq!(found, field),
        }
        assert!(field.path.ends_with(&field.name));
        let parent = field.parent_path();
        assert!(parent.is_empty() || seen.contains(parent), "{} before its container", field.path);
        let mut around: Vec<String> = mapping.entry(parent).map(|parent| parent.nested.clone()).unwrap_or_default();
        if mapping.entry(parent).is_some_and(|parent| parent.kind == FieldKind::Nested) {
            around.push(parent.to_owned());
        }
        assert_eq!(field.nested, around);
    }
    for multi in mapping.multi_fields() {
        let owner = mapping.entry(multi.multi_field_of.as_deref().unwrap()).unwrap();
        assert!(owner.multi_field_of.is_none() && !owner.kind.is_container());
    }
    let again = IndexMapping::parse(&json!({"properties": mapping.raw()}));
    assert!(again.is_ok_and(|again| again.fields().eq(mapping.fields())));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn no_json_breaks_the_reader(value in any_json()) {
        if let Ok(mapping) = IndexMapping::parse(&value) {
            check(&mapping);
        }
        if let Ok(mapping) = IndexMapping::parse(&json!({ "properties": value })) {
            check(&mapping);
            for field in mapping.fields().chain(mapping.multi_fields()) {
                let _ = field.read(&value);
            }
        }
    }

    #[test]
    fn mappings_agree_with_themselves(one in properties(), two in properties(), document in any_json()) {
        let Ok(mut mapping) = IndexMapping::parse(&json!({ "properties": one })) else { return Ok(()) };
        check(&mapping);
        let added = mapping.extend_from(&document);
        check(&mapping);
        for path in &added {
            prop_assert!(mapping.entry(path).is_some(), "{path}");
        }
        prop_assert!(mapping.extend_from(&document).is_empty());
        if let Ok(other) = IndexMapping::parse(&json!({ "properties": two })) {
            let before = mapping.clone();
            match mapping.merge(&other) {
                Ok(()) => {
                    check(&mapping);
                    for field in before.fields().chain(other.fields()) {
                        prop_assert!(mapping.entry(&field.path).is_some(), "{}", field.path);
                    }
                }
                Err(errors) => {
                    prop_assert!(!errors.is_empty());
                    prop_assert_eq!(before.raw(), mapping.raw());
                }
            }
        }
        let envelopes: Vec<String> = mapping.fields().map(|field| field.path.clone()).collect();
        for prefix in envelopes {
            if let Ok(below) = mapping.without_prefix(&prefix) {
                for field in below.fields() {
                    let path = format!("{prefix}.{}", field.path);
                    prop_assert!(mapping.entry(&path).is_some(), "{path}");
                }
            }
        }
    }

    #[test]
    fn documents_that_made_a_mapping_can_be_read_with_it(document in any_json()) {
        let mut mapping = IndexMapping::empty();
        mapping.extend_from(&json!({ "x": document }));
        check(&mapping);
        if !document.is_object() && !document.is_array() && !document.is_null() {
            prop_assert!(mapping.field("x").unwrap().read(&document).unwrap().is_some());
        }
    }

    #[test]
    fn no_text_breaks_the_dates(text in "(now)?[0-9TZ:+|/.yMdhw-]{0,30}|.{0,20}", format in ".{0,20}") {
        let format = DateFormat::parse(&format);
        let now = UtcDateTime::from_millis(1_715_768_430_456).unwrap();
        for format in [DateFormat::default(), format] {
            if let Ok(date) = DateExpression::parse(&text, &format) {
                prop_assert!(date.start(now) <= date.end(now));
            }
            if let Some(moment) = format.read(&text) {
                prop_assert_eq!(UtcDateTime::from_nanos(moment.nanos()), Some(moment));
            }
        }
    }
}
