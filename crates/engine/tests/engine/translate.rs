//! Operators, one after the other: on fields of the root, of nested elements, and on fields that are not there.

use cantata_engine::{Filter, TranslationError, saved_set_ids};
use cantata_mapping::TypedValue;
use serde_json::{Value, json};

use crate::support::{
    and, check, exists, group, leaf, nested, not, or, pattern, range, sqon, strings, terms, translated,
};

fn wildcard(field: &str, pattern: &str) -> Filter {
    Filter::Wildcard { field: field.to_owned(), pattern: pattern.to_owned() }
}

fn fuzzy(field: &str, text: &str, distance: u8) -> Filter {
    Filter::Fuzzy { field: field.to_owned(), text: text.to_owned(), distance }
}

#[test]
fn no_filter_and_empty_groups_are_all_records() {
    check([
        (Value::Null, Filter::All),
        (json!({}), Filter::All),
        (group("and", json!([])), Filter::All),
        (group("or", json!([])), Filter::All),
        (group("not", json!([])), Filter::All),
        (group("not", json!([group("and", json!([]))])), Filter::None),
        (group("and", json!([group("or", json!([])), leaf("in", "study", json!("a"))])), strings("study", &["a"])),
    ]);
}

#[test]
fn values_are_one_sorted_list() {
    check([
        (leaf("in", "study", json!(["b", "a", "b"])), strings("study", &["a", "b"])),
        (leaf("in", "study_name", json!("a")), strings("study", &["a"])),
        (leaf("in", "info.key.deep", json!("a")), strings("info.key.deep", &["a"])),
        (leaf("in", "study", json!([])), Filter::None),
        (leaf("in", "donors.gender", json!(["x", "f"])), nested("donors", strings("donors.gender", &["f", "x"]))),
        (
            leaf("in", "donors.specimens.type", json!("DNA")),
            nested("donors.specimens", strings("donors.specimens.type", &["DNA"])),
        ),
    ]);
}

#[test]
fn special_values_stand_beside_plain_ones() {
    let special = json!(["x*", "b", "__missing__", "set_id:mine", "c"]);
    let parts = |field: &str| [strings(field, &["a", "b", "c"]), pattern(field, "x*"), not(exists(field))];
    check([
        (leaf("in", "study", special.clone()), or(parts("study"))),
        (leaf("in", "donors.gender", special.clone()), nested("donors", or(parts("donors.gender")))),
        (
            leaf("not-in", "donors.gender", special.clone()),
            nested(
                "donors",
                and([
                    not(strings("donors.gender", &["a", "b", "c"])),
                    not(pattern("donors.gender", "x*")),
                    exists("donors.gender"),
                ]),
            ),
        ),
        (leaf("some-not-in", "donors.gender", special.clone()), not(nested("donors", or(parts("donors.gender"))))),
        (
            leaf("all", "donors.gender", json!(["f", "x*"])),
            and([nested("donors", strings("donors.gender", &["f"])), nested("donors", pattern("donors.gender", "x*"))]),
        ),
    ]);
}

#[test]
fn negations_are_inside_or_outside_the_element() {
    check([
        (leaf("not-in", "study", json!(["a"])), not(strings("study", &["a"]))),
        (leaf("some-not-in", "study", json!(["a"])), not(strings("study", &["a"]))),
        (leaf("not-in", "donors.gender", json!("f")), nested("donors", not(strings("donors.gender", &["f"])))),
        (leaf("some-not-in", "donors.gender", json!("f")), not(nested("donors", strings("donors.gender", &["f"])))),
        (leaf("not-in", "study", json!("__missing__")), exists("study")),
        (leaf("some-not-in", "study", json!("__missing__")), exists("study")),
        (leaf("in", "donors.age", json!("__missing__")), nested("donors", not(exists("donors.age")))),
        (leaf("not-in", "donors.age", json!("__missing__")), nested("donors", exists("donors.age"))),
        (leaf("some-not-in", "donors.age", json!("__missing__")), not(nested("donors", not(exists("donors.age"))))),
        (leaf("not-in", "study", json!([])), Filter::All),
        (leaf("not-in", "donors.gender", json!([])), nested("donors", Filter::All)),
        (leaf("some-not-in", "donors.gender", json!([])), Filter::All),
    ]);
}

#[test]
fn all_asks_for_each_value_in_any_element() {
    check([
        (leaf("all", "study", json!(["a", "b"])), and([strings("study", &["a"]), strings("study", &["b"])])),
        (
            leaf("all", "donors.gender", json!(["f", "m"])),
            and([
                nested("donors", strings("donors.gender", &["f"])),
                nested("donors", strings("donors.gender", &["m"])),
            ]),
        ),
        (leaf("all", "size", json!([1, 1.5])), Filter::None),
    ]);
}

#[test]
fn the_strictest_bound_decides() {
    let at = |number: i64, is_in: bool| Some((TypedValue::Integer(number), is_in));
    check([
        (leaf("gt", "size", json!([1, 3, 2])), range("size", at(3, false), None)),
        (leaf("gte", "size", json!(["5"])), range("size", at(5, true), None)),
        (leaf("lt", "size", json!([1, 3, 2])), range("size", None, at(1, false))),
        (leaf("lte", "size", json!(4)), range("size", None, at(4, true))),
        (leaf("gt", "size", json!([])), Filter::None),
        (leaf("gt", "donors.age", json!([])), Filter::None),
        (leaf("gt", "donors.age", json!(7)), nested("donors", range("donors.age", at(7, false), None))),
        (leaf("between", "size", json!([9, 4])), range("size", at(4, true), at(9, true))),
        (leaf("between", "size", json!([4, 9])), range("size", at(4, true), at(9, true))),
        (leaf("between", "donors.age", json!([1, 2])), nested("donors", range("donors.age", at(1, true), at(2, true)))),
        (leaf("gt", "unknown", json!([3])), Filter::None),
        (leaf("between", "unknown", json!([3, 4])), Filter::None),
    ]);
}

#[test]
fn groups_combine() {
    let (a, b) = (leaf("in", "study", json!("a")), leaf("in", "open", json!(true)));
    let (is_a, is_open) = (strings("study", &["a"]), terms("open", [TypedValue::Bool(true)]));
    check([
        (group("and", json!([a, b])), and([is_a.clone(), is_open.clone()])),
        (group("or", json!([a, b])), or([is_a.clone(), is_open.clone()])),
        (group("not", json!([a, b])), and([not(is_a.clone()), not(is_open)])),
        (group("not", json!([group("not", json!([a]))])), is_a),
    ]);
}

#[test]
fn texts_are_sought_in_fields_of_strings_by_level() {
    let fields = json!(["title", "donors.notes", "size", "study", "donors.gender", "unknown"]);
    check([
        (
            json!({"op": "wildcard", "content": {"fieldNames": fields, "value": "*Ab?"}}),
            or([
                wildcard("title", "*Ab?"),
                wildcard("study", "*Ab?"),
                nested("donors", or([wildcard("donors.notes", "*Ab?"), wildcard("donors.gender", "*Ab?")])),
            ]),
        ),
        (json!({"op": "filter", "content": {"fieldNames": ["size"], "value": "*"}}), Filter::None),
        (json!({"op": "fuzzy", "content": {"fieldNames": ["title"], "value": "ab"}}), fuzzy("title", "ab", 0)),
        (json!({"op": "fuzzy", "content": {"fieldNames": ["title"], "value": "äöüab"}}), fuzzy("title", "äöüab", 1)),
        (json!({"op": "fuzzy", "content": {"fieldNames": ["title"], "value": "tumour"}}), fuzzy("title", "tumour", 2)),
        (
            json!({"op": "fuzzy", "content": {"fieldNames": ["donors.notes"], "value": "tumour", "fuzziness": 1}}),
            nested("donors", fuzzy("donors.notes", "tumour", 1)),
        ),
    ]);
}

#[test]
fn an_unknown_field_has_no_value() {
    for field in ["unknown", "place", "hidden", "hidden.x", "study.x", "donorsx"] {
        check([
            (leaf("in", field, json!(["a", "b*"])), Filter::None),
            (leaf("in", field, json!("__missing__")), Filter::All),
            (leaf("not-in", field, json!("a")), Filter::All),
            (leaf("not-in", field, json!("__missing__")), Filter::None),
            (leaf("some-not-in", field, json!("a")), Filter::All),
            (leaf("all", field, json!(["a"])), Filter::None),
        ]);
    }
    check([
        (leaf("not-in", "donors.unknown", json!("a")), nested("donors", Filter::All)),
        (leaf("in", "donors.specimens.unknown", json!("__missing__")), nested("donors.specimens", Filter::All)),
        (leaf("in", "size", json!("1*")), Filter::None),
    ]);
}

#[test]
fn a_container_is_missing_when_nothing_is_in_it() {
    check([
        (leaf("not-in", "donors", json!("__missing__")), nested("donors", Filter::All)),
        (leaf("in", "donors", json!("__missing__")), not(nested("donors", Filter::All))),
        (
            leaf("in", "donors.specimens", json!("__missing__")),
            nested("donors", not(nested("donors.specimens", Filter::All))),
        ),
        (
            leaf("not-in", "analysis", json!("__missing__")),
            or([exists("analysis.type"), exists("analysis.tool.name"), nested("analysis.runs", Filter::All)]),
        ),
    ]);
}

#[test]
fn sets_are_lists_of_values() {
    check([
        (leaf("in", "study", json!("set_id:mine")), strings("study", &["a", "b"])),
        (leaf("in", "study", json!("set_id:none")), Filter::None),
        (leaf("not-in", "study", json!("set_id:none")), Filter::All),
        (leaf("in", "size", json!("set_id:mixed")), terms("size", [TypedValue::Integer(7)])),
    ]);
    let unknown = translated(&leaf("in", "study", json!("set_id:yours")));
    assert_eq!(unknown, Err(TranslationError::UnknownSet { field: "study".to_owned(), id: "yours".to_owned() }));
    assert_eq!(
        unknown.unwrap_err().to_string(),
        "the filter on `study`: found the set \"yours\", which does not exist; expected the id of a saved set"
    );
    let filter = group(
        "not",
        json!([leaf("in", "study", json!(["set_id:b", "x"])), leaf("all", "size", json!(["set_id:a", "set_id:b"]))]),
    );
    assert_eq!(saved_set_ids(&sqon(&filter).unwrap()), ["a", "b"]);
}

#[test]
fn a_value_that_cannot_be_read_is_named() {
    let cases = [
        (leaf("gt", "created", json!("yesterday")), "the filter on `created`: found \"yesterday\", expected a date"),
        (leaf("in", "created", json!("yesterday")), "the filter on `created`: found \"yesterday\", expected a date"),
        (leaf("not-in", "size", json!("many")), "the filter on `size`: found \"many\", expected a number"),
        (leaf("in", "open", json!("maybe")), "the filter on `open`: found \"maybe\", expected true or false"),
        (leaf("in", "host", json!("10.0.0.0/33")), "the filter on `host`: found \"10.0.0.0/33\", expected an address"),
        (leaf("in", "host", json!(7)), "the filter on `host`: found 7, expected an address"),
    ];
    for (filter, message) in cases {
        let error = translated(&filter).unwrap_err().to_string();
        assert!(error.starts_with(message), "{filter}: {error}");
    }
    // A part that matches nothing does not hide a mistake beside it.
    let hidden = group("and", json!([leaf("in", "study", json!([])), leaf("in", "size", json!("many"))]));
    assert!(translated(&hidden).is_err());
}
