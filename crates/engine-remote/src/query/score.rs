//! Queries that score.
//!
//! The filter of a page stays in filter context and alone decides which records are found. Beside it stand clauses that
//! score ([`cantata_engine::relevance`]): each condition adds one where it matches, and on a text field the BM25 of the
//! cluster. Of keyword fields a cluster keeps neither lengths nor frequencies, so there is nothing more to add.
//!
//! The statistics of a cluster are those of all its records. A client that sees a part of them gets the ones alone:
//! BM25 would tell it how many others match.

use cantata_engine::relevance::ScoringCondition;
use cantata_engine::{Filter, HitsRequest, SearchPlan};
use cantata_mapping::{FieldKind, IndexMapping, TypedValue};
use serde_json::{Value, json};

use super::{QueryField, any, query, text};

/// How many values of a condition are scored by BM25.
const MAX_SCORED_TERMS: usize = 64;

/// Scores this many of the terms that match a pattern, as if they were one.
const BEST_TERMS: &str = "top_terms_blended_freqs_64";

/// Returns the query of a page.
pub(crate) fn page_query(plan: &SearchPlan, hits: &HitsRequest, mapping: &IndexMapping) -> Value {
    let found = query(&plan.filters[hits.filter], mapping);
    let Some(score) = hits.score else { return found };
    let scoring = Scoring { mapping, uses_statistics: plan.filters[score.within] == Filter::All };
    let clauses = Vec::from_iter(scoring.clause(&plan.filters[score.query], true));
    json!({"bool": {"filter": [found], "should": clauses}})
}

struct Scoring<'a> {
    mapping: &'a IndexMapping,
    uses_statistics: bool,
}

impl Scoring<'_> {
    /// Returns the clause that scores a filter, read at the level of the filter; nothing if nothing in it scores. `holds`
    /// says that only records are scored that pass the filter.
    fn clause(&self, filter: &Filter, holds: bool) -> Option<Value> {
        match filter {
            Filter::And(parts) if holds => self.sum(parts, true),
            Filter::And(parts) => {
                let sum = self.sum(parts, false)?;
                Some(json!({"bool": {"filter": [query(filter, self.mapping)], "should": [sum]}}))
            }
            Filter::Or(parts) => self.sum(parts, false),
            Filter::Nested { path, inner } => {
                let best = self.clause(inner, false)?;
                Some(json!({"nested": {"path": path, "query": best, "score_mode": "max"}}))
            }
            condition => self.condition(condition),
        }
    }

    fn sum(&self, parts: &[Filter], holds: bool) -> Option<Value> {
        let clauses: Vec<Value> = parts.iter().filter_map(|part| self.clause(part, holds)).collect();
        (!clauses.is_empty()).then(|| any(clauses))
    }

    fn condition(&self, filter: &Filter) -> Option<Value> {
        let condition = ScoringCondition::new(filter, self.mapping)?;
        let one = json!({"constant_score": {"filter": query(filter, self.mapping)}});
        let tested = QueryField::new(condition.field, self.mapping);
        let is_text = tested.field.is_some_and(|field| field.kind == FieldKind::Text);
        if !is_text || !self.uses_statistics {
            return Some(one);
        }
        let ranked = match filter {
            Filter::Pattern { pattern, .. } => text::pattern(&tested, pattern, self.mapping, BEST_TERMS),
            Filter::Wildcard { pattern, .. } => text::wildcard(&tested, pattern, self.mapping, BEST_TERMS),
            Filter::Fuzzy { text, distance, .. } => text::fuzzy(&tested, text, *distance, self.mapping, BEST_TERMS),
            Filter::Terms { values, .. } => {
                let texts = values.iter().filter_map(|value| match value {
                    TypedValue::Text(text) => Some(text.as_str()),
                    _ => None,
                });
                any(texts.take(MAX_SCORED_TERMS).map(|text| json!({"term": {tested.path: text}})).collect())
            }
            _ => return Some(one),
        };
        Some(any(vec![one, ranked]))
    }
}

#[cfg(test)]
mod tests {
    use cantata_engine::ScoreRequest;

    use super::*;

    fn wildcard(field: &str) -> Filter {
        Filter::Wildcard { field: field.to_owned(), pattern: "*fo*".to_owned() }
    }

    fn page(filter: Filter, query: Filter, within: Filter) -> Value {
        let mapping = json!({"properties": {
            "note": {"type": "text"},
            "name": {"type": "keyword"},
            "parts": {"type": "nested", "properties": {"note": {"type": "text"}, "kind": {"type": "keyword"}}}
        }});
        let mapping = IndexMapping::parse(&mapping).unwrap();
        let hits = HitsRequest { score: Some(ScoreRequest { query: 1, within: 2 }), ..HitsRequest::default() };
        let plan = SearchPlan { filters: vec![filter, query, within], ..SearchPlan::default() };
        page_query(&plan, &hits, &mapping)
    }

    #[test]
    fn a_filter_finds_and_conditions_on_texts_score() {
        let kind = Filter::Terms { field: "name".to_owned(), values: vec![TypedValue::Text("x".to_owned())] };
        let filter = Filter::and([kind, wildcard("note"), wildcard("name").negated()]);
        let body = page(filter.clone(), filter.clone(), Filter::All);
        assert!(body["bool"]["filter"][0]["bool"]["must_not"].is_array(), "{body}");
        let clauses = &body["bool"]["should"][0]["bool"]["should"];
        assert!(clauses[0]["constant_score"]["filter"]["wildcard"]["note"].is_object(), "{body}");
        assert_eq!(clauses[1]["wildcard"]["note"]["rewrite"], BEST_TERMS);
        assert_eq!(clauses.as_array().unwrap().len(), 2, "chosen values and negations do not score: {body}");
        let restricted = page(filter.clone(), filter, wildcard("name"));
        assert!(!restricted.to_string().contains(BEST_TERMS), "others' records are not counted: {restricted}");
    }

    #[test]
    fn the_best_element_scores_where_all_its_conditions_hold() {
        let kind = Filter::Terms { field: "parts.kind".to_owned(), values: vec![TypedValue::Text("x".to_owned())] };
        let filter = Filter::and([kind, wildcard("parts.note")]).nested_in("parts");
        let body = page(filter.clone(), filter, Filter::All);
        let nested = &body["bool"]["should"][0]["nested"];
        assert_eq!((&nested["path"], &nested["score_mode"]), (&json!("parts"), &json!("max")));
        assert!(nested["query"]["bool"]["filter"][0]["bool"]["filter"].is_array(), "{body}");
    }

    #[test]
    fn without_texts_nothing_scores() {
        let body = page(Filter::All, Filter::Exists { field: "name".to_owned() }, Filter::All);
        assert_eq!(body, json!({"bool": {"filter": [{"match_all": {}}], "should": []}}));
    }
}
