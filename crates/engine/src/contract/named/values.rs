//! Values: exact, and found under every name that the mapping gives them.

use serde_json::{Value, json};

use super::{TestIndex, leaf, texts};
use crate::SearchEngine;

/// Integers of 64 bits are told apart where doubles are not.
pub async fn integers_of_64_bits_are_exact(engine: &dyn SearchEngine) {
    let mapping = json!({"properties": {"long": {"type": "long"}}});
    let documents = [
        json!({"long": i64::MAX}),
        json!({"long": i64::MAX - 1}),
        json!({"long": i64::MIN}),
        json!({"long": 9_007_199_254_740_993_i64}),
        json!({"long": 9_007_199_254_740_992_i64}),
    ];
    let bench = TestIndex::new(engine, mapping, &documents).await;
    for (op, value, expected) in [
        ("in", json!(i64::MAX), "a"),
        ("in", json!("9223372036854775806"), "b"),
        ("in", json!(9_007_199_254_740_993_i64), "d"),
        ("gt", json!(9_007_199_254_740_992_i64), "abd"),
        ("lte", json!(i64::MIN), "c"),
        ("lt", json!(i64::MIN), ""),
        ("in", json!(u64::MAX), ""),
    ] {
        assert_eq!(bench.ids(&leaf(op, "long", value.clone())).await, expected, "{op} {value}");
    }
    let facet = bench.facet("long", &json!(null), |_| {}).await;
    assert_eq!((facet.distinct, facet.buckets.len()), (5, 5));
}

/// A fraction or a number beyond the type equals no integer, and bounds mean what they say.
pub async fn fractions_and_large_numbers_on_integers(engine: &dyn SearchEngine) {
    let mapping = json!({"properties": {"byte": {"type": "byte"}}});
    let documents =
        [json!({"byte": 5}), json!({"byte": 6}), json!({"byte": 127}), json!({"byte": "-128"}), json!({"byte": 6.9})];
    let bench = TestIndex::new(engine, mapping, &documents).await;
    for (op, value, expected) in [
        ("in", json!(5.5), ""),
        ("in", json!(6.0), "be"),
        ("in", json!(300), ""),
        ("not-in", json!([300, 5]), "bcde"),
        ("gt", json!(5.5), "bce"),
        ("lte", json!(5.5), "ad"),
        ("lt", json!(1000), "abcde"),
        ("gte", json!(1000), ""),
        ("gt", json!(-1e30), "abcde"),
        ("between", json!([6.5, 4.5]), "abe"),
    ] {
        assert_eq!(bench.ids(&leaf(op, "byte", value.clone())).await, expected, "{op} {value}");
    }
}

/// Null, an empty list and no member at all are the same: no value.
pub async fn null_and_empty_are_no_values(engine: &dyn SearchEngine) {
    let mapping = json!({"properties": {
        "colour": {"type": "keyword"},
        "with_default": {"type": "keyword", "null_value": "none"},
        "size": {"type": "long"},
    }});
    let documents = [
        json!({"colour": null, "with_default": null, "size": ""}),
        json!({"colour": [], "with_default": [], "size": [null]}),
        json!({}),
        json!({"colour": "", "with_default": "", "size": 0}),
        json!({"colour": [null, "red"], "with_default": [null, "red"], "size": [[], [1]]}),
    ];
    let bench = TestIndex::new(engine, mapping, &documents).await;
    let missing = |field: &str| leaf("in", field, "__missing__");
    assert_eq!(bench.ids(&missing("colour")).await, "abc");
    assert_eq!(bench.ids(&missing("size")).await, "abc");
    assert_eq!(bench.ids(&missing("with_default")).await, "bc");
    assert_eq!(bench.ids(&leaf("in", "with_default", "none")).await, "ae");
    assert_eq!(bench.ids(&leaf("in", "colour", "")).await, "d");
    assert_eq!(bench.ids(&leaf("not-in", "colour", "__missing__")).await, "de");
    let facet = bench.facet("colour", &json!(null), |_| {}).await;
    assert_eq!((texts(&facet).as_str(), facet.missing, facet.distinct), (" 1, red 1", 3, 2));
}

/// Multi-fields, aliases and copies lead to the values; too long strings are not indexed.
pub async fn values_are_found_under_all_their_names(engine: &dyn SearchEngine) {
    let mapping = json!({"properties": {
        "name": {"type": "text", "copy_to": "all", "fields": {"keyword": {"type": "keyword", "ignore_above": 8}}},
        "known_as": {"type": "alias", "path": "name.keyword"},
        "tags": {"type": "nested", "properties": {"tag": {"type": "keyword", "copy_to": ["all"]}}},
        "all": {"type": "keyword"},
    }});
    let documents = [
        json!({"name": "Red Fox", "tags": [{"tag": "wild"}, {"tag": "small"}]}),
        json!({"name": "Brown Bear of the North", "tags": {"tag": "wild"}}),
    ];
    let bench = TestIndex::new(engine, mapping, &documents).await;
    for (field, value, expected) in [
        ("name.keyword", "Red Fox", "a"),
        ("known_as", "Red Fox", "a"),
        ("name", "Red Fox", "a"),
        ("name", "fox", "a"),
        ("name", "Fox", ""),
        ("name.keyword", "fox", ""),
        ("name.keyword", "Brown Bear of the North", ""),
        ("name", "Brown Bear of the North", "b"),
        ("name.keyword", "__missing__", "b"),
        ("all", "Brown Bear of the North", "b"),
        ("all", "wild", "ab"),
        ("all", "small", "a"),
    ] {
        assert_eq!(bench.ids(&leaf("in", field, value)).await, expected, "{field} {value}");
    }
    assert_eq!(texts(&bench.facet("name.keyword", &json!(null), |_| {}).await), "Red Fox 1");
    let all = bench.facet("all", &json!(null), |_| {}).await;
    assert_eq!(texts(&all), "wild 2, Brown Bear of the North 1, Red Fox 1, small 1");
}

/// A flattened object is searched as a whole and by key.
pub async fn flattened_objects_are_searched_by_key(engine: &dyn SearchEngine) {
    let mapping = json!({"properties": {"info": {"type": "flattened"}}});
    let documents = [
        json!({"info": {"colour": "red", "deep": {"size": [1, "2"], "flag": true}}}),
        json!({"info": {"other": "red", "deep.size": 2}}),
        json!({"info": {"colour": null}}),
        json!({}),
    ];
    let bench = TestIndex::new(engine, mapping, &documents).await;
    for (field, value, expected) in [
        ("info", json!("red"), "ab"),
        ("info.colour", json!("red"), "a"),
        ("info.deep.size", json!(2), "ab"),
        ("info.deep.size", json!("1"), "a"),
        ("info.deep.flag", json!("true"), "a"),
        ("info.colour", json!("__missing__"), "bcd"),
        ("info", json!("__missing__"), "cd"),
        ("info.colour", json!("r*"), "a"),
    ] {
        assert_eq!(bench.ids(&leaf("in", field, value.clone())).await, expected, "{field} {value}");
    }
    assert_eq!(texts(&bench.facet("info.deep.size", &json!(null), |_| {}).await), "2 2, 1 1");
}

/// Booleans and addresses are found in every form in which they are written.
pub async fn booleans_and_addresses(engine: &dyn SearchEngine) {
    let mapping = json!({"properties": {"flag": {"type": "boolean"}, "ip": {"type": "ip"}}});
    let documents = [
        json!({"flag": true, "ip": "10.0.0.1"}),
        json!({"flag": "false", "ip": "::ffff:10.0.0.2"}),
        json!({"flag": [true, false], "ip": ["192.168.0.1", "2001:db8::1"]}),
        json!({}),
    ];
    let bench = TestIndex::new(engine, mapping, &documents).await;
    for (field, value, expected) in [
        ("flag", json!(true), "ac"),
        ("flag", json!([false]), "bc"),
        ("flag", json!("1"), "ac"),
        ("flag", json!(0), "bc"),
        ("ip", json!("10.0.0.2"), "b"),
        ("ip", json!("10.0.0.0/8"), "ab"),
        ("ip", json!("2001:DB8:0::1"), "c"),
        ("ip", json!("__missing__"), "d"),
    ] {
        assert_eq!(bench.ids(&leaf("in", field, value.clone())).await, expected, "{field} {value}");
    }
    let none: Value = json!(null);
    assert_eq!(
        bench.facet("flag", &none, |_| {}).await.buckets.iter().map(|one| one.count).collect::<Vec<_>>(),
        [2, 2]
    );
}
