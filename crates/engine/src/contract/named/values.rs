//! Values: exact, and found under every name that the mapping gives them.

use serde_json::json;

use super::{TestIndex, group, leaf, put, texts};
use crate::SearchEngine;

/// Integers of 64 bits are distinguished where doubles are not.
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
    let cases = [
        ("in", "long", json!(i64::MAX), "a"),
        ("in", "long", json!("9223372036854775806"), "b"),
        ("in", "long", json!(9_007_199_254_740_993_i64), "d"),
        ("gt", "long", json!(9_007_199_254_740_992_i64), "abd"),
        ("lte", "long", json!(i64::MIN), "c"),
        ("lt", "long", json!(i64::MIN), ""),
        ("in", "long", json!(u64::MAX), ""),
    ];
    bench.expect(&cases).await;
    let facet = bench.facet("long", &json!(null), |_| {}).await;
    assert_eq!((facet.distinct, facet.buckets.len()), (5, 5));
}

/// A fraction or a number beyond the type equals no integer, and bounds mean what they say.
pub async fn fractions_and_large_numbers_on_integers(engine: &dyn SearchEngine) {
    let mapping = json!({"properties": {"byte": {"type": "byte"}}});
    let documents =
        [json!({"byte": 5}), json!({"byte": 6}), json!({"byte": 127}), json!({"byte": "-128"}), json!({"byte": 6.9})];
    let bench = TestIndex::new(engine, mapping, &documents).await;
    let cases = [
        ("in", "byte", json!(5.5), ""),
        ("in", "byte", json!(6.0), "be"),
        ("in", "byte", json!(300), ""),
        ("not-in", "byte", json!([300, 5]), "bcde"),
        ("gt", "byte", json!(5.5), "bce"),
        ("lte", "byte", json!(5.5), "ad"),
        ("lt", "byte", json!(1000), "abcde"),
        ("gte", "byte", json!(1000), ""),
        ("gt", "byte", json!(-1e30), "abcde"),
        ("between", "byte", json!([6.5, 4.5]), "abe"),
    ];
    bench.expect(&cases).await;
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
    let cases = [
        ("in", "colour", json!("__missing__"), "abc"),
        ("in", "size", json!("__missing__"), "abc"),
        ("in", "with_default", json!("__missing__"), "bc"),
        ("in", "with_default", json!("none"), "ae"),
        ("in", "colour", json!(""), "d"),
        ("not-in", "colour", json!("__missing__"), "de"),
    ];
    bench.expect(&cases).await;
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
    let cases = [
        ("in", "name.keyword", json!("Red Fox"), "a"),
        ("in", "known_as", json!("Red Fox"), "a"),
        ("in", "name", json!("Red Fox"), "a"),
        ("in", "name", json!("fox"), "a"),
        ("in", "name", json!("Fox"), ""),
        ("in", "name.keyword", json!("fox"), ""),
        ("in", "name.keyword", json!("Brown Bear of the North"), ""),
        ("in", "name", json!("Brown Bear of the North"), "b"),
        ("in", "name.keyword", json!("__missing__"), "b"),
        ("in", "all", json!("Brown Bear of the North"), "b"),
        ("in", "all", json!("wild"), "ab"),
        ("in", "all", json!("small"), "a"),
    ];
    bench.expect(&cases).await;
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
    let cases = [
        ("in", "info", json!("red"), "ab"),
        ("in", "info.colour", json!("red"), "a"),
        ("in", "info.deep.size", json!(2), "ab"),
        ("in", "info.deep.size", json!("1"), "a"),
        ("in", "info.deep.flag", json!("true"), "a"),
        ("in", "info.colour", json!("__missing__"), "bcd"),
        ("in", "info", json!("__missing__"), "cd"),
        ("in", "info.colour", json!("r*"), "a"),
    ];
    bench.expect(&cases).await;
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
    let cases = [
        ("in", "flag", json!(true), "ac"),
        ("in", "flag", json!([false]), "bc"),
        ("in", "flag", json!("1"), "ac"),
        ("in", "flag", json!(0), "bc"),
        ("in", "ip", json!("10.0.0.2"), "b"),
        ("in", "ip", json!("10.0.0.0/8"), "ab"),
        ("in", "ip", json!("2001:DB8:0::1"), "c"),
        ("in", "ip", json!("__missing__"), "d"),
    ];
    bench.expect(&cases).await;
    let flags = bench.facet("flag", &json!(null), |_| {}).await;
    assert_eq!(flags.buckets.iter().map(|bucket| bucket.count).collect::<Vec<_>>(), [2, 2]);
}

/// Records are found by their ids, alone, by a saved set, and beside other conditions.
pub async fn records_are_found_by_id(engine: &dyn SearchEngine) {
    let mapping = json!({"properties": {"n": {"type": "long"}, "parts": {"type": "nested", "properties": {"n": {"type": "long"}}}}});
    let documents = [json!({"n": 1, "parts": [{"n": 1}]}), json!({"n": 2}), json!({"n": 3}), json!({})];
    let bench = TestIndex::new(engine, mapping, &documents).await;
    bench.write(vec![put("red", &json!({"n": 1}))]).await;
    for (filter, expected) in [
        (leaf("in", "_id", json!(["b", "a", "none"])), "ab"),
        (leaf("in", "id", json!("c")), "c"),
        (leaf("in", "_id", json!("set_id:saved")), "red"),
        (leaf("in", "_id", json!([])), ""),
        (leaf("not-in", "_id", json!(["b", "red"])), "acd"),
        (leaf("some-not-in", "_id", json!("a")), "bcdred"),
        (leaf("all", "_id", json!(["a", "b"])), ""),
        (leaf("in", "_id", json!("__missing__")), ""),
        (group("and", &[leaf("in", "_id", json!(["a", "b"])), leaf("gt", "n", json!(1))]), "b"),
        (group("or", &[leaf("in", "_id", json!("d")), leaf("in", "parts.n", json!(1))]), "ad"),
    ] {
        assert_eq!(bench.ids(&filter).await, expected, "{filter}");
    }
}
