//! Pivots: which conditions hold in one and the same element.

use std::slice::from_ref;

use serde_json::json;

use super::{TestIndex, group, leaf, pivoted};
use crate::SearchEngine;

async fn bench(engine: &dyn SearchEngine) -> TestIndex<'_> {
    let samples = json!({"type": "nested", "properties": {"kind": {"type": "keyword"}, "count": {"type": "long"}}});
    let specimens = json!({"type": "nested", "properties": {"site": {"type": "keyword"}, "samples": samples}});
    let donors = json!({"type": "nested", "properties": {
        "sex": {"type": "keyword"},
        "age": {"type": "long"},
        "specimens": specimens,
    }});
    let mapping = json!({"properties": {"study": {"type": "keyword"}, "donors": donors}});
    let sample = |kind: &str, count: u64| json!({"kind": kind, "count": count});
    let documents = [
        json!({"study": "s", "donors": [{"sex": "f", "age": 10}, {"sex": "m", "age": 50}]}),
        json!({"study": "s", "donors": [{"sex": "f", "age": 50}, {"sex": "m", "age": 10}]}),
        json!({"study": "t", "donors": {"sex": "f", "age": 50, "specimens": [
            {"site": "lung", "samples": [sample("dna", 1), sample("rna", 9)]},
            {"site": "skin", "samples": sample("dna", 9)},
        ]}}),
        json!({"study": "t", "donors": [{"sex": "m", "specimens": {"site": "lung", "samples": [sample("dna", 9)]}}, {"age": 50}]}),
        json!({"study": "t"}),
    ];
    TestIndex::new(engine, mapping, &documents).await
}

/// Without a pivot each condition may hold in another element; with one they hold in the same.
pub async fn conditions_hold_in_one_element(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let young_f = [leaf("in", "donors.sex", "f"), leaf("lt", "donors.age", 20)];
    assert_eq!(bench.ids(&group("and", &young_f)).await, "ab");
    assert_eq!(bench.ids(&pivoted("and", "donors", &young_f)).await, "a");
    assert_eq!(bench.ids(&pivoted("and", ".", &young_f)).await, "ab");
    assert_eq!(bench.ids(&pivoted("or", "donors", &young_f)).await, "abc");
}

/// `not` with a pivot: no element in which all conditions hold together.
pub async fn no_element_has_all_conditions(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let young_f = [leaf("in", "donors.sex", "f"), leaf("lt", "donors.age", 20)];
    assert_eq!(bench.ids(&group("not", &young_f)).await, "de");
    assert_eq!(bench.ids(&pivoted("not", "donors", &young_f)).await, "bcde");
}

/// Conditions outside of the pivot stay with the record; `some-not-in` is bound by it like all others.
pub async fn other_conditions_stay_with_the_record(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let old_f = [leaf("in", "donors.sex", "f"), leaf("gt", "donors.age", 20), leaf("in", "study", "t")];
    assert_eq!(bench.ids(&pivoted("and", "donors", &old_f)).await, "c");
    let no_m = [leaf("in", "donors.age", 50), leaf("some-not-in", "donors.sex", "m")];
    assert_eq!(bench.ids(&pivoted("and", "donors", &no_m)).await, "bcd");
    let not_m = [leaf("in", "donors.age", 50), leaf("not-in", "donors.sex", "m")];
    assert_eq!(bench.ids(&pivoted("and", "donors", &not_m)).await, "bcd");
}

/// `and` and `not` with a pivot are each other's opposite, whatever the conditions in it.
pub async fn a_pivot_and_its_negation_add_up(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let no_skin = leaf("some-not-in", "donors.specimens.site", "skin");
    let of_age = leaf("gt", "donors.age", 20);
    for (content, expected, others) in [
        (vec![leaf("some-not-in", "donors.sex", "m"), of_age.clone()], "bcd", "ae"),
        (vec![no_skin.clone(), of_age.clone()], "abd", "ce"),
        (vec![group("or", &[]), no_skin, of_age], "abd", "ce"),
    ] {
        assert_eq!(bench.ids(&pivoted("and", "donors", &content)).await, expected, "{content:?}");
        assert_eq!(bench.ids(&pivoted("not", "donors", &content)).await, others, "{content:?}");
    }
}

/// Pivots on every level, and deeper conditions within an outer element.
pub async fn pivots_three_levels_deep(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let kind = leaf("in", "donors.specimens.samples.kind", "dna");
    let count = leaf("gt", "donors.specimens.samples.count", 5);
    let site = leaf("in", "donors.specimens.site", "lung");
    let sex = leaf("in", "donors.sex", "f");
    let in_sample = pivoted("and", "donors.specimens.samples", &[kind.clone(), count.clone()]);
    for (filter, expected) in [
        (group("and", &[kind.clone(), count.clone(), site.clone(), sex.clone()]), "c"),
        (in_sample.clone(), "cd"),
        (pivoted("and", "donors.specimens", &[kind.clone(), count.clone(), site.clone()]), "cd"),
        (pivoted("and", "donors.specimens", &[in_sample.clone(), site.clone()]), "d"),
        (pivoted("and", "donors", &[in_sample.clone(), site.clone(), sex.clone()]), "c"),
        (pivoted("and", "donors", &[pivoted("and", "donors.specimens", &[in_sample, site]), sex]), ""),
    ] {
        assert_eq!(bench.ids(&filter).await, expected, "{filter}");
    }
}

/// Inside of an element everything is read from there: a `not` too, and a pivot on the element itself.
pub async fn groups_inside_of_a_pivot(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let f = leaf("in", "donors.sex", "f");
    let young = leaf("lt", "donors.age", 20);
    let not_young_f = pivoted("and", "donors", &[f.clone(), group("not", from_ref(&young))]);
    assert_eq!(bench.ids(&not_young_f).await, "bc");
    let f_or_young = pivoted("and", "donors", &[leaf("gt", "donors.age", 0), group("or", &[f.clone(), young.clone()])]);
    assert_eq!(bench.ids(&f_or_young).await, "abc");
    let inner = pivoted("not", "donors", &[f, young]);
    let of_age = leaf("gt", "donors.age", 0);
    assert_eq!(bench.ids(&pivoted("and", "donors", &[of_age, inner])).await, "abcd");
}
