use cantata_mapping::IndexMapping;
use serde_json::json;

use crate::paths;

#[test]
fn every_form_gives_the_same_fields() {
    let inner = json!({"properties": {"b": {"type": "keyword"}, "a": {"type": "long"}}});
    let forms = [
        inner.clone(),
        json!({"mappings": inner}),
        json!({"files": {"mappings": inner}}),
        json!({"files-1": {"mappings": inner}, "files-2": {"mappings": inner}}),
        json!({"dynamic": "strict", "_meta": {"x": 1}, "properties": inner["properties"]}),
    ];
    for form in forms {
        let mapping = IndexMapping::parse(&form).unwrap();
        assert_eq!(paths(&mapping), ["b", "a"], "{form}");
        assert_eq!(json!(mapping.raw()).to_string(), inner["properties"].to_string(), "{form}");
    }
}

#[test]
fn an_index_without_fields_has_an_empty_mapping() {
    for form in [json!({}), json!({"mappings": {}}), json!({"files": {"mappings": {}}}), json!({"properties": {}})] {
        assert!(IndexMapping::parse(&form).unwrap().is_empty(), "{form}");
    }
}

#[test]
fn several_indices_give_all_their_fields() {
    let answer = json!({
        "files-1": {"mappings": {"properties": {"a": {"type": "keyword"}, "o": {"properties": {"x": {"type": "ip"}}}}}},
        "files-2": {"mappings": {"properties": {"o": {"properties": {"y": {"type": "long"}}}, "b": {"type": "date"}}}},
    });
    assert_eq!(paths(&IndexMapping::parse(&answer).unwrap()), ["a", "o", "o.x", "o.y", "b"]);
    let answer = json!({
        "files-1": {"mappings": {"properties": {"a": {"type": "keyword"}}}},
        "files-2": {"mappings": {"properties": {"a": {"type": "long"}}}},
    });
    let errors = IndexMapping::parse(&answer).unwrap_err();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].path, "a");
}

#[test]
fn other_forms_are_named_with_what_is_expected() {
    let cases = [
        (json!(null), "the mapping: found null, expected an object `{\"properties\": …}`"),
        (json!([]), "the mapping: found a list, expected"),
        (json!({"mappings": 3}), "the mapping: found `mappings`: the number 3, expected an object"),
        (json!({"properties": []}), "the mapping: found `properties`: a list, expected an object"),
        (json!({"age": {"type": "long"}}), "the mapping: found the key \"age\", expected fields only inside"),
        (json!({"dynamic": 7}), "the mapping: found `dynamic`: the number 7, expected true, false"),
    ];
    for (form, message) in cases {
        let errors = IndexMapping::parse(&form).unwrap_err();
        assert_eq!(errors.len(), 1, "{form}");
        assert!(errors[0].to_string().starts_with(message), "{}", errors[0]);
    }
}
