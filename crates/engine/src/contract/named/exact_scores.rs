//! Scores of engines that compute them by the formula of [`crate::relevance`].

use serde_json::json;

use super::super::memory;
use super::relevance::{TOLERANCE, bench, scored, scored_within};
use super::{delete, group, ids, leaf, pivoted, put};
use crate::{Filter, SearchEngine};

/// Scores are those that the formula gives for the records as they are: of every operator and level, after writes, and
/// among a part of the records.
pub async fn scores_are_exact(engine: &dyn SearchEngine) {
    let bench = bench(engine).await;
    let fox = leaf("in", "note", "fox");
    let red = leaf("in", "parts.kind", "red");
    let sqons = [
        fox.clone(),
        leaf("in", "note", json!(["fox", "dog", "same words"])),
        leaf("all", "note", json!(["fox", "dog"])),
        leaf("in", "name", "*fox*"),
        leaf("wildcard", "name", "*FOX*"),
        leaf("wildcard", "name", "*"),
        leaf("fuzzy", "note", "foxx"),
        leaf("wildcard", "parts.note", "*an*"),
        json!({"op": "wildcard", "content": {"fieldNames": ["note", "name", "parts.note"], "value": "*fo*"}}),
        pivoted("and", "parts", &[leaf("in", "parts.note", "fox"), red.clone()]),
        group("or", &[group("and", &[fox.clone(), leaf("in", "name", "fox")]), leaf("wildcard", "note", "*dog*")]),
        group("and", &[fox.clone(), group("not", &[leaf("in", "note", "dog")])]),
        group("or", &[red, fox]),
    ];
    let visible = Filter::Exists { field: "name".to_owned() };
    let changes = vec![delete("a"), put("b", &json!({"note": ["fox", "fox", "dog"]}))];
    let more = vec![put("l", &json!({"note": "A fox", "name": "x fox", "parts": {"note": "fox"}}))];
    for batch in [None, Some(changes), Some(more)] {
        if let Some(batch) = batch {
            bench.write(batch).await;
        }
        for (sqon, within) in sqons.iter().flat_map(|sqon| [(sqon, Filter::All), (sqon, visible.clone())]) {
            let found = scored_within(&bench, sqon, within.clone(), |_| {}).await;
            let query = bench.filter(sqon).await;
            let expected = memory::scores(&bench.model.borrow(), &query, &within);
            for hit in &found {
                let (score, expected) = (hit.score.unwrap(), expected[&hit.cursor.id]);
                assert!((score - expected).abs() <= expected * TOLERANCE, "{expected} of {hit:?}: {sqon} {within:?}");
            }
        }
    }
    let short = ids(&scored(&bench, &leaf("wildcard", "name", "*fox*"), |_| {}).await);
    assert_eq!(short.chars().next(), Some('l'), "short names first: {short}");
}
