//! The scores of random filters, and the order by them.

use std::collections::BTreeSet;
use std::sync::Arc;

use cantata_sqon::Sqon;
use serde_json::{Value, json};

use super::super::memory;
use super::super::model::Request;
use super::runner::{EngineAndModel, Outcome, failure, same};
use crate::{
    Filter, Hit, HitsRequest, MissingOrder, RECORD_SCORE, ScoreRequest, SearchPlan, SortKey, SortMode, SortOrder,
};

impl EngineAndModel<'_> {
    /// Checks the records of the first filter of a request that pass the last one too, the best first. Statistics are
    /// those of the last one.
    ///
    /// An engine with scores of its own finds the same records, each with a score, in the order of scores and ids.
    pub(super) async fn check_scores(&self, request: &Request) -> Outcome {
        let (Some(query), Some(within)) = (request.sqons.first(), request.sqons.last()) else { return Ok(()) };
        let filter = |sqon: &Option<Sqon>| self.translation().filter(sqon.as_ref());
        let query_filter = filter(query).map_err(|error| failure("the translation", &error))?;
        let within_filter = filter(within).map_err(|error| failure("the translation", &error))?;
        let scores = memory::scores(&self.model, &query_filter, &within_filter);
        let sort = vec![SortKey {
            field: Some(RECORD_SCORE.to_owned()),
            order: SortOrder::Descending,
            mode: SortMode::Max,
            missing: MissingOrder::Last,
        }];
        let mut plan = SearchPlan::default();
        let page = HitsRequest {
            filter: plan.add_filter(Filter::and([query_filter.clone(), within_filter.clone()])),
            size: self.model.records().len(),
            sort,
            score: Some(ScoreRequest { query: plan.add_filter(query_filter), within: plan.add_filter(within_filter) }),
            ..HitsRequest::default()
        };
        plan.hits.push(page);
        let plan = Arc::new(plan);
        let answer = self.engine.search(self.index, Arc::clone(&plan)).await;
        let mut answer = answer.map_err(|error| failure("a search with scores", &error).with_plan(&plan))?;
        let found = answer.hits.pop().unwrap_or_default().hits;
        let (query, within) = (self.matching_ids(query), self.matching_ids(within));
        // Those of equal scores stay in the order of ids.
        let mut expected: Vec<&String> = query.intersection(&within).collect();
        let compare = |outcome: Outcome| outcome.map_err(|mismatch| mismatch.with_plan(&plan));
        if self.options.exact_scores {
            expected.sort_by(|one, other| scores[*other].total_cmp(&scores[*one]));
            let expected: Value = expected.into_iter().map(|id| json!([id, f64::from(scores[id])])).collect();
            let found: Value = found.iter().map(|hit| json!([hit.cursor.id, hit.score.map(f64::from)])).collect();
            return compare(same("the scores", expected, found));
        }
        let mut ids: Vec<&String> = found.iter().map(|hit| &hit.cursor.id).collect();
        let is_before = |one: &Hit, other: &Hit| {
            one.score > other.score || (one.score == other.score && one.cursor.id < other.cursor.id)
        };
        let is_scored = found.iter().all(|hit| hit.score.is_some()) && found.is_sorted_by(is_before);
        compare(same("the order of scores", json!(true), json!(is_scored)))?;
        ids.sort();
        compare(same("the records with scores", json!(expected), json!(ids)))
    }

    fn matching_ids(&self, sqon: &Option<Sqon>) -> BTreeSet<String> {
        let page = HitsRequest { size: usize::MAX, ..HitsRequest::default() };
        let everything = Request { sqons: vec![sqon.clone()], hits: vec![page], facets: Vec::new() };
        let found = self.model.answer(&everything, self.context()).hits.remove(0);
        found.hits.into_iter().map(|hit| hit.cursor.id).collect()
    }
}
