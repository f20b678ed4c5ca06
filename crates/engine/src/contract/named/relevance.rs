//! Scores: which records are better, in which order they come, and what a score does not depend on.

use serde_json::{Value, json};

use super::{TestIndex, group, ids, key, leaf, pivoted, put};
use crate::{
    Cursor, Filter, Hit, HitsRequest, MissingOrder, RECORD_SCORE, ScoreRequest, SearchEngine, SearchPlan, SortKey,
    SortMode, SortOrder,
};

/// How far scores may differ that were added up in another way, relative to the score.
pub(super) const TOLERANCE: f32 = 1e-6;

pub(super) async fn bench(engine: &dyn SearchEngine) -> TestIndex<'_> {
    let text = json!({"type": "text", "fields": {"whole": {"type": "keyword"}}});
    let keyword = json!({"type": "keyword"});
    let parts = json!({"type": "nested", "properties": {"note": text, "kind": keyword}});
    let mapping = json!({"properties": {
        "note": text, "name": keyword, "hidden": keyword, "size": {"type": "long"}, "parts": parts
    }});
    let documents = [
        json!({"note": "fox", "name": "fox"}),
        json!({"note": "the fox and many other animals of the woods near the river", "name": "a fox of the woods"}),
        json!({"note": "fox fox fox and dog", "name": ["foxes", "small foxes"]}),
        json!({"note": "cow fox cat and dog"}),
        json!({"note": "gnu", "name": "gnu"}),
        json!({"size": 1, "name": ""}),
        json!({"parts": [{"note": "fox", "kind": "red"}]}),
        json!({"parts": [
            {"note": "fox", "kind": "blue"}, {"note": "the fox and many other animals", "kind": "red"}
        ]}),
        json!({"parts": [
            {"note": "the fox and many other animals"}, {"note": "one more fox with many other animals"}, {}
        ]}),
        json!({"note": "same words", "size": 2}),
        json!({"note": "same words", "size": 1}),
    ];
    TestIndex::new(engine, mapping, &documents).await
}

fn by_score() -> SortKey {
    SortKey {
        field: Some(RECORD_SCORE.to_owned()),
        order: SortOrder::Descending,
        mode: SortMode::Max,
        missing: MissingOrder::Last,
    }
}

/// Returns the records that match a SQON, the best first, and checks that their scores are in that order.
pub(super) async fn scored(bench: &TestIndex<'_>, sqon: &Value, change: impl FnOnce(&mut HitsRequest)) -> Vec<Hit> {
    scored_within(bench, sqon, Filter::All, change).await
}

/// As [`scored`], among the records that pass another filter.
pub(super) async fn scored_within(
    bench: &TestIndex<'_>,
    sqon: &Value,
    within: Filter,
    change: impl FnOnce(&mut HitsRequest),
) -> Vec<Hit> {
    let query = bench.filter(sqon).await;
    let mut plan = SearchPlan::default();
    let mut request = HitsRequest {
        filter: plan.add_filter(Filter::and([within.clone(), query.clone()])),
        size: 100,
        sort: vec![by_score()],
        total: true,
        score: Some(ScoreRequest { query: plan.add_filter(query), within: plan.add_filter(within) }),
        ..HitsRequest::default()
    };
    change(&mut request);
    plan.hits.push(request);
    let hits = bench.search(plan).await.hits.remove(0).hits;
    assert!(hits.is_sorted_by(|one, two| one.score >= two.score), "{sqon}: {hits:?}");
    assert!(hits.iter().all(|hit| hit.score.is_some_and(|score| score >= 0.0)), "{sqon}: {hits:?}");
    hits
}

/// Checks that one record comes before another.
fn assert_before(found: &str, one: char, other: char, sqon: &Value) {
    assert!(found.find(one).unwrap() < found.find(other).unwrap(), "{one} before {other} in {found}: {sqon}");
}

/// Words that are repeated, alone or rare make a record better, whatever finds them.
pub async fn better_records_come_first(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    for sqon in [leaf("in", "note", "fox"), leaf("wildcard", "note", "*FO*"), leaf("in", "note", "fo*")] {
        assert_eq!(ids(&scored(&bench, &sqon, |_| {}).await), "cadb", "{sqon}");
    }
    let fuzzy = leaf("fuzzy", "note", "foxx");
    let found = ids(&scored(&bench, &fuzzy, |_| {}).await);
    for (one, other) in [('a', 'b'), ('c', 'd'), ('d', 'b')] {
        assert_before(&found, one, other, &fuzzy);
    }
    let either = group("or", &[leaf("in", "note", "fox"), leaf("in", "note", "gnu")]);
    let found = ids(&scored(&bench, &either, |_| {}).await);
    assert_before(&found, 'e', 'a', &either);
    assert_eq!(found.len(), 5);
}

/// Of nested elements the best one counts; what a pivot holds together is found in one element, and scores there.
pub async fn the_best_element_counts(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let any = leaf("in", "parts.note", "fox");
    let found = ids(&scored(&bench, &any, |_| {}).await);
    assert_before(&found, 'g', 'i', &any);
    assert_before(&found, 'h', 'i', &any);
    let red = pivoted("and", "parts", &[any, leaf("in", "parts.kind", "red")]);
    assert_eq!(ids(&scored(&bench, &red, |_| {}).await), "gh");
}

/// Chosen values, ranges and negations find records, and none is better than another.
pub async fn filters_without_texts_score_zero(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let filters = [
        (json!(null), "abcdefghijk"),
        (leaf("in", "name", json!(["fox", "gnu"])), "ae"),
        (leaf("gte", "size", 1), "fjk"),
        (group("not", &[leaf("in", "note", "fox")]), "efghijk"),
    ];
    for (sqon, expected) in filters {
        let hits = scored(&bench, &sqon, |_| {}).await;
        assert_eq!(ids(&hits), expected, "{sqon}");
        assert!(hits.iter().all(|hit| hit.score == Some(0.0)), "{hits:?}");
    }
}

/// Scores order records, and change neither which are found nor an order that does not ask for them.
pub async fn scores_find_nothing_else(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let either =
        group("or", &[leaf("wildcard", "note", "*o*"), leaf("in", "parts.kind", "red"), leaf("gt", "size", 1)]);
    let found = bench.page(&either, |_| {}).await;
    assert!(found.hits.iter().all(|hit| hit.score.is_none()), "nobody asked for scores");
    let mut best = scored(&bench, &either, |_| {}).await;
    best.sort_by(|one, other| one.cursor.id.cmp(&other.cursor.id));
    assert_eq!(ids(&best), ids(&found.hits));
    let query = bench.filter(&either).await;
    let score = Some(ScoreRequest { query: 0, within: 1 });
    let by_size = HitsRequest { size: 100, sort: vec![key("size", SortOrder::Descending)], ..HitsRequest::default() };
    let hits = vec![HitsRequest { score, ..by_size.clone() }, by_size];
    let response = bench.search(SearchPlan { filters: vec![query, Filter::All], hits, facets: Vec::new() }).await;
    assert_eq!(ids(&response.hits[0].hits), ids(&response.hits[1].hits));
    for hit in &response.hits[0].hits {
        let same = best.iter().find(|best| best.cursor.id == hit.cursor.id).unwrap();
        let (score, best) = (hit.score.unwrap(), same.score.unwrap());
        assert!((score - best).abs() <= best * TOLERANCE, "{best} of {hit:?}");
    }
}

/// Records of equal scores come by the other keys, then by id, in both directions.
pub async fn equal_scores_come_by_the_other_keys(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let same = leaf("in", "note", "same");
    let by_size = key("size", SortOrder::Ascending);
    for order in [SortOrder::Ascending, SortOrder::Descending] {
        let score = SortKey { order, ..by_score() };
        let found = scored(&bench, &same, |page| page.sort = vec![score.clone()]).await;
        assert_eq!(ids(&found), "jk", "{order:?}");
        let found = scored(&bench, &same, |page| page.sort = vec![score, by_size.clone()]).await;
        assert_eq!(ids(&found), "kj", "{order:?}");
    }
}

/// Page by page with cursors, every record comes once and in the order of scores.
pub async fn cursors_lead_through_scores(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let mapping = bench.mapping().await;
    let words = json!(["fox", "same", "gnu"]);
    let sqon = group("or", &[leaf("in", "note", words.clone()), leaf("in", "parts.note", words)]);
    let whole = ids(&scored(&bench, &sqon, |_| {}).await);
    assert_eq!(whole.len(), 10);
    for size in [1, 2, 3] {
        let (mut found, mut after) = (String::new(), None);
        loop {
            let page = scored(&bench, &sqon, |page| (page.size, page.after) = (size, after.clone())).await;
            let Some(last) = page.last() else { break };
            after = Some(Cursor::parse(&last.cursor.to_json(), &[by_score()], &mapping).unwrap());
            found += &ids(&page);
        }
        assert_eq!(found, whole, "by {size}");
    }
}

/// Records that a client does not see change nothing of the scores that it gets.
pub async fn hidden_records_do_not_show_in_scores(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let visible = || Filter::Exists { field: "hidden".to_owned() }.negated();
    let sqon = group("or", &[leaf("wildcard", "note", "*o*"), leaf("wildcard", "parts.note", "*fox*")]);
    let shown = |hits: Vec<Hit>| -> Vec<_> { hits.into_iter().map(|hit| (hit.cursor.id, hit.score)).collect() };
    let before = shown(scored_within(&bench, &sqon, visible(), |_| {}).await);
    let others = json!({"hidden": "yes", "note": "fox or woods", "parts": [{"note": "fox"}, {"note": "foxes"}]});
    bench.write(["1", "2", "zz"].map(|id| put(id, &others)).to_vec()).await;
    assert_eq!(shown(scored_within(&bench, &sqon, visible(), |_| {}).await), before);
}
