//! What values mean on fields of each kind.

use cantata_engine::Filter;
use cantata_mapping::TypedValue;
use serde_json::{Value, json};

use crate::support::{NOW, check, exists, leaf, or, range, strings, terms};

const DAY: i64 = 86_400_000;

/// 2024-05-01T00:00:00Z.
const MAY: i64 = 1_714_521_600_000;

fn integer(number: i64, is_in: bool) -> Option<(TypedValue, bool)> {
    Some((TypedValue::Integer(number), is_in))
}

fn double(number: f64, is_in: bool) -> Option<(TypedValue, bool)> {
    Some((TypedValue::Double(number), is_in))
}

fn millis(millis: i64, is_in: bool) -> Option<(TypedValue, bool)> {
    Some((TypedValue::DateMillis(millis), is_in))
}

fn nanos(nanos: i64, is_in: bool) -> Option<(TypedValue, bool)> {
    Some((TypedValue::DateNanos(nanos), is_in))
}

fn ip(address: &str) -> TypedValue {
    TypedValue::Ip(address.parse().unwrap())
}

#[test]
fn strings_and_booleans() {
    check([
        (leaf("in", "study", json!([1, true, 2.5, ""])), strings("study", &["", "1", "2.5", "true"])),
        (leaf("in", "open", json!([0])), terms("open", [TypedValue::Bool(false)])),
        (
            leaf("in", "open", json!(["true", false, "1"])),
            terms("open", [TypedValue::Bool(false), TypedValue::Bool(true)]),
        ),
        (
            leaf("gt", "info.year", json!("b")),
            range("info.year", Some((TypedValue::Text("b".to_owned()), false)), None),
        ),
    ]);
}

#[test]
fn a_fraction_is_no_whole_number() {
    check([
        (leaf("in", "size", json!([5.0, 5.5, "6", 0])), terms("size", [0, 5, 6].map(TypedValue::Integer))),
        (leaf("in", "size", json!(5.5)), Filter::None),
        (leaf("not-in", "size", json!(5.5)), Filter::All),
        (leaf("gt", "size", json!(5.5)), range("size", integer(6, true), None)),
        (leaf("gte", "size", json!(5.5)), range("size", integer(6, true), None)),
        (leaf("lt", "size", json!(5.5)), range("size", None, integer(5, true))),
        (leaf("lte", "size", json!(-5.5)), range("size", None, integer(-6, true))),
        (leaf("gt", "size", json!(5.0)), range("size", integer(5, false), None)),
        (leaf("gt", "size", json!([5, 5.5])), range("size", integer(6, true), None)),
        (leaf("gt", "size", json!([5, 4.5])), range("size", integer(5, false), None)),
        (leaf("lt", "size", json!([5.5, 5])), range("size", None, integer(5, false))),
        (leaf("between", "size", json!([6.5, 4.5])), range("size", integer(5, true), integer(6, true))),
        (leaf("between", "size", json!([4.2, 4.8])), Filter::None),
    ]);
}

#[test]
fn bounds_beyond_the_field_let_all_or_nothing_through() {
    let lower = ["gt", "gte"];
    let upper = ["lt", "lte"];
    let beyond = [("rank", json!(300)), ("rank", json!(127.5)), ("size", json!(1e300)), ("reads", json!(2e19))];
    let under = [("rank", json!(-300)), ("rank", json!(-128.5)), ("size", json!(-1e300)), ("reads", json!(-1))];
    for op in lower {
        check(beyond.clone().map(|(field, bound)| (leaf(op, field, bound), Filter::None)));
        check(under.clone().map(|(field, bound)| (leaf(op, field, bound), exists(field))));
    }
    for op in upper {
        check(beyond.clone().map(|(field, bound)| (leaf(op, field, bound), exists(field))));
        check(under.clone().map(|(field, bound)| (leaf(op, field, bound), Filter::None)));
    }
    check(beyond.map(|(field, value)| (leaf("in", field, value), Filter::None)));
    check(under.map(|(field, value)| (leaf("in", field, value), Filter::None)));
    check([
        (leaf("between", "rank", json!([300, 100])), range("rank", integer(100, true), None)),
        (leaf("between", "rank", json!([-300, 300])), exists("rank")),
        (leaf("between", "rank", json!([200, 300])), Filter::None),
        (leaf("gt", "half", json!(70000)), Filter::None),
        (leaf("lt", "half", json!(70000)), exists("half")),
        (leaf("gt", "ratio", json!(-1e300)), exists("ratio")),
    ]);
}

#[test]
fn large_integers_are_exact() {
    check([
        (
            leaf("in", "size", json!(9_007_199_254_740_993_i64)),
            terms("size", [TypedValue::Integer(9_007_199_254_740_993)]),
        ),
        (leaf("in", "reads", json!(u64::MAX)), terms("reads", [TypedValue::Unsigned(u64::MAX)])),
        (leaf("in", "size", json!(u64::MAX)), Filter::None),
        (leaf("lte", "size", json!(i64::MAX)), range("size", None, integer(i64::MAX, true))),
    ]);
}

#[test]
fn other_numbers_are_rounded_as_the_field_does() {
    let single = f64::from(0.1_f32);
    check([
        (leaf("in", "score", json!([0.1, -0.0])), terms("score", [0.0, 0.1].map(TypedValue::Double))),
        (leaf("in", "ratio", json!(0.1)), terms("ratio", [TypedValue::Double(single)])),
        (leaf("lte", "ratio", json!(0.1)), range("ratio", None, double(single, true))),
        (leaf("in", "price", json!(0.014)), terms("price", [TypedValue::Double(0.01)])),
        (leaf("gte", "price", json!(0.014)), range("price", double(0.014, true), None)),
        (leaf("lt", "price", json!("0.02")), range("price", None, double(0.02, false))),
    ]);
}

#[test]
fn a_date_is_all_that_it_denotes() {
    let day = |op: &str| leaf(op, "created", json!("2024-05-01"));
    let last = MAY + DAY - 1;
    check([
        (day("in"), range("created", millis(MAY, true), millis(last, true))),
        (day("gt"), range("created", millis(last, false), None)),
        (day("gte"), range("created", millis(MAY, true), None)),
        (day("lt"), range("created", None, millis(MAY, false))),
        (day("lte"), range("created", None, millis(last, true))),
        (
            leaf("in", "created", json!("2024-05")),
            range("created", millis(MAY, true), millis(MAY + 31 * DAY - 1, true)),
        ),
        (leaf("in", "created", json!(MAY)), terms("created", [TypedValue::DateMillis(MAY)])),
        (leaf("in", "created", json!("2024-05-01T00:00:00Z")), terms("created", [TypedValue::DateMillis(MAY)])),
        (
            leaf("in", "created", json!(["2024-05-01", MAY])),
            or([
                terms("created", [TypedValue::DateMillis(MAY)]),
                range("created", millis(MAY, true), millis(last, true)),
            ]),
        ),
        (leaf("in", "due", json!("01.05.2024")), range("due", millis(MAY, true), millis(last, true))),
        (leaf("in", "due", json!("2024-05-01")), range("due", millis(MAY, true), millis(last, true))),
        (
            leaf("between", "created", json!(["2024-05-02", "2024-05-01"])),
            range("created", millis(MAY, true), millis(last + DAY, true)),
        ),
        (leaf("lt", "created", json!(i64::MAX)), exists("created")),
        (leaf("gt", "created", json!(i64::MAX)), Filter::None),
    ]);
}

#[test]
fn dates_may_be_relative() {
    let midnight = NOW - NOW % DAY;
    check([
        (leaf("gte", "created", json!("now-30d")), range("created", millis(NOW - 30 * DAY, true), None)),
        (leaf("lt", "created", json!("now/d")), range("created", None, millis(midnight, false))),
        (leaf("lte", "created", json!("now/d")), range("created", None, millis(midnight + DAY - 1, true))),
        (leaf("gt", "created", json!(["now-1d", "now-2d"])), range("created", millis(NOW - DAY, false), None)),
        (leaf("gte", "created", json!("2024-05-01||+1d")), range("created", millis(MAY + DAY, true), None)),
    ]);
}

#[test]
fn nanoseconds_begin_in_1970() {
    let second = 1_000_000_000;
    check([
        (leaf("in", "measured", json!("1970-01-01T00:00:01Z")), terms("measured", [TypedValue::DateNanos(second)])),
        (
            leaf("in", "measured", json!("1970-01-01")),
            range("measured", nanos(0, true), nanos(86_400 * second - 1, true)),
        ),
        (leaf("in", "measured", json!("1969-12-31")), Filter::None),
        (leaf("gt", "measured", json!("1969-12-31")), exists("measured")),
        (leaf("lte", "measured", json!("1969-12-31")), Filter::None),
        (leaf("gt", "measured", json!("2300-01-01")), Filter::None),
        (leaf("lt", "measured", json!("2300-01-01")), exists("measured")),
    ]);
}

#[test]
fn addresses_and_blocks_of_them() {
    let block = |from: &str, to: &str| range("host", Some((ip(from), true)), Some((ip(to), true)));
    let host = |value: Value| leaf("in", "host", value);
    check([
        (host(json!("10.1.2.3")), terms("host", [ip("10.1.2.3")])),
        (host(json!("::ffff:10.1.2.3")), terms("host", [ip("10.1.2.3")])),
        (host(json!("10.1.2.3/32")), terms("host", [ip("10.1.2.3")])),
        (host(json!("10.1.2.3/8")), block("10.0.0.0", "10.255.255.255")),
        (host(json!("0.0.0.0/0")), block("0.0.0.0", "255.255.255.255")),
        (host(json!("2001:db8::/32")), block("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff")),
        (host(json!("::/0")), block("::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")),
        (leaf("gt", "host", json!("10.0.0.0/8")), range("host", Some((ip("10.255.255.255"), false)), None)),
    ]);
}
