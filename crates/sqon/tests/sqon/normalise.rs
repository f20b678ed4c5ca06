//! What normalisation writes out, and what it leaves.

use serde_json::{Value, json};

use crate::support::sqon;

#[track_caller]
fn normalises(filter: Value, expected: Value) {
    assert_eq!(sqon(filter.clone()).normalise().to_json(), expected, "{filter}");
}

fn a() -> Value {
    json!({ "op": "in", "content": { "fieldName": "a", "value": [1] } })
}

fn b() -> Value {
    json!({ "op": "gt", "content": { "fieldName": "b", "value": [2] } })
}

fn group(op: &str, content: &[Value]) -> Value {
    json!({ "op": op, "content": content })
}

fn pivoted(op: &str, pivot: &str, content: &[Value]) -> Value {
    json!({ "op": op, "content": content, "pivot": pivot })
}

#[test]
fn leaves_are_canonical() {
    normalises(json!({ "op": "=", "content": { "field": "a", "value": 1 } }), a());
    normalises(json!({ "op": ">", "content": { "fieldName": "b", "value": 2 }, "pivot": null }), b());
}

#[test]
fn groups_of_the_same_operator_are_written_out() {
    for op in ["and", "or"] {
        normalises(group(op, &[a(), group(op, &[group(op, &[b()]), a()])]), group(op, &[a(), b(), a()]));
        normalises(pivoted(op, "donors", &[group(op, &[a()]), b()]), pivoted(op, "donors", &[a(), b()]));
        normalises(pivoted(op, "donors", &[pivoted(op, "donors", &[a()]), b()]), pivoted(op, "donors", &[a(), b()]));
        normalises(
            pivoted(op, "donors", &[group(op, &[pivoted(op, "donors", &[a()]), b()])]),
            pivoted(op, "donors", &[a(), b()]),
        );
    }
}

#[test]
fn groups_that_say_something_else_stay() {
    for unchanged in [
        group("and", &[group("or", &[a(), b()]), a()]),
        group("and", &[pivoted("and", "donors", &[a(), b()]), a()]),
        pivoted("and", "donors", &[pivoted("and", "donors.specimens", &[a()]), b()]),
        group("not", &[group("not", &[a()]), b()]),
        group("or", &[group("or", &[]), a()]),
        group("and", &[a()]),
        group("and", &[]),
    ] {
        normalises(unchanged.clone(), unchanged);
    }
}
