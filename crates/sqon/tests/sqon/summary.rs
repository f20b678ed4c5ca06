//! Filters told in English.

use serde_json::{Value, json};

use crate::support::sqon;

fn leaf(op: &str, field: &str, value: Value) -> Value {
    json!({ "op": op, "content": { "fieldName": field, "value": value } })
}

#[test]
fn summaries() {
    let gender = leaf("in", "donors.gender", json!(["Female", "Male"]));
    let large = leaf("gt", "size", json!(5));
    for (filter, told) in [
        (
            json!({ "op": "and", "content": [gender, { "op": "not", "content": [large] }] }),
            "donors.gender is Female or Male and not (size > 5)",
        ),
        (json!({ "op": "or", "content": [gender, large] }), "(donors.gender is Female or Male) or size > 5"),
        (json!({ "op": "not", "content": [gender, large] }), "not ((donors.gender is Female or Male) or size > 5)"),
        (
            json!({ "op": "and", "content": [{ "op": "or", "content": [large, large] }, large] }),
            "(size > 5 or size > 5) and size > 5",
        ),
        (
            json!({ "op": "and", "content": [gender, large], "pivot": "donors" }),
            "within one of donors: (donors.gender is Female or Male and size > 5)",
        ),
        (json!({ "op": "and", "content": [] }), "all records"),
        (
            leaf("in", "a", json!(["Not reported", "x*", "__missing__", "set_id:7f", true, ""])),
            "a is \"Not reported\" or like x* or missing or in the set 7f or true or \"\"",
        ),
        (leaf("in", "a", json!([])), "a is one of no values"),
        (
            leaf("in", "a", json!([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])),
            "a is 1 or 2 or 3 or 4 or 5 or 6 or 7 or 8 or 2 more",
        ),
        (leaf("not-in", "a", json!("__missing__")), "a is not missing"),
        (leaf("not-in", "a", json!(["x", "y"])), "a is none of [x, y]"),
        (leaf("some-not-in", "a", json!(["x", "y"])), "no a is any of [x, y]"),
        (leaf("all", "a", json!(["x", "y"])), "a has all of [x, y]"),
        (leaf("lte", "a", json!(["now-30d", 5])), "a <= now-30d and <= 5"),
        (leaf("gte", "a", json!([])), "a keeps to none of no bounds"),
        (leaf("between", "a", json!([1, 2])), "a is between 1 and 2"),
        (json!({ "op": "wildcard", "content": { "fieldNames": ["a", "b"], "value": "*x*" } }), "a or b matches *x*"),
        (
            json!({ "op": "fuzzy", "content": { "fieldNames": ["a"], "value": "kras", "fuzziness": 2 } }),
            "a resembles kras but for up to 2 letters",
        ),
        (json!({ "op": "fuzzy", "content": { "fieldNames": ["a"], "value": "kras" } }), "a resembles kras"),
    ] {
        assert_eq!(sqon(filter.clone()).summary(), told, "{filter}");
    }
}
