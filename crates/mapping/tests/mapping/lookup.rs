use serde_json::json;

use crate::{mapping, paths};

#[test]
fn fields_come_depth_first_in_mapping_order() {
    let mapping = mapping(json!({
        "z": {"type": "text", "fields": {"keyword": {"type": "keyword"}}},
        "donors": {"type": "nested", "properties": {
            "age": {"type": "byte"},
            "specimens": {"type": "nested", "properties": {
                "info": {"properties": {"site": {"type": "keyword", "fields": {"text": {"type": "text"}}}}},
                "samples": {"type": "nested", "properties": {"id": {"type": "keyword"}}},
            }},
        }},
        "a": {"type": "long"},
    }));
    assert_eq!(
        paths(&mapping),
        [
            "z",
            "donors",
            "donors.age",
            "donors.specimens",
            "donors.specimens.info",
            "donors.specimens.info.site",
            "donors.specimens.samples",
            "donors.specimens.samples.id",
            "a"
        ]
    );
    assert_eq!(mapping.nested_paths().collect::<Vec<_>>(), ["donors", "donors.specimens", "donors.specimens.samples"]);
    let multi: Vec<_> = mapping.multi_fields().map(|field| field.path.as_str()).collect();
    assert_eq!(multi, ["z.keyword", "donors.specimens.info.site.text"]);
    let children: Vec<_> = mapping.children("donors.specimens").map(|field| field.name.as_str()).collect();
    assert_eq!(children, ["info", "samples"]);
    let roots: Vec<_> = mapping.children("").map(|field| field.name.as_str()).collect();
    assert_eq!(roots, ["z", "donors", "a"]);
}

#[test]
fn a_field_knows_the_nested_containers_around_it() {
    let mapping = mapping(json!({
        "donors": {"type": "nested", "properties": {
            "name": {"type": "text", "fields": {"raw": {"type": "keyword"}}},
            "about": {"properties": {"specimens": {"type": "nested", "properties": {"x": {"type": "ip"}}}}},
        }},
        "plain": {"type": "ip"},
    }));
    let cases: [(&str, &[&str], &str); 6] = [
        ("plain", &[], ""),
        ("donors", &[], ""),
        ("donors.name", &["donors"], "donors"),
        ("donors.name.raw", &["donors"], "donors"),
        ("donors.about.specimens", &["donors"], "donors"),
        ("donors.about.specimens.x", &["donors", "donors.about.specimens"], "donors.about.specimens"),
    ];
    for (path, nested, row) in cases {
        let field = mapping.field(path).unwrap();
        assert_eq!(field.nested, nested, "{path}");
        assert_eq!(field.row_path(), row, "{path}");
    }
}

#[test]
fn multi_fields_are_fields_of_their_own() {
    let mapping = mapping(json!({"o": {"properties": {"x": {"type": "text", "fields": {
        "keyword": {"type": "keyword", "ignore_above": 3, "fields": {"deep": {"type": "wildcard"}}},
    }}}}}));
    let keyword = mapping.field("o.x.keyword").unwrap();
    assert_eq!((keyword.name.as_str(), keyword.parent_path()), ("keyword", "o.x"));
    assert_eq!(keyword.multi_field_of.as_deref(), Some("o.x"));
    assert_eq!(keyword.ignore_above, Some(3));
    assert_eq!(mapping.field("o.x.keyword.deep").unwrap().multi_field_of.as_deref(), Some("o.x"));
    assert!(mapping.field("o.x.other").is_none());
}

#[test]
fn names_with_dots_stand_for_containers() {
    let mapping = mapping(json!({
        "a.b.c": {"type": "long"},
        "a": {"type": "nested", "properties": {"d": {"type": "ip"}, "b": {"dynamic": false, "properties": {}}}},
        "a.b.e": {"type": "keyword"},
    }));
    assert_eq!(paths(&mapping), ["a", "a.b", "a.b.c", "a.b.e", "a.d"]);
    assert_eq!(mapping.field("a.b.e").unwrap().nested, ["a"]);
    assert!(mapping.field("a.b").unwrap().dynamic.is_some());
}

#[test]
fn a_path_may_lead_into_a_flattened_field() {
    let mapping = mapping(json!({"o": {"properties": {"labels": {"type": "flattened"}}}, "k": {"type": "keyword"}}));
    let (field, key) = mapping.flattened_key("o.labels.release.year").unwrap();
    assert_eq!((field.path.as_str(), key), ("o.labels", "release.year"));
    assert!(mapping.flattened_key("o.labels").is_none());
    assert!(mapping.flattened_key("k.x").is_none());
}
