//! The fields as filters see them.

use cantata_catalogue::Catalogue;
use cantata_sqon::{FieldClass, FieldLookup, Sqon};
use serde_json::{Value, json};

use crate::support::{build, sample};

#[track_caller]
fn messages(catalogue: &Catalogue, filter: Value) -> Vec<String> {
    let filter = Sqon::parse(&filter).unwrap().unwrap().resolve_names(catalogue);
    filter.validate(catalogue).err().into_iter().flatten().map(|error| error.message).collect()
}

#[test]
fn filters_find_fields_containers_and_multi_fields() {
    let catalogue = sample();
    let class = |name: &str| catalogue.field(name).map(|facts| facts.class);
    assert_eq!(class("donors.age"), Some(FieldClass::Integer));
    assert_eq!(class("donors"), Some(FieldClass::Nested));
    assert_eq!(class("analysis"), Some(FieldClass::Object));
    assert_eq!(class("file_name.keyword"), Some(FieldClass::Keyword));
    assert_eq!(class("nope"), None);
    let nested = catalogue.field("donors.specimens.samples.score").unwrap().nested;
    assert_eq!(nested, ["donors", "donors.specimens", "donors.specimens.samples"]);
    assert!(catalogue.is_nested_path("donors.specimens") && !catalogue.is_nested_path("analysis"));
    assert!(catalogue.names().any(|name| name == "file_name.keyword"));
}

#[test]
fn filters_find_aliases_and_keys_of_flattened_fields() {
    let catalogue = build(
        json!({}),
        json!({
            "n": { "type": "long" }, "x": { "type": "alias", "path": "n" }, "labels": { "type": "flattened" },
        }),
    );
    assert_eq!(catalogue.field("x").unwrap().type_name, "long");
    assert_eq!(catalogue.field("labels.any.key").unwrap().class, FieldClass::Keyword);
}

#[test]
fn dates_are_judged_by_the_format_of_their_field() {
    let catalogue = build(json!({}), json!({ "day": { "type": "date", "format": "dd.MM.yyyy" } }));
    assert!(catalogue.is_date("day", "31.12.2024") && catalogue.is_date("day", "now-30d"));
    assert!(!catalogue.is_date("day", "31/12/2024"));
}

#[test]
fn filters_are_checked_against_the_catalogue() {
    let catalogue = sample();
    let filter = |name: &str| json!({ "op": "gte", "content": { "fieldName": name, "value": 5 } });
    assert_eq!(messages(&catalogue, filter("donors__age")), [""; 0]);
    assert_eq!(
        messages(&catalogue, filter("donors.agee")),
        ["the catalogue has no field \"donors.agee\"; similar fields: donors.age, donors, donors.specimens"]
    );
}

#[test]
fn filters_take_the_names_that_graphql_has_for_fields() {
    let catalogue = build(
        json!({}),
        json!({
            "access-level": { "type": "keyword" }, "a_b": { "type": "keyword" },
            "donors": { "type": "nested", "properties": { "age-group": { "type": "keyword" } } },
        }),
    );
    for (given, meant) in [
        ("access_level", "access-level"),
        ("access-level", "access-level"),
        ("a_b", "a_b"),
        ("donors__age_group", "donors.age-group"),
        ("donors.age_group", "donors.age-group"),
        ("donors.age-group", "donors.age-group"),
        ("age_group", "age_group"),
    ] {
        let filter = json!({ "op": "in", "content": { "fieldName": given, "value": ["x"] } });
        let filter = Sqon::parse(&filter).unwrap().unwrap().resolve_names(&catalogue);
        assert_eq!(filter.fields_used(), [meant]);
    }
}
