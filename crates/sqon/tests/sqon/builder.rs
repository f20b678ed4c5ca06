//! Filters put together from clauses.

use cantata_sqon::{FilterClause, GroupOp, Sqon, build_filter};
use serde_json::{Value, json};

use crate::support::sqon;

fn clauses(list: Value) -> Vec<FilterClause> {
    serde_json::from_value(list).unwrap()
}

fn clause(operator: &str, value: Value) -> Value {
    json!({ "fieldName": "a", "operator": operator, "value": value })
}

fn leaf(op: &str, value: Value) -> Value {
    json!({ "op": op, "content": { "fieldName": "a", "value": value } })
}

fn group(op: &str, content: &[Value]) -> Value {
    json!({ "op": op, "content": content })
}

/// Builds from two clauses on one field.
fn pair(combination: &str, operator: &str, first: Value, second: Value) -> (Value, usize) {
    let op = GroupOp::find(combination).unwrap();
    let built = build_filter(op, &clauses(json!([clause(operator, first), clause(operator, second)])), None).unwrap();
    (built.sqon.unwrap().to_json(), built.notes.len())
}

#[test]
fn clauses_on_one_field_are_joined_by_the_table() {
    let (x, y, both) = (json!("x"), json!(["y", "x"]), json!(["x", "y"]));
    for (combination, operator, joins, notes) in [
        ("and", "in", true, 1),
        ("or", "in", true, 0),
        ("not", "in", true, 0),
        ("and", "not-in", true, 0),
        ("or", "not-in", false, 0),
        ("not", "not-in", true, 1),
        ("and", "some-not-in", true, 0),
        ("or", "some-not-in", false, 0),
        ("not", "some-not-in", true, 1),
    ] {
        let joined = leaf(operator, both.clone());
        let expected = match (joins, combination) {
            (true, "not") => group("not", &[joined]),
            (true, _) => joined,
            (false, _) => group(combination, &[leaf(operator, json!(["x"])), leaf(operator, y.clone())]),
        };
        assert_eq!(
            pair(combination, operator, x.clone(), y.clone()),
            (expected, notes),
            "{operator} under {combination}"
        );
    }
    assert_eq!(pair("and", "all", json!(["x"]), y.clone()), (leaf("all", both.clone()), 0));
    assert_eq!(pair("not", "all", json!(["x"]), y.clone()), (group("not", &[leaf("all", both)]), 1));
    assert_eq!(pair("or", "all", json!(["x"]), y.clone()).0, group("or", &[leaf("all", json!(["x"])), leaf("all", y)]));
}

#[test]
fn bounds_are_joined_by_the_table() {
    for (operator, tighter, looser) in [("gt", 7, 5), ("gte", 7, 5), ("lt", 5, 7), ("lte", 5, 7)] {
        for (first, second) in [(5, 7), (7, 5)] {
            let (first, second) = (json!(first), json!(second));
            assert_eq!(pair("and", operator, first.clone(), second.clone()), (leaf(operator, json!([tighter])), 0));
            assert_eq!(pair("or", operator, first.clone(), second.clone()), (leaf(operator, json!([looser])), 0));
            let apart = group("not", &[leaf(operator, json!([first])), leaf(operator, json!([second]))]);
            assert_eq!(pair("not", operator, first, second), (apart, 0));
        }
    }
    let big = |more: u64| json!(9_007_199_254_740_992_u64 + more);
    assert_eq!(pair("and", "gt", big(0), big(1)).0, leaf("gt", json!([big(1)])));
    assert_eq!(pair("and", "lt", json!("2024-05-31"), json!("2023-12-01")).0, leaf("lt", json!(["2023-12-01"])));
    assert_eq!(pair("or", "lt", json!("2024-05-31"), json!("2023-12-01")).0, leaf("lt", json!(["2024-05-31"])));
}

#[test]
fn bounds_that_only_the_search_can_compare() {
    for (first, second) in [
        (json!("now-1d"), json!("2024-05-31")),
        (json!("2024-05"), json!("2024-05-31")),
        (json!("2024-05-31T10:00+02:00"), json!("2024-05-31T10:00+01:00")),
        (json!(5), json!("6")),
        (json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992.0)),
    ] {
        // Under `and` both must be kept to, which one list of bounds says; under `or` they stay apart.
        assert_eq!(pair("and", "gt", first.clone(), second.clone()).0, leaf("gt", json!([first, second])));
        let apart = group("or", &[leaf("gt", json!([first])), leaf("gt", json!([second]))]);
        assert_eq!(pair("or", "gt", first, second).0, apart);
    }
    let with_none = group("or", &[leaf("gt", json!([])), leaf("gt", json!([5]))]);
    assert_eq!(pair("or", "gt", json!([]), json!(5)).0, with_none);
}

#[test]
fn what_is_never_joined() {
    let apart = |op: &str, operator: &str, first: Value, second: Value| {
        let expected = group(op, &[leaf(operator, first.clone()), leaf(operator, second.clone())]);
        assert_eq!(pair(op, operator, first, second), (expected, 0), "{operator} under {op}");
    };
    for op in ["and", "or", "not"] {
        apart(op, "between", json!([1, 2]), json!([3, 4]));
        apart(op, "not-in", json!(["x"]), json!(["__missing__"]));
    }
    let built = build_filter(
        GroupOp::And,
        &clauses(
            json!([clause("gt", json!(1)), clause("gte", json!(2)), { "fieldName": "b", "operator": "gt", "value": 3 }]),
        ),
        None,
    );
    assert_eq!(built.unwrap().filter_count, 3);
}

#[test]
fn groups_are_unwrapped_and_written_out() {
    let one = clauses(json!([clause("=", json!("x"))]));
    for op in [GroupOp::And, GroupOp::Or] {
        assert_eq!(build_filter(op, &one, None).unwrap().sqon.unwrap().to_json(), leaf("in", json!(["x"])));
    }
    assert_eq!(
        build_filter(GroupOp::Not, &one, None).unwrap().sqon.unwrap().to_json(),
        group("not", &[leaf("in", json!(["x"]))])
    );
    let existing = sqon(group("and", &[group("or", &[group("and", &[leaf("gt", json!(1)), leaf("lt", json!(9))])])]));
    let built = build_filter(GroupOp::And, &one, Some(existing.clone())).unwrap();
    let expected = group("and", &[leaf("gt", json!([1])), leaf("lt", json!([9])), leaf("in", json!(["x"]))]);
    assert_eq!(built.sqon.unwrap().to_json(), expected);
    assert_eq!((built.clause_count, built.filter_count), (1, 3));

    let both = group("and", &[leaf("gt", json!([1])), leaf("lt", json!([9]))]);
    let or = build_filter(GroupOp::Or, &one, Some(existing.clone())).unwrap().sqon.unwrap().to_json();
    assert_eq!(or, group("or", &[both, leaf("in", json!(["x"]))]));
    let not = build_filter(GroupOp::Not, &one, Some(existing)).unwrap().sqon.unwrap().to_json();
    let excluded = group("not", &[leaf("in", json!(["x"]))]);
    assert_eq!(not, group("and", &[leaf("gt", json!([1])), leaf("lt", json!([9])), excluded]));
    let pivoted = json!({ "op": "and", "content": [leaf("in", json!(["y"]))], "pivot": "donors" });
    let built = build_filter(GroupOp::And, &one, Some(sqon(pivoted.clone()))).unwrap();
    assert_eq!(built.sqon.unwrap().to_json(), group("and", &[pivoted, leaf("in", json!(["x"]))]));
}

#[test]
fn negation_and_several_fields() {
    let list = clauses(json!([
        { "fieldName": "a", "operator": "in", "value": "x", "negate": true },
        { "fieldName": "b", "operator": "filter", "value": "*y*" },
    ]));
    let built = build_filter(GroupOp::And, &list, None).unwrap();
    let wildcard = json!({ "op": "wildcard", "content": { "fieldNames": ["b"], "value": "*y*" } });
    assert_eq!(
        serde_json::to_value(&built).unwrap(),
        json!({
            "sqon": group("and", &[group("not", &[leaf("in", json!(["x"]))]), wildcard]),
            "summary": "not (a is x) and b matches *y*",
            "clauseCount": 2,
            "filterCount": 2,
        })
    );
}

#[test]
fn nothing_to_build() {
    let built = build_filter(GroupOp::Not, &[], None).unwrap();
    assert_eq!((built.sqon, built.summary.as_str()), (None, "all records"));
    let existing = sqon(leaf("in", json!(["x"])));
    assert_eq!(build_filter(GroupOp::Not, &[], Some(existing.clone())).unwrap().sqon, Some(existing));
}

#[test]
fn clauses_that_are_refused() {
    let on_fields = "one of in, not-in, some-not-in, all, gt, gte, lt, lte, between, wildcard, fuzzy";
    for (wrong, pointer, message) in [
        (clause("and", json!([])), "/clauses/1/operator", format!("found the text \"and\"; expected {on_fields}")),
        (
            clause("in", json!(["x", null])),
            "/clauses/1/value/1",
            "found null; expected a text, number or boolean".to_owned(),
        ),
        (
            clause("wildcard", json!(5)),
            "/clauses/1/value",
            "found the number 5; expected a text in which * matches any characters".to_owned(),
        ),
        (
            json!({ "fieldName": "", "operator": "fuzzy", "value": "x" }),
            "/clauses/1/fieldName",
            "found the text \"\"; expected the dotted name of a field".to_owned(),
        ),
    ] {
        let error = build_filter(GroupOp::And, &clauses(json!([clause("in", json!("x")), wrong])), None).unwrap_err();
        assert_eq!((error.pointer.as_str(), error.message), (pointer, message));
    }
}

#[test]
fn what_is_built_keeps_to_the_limits() {
    let deep = (0..98).fold(leaf("in", json!(["x"])), |inner, _| group("not", &[inner]));
    let deep = sqon(group("not", &[deep]));
    let built = build_filter(GroupOp::Or, &clauses(json!([clause("gt", json!(1))])), Some(deep));
    assert_eq!(
        built.unwrap_err().message,
        "the filter has more than 100 levels of groups and leaves; a filter may have at most 100"
    );
    let wide: Vec<Value> = (0..9_000).map(|number| clause("in", json!([number, number % 7]))).collect();
    let built = build_filter(GroupOp::Or, &clauses(json!(wide)), None).unwrap();
    assert_eq!((built.clause_count, built.filter_count), (9_000, 1));
    assert_eq!(Sqon::parse(&built.sqon.as_ref().unwrap().to_json()), Ok(built.sqon));
}
