//! Mappings without what an identity may not see.

use cantata_mapping::{IndexMapping, MASKED_TYPE, RedactedFields};
use serde_json::{Value, json};

use crate::{mapping, paths};

fn covers(hidden: &[&str], masked: &[&str]) -> RedactedFields {
    RedactedFields {
        hidden: hidden.iter().map(|path| (*path).to_owned()).collect(),
        masked: masked.iter().map(|path| ((*path).to_owned(), Some("x".to_owned()))).collect(),
    }
}

fn redacted(properties: Value, asked: &RedactedFields) -> IndexMapping {
    let whole = mapping(properties);
    whole.redacted(&whole.expand_redactions(asked)).unwrap()
}

#[test]
fn what_has_the_values_of_a_hidden_field_is_hidden_with_it() {
    let properties = json!({
        "a": { "type": "keyword", "copy_to": ["all", "some"], "fields": { "words": { "type": "text" } } },
        "b": { "type": "keyword", "copy_to": "some" },
        "all": { "type": "text" },
        "some": { "type": "text" },
        "to_a": { "type": "alias", "path": "a" },
        "to_words": { "type": "alias", "path": "a.words" },
        "to_all": { "type": "alias", "path": "all" },
        "box": { "properties": { "only": { "properties": { "one": { "type": "long" } } } } },
        "box.two": { "type": "long" },
    });
    let seen = redacted(properties.clone(), &covers(&["a"], &[]));
    assert_eq!(paths(&seen), ["b", "box", "box.only", "box.only.one", "box.two"]);
    assert_eq!(seen.raw()["b"], json!({ "type": "keyword" }), "it is copied to nothing that can be seen");
    let seen = redacted(properties.clone(), &covers(&["box.only.one"], &[]));
    assert!(seen.entry("box.only").is_none() && seen.entry("box.two").is_some());
    let seen = redacted(properties.clone(), &covers(&["box.only.one", "box.two"], &[]));
    assert!(seen.entry("box").is_none());
    let seen = redacted(properties, &covers(&["box"], &["a"]));
    let masked: Vec<&str> = seen.fields().filter(|f| f.type_name == MASKED_TYPE).map(|f| f.path.as_str()).collect();
    assert_eq!(masked, ["a", "all", "some", "to_a", "to_words", "to_all"]);
    assert!(seen.multi_fields().next().is_none() && seen.entry("box.two").is_none());
}

#[test]
fn hiding_wins_over_masking_and_containers_are_masked_whole() {
    let properties = json!({
        "donors": { "type": "nested", "properties": { "age": { "type": "long" }, "sex": { "type": "keyword" } } },
        "dotted.name": { "type": "keyword" },
        "size": { "type": "long" },
    });
    let seen = redacted(properties, &covers(&["size"], &["size", "donors", "dotted"]));
    assert_eq!(paths(&seen), ["donors", "dotted"]);
    assert!(seen.fields().all(|field| field.type_name == MASKED_TYPE && !field.kind.has_values()));
}

#[test]
fn names_below_an_envelope_count_from_it() {
    let properties = json!({ "data": { "properties": {
        "a": { "type": "keyword", "copy_to": "data.all" },
        "b": { "type": "keyword", "copy_to": "data.all" },
        "all": { "type": "text" },
        "to_a": { "type": "alias", "path": "data.a" },
    } } });
    let whole = mapping(properties).without_prefix("data").unwrap();
    let seen = whole.redacted(&whole.expand_redactions(&covers(&["a"], &[]))).unwrap();
    assert_eq!(paths(&seen), ["b"]);
    assert_eq!(seen.raw()["b"], json!({ "type": "keyword" }));
}
