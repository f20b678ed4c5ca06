//! Which searches are short: waking up another thread, and this one again, would take a good part of their time.
//!
//! A short search runs on the thread of its request. It cannot be cancelled there, because nobody notices meanwhile that the
//! client has left. So a search counts as long wherever it is not known to be short: facets and scores that are not in the
//! query cache, patterns that begin with a star, texts that have to be cut into words, many rows, many values. At the bounds
//! below it takes tens of milliseconds, and most often less than one.

use cantata_engine::{Filter, SearchPlan};

use super::Search;
use crate::snapshot::Snapshot;
use crate::value_encoding::ValueClass;

/// The number of conditions and values that the filters of a short search have at most.
const MAX_VALUES: usize = 1_000;

/// The number of records that the pages of a short search have at most, with those that they skip.
const MAX_RECORDS: usize = 1_000;

/// The number of rows of all segments, nested ones included, that a short search may have to look at.
const MAX_ROWS: usize = 16_000_000;

/// Returns whether a plan is so small that it is looked up in the query cache at once: its keys are copies of its parts.
pub(crate) fn is_small(plan: &SearchPlan) -> bool {
    let elements = plan.facets.iter().flat_map(|facet| {
        let ancestors = facet.ancestors.iter().map(|ancestor| &ancestor.filter);
        ancestors.chain([&facet.elements])
    });
    plan.filters.iter().chain(elements).map(value_count).sum::<usize>() <= MAX_VALUES
}

impl Search {
    /// Returns whether the search is short, if its plan is small.
    pub(crate) fn is_short(&self) -> bool {
        let Self { snapshot, plan, pages, facets } = self;
        let records = plan.hits.iter().map(|page| page.offset.saturating_add(page.size));
        if facets.iter().any(|facet| facet.cached.is_none()) || records.fold(0, usize::saturating_add) > MAX_RECORDS {
            return false;
        }
        let mut unknown = plan.hits.iter().zip(pages).filter(|(_, page)| page.cached.is_none()).peekable();
        unknown.peek().is_none()
            || row_count(snapshot) <= MAX_ROWS
                && unknown.all(|(page, _)| page.score.is_none() && is_cheap(snapshot, &plan.filters[page.filter]))
    }
}

fn row_count(snapshot: &Snapshot) -> usize {
    let levels = snapshot.segments.iter().flat_map(|reader| &reader.segment.metadata().levels);
    levels.map(|level| level.rows as usize).sum()
}

/// Returns how many conditions and values a filter has.
fn value_count(filter: &Filter) -> usize {
    match filter {
        Filter::And(parts) | Filter::Or(parts) => parts.iter().map(value_count).sum(),
        Filter::Not(inner) | Filter::Nested { inner, .. } => value_count(inner),
        Filter::Terms { values, .. } => values.len(),
        _ => 1,
    }
}

/// Returns whether the rows that pass a filter are found without comparing values one by one.
fn is_cheap(snapshot: &Snapshot, filter: &Filter) -> bool {
    match filter {
        Filter::All | Filter::None | Filter::Range { .. } | Filter::Exists { .. } => true,
        Filter::And(parts) | Filter::Or(parts) => parts.iter().all(|part| is_cheap(snapshot, part)),
        Filter::Not(inner) | Filter::Nested { inner, .. } => is_cheap(snapshot, inner),
        Filter::Pattern { field, pattern } | Filter::Wildcard { field, pattern } => {
            !pattern.starts_with(['*', '?']) && !cuts_words(snapshot, field)
        }
        Filter::Terms { field, .. } | Filter::Fuzzy { field, .. } => !cuts_words(snapshot, field),
    }
}

/// Returns whether a segment has texts in a field and no word index of them.
fn cuts_words(snapshot: &Snapshot, field: &str) -> bool {
    let mut fields = snapshot.segments.iter().filter_map(|reader| reader.segment.field(field));
    fields.any(|field| field.class == ValueClass::Text && field.words.is_none())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use cantata_engine::{FacetRequest, HitsRequest, ScoreRequest};
    use cantata_mapping::TypedValue;
    use serde_json::json;

    use super::*;
    use crate::cancellation::CancelOnDrop;
    use crate::test_index::TestIndex;

    fn pattern(text: &str) -> Filter {
        Filter::Wildcard { field: "name".to_owned(), pattern: text.to_owned() }
    }

    fn page(filter: Filter) -> SearchPlan {
        let page = HitsRequest { size: 20, ..HitsRequest::default() };
        SearchPlan { filters: vec![filter], hits: vec![page], facets: Vec::new() }
    }

    #[tokio::test]
    async fn what_is_cheap_or_in_the_cache_is_short() {
        let index = TestIndex::new(&json!({ "name": { "type": "keyword" }, "note": { "type": "text" } }));
        index.write((0..50).map(|number| json!({ "name": format!("n{number}"), "note": "a word" }))).await;
        let snapshot = index.snapshot();
        let search = |plan: &SearchPlan| Search::new(Arc::clone(&snapshot), Arc::new(plan.clone()));
        let facets = vec![FacetRequest { field: "name".to_owned(), ..FacetRequest::default() }];
        let deep = HitsRequest { offset: MAX_RECORDS, size: 1, ..HitsRequest::default() };
        let scored =
            HitsRequest { score: Some(ScoreRequest { query: 0, within: 0 }), size: 1, ..HitsRequest::default() };
        let word = Filter::Terms { field: "note".to_owned(), values: vec![TypedValue::Text("word".to_owned())] };
        for (plan, is_short, is_short_again) in [
            (page(Filter::All), true, true),
            (page(pattern("n1*")), true, true),
            (page(Filter::Not(Box::new(word))), true, true),
            (page(pattern("*1*")), false, true),
            (page(Filter::Or(vec![pattern("n2*"), pattern("?1*")])), false, true),
            (SearchPlan { facets, ..page(pattern("n3*")) }, false, true),
            (SearchPlan { hits: vec![scored], ..page(pattern("n4*")) }, false, true),
            (SearchPlan { hits: vec![deep], ..page(pattern("n5*")) }, false, false),
        ] {
            let request = CancelOnDrop::default();
            assert_eq!(search(&plan).is_short(), is_short, "{plan:?}");
            let found = || search(&plan).run(&request.token()).unwrap().hits[0].hits.len();
            let first = found();
            assert_eq!(search(&plan).is_short(), is_short_again, "{plan:?}, in the cache");
            assert_eq!(found(), first);
        }
    }

    #[test]
    fn a_plan_of_many_values_is_not_small() {
        let values = |count: usize| Filter::Terms {
            field: "name".to_owned(),
            values: (0..count).map(|number| TypedValue::Text(number.to_string())).collect(),
        };
        assert!(is_small(&page(values(MAX_VALUES))));
        assert!(!is_small(&page(Filter::And(vec![values(MAX_VALUES), Filter::Not(Box::new(pattern("a*")))]))));
        let facet = FacetRequest { elements: values(MAX_VALUES), ..FacetRequest::default() };
        assert!(!is_small(&SearchPlan { facets: vec![facet], ..page(Filter::All) }));
    }
}
