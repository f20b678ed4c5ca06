//! Names.

use cantata_catalogue::{flat_name, graphql_name, is_graphql_name, start_case};
use serde_json::{Map, Value};

#[test]
fn properties_become_names_of_graphql() {
    let cases = [
        ("age", "age"),
        ("access-level", "access_level"),
        ("größe", "gr__e"),
        ("1st", "_1st"),
        ("_x", "_x"),
        ("__x", "field__x"),
        ("é", "_"),
        ("@timestamp", "_timestamp"),
    ];
    for (property, name) in cases {
        assert_eq!(graphql_name(property), name);
        assert!(is_graphql_name(&graphql_name(property)), "{property}");
    }
    assert_eq!(flat_name("donors.1st-age"), "donors__1st_age");
}

/// The portal is tested with the same names, most of which are random.
#[test]
fn flat_names_are_as_stored() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/portal/unit/names.json");
    let names: Map<String, Value> = serde_json::from_str(&fs_err::read_to_string(path).unwrap()).unwrap();
    assert!(names.len() > 200);
    for (name, flat) in names {
        assert_eq!(flat_name(&name), flat, "{name}");
        assert!(is_graphql_name(&flat_name(&name)) && !flat_name(&name).starts_with("__"), "{name}");
    }
}

#[test]
fn paths_are_shown_as_words() {
    let cases = [
        ("analysis.analysis_id", "Analysis Analysis Id"),
        ("sampleType", "Sample Type"),
        ("fileMD5sum", "File MD 5 Sum"),
        ("XMLFile", "XML File"),
        ("access-level", "Access Level"),
        ("", ""),
    ];
    for (path, words) in cases {
        assert_eq!(start_case(path), words, "{path}");
    }
}
