//! Random mappings: whatever the fields are called, a catalogue is built, and every field has a name of its own.

use std::collections::HashSet;

use cantata_catalogue::{Catalogue, FieldLevel, is_graphql_name};
use cantata_mapping::IndexMapping;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::support::config;

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-d]{1,2}",
        1 => prop_oneof!["id", "score", "node", "keyword", "a__b", "Aggregations", "field_id"].prop_map(|s| s),
        1 => "[A-Za-z0-9_ é-]{1,4}",
        1 => "[ab][-_ ]{1,2}[ab](_2)?",
    ]
}

fn leaf() -> impl Strategy<Value = Value> {
    let types = ["keyword", "long", "date", "boolean", "ip", "geo_point", "flattened", "object", "nested", "short"];
    prop_oneof![
        5 => prop::sample::select(types.to_vec()).prop_map(|name| json!({ "type": name })),
        1 => name().prop_map(|name| json!({ "type": "text", "fields": { name: { "type": "keyword" } } })),
    ]
}

fn properties() -> impl Strategy<Value = Map<String, Value>> {
    let members = |inner: BoxedStrategy<Value>| {
        prop::collection::hash_map(name(), inner, 0..6).prop_map(|members| members.into_iter().collect::<Map<_, _>>())
    };
    let definition = leaf().boxed().prop_recursive(3, 40, 6, move |inner| {
        (members(inner), prop::sample::select(vec!["object", "nested"]))
            .prop_map(|(properties, kind)| json!({ "type": kind, "properties": properties }))
            .boxed()
    });
    prop::collection::hash_map(name(), definition, 0..8).prop_map(|members| members.into_iter().collect())
}

fn check_level(level: &FieldLevel, types: &mut HashSet<String>) {
    assert!(types.insert(level.type_name.clone()), "the type {} twice", level.type_name);
    let mut names = HashSet::new();
    let nodes = level.nodes.iter().map(|node| &node.name);
    for name in nodes.chain(level.flat.iter().map(|field| &field.name)) {
        assert!(is_graphql_name(name) && !name.starts_with("__"), "{name}");
        assert!(names.insert(name), "{name} twice in {}", level.type_name);
    }
    for node in &level.nodes {
        assert_eq!(level.node(&node.name).map(|found| &found.path), Some(&node.path));
        if let Some(inner) = node.shape.level() {
            check_level(inner, types);
        }
    }
    for field in &level.flat {
        assert_eq!(level.along(field).last().map(|node| &node.path), Some(&field.path));
    }
    let aggregations: HashSet<&str> = level.aggregations.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(aggregations.len(), level.aggregations.len());
}

proptest! {
    #[test]
    fn any_mapping_gives_a_catalogue_of_unique_names(properties in properties()) {
        let Ok(mapping) = IndexMapping::parse(&json!({ "properties": properties })) else { return Ok(()) };
        let catalogue = Catalogue::build(&config(json!({})), &mapping).unwrap();
        check_level(&catalogue.root, &mut HashSet::new());
        for facet in &catalogue.display.facets.aggregations {
            prop_assert!(catalogue.root.aggregation(&facet.field_name).is_some());
        }
    }

    #[test]
    fn any_json_is_read_as_a_configuration_or_refused(key in "[a-z]{1,8}|table|extended|facets|network", text in ".{0,20}") {
        let value = serde_json::from_str(&text).unwrap_or(Value::String(text));
        let _ = cantata_catalogue::CatalogueConfig::from_value("x", &json!({ key: value }), &Default::default());
    }
}
