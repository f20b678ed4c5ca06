//! Scores of many records: the order is that of the scores, however the engine finds it.

use std::sync::Arc;

use cantata_engine::{
    Cursor, Filter, Hit, HitsRequest, IndexReader, IndexWriter, MissingOrder, RECORD_SCORE, ScoreRequest, SearchPlan,
    SortKey, SortMode, SortOrder, WriteOperation,
};
use cantata_engine_embedded::EmbeddedEngine;
use serde_json::json;

const DOCUMENTS: usize = 30_000;

async fn page(engine: &EmbeddedEngine, size: usize, sort: Vec<SortKey>, after: Option<Cursor>) -> Vec<Hit> {
    let filter = |field: &str| Filter::Wildcard { field: field.to_owned(), pattern: "*fox*".to_owned() };
    let score = Some(ScoreRequest { query: 0, within: 1 });
    let hits = HitsRequest { size, sort, after, score, ..HitsRequest::default() };
    let filters = vec![Filter::or([filter("note"), filter("name")]), Filter::All];
    let plan = SearchPlan { filters, hits: vec![hits], facets: Vec::new() };
    engine.search("things", Arc::new(plan)).await.unwrap().hits.remove(0).hits
}

#[tokio::test(flavor = "multi_thread")]
async fn the_best_of_many_records_come_first() {
    let folder = tempfile::tempdir().unwrap();
    let engine = EmbeddedEngine::open(folder.path()).unwrap();
    let mapping = json!({"properties": {"note": {"type": "text"}, "name": {"type": "keyword"}}});
    engine.create("things", Some(&mapping)).unwrap();
    let put = |number: usize| {
        let note = format!("{} and {}", "fox ".repeat(number % 5), "x".repeat(number * 7_919 % 100));
        let name = if number.is_multiple_of(7) { format!("fox{}", number % 1_000) } else { "cat".to_owned() };
        let source = json!({"note": note, "name": name}).to_string().into_bytes();
        WriteOperation::Put { id: format!("{number:05}"), source }
    };
    engine.write("things", (0..DOCUMENTS).map(put).collect()).await.unwrap();
    let mut all = page(&engine, DOCUMENTS, Vec::new(), None).await;
    assert!(all.len() > 20_000, "only {} records", all.len());
    // They are in the order of ids, in which those of equal scores stay.
    all.sort_by(|one, other| other.score.unwrap().total_cmp(&one.score.unwrap()));
    let best_first = SortKey {
        field: Some(RECORD_SCORE.to_owned()),
        order: SortOrder::Descending,
        mode: SortMode::Max,
        missing: MissingOrder::Last,
    };
    let id = |hit: &Hit| hit.cursor.id.clone();
    let mut after = None;
    for pages in 0..3 {
        let found = page(&engine, 700, vec![best_first.clone()], after).await;
        let expected: Vec<String> = all[pages * 700..(pages + 1) * 700].iter().map(id).collect();
        assert_eq!(found.iter().map(id).collect::<Vec<_>>(), expected, "page {pages}");
        after = found.last().map(|hit| hit.cursor.clone());
    }
}
