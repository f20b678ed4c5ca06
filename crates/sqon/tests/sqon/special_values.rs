//! Values that are more than values.

use cantata_sqon::{Condition, Scalar, Sqon, ValueTest};
use serde_json::{Value, json};

use crate::support::sqon;

fn tests_of(op: &str, value: Value) -> Vec<ValueTest> {
    match sqon(json!({ "op": op, "content": { "fieldName": "name", "value": value } })) {
        Sqon::Leaf(leaf) => match leaf.condition {
            Condition::Values { values, .. } => values,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_value_is_recognised_by_itself() {
    let text = |text: &str| ValueTest::Equals(Scalar::String(text.to_owned()));
    for op in ["in", "not-in", "some-not-in", "all"] {
        let values = json!([
            "plain",
            "BRCA*",
            "*",
            "__missing__",
            "set_id:7f",
            "set_id:",
            "set_id:a*",
            "a set_id:7f",
            "a__missing__",
            0,
            false,
            ""
        ]);
        assert_eq!(
            tests_of(op, values),
            [
                text("plain"),
                ValueTest::Pattern("BRCA*".to_owned()),
                ValueTest::Pattern("*".to_owned()),
                ValueTest::Missing,
                ValueTest::Set("7f".to_owned()),
                ValueTest::Set(String::new()),
                ValueTest::Pattern("set_id:a*".to_owned()),
                text("a set_id:7f"),
                text("a__missing__"),
                ValueTest::Equals(Scalar::Number(0.into())),
                ValueTest::Equals(Scalar::Boolean(false)),
                text(""),
            ],
            "{op}"
        );
    }
}

#[test]
fn bounds_and_patterns_have_no_special_values() {
    let Sqon::Leaf(leaf) = sqon(json!({ "op": "gt", "content": { "fieldName": "size", "value": "__missing__" } }))
    else {
        panic!("a leaf");
    };
    let Condition::Range { bounds, .. } = leaf.condition else { panic!("a range") };
    assert_eq!(bounds, [Scalar::String("__missing__".to_owned())]);
}

#[test]
fn long_integers_are_exact() {
    let text = r#"{"op":"in","content":{"fieldName":"size","value":[9007199254740993,18446744073709551615,-9223372036854775808]}}"#;
    let read = sqon(serde_json::from_str(text).unwrap());
    assert_eq!(read.to_json().to_string(), text);
}

#[test]
fn typed_readings() {
    let text = |text: &str| Scalar::String(text.to_owned());
    let number = |value: Value| Scalar::from_json(&value).unwrap();
    assert_eq!(text("9007199254740993").as_number(), Some(9_007_199_254_740_993_u64.into()));
    assert_eq!(text("large").as_number(), None);
    assert_eq!(Scalar::Boolean(true).as_number(), None);
    for (scalar, boolean) in [
        (text("true"), Some(true)),
        (text("0"), Some(false)),
        (number(json!(1)), Some(true)),
        (number(json!(2)), None),
        (text("yes"), None),
        (Scalar::Boolean(false), Some(false)),
    ] {
        assert_eq!(scalar.as_boolean(), boolean, "{scalar:?}");
    }
}
