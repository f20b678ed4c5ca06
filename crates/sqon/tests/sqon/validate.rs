//! Filters against the fields of a catalogue.

use cantata_sqon::{FieldClass, SqonError, SqonErrorKind};
use serde_json::{Value, json};

use crate::support::{Catalogue, sqon};

fn leaf(op: &str, field: &str, value: Value) -> Value {
    json!({ "op": op, "content": { "fieldName": field, "value": value } })
}

fn errors(filter: Value) -> Vec<SqonError> {
    sqon(filter).validate(&Catalogue).err().unwrap_or_default()
}

#[track_caller]
fn valid(filter: Value) {
    assert_eq!(errors(filter.clone()), [], "{filter}");
}

#[track_caller]
fn invalid(filter: Value, kind: SqonErrorKind, pointer: &str, message: &str) {
    let expected = SqonError { pointer: pointer.to_owned(), kind, message: message.to_owned() };
    assert_eq!(errors(filter.clone()), [expected], "{filter}");
}

#[test]
fn values_that_suit() {
    for (field, values) in [
        ("file_id", json!(["a", 5, true, "a*", "__missing__", "set_id:7f"])),
        ("name", json!(["a", "a*"])),
        ("size", json!([5, "5", 1.5, u64::MAX, -1, "__missing__", "set_id:7f"])),
        ("quality", json!([5, "1e3", 0.5])),
        ("open", json!([true, false, "true", "false", "0", "1", 0, 1])),
        ("host", json!(["192.0.2.1", "2001:db8::1", "192.0.2.0/24"])),
        ("place", json!(["anything*", 5])),
        ("due", json!(["31.12.2024", 5])),
        ("donors", json!(["__missing__"])),
        ("analysis", json!(["__missing__"])),
        ("donors.gender", json!(["Male"])),
        ("donors__specimens__specimen_type", json!(["Tumour"])),
    ] {
        for op in ["in", "not-in", "some-not-in", "all"] {
            valid(leaf(op, field, values.clone()));
        }
    }
}

#[test]
fn dates_that_are_dates() {
    for date in [
        "2024",
        "2024-02",
        "2024-02-29",
        "2024-02-29T23",
        "2024-02-29T23:59",
        "2024-02-29 23:59:59",
        "2024-02-29T23:59:59.999999999Z",
        "2024-02-29T23:59:59+02:00",
        "2024-02-29T23:59:59-0230",
        "2024-02-29T00+01",
        "1709164800000",
        "-1",
        "now",
        "now-30d",
        "now+1y-2M/w",
        "now-1H",
        "now-d",
        "2024-02-29||+1M/d",
        "2024||/y",
        "2024||",
    ] {
        valid(leaf("gt", "created", json!(date)));
    }
    valid(leaf("between", "created", json!([0, "now"])));
    let expected = "a date such as 2024-05-31, 2024-05-31T12:00:00Z or now-30d, or milliseconds since 1970";
    for not_a_date in [
        "",
        "yesterday",
        "2023-02-29",
        "2024-13-01",
        "2024-1-1",
        "24-01-01",
        "2024-02T10",
        "2024-02-29T24:00",
        "2024-02-29T23:60",
        "2024-02-29T23:59:59.",
        "2024-02-29T23:59.5",
        "2024-02-29T",
        "2024-02-29T10:00Zulu",
        "2024-02-29T10:00+1",
        "now30d",
        "now-30",
        "now-30x",
        "now/2d",
        "nowhere",
        "now-9999999999d",
        "x||+1d",
        "é024-02-29",
        "2024-02-29T10:00+é1",
    ] {
        let found = errors(leaf("lte", "created", json!(not_a_date)));
        assert_eq!(found.len(), 1, "{not_a_date}");
        assert_eq!(
            found[0].message,
            format!("found the text \"{not_a_date}\", but \"created\" is of type date; expected {expected}")
        );
    }
}

#[test]
fn values_of_the_wrong_type() {
    for (filter, pointer, message) in [
        (
            leaf("in", "size", json!("large")),
            "/content/value",
            "found the text \"large\", but \"size\" is of type long; expected a number",
        ),
        (
            leaf("in", "size", json!([1, "1*"])),
            "/content/value/1",
            "found the pattern \"1*\", but \"size\" is of type long; expected a number",
        ),
        (
            leaf("between", "quality", json!([true, 5])),
            "/content/value/0",
            "found the boolean true, but \"quality\" is of type double; expected a number",
        ),
        (
            leaf("not-in", "open", json!(["maybe"])),
            "/content/value",
            "found the text \"maybe\", but \"open\" is of type boolean; expected true or false",
        ),
        (
            leaf("in", "host", json!("192.0.2.0/33")),
            "/content/value",
            "found the text \"192.0.2.0/33\", but \"host\" is of type ip; expected an address such as 192.0.2.1, or a \
             range of them such as 192.0.2.0/24",
        ),
        (
            leaf("in", "due", json!("2024-12-31")),
            "/content/value",
            "found the text \"2024-12-31\", but \"due\" is of type date; expected a date such as 2024-05-31, \
             2024-05-31T12:00:00Z or now-30d, or milliseconds since 1970",
        ),
        (
            leaf("in", "due", json!(true)),
            "/content/value",
            "found the boolean true, but \"due\" is of type date; expected a date such as 2024-05-31, \
             2024-05-31T12:00:00Z or now-30d, or milliseconds since 1970",
        ),
        (
            leaf("in", "donors", json!("a")),
            "/content/value",
            "\"donors\" is of type nested and has no values of its own; expected \"__missing__\", or one of its fields \
             instead",
        ),
        (
            leaf("in", "file_id", json!("set_id:")),
            "/content/value",
            "found \"set_id:\"; expected the id of a set after it",
        ),
    ] {
        invalid(filter, SqonErrorKind::WrongValue, pointer, message);
    }
}

#[test]
fn operators_that_do_not_suit() {
    let in_like = "in, not-in, some-not-in, all";
    for op in ["gt", "gte", "lt", "lte"] {
        for field in ["size", "quality", "created", "place", "file_id"] {
            valid(leaf(op, field, json!(5)));
        }
        valid(leaf(op, "file_id", json!("m")));
        invalid(
            leaf(op, "open", json!(5)),
            SqonErrorKind::NotApplicable,
            "/content/fieldName",
            &format!("`{op}` cannot be used on \"open\", which is of type boolean; expected one of {in_like}"),
        );
    }
    invalid(
        leaf("between", "name", json!([1, 2])),
        SqonErrorKind::NotApplicable,
        "/content/fieldName",
        &format!(
            "`between` cannot be used on \"name\", which is of type text; expected one of {in_like}, wildcard, fuzzy"
        ),
    );
    for op in ["wildcard", "fuzzy"] {
        let on = |names: &[&str]| json!({ "op": op, "content": { "fieldNames": names, "value": "x" } });
        valid(on(&["name", "file_id", "place", "donors__gender"]));
        invalid(
            on(&["name", "created"]),
            SqonErrorKind::NotApplicable,
            "/content/fieldNames/1",
            &format!(
                "`{op}` cannot be used on \"created\", which is of type date; expected one of {in_like}, gt, gte, lt, \
                 lte, between"
            ),
        );
    }
}

#[test]
fn unknown_fields() {
    let kind = |field: &str, similar: &[&str]| SqonErrorKind::UnknownField {
        field: field.to_owned(),
        similar: similar.iter().map(ToString::to_string).collect(),
    };
    invalid(
        leaf("in", "gender", json!("Male")),
        kind("gender", &["donors.gender"]),
        "/content/fieldName",
        "the catalogue has no field \"gender\"; similar fields: donors.gender",
    );
    invalid(
        json!({ "op": "wildcard", "content": { "fieldNames": ["name", "qqqq"], "value": "x" } }),
        kind("qqqq", &[]),
        "/content/fieldNames/1",
        "the catalogue has no field \"qqqq\"; its introspection lists the fields it has",
    );
    let found = errors(leaf("in", "donor.specimens.specimen_typ", json!("a")));
    assert!(found[0].message.contains("similar fields: donors.specimens.specimen_type"), "{found:?}");
    let many: Vec<Value> = (0..500).map(|number| leaf("in", &format!("siz{number}"), json!(1))).collect();
    assert_eq!(errors(json!({ "op": "or", "content": many })).len(), 500);
}

#[test]
fn pivots() {
    let with =
        |pivot: &str| json!({ "op": "and", "content": [leaf("in", "donors.gender", json!("Male"))], "pivot": pivot });
    for pivot in [".", "donors", "donors.specimens", "donors__specimens"] {
        valid(with(pivot));
    }
    for pivot in ["analysis", "donors.gender", "nothing", ""] {
        let message = format!("Invalid pivot field \"{pivot}\", not a nested field");
        invalid(with(pivot), SqonErrorKind::InvalidPivot, "/pivot", &message);
        let mut on_leaf = leaf("in", "size", json!(1));
        on_leaf["pivot"] = json!(pivot);
        invalid(on_leaf, SqonErrorKind::InvalidPivot, "/pivot", &message);
    }
}

#[test]
fn everything_wrong_is_told_at_once() {
    let filter = json!({
        "op": "and",
        "pivot": "size",
        "content": [
            leaf("in", "nothing", json!("a")),
            { "op": "not", "content": [leaf("gt", "open", json!(1)), leaf("in", "size", json!(["a", 1, "b"]))] },
            leaf("in", "file_id", json!("a")),
        ],
    });
    let pointers: Vec<String> = errors(filter).into_iter().map(|error| error.pointer).collect();
    assert_eq!(
        pointers,
        [
            "/content/0/content/fieldName",
            "/content/1/content/0/content/fieldName",
            "/content/1/content/1/content/value/0",
            "/content/1/content/1/content/value/2",
            "/pivot",
        ]
    );
}

#[test]
fn classes_of_types() {
    for (type_name, class) in [
        ("byte", FieldClass::Integer),
        ("unsigned_long", FieldClass::Integer),
        ("scaled_float", FieldClass::Float),
        ("date_nanos", FieldClass::Date),
        ("nested", FieldClass::Nested),
        ("flattened", FieldClass::Other),
    ] {
        assert_eq!(FieldClass::of_type(type_name), class);
        assert_eq!(class.operators().any(|operator| operator.name == "between"), class != FieldClass::Nested);
    }
}
