//! One table per operator: the forms it accepts, and the forms it refuses with the place and the message.

use cantata_sqon::Sqon;
use serde_json::{Value, json};

use crate::support::{reads_as, refused_with};

const SCALARS: &str = "a text, number or boolean, or a list of them";
const SCALAR: &str = "a text, number or boolean";
const OPERATORS: &str = "one of and, or, not, in, not-in, some-not-in, all, gt, gte, lt, lte, between, wildcard, fuzzy";

fn leaf(op: &str, value: Value) -> Value {
    json!({ "op": op, "content": { "fieldName": "donors.gender", "value": value } })
}

#[track_caller]
fn refuses(op: &str, value: Value, pointer: &str, found: &str, expected: &str) {
    refused_with(leaf(op, value), pointer, &format!("found {found}; expected {expected}"));
}

/// What every operator on one field with free values has in common.
fn scalars_or_lists(op: &str, aliases: &[&str]) {
    for name in aliases.iter().copied().chain([op]) {
        reads_as(leaf(name, json!("Male")), leaf(op, json!(["Male"])));
        reads_as(leaf(name, json!(["Male", 0, false, ""])), leaf(op, json!(["Male", 0, false, ""])));
        reads_as(leaf(name, json!([])), leaf(op, json!([])));
    }
    reads_as(leaf(op, json!(0)), leaf(op, json!([0])));
    reads_as(leaf(op, json!(false)), leaf(op, json!([false])));
    reads_as(leaf(op, json!(u64::MAX)), leaf(op, json!([u64::MAX])));
    reads_as(leaf(op, json!(i64::MIN)), leaf(op, json!([i64::MIN])));
    reads_as(leaf(op, json!(1.5)), leaf(op, json!([1.5])));

    refuses(op, json!(null), "/content/value", "null", SCALARS);
    refuses(op, json!({}), "/content/value", "an object", SCALARS);
    refuses(op, json!(["a", null]), "/content/value/1", "null", SCALAR);
    refuses(op, json!([["a"]]), "/content/value/0", "a list of 1 value", SCALAR);
    one_field(op);
}

fn one_field(op: &str) {
    let content = |content: Value| json!({ "op": op, "content": content });
    let value = json!(["a", "b"]);
    reads_as(
        content(json!({ "field": "size", "value": value })),
        content(json!({ "fieldName": "size", "value": value })),
    );
    reads_as(
        content(json!({ "field": "old", "fieldName": "size", "value": value, "more": 1 })),
        content(json!({ "fieldName": "size", "value": value })),
    );
    let name = "the dotted name of a field";
    for (wrong, pointer, message) in [
        (json!({ "value": value }), "/content", format!("`fieldName` is missing; expected {name}")),
        (
            json!({ "fieldNames": ["size"], "value": value }),
            "/content",
            format!("`fieldName` is missing; expected {name}"),
        ),
        (
            json!({ "fieldName": "", "value": value }),
            "/content/fieldName",
            format!("found the text \"\"; expected {name}"),
        ),
        (json!({ "fieldName": null, "value": value }), "/content/fieldName", format!("found null; expected {name}")),
        (json!({ "field": 5, "value": value }), "/content/field", format!("found the number 5; expected {name}")),
        (
            json!({ "fieldName": ["size"], "value": value }),
            "/content/fieldName",
            format!("found a list of 1 value; expected {name}"),
        ),
    ] {
        refused_with(content(wrong), pointer, &message);
    }
}

#[test]
fn is_in() {
    scalars_or_lists("in", &["=", "==", "==="]);
    refused_with(
        json!({ "op": "in", "content": { "fieldName": "size" } }),
        "/content",
        &format!("`value` is missing; expected {SCALARS}"),
    );
    refused_with(
        json!({ "op": "in", "content": [] }),
        "/content",
        &format!("found an empty list; expected an object with `fieldName` and `value`, {SCALARS}"),
    );
    refused_with(
        json!({ "op": "in" }),
        "",
        &format!("`content` is missing; expected an object with `fieldName` and `value`, {SCALARS}"),
    );
}

#[test]
fn not_in() {
    scalars_or_lists("not-in", &["!=", "!=="]);
}

#[test]
fn some_not_in() {
    scalars_or_lists("some-not-in", &[]);
}

#[test]
fn all() {
    reads_as(leaf("all", json!(["a", 1, true])), leaf("all", json!(["a", 1, true])));
    let expected = "a list of one or more texts, numbers or booleans";
    refuses("all", json!("a"), "/content/value", "the text \"a\"", expected);
    refuses("all", json!([]), "/content/value", "an empty list", expected);
    refuses("all", json!(["a", {}]), "/content/value/1", "an object", SCALAR);
    one_field("all");
}

#[test]
fn range() {
    for (op, alias) in [("gt", ">"), ("gte", ">="), ("lt", "<"), ("lte", "<=")] {
        scalars_or_lists(op, &[alias]);
        reads_as(leaf(alias, json!("now-30d/d")), leaf(op, json!(["now-30d/d"])));
    }
}

#[test]
fn between() {
    reads_as(leaf("between", json!([5, 1])), leaf("between", json!([5, 1])));
    reads_as(leaf("between", json!(["now-1y", "now"])), leaf("between", json!(["now-1y", "now"])));
    let expected = "a list of exactly two numbers or dates";
    refuses("between", json!(5), "/content/value", "the number 5", expected);
    refuses("between", json!([5]), "/content/value", "a list of 1 value", expected);
    refuses("between", json!([1, 2, 3]), "/content/value", "a list of 3 values", expected);
    refuses("between", json!([1, null]), "/content/value/1", "null", SCALAR);
    one_field("between");
}

/// What every operator on several fields with one text has in common.
fn several_fields(op: &str, alias: &str, text_form: &str) {
    let content = |name: &str, content: Value| json!({ "op": name, "content": content });
    let canonical = content(op, json!({ "fieldNames": ["name", "file_id"], "value": "*x*" }));
    reads_as(content(alias, json!({ "fieldNames": ["name", "file_id"], "value": "*x*" })), canonical.clone());
    reads_as(content(op, json!({ "fields": ["name", "file_id"], "value": "*x*", "extra": {} })), canonical);

    let names = "a list of one or more dotted names of fields";
    let text = |found: &str| format!("found {found}; expected {text_form}");
    for (wrong, pointer, message) in [
        (
            json!({ "fieldName": "name", "value": "x" }),
            "/content",
            format!("`fieldNames` is missing; expected {names}"),
        ),
        (
            json!({ "fieldNames": [], "value": "x" }),
            "/content/fieldNames",
            format!("found an empty list; expected {names}"),
        ),
        (
            json!({ "fieldNames": "name", "value": "x" }),
            "/content/fieldNames",
            format!("found the text \"name\"; expected {names}"),
        ),
        (
            json!({ "fields": ["name", ""], "value": "x" }),
            "/content/fields/1",
            "found the text \"\"; expected the dotted name of a field".to_owned(),
        ),
        (json!({ "fieldNames": ["name"], "value": 5 }), "/content/value", text("the number 5")),
        (json!({ "fieldNames": ["name"], "value": ["x"] }), "/content/value", text("a list of 1 value")),
        (json!({ "fieldNames": ["name"] }), "/content", format!("`value` is missing; expected {text_form}")),
    ] {
        refused_with(content(op, wrong), pointer, &message);
    }
}

#[test]
fn wildcard() {
    several_fields("wildcard", "filter", "a text in which * matches any characters");
}

#[test]
fn fuzzy() {
    several_fields("fuzzy", "fuzzy", "a text");
    let with = |fuzziness: Value| json!({ "op": "fuzzy", "content": { "fieldNames": ["name"], "value": "kras", "fuzziness": fuzziness } });
    let without = json!({ "op": "fuzzy", "content": { "fieldNames": ["name"], "value": "kras" } });
    reads_as(with(json!("AUTO")), without);
    for edits in [0, 1, 2] {
        reads_as(with(json!(edits)), with(json!(edits)));
    }
    for (wrong, found) in [
        (json!(3), "the number 3"),
        (json!(-1), "the number -1"),
        (json!(0.5), "the number 0.5"),
        (json!("auto"), "the text \"auto\""),
        (json!(null), "null"),
    ] {
        refused_with(with(wrong), "/content/fuzziness", &format!("found {found}; expected \"AUTO\", 0, 1 or 2"));
    }
}

#[test]
fn groups() {
    let nested = json!({ "op": "or", "content": [leaf("in", json!(["a"])), { "op": "not", "content": [] }] });
    for op in ["and", "or", "not"] {
        let empty = json!({ "op": op, "content": [] });
        reads_as(empty.clone(), empty);
        let group = json!({ "op": op, "content": [nested, leaf("gt", json!([5]))], "pivot": "donors" });
        reads_as(group.clone(), group);
        reads_as(json!({ "op": op, "content": [], "pivot": null, "id": 7 }), json!({ "op": op, "content": [] }));
    }
    let list = "a list of filters, each an object with `op` and `content`";
    let node = "an object with `op` and `content`";
    for (wrong, pointer, message) in [
        (json!({ "op": "and" }), "", format!("`content` is missing; expected {list}")),
        (json!({ "op": "or", "content": {} }), "/content", format!("found an object; expected {list}")),
        (json!({ "op": "not", "content": null }), "/content", format!("found null; expected {list}")),
        (json!({ "op": "and", "content": [null] }), "/content/0", format!("found null; expected {node}")),
        (json!({ "op": "and", "content": [{}] }), "/content/0", format!("`op` is missing; expected {OPERATORS}")),
        (
            json!({ "op": "and", "content": [nested, { "op": "or", "content": [leaf("in", json!([null]))] }] }),
            "/content/1/content/0/content/value/0",
            format!("found null; expected {SCALAR}"),
        ),
        (
            json!({ "op": "and", "content": [], "pivot": 5 }),
            "/pivot",
            "found the number 5; expected the dotted name of a nested field, \".\" or null".to_owned(),
        ),
    ] {
        refused_with(wrong, pointer, &message);
    }
}

#[test]
fn operator_names() {
    let node = "an object with `op` and `content`";
    for (wrong, pointer, message) in [
        (leaf("like", json!("a")), "/op", format!("found the text \"like\"; expected {OPERATORS}")),
        (
            leaf("IN", json!("a")),
            "/op",
            "found the text \"IN\"; operators are written in lower case: expected \"in\"".to_owned(),
        ),
        (json!({ "op": null, "content": [] }), "/op", format!("found null; expected {OPERATORS}")),
        (json!({ "content": [] }), "", format!("`op` is missing; expected {OPERATORS}")),
        (json!("in"), "", format!("found the text \"in\"; expected {node}")),
        (json!([]), "", format!("found an empty list; expected {node}")),
        (json!(false), "", format!("found the boolean false; expected {node}")),
    ] {
        refused_with(wrong, pointer, &message);
    }
}

#[test]
fn no_filter() {
    for nothing in [json!(null), json!({})] {
        assert_eq!(Sqon::parse(&nothing), Ok(None));
    }
}

#[test]
fn an_error_shows_its_place() {
    let error = Sqon::parse(&json!({ "op": "and", "content": [5] })).unwrap_err();
    assert_eq!(error.to_string(), "found the number 5; expected an object with `op` and `content` (at /content/0)");
    let error = Sqon::parse(&json!("x".repeat(1000))).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "found the text \"{}…\"; expected an object with `op` and `content` (at the root of the filter)",
            "x".repeat(60)
        )
    );
}
