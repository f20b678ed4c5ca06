//! Every operator, on a field of the record and in nested elements.

use std::slice::from_ref;

use serde_json::{Value, json};

use super::{LeafCase, TestIndex, delete, group, leaf, put};
use crate::SearchEngine;

async fn bench(engine: &dyn SearchEngine) -> TestIndex<'_> {
    let note = json!({"type": "text", "fields": {"whole": {"type": "keyword"}}});
    let fields = json!({"colour": {"type": "keyword"}, "size": {"type": "long"}, "note": note});
    let mut mapping = json!({"properties": fields});
    mapping["properties"]["parts"] = json!({"type": "nested", "properties": fields});
    let documents = [
        json!({"colour": "red", "size": 1, "parts": [{"colour": "red", "size": 1}, {"colour": "blue", "size": 2}]}),
        json!({"colour": ["red", "green"], "size": [1, 5], "parts": {"colour": ["red", "green"], "size": 5}}),
        json!({"colour": "Blue", "size": 3, "parts": [{"size": 3}, {"colour": "blue"}]}),
        json!({"parts": []}),
        json!({"note": "The quick Fox", "parts": [{"note": "The quick Fox"}, {}]}),
    ];
    TestIndex::new(engine, mapping, &documents).await
}

/// Checks which records match leaves, and that all others match their negation.
async fn expect(bench: &TestIndex<'_>, cases: &[LeafCase<'_>]) {
    bench.expect(cases).await;
    for (op, field, value, expected) in cases {
        let opposite = group("not", &[leaf(op, field, value.clone())]);
        let others: String = "abcde".chars().filter(|id| !expected.contains(*id)).collect();
        assert_eq!(bench.ids(&opposite).await, others, "{opposite}");
    }
}

/// `in`, `not-in`, `some-not-in` and `all` on values of the record.
pub async fn lists_on_records(engine: &dyn SearchEngine) {
    let cases = [
        ("in", "colour", json!(["red"]), "ab"),
        ("in", "colour", json!(["green", "Blue", "none"]), "bc"),
        ("in", "colour", json!([]), ""),
        ("in", "size", json!([1, "3"]), "abc"),
        ("not-in", "colour", json!(["red"]), "cde"),
        ("not-in", "colour", json!([]), "abcde"),
        ("some-not-in", "colour", json!(["red"]), "cde"),
        ("some-not-in", "colour", json!([]), "abcde"),
        ("all", "colour", json!(["red", "green"]), "b"),
        ("all", "colour", json!(["red"]), "ab"),
        ("all", "size", json!([5, 1]), "b"),
    ];
    expect(&bench(engine).await, &cases).await;
}

/// `in`, `not-in`, `some-not-in` and `all` on values of nested elements.
pub async fn lists_on_elements(engine: &dyn SearchEngine) {
    let cases = [
        ("in", "parts.colour", json!(["red"]), "ab"),
        ("in", "parts.colour", json!(["blue"]), "ac"),
        ("in", "parts.colour", json!([]), ""),
        ("not-in", "parts.colour", json!(["red"]), "ace"),
        ("not-in", "parts.colour", json!(["red", "blue"]), "ce"),
        ("not-in", "parts.colour", json!([]), "abce"),
        ("some-not-in", "parts.colour", json!(["red"]), "cde"),
        ("some-not-in", "parts.colour", json!(["blue"]), "bde"),
        ("some-not-in", "parts.colour", json!([]), "abcde"),
        ("all", "parts.colour", json!(["red", "blue"]), "a"),
        ("all", "parts.size", json!([1, 2]), "a"),
    ];
    expect(&bench(engine).await, &cases).await;
}

/// The special values: no value, patterns, sets, and several of them at once.
pub async fn special_values(engine: &dyn SearchEngine) {
    let cases = [
        ("in", "colour", json!("__missing__"), "de"),
        ("not-in", "colour", json!("__missing__"), "abc"),
        ("in", "parts.colour", json!("__missing__"), "ce"),
        ("not-in", "parts.colour", json!("__missing__"), "abc"),
        ("some-not-in", "parts.colour", json!("__missing__"), "abd"),
        ("in", "colour", json!("*e*"), "abc"),
        ("in", "colour", json!("b*"), ""),
        ("in", "colour", json!("B*e"), "c"),
        ("in", "parts.colour", json!("*"), "abc"),
        ("not-in", "colour", json!(["r*", "B*"]), "de"),
        ("not-in", "colour", json!(["r*", "__missing__"]), "c"),
        ("in", "colour", json!(["B*", "__missing__"]), "cde"),
        ("in", "colour", json!("set_id:saved"), "ab"),
        ("not-in", "parts.colour", json!("set_id:saved"), "ace"),
        ("in", "note", json!("qu*"), "e"),
        ("in", "note", json!("The*x"), "e"),
        ("in", "parts", json!("__missing__"), "d"),
        ("in", "unknown", json!("red"), ""),
        ("not-in", "unknown", json!("red"), "abcde"),
    ];
    expect(&bench(engine).await, &cases).await;
}

/// The comparisons: one value keeps to all bounds.
pub async fn comparisons(engine: &dyn SearchEngine) {
    let cases = [
        ("gt", "size", json!(1), "bc"),
        ("gte", "size", json!([1, 3]), "bc"),
        ("lt", "size", json!(3), "ab"),
        ("lte", "size", json!([3, 1]), "ab"),
        ("gt", "size", json!([]), ""),
        ("between", "size", json!([2, 4]), "c"),
        ("between", "size", json!([4, 2]), "c"),
        ("gt", "parts.size", json!(2), "bc"),
        ("lt", "parts.size", json!(2), "a"),
        ("lte", "parts.size", json!(2), "a"),
        ("gte", "parts.size", json!([]), ""),
        ("between", "parts.size", json!([2, 3]), "ac"),
        // Texts are in the order of their characters, in which capitals come first.
        ("gt", "colour", json!("Blue"), "ab"),
        ("lte", "colour", json!("green"), "bc"),
        ("between", "colour", json!(["red", "gray"]), "ab"),
        ("lt", "parts.colour", json!("green"), "ac"),
    ];
    expect(&bench(engine).await, &cases).await;
}

/// `wildcard` and `fuzzy`, on whole texts and on words.
pub async fn texts_that_are_alike(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let cases = [
        ("wildcard", "colour", json!("BLUE"), "c"),
        ("wildcard", "colour", json!("?e*"), "ab"),
        ("wildcard", "parts.colour", json!("*LU*"), "ac"),
        ("wildcard", "note", json!("QUICK"), "e"),
        ("wildcard", "note", json!("the*fox"), "e"),
        ("wildcard", "parts.note", json!("fo?"), "e"),
        ("fuzzy", "colour", json!("gren"), "b"),
        ("fuzzy", "colour", json!("blue"), "c"),
        ("fuzzy", "colour", json!("re"), ""),
        ("fuzzy", "parts.colour", json!("bleu"), "ac"),
        ("fuzzy", "note", json!("quikc"), "e"),
    ];
    expect(&bench, &cases).await;
    let several = json!({"op": "wildcard", "content": {"fieldNames": ["colour", "parts.note"], "value": "*o*"}});
    assert_eq!(bench.ids(&several).await, "e");
    let exact = json!({"op": "fuzzy", "content": {"fieldNames": ["colour"], "value": "gren", "fuzziness": 0}});
    assert_eq!(bench.ids(&exact).await, "");
}

/// Words of texts, frequent and rare ones, of records that come, change and go.
pub async fn words_of_texts(engine: &dyn SearchEngine) {
    const ALL: &str = "abcdefghijklmnopqrstuvwxyz";
    let fields = json!({"note": {"type": "text", "fields": {"whole": {"type": "keyword"}}}});
    let mut mapping = json!({"properties": fields});
    mapping["properties"]["parts"] = json!({"type": "nested", "properties": fields});
    let document = |(number, letter): (usize, char)| {
        let words: Vec<String> = (0..5).map(|word| format!("w{:03}", 5 * number + word)).collect();
        let parts = json!([{"note": words[0]}, {"note": format!("{}-Common", words[1])}]);
        json!({"note": format!("Common {letter}: {}", words.join(" ")), "parts": parts})
    };
    let documents: Vec<Value> = ALL.chars().enumerate().map(document).collect();
    let bench = TestIndex::new(engine, mapping, &documents).await;
    let cases = [
        ("in", "note", json!("common"), ALL),
        ("in", "note", json!("Common"), ""),
        ("in", "note", json!("w007"), "b"),
        ("in", "note", json!(["w000", "w129", "none"]), "az"),
        ("all", "note", json!(["w010", "w014"]), "c"),
        ("in", "note", json!("Common b: w005 w006 w007 w008 w009"), "b"),
        ("in", "note", json!("w12*"), "yz"),
        ("not-in", "note", json!("w*"), ""),
        ("wildcard", "note", json!("W00?"), "ab"),
        ("wildcard", "note", json!("*MMO*"), ALL),
        ("fuzzy", "note", json!("comon"), ALL),
        ("fuzzy", "note", json!("w0077"), "bp"),
        ("in", "parts.note", json!("common"), ALL),
        ("in", "parts.note", json!("w005"), "b"),
        ("in", "parts.note", json!("w006"), "b"),
        ("in", "parts.note", json!("w006-Common"), "b"),
        ("wildcard", "parts.note", json!("w00*"), "ab"),
    ];
    bench.expect(&cases).await;
    bench.write(vec![delete("b"), put("c", &json!({"note": "w007 again"}))]).await;
    let cases = [
        ("in", "note", json!("w007"), "c"),
        ("in", "note", json!("again"), "c"),
        ("in", "note", json!("w010"), ""),
        ("in", "parts.note", json!("w005"), ""),
        ("wildcard", "note", json!("w00*"), "ac"),
    ];
    bench.expect(&cases).await;
}

/// Groups: with content, without, and in each other.
pub async fn groups(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let red = leaf("in", "colour", "red");
    let large = leaf("gt", "size", 2);
    for (filter, expected) in [
        (json!(null), "abcde"),
        (group("and", &[]), "abcde"),
        (group("or", &[]), "abcde"),
        (group("not", &[]), "abcde"),
        (group("and", &[red.clone(), large.clone()]), "b"),
        (group("or", &[red.clone(), large.clone()]), "abc"),
        (group("not", &[red.clone(), large.clone()]), "de"),
        (group("not", &[group("not", from_ref(&red))]), "ab"),
        (group("and", &[red.clone(), group("not", from_ref(&large))]), "a"),
        (group("or", &[group("and", &[red, large]), leaf("in", "note", "fox")]), "be"),
    ] {
        assert_eq!(bench.ids(&filter).await, expected, "{filter}");
    }
}
