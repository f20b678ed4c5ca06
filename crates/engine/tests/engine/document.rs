//! Documents as their readers see them.

use cantata_engine::{Document, ValueRef, nest_dotted_names};
use cantata_mapping::IndexMapping;
use serde_json::json;

#[test]
fn a_document_goes_out_as_it_came_in() {
    let value = json!({
        "z": [1, -1, u64::MAX, i64::MIN, 0.5, null, true, "ä", [], {}],
        "a": {"c": {"d": [[1], [{"e": 2}]]}, "b": 1},
    });
    let document = Document::from(value.clone());
    let text = serde_json::to_string(&document.root()).unwrap();
    assert_eq!(text, value.to_string());
    assert_eq!(format!("{document:?}"), text);
}

#[test]
fn members_and_elements_are_found() {
    let document = Document::from(json!({"list": [3, 4], "empty": [], "name": "x"}));
    let ValueRef::Object(root) = document.root() else { panic!("no object") };
    assert!(matches!(root.get("name"), Some(ValueRef::String("x"))));
    assert!(root.get("nothing").is_none());
    let Some(ValueRef::Array(list)) = root.get("list") else { panic!("no list") };
    let mut seen = Vec::new();
    list.for_each(|element| {
        if let ValueRef::Integer(number) = element {
            seen.push(number);
        }
    });
    assert_eq!((list.len(), seen), (2, vec![3, 4]));
    assert!(matches!(list.first(), Some(ValueRef::Integer(3))));
    assert!(matches!(root.get("empty"), Some(ValueRef::Array(empty)) if empty.is_empty() && empty.first().is_none()));
}

#[test]
fn dotted_names_lead_into_the_containers_of_the_mapping() {
    let mapping = IndexMapping::parse(&json!({"properties": {
        "donor.age": {"type": "long"}, "donor.sex": {"type": "keyword"}, "info": {"type": "flattened"},
        "donors": {"type": "nested", "properties": {"site.name": {"type": "keyword"}}},
        "off": {"type": "object", "enabled": false},
    }}));
    let mapping = mapping.unwrap();
    for (given, expected) in [
        (json!({"donor.age": 61}), json!({"donor": {"age": 61}})),
        (json!({"donor": {"sex": "f"}, "donor.age": 61}), json!({"donor": {"sex": "f", "age": 61}})),
        (json!({"donor.age": 61, "donor": {"age": 5}}), json!({"donor": {"age": [61, 5]}})),
        (json!({"donor": [{"age": 5}], "donor.age": 61}), json!({"donor": [{"age": 5}, {"age": 61}]})),
        (json!({"donors": [{"site.name": "a"}]}), json!({"donors": [{"site": {"name": "a"}}]})),
        (json!({"donors.site.name": "a"}), json!({"donors": {"site": {"name": "a"}}})),
        (json!({"info": {"a.b": 1}, "off": {"a.b": 1}}), json!({"info": {"a.b": 1}, "off": {"a.b": 1}})),
        (json!({"x.y": 1, ".": 2, "donor.": 3}), json!({"x.y": 1, ".": 2, "donor": {"": 3}})),
    ] {
        let mut record = given.clone();
        nest_dotted_names(&mut record, &mapping);
        assert_eq!(record.to_string(), expected.to_string(), "{given}");
        assert!(Document::from(given).may_have_dotted_names());
    }
    assert!(!Document::from(json!({"donor": [{"age": 61}]})).may_have_dotted_names());
}
