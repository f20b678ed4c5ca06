//! Mappings of indexes.

use std::collections::HashSet;

use cantata_mapping::IndexMapping;
use serde_json::{Value, json};

/// Reads a mapping, and the same JSON as the fields of one and as a document that extends it.
pub fn target(data: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(data) else { return };
    if let Ok(mapping) = IndexMapping::parse(&value) {
        check(&mapping);
    }
    if let Ok(mut mapping) = IndexMapping::parse(&json!({ "properties": value })) {
        check(&mapping);
        let added = mapping.extend_from(&value);
        check(&mapping);
        assert!(added.iter().all(|path| mapping.entry(path).is_some()));
        assert!(mapping.extend_from(&value).is_empty());
        for field in mapping.fields().chain(mapping.multi_fields()) {
            let _ = field.read(&value);
        }
    }
}

/// Checks that every path is there once, and that the mapping reads back.
fn check(mapping: &IndexMapping) {
    let mut paths = HashSet::new();
    for field in mapping.fields().chain(mapping.multi_fields()) {
        assert!(paths.insert(field.path.as_str()), "{} twice", field.path);
        assert_eq!(mapping.entry(&field.path), Some(field));
        assert!(mapping.field(&field.path).is_some(), "{} leads nowhere", field.path);
    }
    let again = IndexMapping::parse(&json!({ "properties": mapping.raw() }));
    assert!(again.is_ok_and(|again| again.fields().eq(mapping.fields())));
}
