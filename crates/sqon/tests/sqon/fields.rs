//! Which fields a filter uses, and what is left without one.

use cantata_sqon::Sqon;
use serde_json::{Value, json};

use crate::support::{Catalogue, sqon};

fn leaf(field: &str) -> Value {
    json!({ "op": "in", "content": { "fieldName": field, "value": ["x"] } })
}

fn group(op: &str, content: &[Value]) -> Value {
    json!({ "op": op, "content": content })
}

#[test]
fn fields_used() {
    let filter = sqon(group(
        "and",
        &[
            leaf("b"),
            group("not", &[leaf("a"), leaf("b")]),
            json!({ "op": "wildcard", "content": { "fieldNames": ["a", "c"], "value": "x" } }),
            json!({ "op": "between", "content": { "fieldName": "d", "value": [1, 2] } }),
        ],
    ));
    assert_eq!(filter.fields_used(), ["b", "a", "c", "d"]);
    assert_eq!(filter.leaf_count(), 5);
}

#[test]
fn without_field() {
    let range = |field: &str| json!({ "op": "gt", "content": { "fieldName": field, "value": [1] } });
    let wildcard = |names: &[&str]| json!({ "op": "wildcard", "content": { "fieldNames": names, "value": "x" } });
    for (filter, left) in [
        (leaf("a"), None),
        (leaf("a.b"), Some(leaf("a.b"))),
        (range("a"), None),
        (group("and", &[leaf("a"), leaf("b")]), Some(group("and", &[leaf("b")]))),
        (group("or", &[leaf("a"), leaf("b")]), Some(group("or", &[leaf("b")]))),
        (
            group("and", &[group("not", &[group("or", &[leaf("a"), range("a")])]), leaf("b")]),
            Some(group("and", &[leaf("b")])),
        ),
        (group("not", &[leaf("a")]), None),
        (group("and", &[wildcard(&["a"]), wildcard(&["a", "b"])]), Some(group("and", &[wildcard(&["b"])]))),
        (group("or", &[group("or", &[]), leaf("a")]), Some(group("or", &[group("or", &[])]))),
    ] {
        let found = sqon(filter.clone()).without_field("a").as_ref().map(Sqon::to_json);
        assert_eq!(found, left, "{filter}");
    }
    let pivoted = json!({ "op": "and", "content": [leaf("a"), leaf("b")], "pivot": "donors" });
    let left = json!({ "op": "and", "content": [leaf("b")], "pivot": "donors" });
    assert_eq!(sqon(pivoted).without_field("a").unwrap().to_json(), left);
}

#[test]
fn names_with_underscores_become_dotted() {
    let filter = json!({ "op": "and", "pivot": "donors__specimens", "content": [
        leaf("donors__gender"),
        leaf("donors.gender"),
        leaf("no__such"),
        { "op": "wildcard", "content": { "fieldNames": ["analysis__type", "file_id"], "value": "x" }, "pivot": "x__y" },
    ] });
    let dotted = json!({ "op": "and", "content": [
        leaf("donors.gender"),
        leaf("donors.gender"),
        leaf("no__such"),
        { "op": "wildcard", "content": { "fieldNames": ["analysis.type", "file_id"], "value": "x" }, "pivot": "x__y" },
    ], "pivot": "donors.specimens" });
    assert_eq!(sqon(filter).resolve_names(&Catalogue).to_json(), dotted);
}
