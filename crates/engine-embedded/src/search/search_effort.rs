//! How much effort a search takes, as far as a few look-ups on the thread of its request tell.
//!
//! A record, a page that was asked for before, and the names that appear while somebody types take a fraction of the time of
//! a page with new facets. Such **short** searches must not wait for such pages ([`crate::permits`]): they load few records,
//! and count no facet over many. **Instant** ones are short, count nothing, and read a few postings: waking another thread
//! for them takes longer than they do. They have bounds for everything that they read.
//!
//! This only decides where a search runs, and which ones it waits for: a wrong guess costs time, and never changes the answer.

use std::cell::Cell;
use std::collections::BTreeSet;

use cantata_engine::{Filter, HitsRequest, SearchPlan};
use cantata_mapping::{RECORD_ID, TypedValue};

use crate::segment::SegmentField;
use crate::snapshot::{QueryCache, Snapshot};
use crate::value_encoding::ValueClass;

/// The most records that the pages of a short search have or skip, and that each of its facets is counted over.
const MAX_RECORDS: usize = 1000;

/// The most values that are looked up in the segments to find out. Of a long filter some parts are enough.
const MAX_LOOK_UPS: usize = 64;

/// The most records that the pages of an instant search have or skip, and how many bytes they may have in the index.
const MAX_INSTANT_RECORDS: usize = 100;
const MAX_INSTANT_BYTES: usize = 1 << 20;

/// The most bits of the bitmaps that the conditions of an instant search make: 2 MB of them.
const MAX_INSTANT_BITMAP_BITS: usize = 16 << 20;

/// The effort that a search takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchEffort {
    /// It can run on the thread of its request.
    Instant,
    /// It loads few records, and counts no facet over many.
    Short,
    /// Anything else.
    Long,
}

/// Estimates the effort of a search.
pub(crate) fn estimate_effort(snapshot: &Snapshot, plan: &SearchPlan) -> SearchEffort {
    let rows = plan.hits.iter().fold(0_usize, |rows, page| rows.saturating_add(page.offset).saturating_add(page.size));
    if rows > MAX_RECORDS {
        return SearchEffort::Long;
    }
    let estimate = MatchEstimate { snapshot, look_ups: Cell::new(MAX_LOOK_UPS) };
    let is_cached = |index| {
        let key = QueryCache::facet_key(plan, index);
        key.is_some_and(|key| snapshot.query_cache.facets.contains(&key))
    };
    // Most facets of a page share a filter, which is looked up once.
    let mut few_matches = BTreeSet::new();
    let mut counts_facets = false;
    for (index, facet) in plan.facets.iter().enumerate() {
        if !few_matches.contains(&facet.filter) && is_cached(index) {
            continue;
        }
        counts_facets = true;
        if few_matches.insert(facet.filter) && !estimate.has_few_matches(&plan.filters[facet.filter]) {
            return SearchEffort::Long;
        }
    }
    let is_found_at_once = |(index, page): (usize, &HitsRequest)| {
        let key = QueryCache::page_key(plan, index);
        let filter = &plan.filters[page.filter];
        key.is_some_and(|key| snapshot.query_cache.pages.contains(&key))
            || (page.score.is_none() && has_small_bitmaps(snapshot, filter) && estimate.has_few_matches(filter))
    };
    let is_instant =
        !counts_facets && has_small_records(snapshot, rows) && plan.hits.iter().enumerate().all(is_found_at_once);
    if is_instant { SearchEffort::Instant } else { SearchEffort::Short }
}

/// Returns whether this many records of usual size are read in no time.
fn has_small_records(snapshot: &Snapshot, records: usize) -> bool {
    let segments = snapshot.segments.iter().map(|reader| &reader.segment);
    let (all_bytes, all_records) = segments.fold((0_usize, 0_usize), |(bytes, records), segment| {
        (bytes + segment.bytes().len(), records + segment.document_count())
    });
    records <= MAX_INSTANT_RECORDS && all_bytes / all_records.max(1) * records <= MAX_INSTANT_BYTES
}

/// Returns whether a filter consists of terms, and their bitmaps are small.
fn has_small_bitmaps(snapshot: &Snapshot, filter: &Filter) -> bool {
    let mut bits = 0;
    has_only_terms(filter, &mut |field| {
        let segments = snapshot.segments.iter().map(|reader| &reader.segment);
        bits += segments
            .map(|segment| {
                segment.field(field).map_or(segment.document_count(), |field| segment.level(field.level).rows)
            })
            .sum::<usize>();
    }) && bits <= MAX_INSTANT_BITMAP_BITS
}

/// Returns whether a filter consists of conditions on few values each, and visits their fields.
fn has_only_terms(filter: &Filter, visit: &mut impl FnMut(&str)) -> bool {
    match filter {
        Filter::And(parts) => parts.iter().all(|part| has_only_terms(part, visit)),
        Filter::Nested { inner, .. } => has_only_terms(inner, visit),
        Filter::Terms { field, values } => {
            visit(field);
            values.len() <= MAX_LOOK_UPS
        }
        _ => false,
    }
}

/// An upper bound on the number of records that match a filter, as far as look-ups of values show one.
struct MatchEstimate<'a> {
    snapshot: &'a Snapshot,
    /// How many values may still be looked up.
    look_ups: Cell<usize>,
}

impl MatchEstimate<'_> {
    /// Returns whether few records match a filter; false is uncertain.
    fn has_few_matches(&self, filter: &Filter) -> bool {
        match filter {
            Filter::None => true,
            Filter::And(parts) => parts.iter().any(|part| self.has_few_matches(part)),
            Filter::Nested { inner, .. } => self.has_few_matches(inner),
            Filter::Terms { field, values } if field == RECORD_ID => values.len() <= MAX_RECORDS,
            Filter::Terms { field, values } => self.has_few_rows(field, values),
            _ => false,
        }
    }

    /// Returns whether few rows have one of some values.
    fn has_few_rows(&self, field: &str, values: &[TypedValue]) -> bool {
        let segments = &self.snapshot.segments;
        let Some(left) = self.look_ups.get().checked_sub(values.len().saturating_mul(segments.len())) else {
            return false;
        };
        self.look_ups.set(left);
        let mut rows = 0;
        segments.iter().filter_map(|reader| reader.segment.field(field)).all(|field| {
            rows = usize::saturating_add(rows, count_rows(&field, values));
            rows <= MAX_RECORDS
        })
    }
}

/// Counts the rows that have one of some values, up to more than a few.
fn count_rows(field: &SegmentField<'_>, values: &[TypedValue]) -> usize {
    let ordinals = values.iter().filter_map(|value| field.dictionary.find(value).ok());
    let rows: usize = ordinals.map(|ordinal| field.postings.count(ordinal)).sum();
    if field.class != ValueClass::Text {
        return rows;
    }
    // Texts are found by their words too.
    let Some(words) = field.word_index() else { return usize::MAX };
    let texts = values.iter().filter_map(|value| if let TypedValue::Text(text) = value { Some(text) } else { None });
    let with_words = texts.flat_map(|text| words.values_with(text)).take(MAX_RECORDS + 1);
    rows + with_words.map(|ordinal| field.postings.count(ordinal)).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use cantata_engine::{FacetRequest, ScoreRequest};
    use serde_json::json;

    use super::*;
    use crate::cancellation::CancelOnDrop;
    use crate::test_index::TestIndex;

    fn terms(field: &str, values: &[&str]) -> Filter {
        let values = values.iter().map(|&value| TypedValue::Text(value.to_owned())).collect();
        Filter::Terms { field: field.to_owned(), values }
    }

    fn plan(filter: Filter, size: usize) -> SearchPlan {
        let page = HitsRequest { size, total: true, ..HitsRequest::default() };
        SearchPlan { filters: vec![filter], hits: vec![page], facets: Vec::new() }
    }

    #[tokio::test]
    async fn only_what_reads_a_few_postings_is_instant() {
        let keyword = json!({"type": "keyword"});
        let parts = json!({"type": "nested", "properties": {"c": keyword}});
        let index = TestIndex::new(&json!({"a": keyword, "b": keyword, "t": {"type": "text"}, "parts": parts}));
        let document = |number: usize| {
            let (name, kind) = (number.to_string(), (number % 2).to_string());
            json!({"a": name, "b": kind, "t": format!("donor {number}"), "parts": [{"c": name}, {"c": "any"}]})
        };
        index.write((0..2200).map(document)).await;
        let snapshot = index.snapshot();
        let effort = |plan: &SearchPlan| estimate_effort(&snapshot, plan);

        let nested =
            |value: &str| Filter::Nested { path: "parts".to_owned(), inner: Box::new(terms("parts.c", &[value])) };
        let with_kind = Filter::And(vec![terms("b", &["0"]), terms("a", &["7", "8"])]);
        for few in [terms("a", &["7"]), terms("t", &["7", "8"]), terms("_id", &["7"]), nested("7"), with_kind] {
            assert_eq!(effort(&plan(few.clone(), 100)), SearchEffort::Instant, "{few:?}");
            assert_eq!(effort(&plan(few.clone(), 101)), SearchEffort::Short, "{few:?}");
            assert_eq!(effort(&plan(few, 1001)), SearchEffort::Long);
        }
        let pattern = Filter::Pattern { field: "a".to_owned(), pattern: "7*".to_owned() };
        let with_pattern = Filter::And(vec![terms("a", &["7"]), pattern]);
        for many in [Filter::All, terms("b", &["0"]), terms("t", &["donor"]), nested("any"), with_pattern] {
            assert_eq!(effort(&plan(many.clone(), 10)), SearchEffort::Short, "{many:?}");
        }
        let mut scored = plan(terms("t", &["7"]), 10);
        scored.hits[0].score = Some(ScoreRequest { query: 0, within: 0 });
        assert_eq!(effort(&scored), SearchEffort::Short);

        let mut with_facet = plan(terms("a", &["7"]), 10);
        with_facet.facets.push(FacetRequest { field: "b".to_owned(), distinct: true, ..FacetRequest::default() });
        assert_eq!(effort(&with_facet), SearchEffort::Short);
        let mut first_page = plan(Filter::All, 10);
        first_page.facets = with_facet.facets.clone();
        assert_eq!(effort(&first_page), SearchEffort::Long);
        let request = CancelOnDrop::default();
        for known in [&with_facet, &first_page] {
            crate::search::run(&snapshot, known, &request.token()).unwrap();
            assert_eq!(effort(known), SearchEffort::Instant, "it is cached");
        }
    }

    #[tokio::test]
    async fn large_records_are_not_read_on_the_thread_of_a_request() {
        let index = TestIndex::new(&json!({"a": {"type": "keyword"}}));
        index.write((0..40).map(|number: usize| json!({"a": format!("{number} {}", "x".repeat(30_000))}))).await;
        let snapshot = index.snapshot();
        let effort = |size: usize| estimate_effort(&snapshot, &plan(terms("_id", &["1"]), size));
        assert_eq!([effort(1), effort(100)], [SearchEffort::Instant, SearchEffort::Short]);
    }
}
