//! Facets: what counts for a value, at every level, with and without the facet's own filter.

use std::slice::from_ref;

use serde_json::{Value, json};

use super::{TestIndex, delete, facet_request, group, leaf, pivoted, texts};
use crate::{FacetRequest, Filter, HitsRequest, SearchEngine, SearchPlan};

async fn bench(engine: &dyn SearchEngine) -> TestIndex<'_> {
    let specimens = json!({"type": "nested", "properties": {"site": {"type": "keyword"}}});
    let donors = json!({"type": "nested", "properties": {
        "sex": {"type": "keyword"},
        "vital": {"type": "keyword"},
        "specimens": specimens,
    }});
    let mapping =
        json!({"properties": {"study": {"type": "keyword"}, "access": {"type": "keyword"}, "donors": donors}});
    let site = |name: &str| json!({"site": name});
    let documents = [
        json!({"study": "s", "access": "open", "donors": [
            {"sex": "f", "vital": "alive", "specimens": [site("lung"), site("skin")]},
            {"sex": "m", "vital": "dead", "specimens": [site("skin")]},
        ]}),
        json!({"study": ["s", "t"], "access": "open", "donors": {"sex": "f", "vital": "dead", "specimens": site("lung")}}),
        json!({"study": "t", "access": "controlled", "donors": [{"sex": "m"}, {"sex": "m", "vital": "alive"}]}),
        json!({"access": "open", "donors": [{"vital": "alive"}]}),
    ];
    TestIndex::new(engine, mapping, &documents).await
}

/// Buckets come by count, equal counts by value; they can be cut, which the number of values is not.
pub async fn buckets_come_by_count(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let facet = bench.facet("study", &json!(null), |_| {}).await;
    assert_eq!((texts(&facet).as_str(), facet.distinct, facet.missing), ("s 2, t 2", 2, 1));
    let facet = bench.facet("access", &json!(null), |facet| facet.buckets = Some(1)).await;
    assert_eq!((texts(&facet).as_str(), facet.distinct, facet.missing), ("open 3", 2, 0));
    let facet = bench.facet("access", &leaf("in", "study", "none"), |_| {}).await;
    assert_eq!((texts(&facet).as_str(), facet.distinct, facet.missing), ("", 0, 0));
}

/// A facet counts records, however many of their elements have the value.
pub async fn nested_facets_count_records(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let facet = bench.facet("donors.sex", &json!(null), |_| {}).await;
    assert_eq!((texts(&facet).as_str(), facet.distinct, facet.missing), ("f 2, m 2", 2, 1));
    let facet = bench.facet("donors.vital", &json!(null), |_| {}).await;
    assert_eq!((texts(&facet).as_str(), facet.missing), ("alive 3, dead 2", 1));
    let facet = bench.facet("donors.specimens.site", &json!(null), |_| {}).await;
    assert_eq!((texts(&facet).as_str(), facet.missing), ("lung 2, skin 1", 0));
}

/// Unless it filters itself, a facet leaves out the conditions on its own field and keeps all others.
pub async fn the_own_filter_is_left_out(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let filter = group("and", &[leaf("in", "study", "s"), leaf("in", "access", "open")]);
    let itself = bench.facet_with("study", &filter, true, |_| {}).await;
    assert_eq!((texts(&itself).as_str(), itself.missing), ("s 2, t 1", 0));
    let without = bench.facet_with("study", &filter, false, |_| {}).await;
    assert_eq!((texts(&without).as_str(), without.missing), ("s 2, t 1", 1));
    let without = bench.facet_with("access", &leaf("in", "access", "open"), false, |_| {}).await;
    assert_eq!(texts(&without), "open 3, controlled 1");
    // Of a condition on several fields, the others still filter.
    let either = json!({"op": "wildcard", "content": {"fieldNames": ["study", "access"], "value": "*t*"}});
    assert_eq!(texts(&bench.facet_with("study", &either, true, |_| {}).await), "t 2, s 1");
    let without = bench.facet_with("study", &either, false, |_| {}).await;
    assert_eq!((texts(&without).as_str(), without.missing), ("t 1", 0));
    assert_eq!(texts(&bench.facet_with("access", &either, false, |_| {}).await), "controlled 1, open 1");
    let nested = group("and", &[leaf("in", "donors.sex", "f"), leaf("in", "donors.vital", "dead")]);
    assert_eq!(texts(&bench.facet_with("donors.sex", &nested, true, |_| {}).await), "f 1");
    assert_eq!(texts(&bench.facet_with("donors.sex", &nested, false, |_| {}).await), "f 1, m 1");
}

/// The filter's conditions on the facet's level, and on deeper ones, hold for the elements that are counted.
pub async fn elements_must_pass_the_filter_too(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    for (field, filter, expected) in [
        ("donors.vital", leaf("in", "donors.sex", "m"), "alive 1, dead 1"),
        ("donors.vital", leaf("in", "donors.specimens.site", "lung"), "alive 1, dead 1"),
        ("donors.sex", leaf("in", "donors.specimens.site", "skin"), "f 1, m 1"),
        ("donors.sex", group("and", &[leaf("in", "donors.specimens.site", "lung"), leaf("in", "study", "s")]), "f 2"),
        ("donors.specimens.site", leaf("in", "donors.sex", "m"), "skin 1"),
        ("donors.specimens.site", leaf("in", "donors.specimens.site", "lung"), "lung 2"),
        ("study", leaf("in", "donors.sex", "m"), "s 1, t 1"),
        ("donors.sex", leaf("not-in", "donors.vital", "alive"), "m 2, f 1"),
    ] {
        assert_eq!(texts(&bench.facet(field, &filter, |_| {}).await), expected, "{field} {filter}");
    }
}

/// The filter's conditions on the levels above the facet's hold for the elements around those that are counted.
pub async fn conditions_narrow_the_levels_below(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let (f, alive) = (leaf("in", "donors.sex", "f"), leaf("in", "donors.vital", "alive"));
    let lung = leaf("in", "donors.specimens.site", "lung");
    for (filter, expected) in [
        (f.clone(), "lung 2, skin 1"),
        (group("and", &[f.clone(), alive.clone()]), "lung 1, skin 1"),
        (group("and", &[leaf("in", "donors.vital", "dead"), leaf("in", "study", "s")]), "lung 1, skin 1"),
        (group("and", &[leaf("in", "donors.sex", "m"), lung]), ""),
        (pivoted("and", "donors", &[f.clone(), group("not", from_ref(&alive))]), "lung 1"),
        // These select records only, on every level.
        (group("or", from_ref(&alive)), "lung 1, skin 1"),
        (group("and", &[group("not", &[leaf("in", "donors.sex", "m")]), f]), "lung 1"),
    ] {
        let facet = bench.facet("donors.specimens.site", &filter, |_| {}).await;
        assert_eq!(texts(&facet), expected, "{filter}");
    }
}

/// Conditions under `or` and `not`, `some-not-in`, and `all` of several values select records only.
pub async fn some_conditions_select_records_only(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let m = leaf("in", "donors.sex", "m");
    for (filter, expected) in [
        (group("or", from_ref(&m)), "alive 2, dead 1"),
        (group("not", &[leaf("in", "donors.sex", "f")]), "alive 2"),
        (leaf("some-not-in", "donors.sex", "m"), "alive 1, dead 1"),
        (leaf("all", "donors.sex", vec!["f", "m"]), "alive 1, dead 1"),
        (leaf("all", "donors.sex", vec!["m"]), "alive 1, dead 1"),
        (pivoted("and", "donors", &[m.clone(), leaf("in", "donors.vital", "dead")]), "dead 1"),
        (pivoted("and", "donors", &[m.clone(), group("not", &[leaf("in", "donors.vital", "dead")])]), "alive 1"),
        // What a pivot binds together holds for the element as a whole.
        (pivoted("and", "donors", &[group("or", &[m, leaf("in", "donors.vital", "dead")])]), "dead 2, alive 1"),
    ] {
        assert_eq!(texts(&bench.facet("donors.vital", &filter, |_| {}).await), expected, "{filter}");
    }
}

/// The first records of a bucket, and how many of them pass other filters.
pub async fn buckets_show_and_filter_their_records(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let filters = vec![
        Filter::All,
        bench.filter(&leaf("in", "access", "open")).await,
        bench.filter(&leaf("in", "donors.sex", "m")).await,
    ];
    let request = FacetRequest { top_hits: Some(1), bucket_filters: vec![1, 2], ..facet_request("study", 0, 10) };
    let plan = SearchPlan { filters, hits: Vec::new(), facets: vec![request] };
    let facet = bench.search(plan).await.facets.remove(0);
    let filtered: Vec<&[u64]> = facet.buckets.iter().map(|bucket| bucket.filtered.as_slice()).collect();
    assert_eq!(filtered, [[2, 1], [1, 1]]);
    let first: Vec<Value> = facet
        .buckets
        .iter()
        .map(|bucket| {
            assert_eq!(bucket.top_hits.len(), 1);
            serde_json::to_value(bucket.top_hits[0].root()).unwrap()["study"].clone()
        })
        .collect();
    assert_eq!(first, [json!("s"), json!(["s", "t"])]);
}

/// One plan answers several pages and several facets, each by its own filter, in the order of the plan.
pub async fn one_plan_answers_everything(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    bench.write(vec![delete("d")]).await;
    let open = bench.filter(&leaf("in", "access", "open")).await;
    let hits = |filter| HitsRequest { filter, size: 1, total: true, documents: true, ..HitsRequest::default() };
    let facet = |field: &str, filter| facet_request(field, filter, 10);
    let plan = SearchPlan {
        filters: vec![Filter::All, open, Filter::None],
        hits: vec![hits(1), hits(0), hits(2)],
        facets: vec![facet("donors.sex", 1), facet("access", 0), facet("access", 2), facet("study", 1)],
    };
    let answer = bench.search(plan).await;
    let totals: Vec<Option<u64>> = answer.hits.iter().map(|hits| hits.total).collect();
    assert_eq!(totals, [Some(2), Some(3), Some(0)]);
    let facets: Vec<String> = answer.facets.iter().map(texts).collect();
    assert_eq!(facets, ["f 2, m 1", "open 2, controlled 1", "", "s 2, t 1"]);
}
