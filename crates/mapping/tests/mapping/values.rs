use std::net::IpAddr;

use cantata_mapping::TypedValue::{self, Bool, DateMillis, DateNanos, Double, Integer, Ip, Text, Unsigned};
use serde_json::{Value, json};

use crate::{field, mapping};

fn text(text: &str) -> Option<TypedValue> {
    Some(Text(text.to_owned()))
}

/// Checks what a field of a definition reads; the cases are values and what they are read as.
fn check(definition: Value, cases: Vec<(Value, Option<TypedValue>)>) {
    let field = field(definition.clone());
    for (value, expected) in cases {
        assert_eq!(field.read(&value), Ok(expected), "{definition} {value}");
    }
}

/// Checks that a field of a definition refuses values.
fn refuses(definition: Value, values: Vec<Value>) {
    let field = field(definition.clone());
    for value in values {
        let read = field.read(&value);
        assert!(read.is_err(), "{definition} {value}: {read:?}");
    }
}

#[test]
fn strings_take_any_scalar() {
    for kind in ["keyword", "text", "wildcard", "flattened", "constant_keyword"] {
        check(
            json!({"type": kind}),
            vec![
                (json!("abc"), text("abc")),
                (json!(""), text("")),
                (json!(3), text("3")),
                (json!(3.5), text("3.5")),
                (json!(true), text("true")),
                (json!(null), None),
            ],
        );
        refuses(json!({"type": kind}), vec![json!([]), json!({}), json!(["a"])]);
    }
}

#[test]
fn long_strings_are_not_indexed() {
    check(
        json!({"type": "keyword", "ignore_above": 3}),
        vec![
            (json!("abc"), text("abc")),
            (json!("äöü"), text("äöü")),
            (json!("abcd"), None),
            (json!("a𝄞"), text("a𝄞")),
            (json!("𝄞𝄞"), None),
            (json!(1234), None),
        ],
    );
    check(json!({"type": "text", "ignore_above": 3}), vec![(json!("abcd"), text("abcd"))]);
}

#[test]
fn null_stands_for_the_null_value() {
    check(json!({"type": "keyword", "null_value": "NA"}), vec![(json!(null), text("NA")), (json!("x"), text("x"))]);
    check(json!({"type": "long", "null_value": "7"}), vec![(json!(null), Some(Integer(7)))]);
    check(json!({"type": "long", "null_value": 7}), vec![(json!(""), Some(Integer(7)))]);
    check(json!({"type": "date", "null_value": "1970-01-02"}), vec![(json!(null), Some(DateMillis(86_400_000)))]);
    check(json!({"type": "boolean", "null_value": null}), vec![(json!(null), None)]);
}

#[test]
fn booleans_are_flags_or_their_words() {
    check(
        json!({"type": "boolean"}),
        vec![
            (json!(true), Some(Bool(true))),
            (json!("true"), Some(Bool(true))),
            (json!("false"), Some(Bool(false))),
            (json!(""), Some(Bool(false))),
        ],
    );
    refuses(json!({"type": "boolean"}), vec![json!(1), json!(0), json!("yes"), json!("True"), json!([])]);
}

#[test]
fn integers_are_cut_and_kept_in_range() {
    let ranges = [("byte", -128, 127), ("short", -32768, 32767), ("integer", -2_147_483_648_i64, 2_147_483_647)];
    for (kind, least, most) in ranges {
        check(
            json!({"type": kind}),
            vec![
                (json!(least), Some(Integer(least))),
                (json!(most), Some(Integer(most))),
                (json!(most.to_string()), Some(Integer(most))),
                (json!(3.7), Some(Integer(3))),
                (json!("-3.7"), Some(Integer(-3))),
                (json!("1e2"), Some(Integer(100))),
                (json!(most as f64 + 0.9), Some(Integer(most))),
                (json!(""), None),
            ],
        );
        refuses(json!({"type": kind}), vec![json!(least - 1), json!(most + 1), json!((most + 1).to_string())]);
        refuses(
            json!({"type": kind}),
            vec![json!("x"), json!(true), json!("NaN"), json!("1.x"), json!({}), json!(" 1")],
        );
    }
}

#[test]
fn long_integers_are_exact() {
    check(
        json!({"type": "long"}),
        vec![
            (json!(i64::MAX), Some(Integer(i64::MAX))),
            (json!(i64::MIN), Some(Integer(i64::MIN))),
            (json!("9007199254740993"), Some(Integer(9_007_199_254_740_993))),
            (json!("9223372036854775807.9"), Some(Integer(i64::MAX))),
        ],
    );
    refuses(
        json!({"type": "long"}),
        vec![json!(1_u64 << 63), json!(1e19), json!("9223372036854775808"), json!("1e400")],
    );
    check(
        json!({"type": "unsigned_long"}),
        vec![
            (json!(u64::MAX), Some(Unsigned(u64::MAX))),
            (json!("18446744073709551615"), Some(Unsigned(u64::MAX))),
            (json!(0), Some(Unsigned(0))),
            (json!(3.7), Some(Unsigned(3))),
        ],
    );
    refuses(json!({"type": "unsigned_long"}), vec![json!(-1), json!("18446744073709551616"), json!(1.9e19)]);
}

#[test]
fn fractions_are_rounded_to_what_the_field_holds() {
    check(
        json!({"type": "double"}),
        vec![
            (json!(0.1), Some(Double(0.1))),
            (json!("1e3"), Some(Double(1000.0))),
            (json!(5), Some(Double(5.0))),
            (json!(-0.0), Some(Double(0.0))),
        ],
    );
    check(
        json!({"type": "float"}),
        vec![(json!(0.1), Some(Double(f64::from(0.1_f32)))), (json!(16_777_217), Some(Double(16_777_216.0)))],
    );
    check(
        json!({"type": "half_float"}),
        vec![
            (json!(0.1), Some(Double(0.099_975_585_937_5))),
            (json!(2049), Some(Double(2048.0))),
            (json!(2051), Some(Double(2052.0))),
            (json!(65504), Some(Double(65504.0))),
            (json!(65519), Some(Double(65504.0))),
            (json!(0), Some(Double(0.0))),
            (json!(1e-9), Some(Double(0.0))),
        ],
    );
    check(
        json!({"type": "scaled_float", "scaling_factor": 100}),
        vec![
            (json!(1.234), Some(Double(1.23))),
            (json!("1.235"), Some(Double(1.24))),
            (json!(-0.125), Some(Double(-0.12))),
            (json!(-0.001), Some(Double(0.0))),
        ],
    );
    for kind in ["double", "float", "half_float"] {
        refuses(json!({"type": kind}), vec![json!("NaN"), json!("Infinity"), json!("-inf"), json!("x"), json!(false)]);
    }
    refuses(json!({"type": "float"}), vec![json!(1e39)]);
    refuses(json!({"type": "half_float"}), vec![json!(65520), json!(-1e9)]);
}

#[test]
fn dates_are_millis_or_nanos() {
    check(
        json!({"type": "date"}),
        vec![
            (json!("1970-01-01T00:00:01.234567Z"), Some(DateMillis(1234))),
            (json!("1969-12-31T23:59:59.9995Z"), Some(DateMillis(-1))),
            (json!(1_700_000_000_000_i64), Some(DateMillis(1_700_000_000_000))),
            (json!("1700000000000"), Some(DateMillis(1_700_000_000_000))),
            (json!(1.7e12), Some(DateMillis(1_700_000_000_000))),
            (json!(1971), Some(DateMillis(31_536_000_000))),
            (json!("9999-12-31"), Some(DateMillis(253_402_214_400_000))),
        ],
    );
    refuses(
        json!({"type": "date"}),
        vec![json!(""), json!("x"), json!(true), json!(i64::MAX), json!("2023-02-29"), json!([])],
    );
    check(json!({"type": "date_nanos"}), vec![(json!("1970-01-01T00:00:00.123456789Z"), Some(DateNanos(123_456_789)))]);
    refuses(json!({"type": "date_nanos"}), vec![json!("2263-01-01"), json!("1969-12-31")]);
}

#[test]
fn addresses_are_read_in_both_forms() {
    let ip = |text: &str| Some(Ip(text.parse::<IpAddr>().unwrap()));
    check(
        json!({"type": "ip"}),
        vec![
            (json!("10.0.0.1"), ip("10.0.0.1")),
            (json!("2001:DB8::1"), ip("2001:db8::1")),
            (json!("::ffff:10.0.0.1"), ip("10.0.0.1")),
        ],
    );
    refuses(json!({"type": "ip"}), vec![json!("10.0.0"), json!("10.0.0.0/8"), json!(1), json!("")]);
}

#[test]
fn other_fields_have_no_values() {
    check(json!({"type": "geo_point"}), vec![(json!("1,2"), None), (json!({"lat": 1}), None), (json!(null), None)]);
    for kind in ["object", "nested"] {
        refuses(json!({"type": kind}), vec![json!(1), json!("x")]);
    }
    let mapping = mapping(json!({"a": {"type": "alias", "path": "b"}, "b": {"type": "long"}}));
    let error = mapping.entry("a").unwrap().read(&json!(1)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "field `a`: found the number 1, expected no value, as the field is an alias; `b` takes it"
    );
}

#[test]
fn a_constant_refuses_other_values() {
    check(json!({"type": "constant_keyword", "value": "a"}), vec![(json!("a"), text("a"))]);
    refuses(json!({"type": "constant_keyword", "value": "a"}), vec![json!("b")]);
}

#[test]
fn malformed_values_may_be_passed_over() {
    check(json!({"type": "long", "ignore_malformed": true}), vec![(json!("x"), None), (json!("3"), Some(Integer(3)))]);
}

#[test]
fn a_refusal_names_field_found_and_expected() {
    let cases = [
        ("byte", json!(300), "field `x`: found the number 300, expected a number between -128 and 127"),
        ("boolean", json!("yes"), "field `x`: found the string \"yes\", expected true or false"),
        ("keyword", json!({}), "field `x`: found an object, expected a string, a number or a boolean"),
        ("ip", json!([1]), "field `x`: found a list, expected an IP address"),
        (
            "date",
            json!("x"),
            "field `x`: found the string \"x\", expected a date in the format \
             \"strict_date_optional_time||epoch_millis\"",
        ),
    ];
    for (kind, value, message) in cases {
        assert_eq!(field(json!({"type": kind})).read(&value).unwrap_err().to_string(), message);
    }
}

#[test]
fn values_have_the_order_of_the_engines() {
    let ip = |text: &str| Ip(text.parse::<IpAddr>().unwrap());
    let ordered = [
        vec![Bool(false), Bool(true)],
        vec![Integer(-1), Integer(0), Integer(10)],
        vec![Double(-1.5), Double(0.0), Double(1e300)],
        vec![Text("A".into()), Text("a".into()), Text("aa".into()), Text("é".into())],
        vec![ip("::1"), ip("9.0.0.0"), ip("10.0.0.0"), ip("2001::")],
    ];
    for values in ordered {
        assert!(values.is_sorted_by(|one, two| one < two), "{values:?}");
    }
}
