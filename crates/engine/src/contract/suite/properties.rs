//! What holds among the answers of an engine, whatever the model says.
//!
//! - A filter and its negation find every record once: `f` and `not f`, and `and` and `not` with the same pivot where
//!   it binds all their conditions together.
//! - The number beside a value of a facet, or beside `__missing__`, is the number of records found when it is chosen,
//!   in one element with the filter's conditions on elements where there are some. A text that is cut into words is
//!   found by each of them, so this does not hold of fields of texts.

use std::sync::Arc;

use cantata_mapping::{FieldKind, TypedValue, UtcDateTime};
use cantata_sqon::{GroupOp, MISSING_VALUE, SET_PREFIX, Sqon};
use serde_json::{Value, json};

use super::super::model::{FacetQuery, Request, read_path};
use super::runner::{EngineAndModel, Outcome, failure, same};
use crate::translate::TranslationError;
use crate::{FacetResult, Filter, HitsRequest, SearchPlan, SearchResponse};

/// Totals to ask for, and what some of them add up to.
#[derive(Default)]
struct ExpectedTotals {
    plan: SearchPlan,
    sums: Vec<ExpectedSum>,
}

struct ExpectedSum {
    what: &'static str,
    /// Indexes of pages of the plan.
    pages: Vec<usize>,
    sum: u64,
}

impl ExpectedTotals {
    fn add(&mut self, what: &'static str, filters: impl IntoIterator<Item = Filter>, sum: u64) {
        let mut pages = Vec::new();
        for filter in filters {
            let filter = self.plan.add_filter(filter);
            self.plan.hits.push(HitsRequest { filter, total: true, ..HitsRequest::default() });
            pages.push(self.plan.hits.len() - 1);
        }
        self.sums.push(ExpectedSum { what, pages, sum });
    }
}

impl EngineAndModel<'_> {
    /// Checks the answer to a request by further searches.
    pub(super) async fn check_properties(&self, request: &Request, answer: &SearchResponse) -> Outcome {
        let mut expected = ExpectedTotals::default();
        for sqon in request.sqons.iter().flatten() {
            self.expect_complements(sqon, &mut expected).map_err(|error| failure("the translation", &error))?;
        }
        for (query, facet) in request.facets.iter().zip(&answer.facets) {
            let sqon = request.sqons[query.request.filter].as_ref();
            self.expect_numbers(sqon, query, facet, &mut expected)
                .map_err(|error| failure("the translation", &error))?;
        }
        let ExpectedTotals { plan, sums } = expected;
        if plan.hits.is_empty() {
            return Ok(());
        }
        let plan = Arc::new(plan);
        let answer = self.engine.search(self.index, Arc::clone(&plan)).await;
        let answer = answer.map_err(|error| failure("a search for totals", &error).with_plan(&plan))?;
        for ExpectedSum { what, pages, sum } in sums {
            let found: u64 = pages.iter().filter_map(|page| answer.hits.get(*page)?.total).sum();
            same(what, json!(sum), json!(found)).map_err(|mismatch| mismatch.with_plan(&plan))?;
        }
        Ok(())
    }

    fn expect_complements(&self, sqon: &Sqon, expected: &mut ExpectedTotals) -> Result<(), TranslationError> {
        let mut negations = vec![Sqon::Group { op: GroupOp::Not, content: vec![sqon.clone()], pivot: None }];
        if let Sqon::Group { op: op @ (GroupOp::And | GroupOp::Not), content, pivot: Some(pivot) } = sqon
            && self.model.evaluator(self.context()).binds_everything(content, pivot)
        {
            let op = if *op == GroupOp::And { GroupOp::Not } else { GroupOp::And };
            negations.push(Sqon::Group { op, content: content.clone(), pivot: Some(pivot.clone()) });
        }
        let all = self.model.records().len() as u64;
        let translation = self.translation();
        for negation in &negations {
            let filters = [translation.filter(Some(sqon))?, translation.filter(Some(negation))?];
            expected.add("a filter and its negation", filters, all);
        }
        Ok(())
    }

    fn expect_numbers(
        &self,
        sqon: Option<&Sqon>,
        query: &FacetQuery,
        facet: &FacetResult,
        expected: &mut ExpectedTotals,
    ) -> Result<(), TranslationError> {
        let mapping = self.model.mapping();
        let (path, level) = read_path(mapping, &query.request.field);
        if mapping.field(&path).is_some_and(|field| field.kind == FieldKind::Text) {
            return Ok(());
        }
        let translation = self.translation();
        let filter = translation.facet_filter(sqon, &path, query.filter_themselves)?;
        let kept = self.model.kept(sqon, query);
        // Without conditions on elements, choosing a value is one more condition beside the others.
        let is_plain = filter.elements == Filter::All && filter.ancestors.is_empty();
        let chosen = |value: Value| {
            let leaf = json!({"op": "in", "content": {"fieldName": path, "value": [value]}});
            let leaf = Sqon::parse(&leaf).unwrap();
            let content = kept.iter().cloned().chain(leaf).collect();
            translation.filter(Some(&Sqon::Group { op: GroupOp::And, content, pivot: None }))
        };
        let buckets = &facet.buckets;
        for bucket in buckets.first().into_iter().chain(buckets.last()) {
            let having = Filter::Terms { field: path.clone(), values: vec![bucket.value.clone()] };
            expected.add("the number beside a value", [filter.having(having, &level)], bucket.count);
            if let Some(value) = filter_value(&bucket.value).filter(|_| is_plain) {
                expected.add("the number beside a value", [chosen(value)?], bucket.count);
            }
        }
        if query.request.missing {
            expected.add("the number of missing values", [translation.missing(&filter, &path)], facet.missing);
            if is_plain {
                expected.add("the number of missing values", [chosen(json!(MISSING_VALUE))?], facet.missing);
            }
        }
        Ok(())
    }
}

/// Returns a value as a filter writes it; nothing if a filter would read it as something else.
fn filter_value(value: &TypedValue) -> Option<Value> {
    match value {
        // As in `key_as_string` of a bucket; a number of few digits would be a year.
        TypedValue::DateMillis(millis) => UtcDateTime::from_millis(*millis).map(|moment| json!(moment.to_string())),
        TypedValue::DateNanos(nanos) => {
            UtcDateTime::from_nanos(i128::from(*nanos)).map(|moment| json!(moment.to_string()))
        }
        TypedValue::Text(text) if text.contains('*') || text.contains(SET_PREFIX) || text.contains(MISSING_VALUE) => {
            None
        }
        value => Some(Value::from(value)),
    }
}
