//! The memory that the answer to one search may take: its documents and its buckets.
//!
//! A few bytes of a request can ask for hundreds of thousands of documents, so their size is added up before they are
//! read, and a search beyond the bound is rejected.
//!
//! The bitmaps that a search keeps because several of its parts need them have the same bound. What is beyond it is computed
//! for each part.

use std::sync::atomic::{AtomicUsize, Ordering};

use cantata_engine::{Document, EngineError};

use crate::snapshot::{DocAddress, Snapshot};

/// What a document takes beside its bytes.
const DOCUMENT_OVERHEAD_BYTES: usize = 256;

/// The bound of one search of this process.
static MAX_BYTES: AtomicUsize = AtomicUsize::new(256 << 20);

/// Sets how many bytes the answer to one search may take, in any index of this process.
pub fn set_max_search_bytes(bytes: usize) {
    MAX_BYTES.store(bytes, Ordering::Relaxed);
}

/// The budget of one search.
pub(super) struct SearchBudget {
    max: usize,
    used: AtomicUsize,
    /// The bytes of the bitmaps that are kept.
    kept: AtomicUsize,
}

impl Default for SearchBudget {
    fn default() -> Self {
        Self::new(MAX_BYTES.load(Ordering::Relaxed))
    }
}

impl SearchBudget {
    fn new(max: usize) -> Self {
        Self { max, used: AtomicUsize::new(0), kept: AtomicUsize::new(0) }
    }

    /// Takes bytes for a bitmap that is kept until the search ends; returns whether there were this many left.
    pub(super) fn keep(&self, bytes: usize) -> bool {
        let add = |kept: usize| kept.checked_add(bytes).filter(|kept| *kept <= self.max);
        self.kept.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).is_ok()
    }

    /// Adds bytes to the answer.
    ///
    /// # Errors
    ///
    /// If it takes too many.
    pub(super) fn take(&self, bytes: usize) -> Result<(), EngineError> {
        let used = self.used.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        if used <= self.max {
            return Ok(());
        }
        Err(EngineError::Rejected(format!(
            "the documents and buckets of this search take more than {} bytes of memory, the limit of SEARCH_MEMORY; ask \
             for fewer records, buckets or aliases",
            self.max
        )))
    }

    /// Loads documents for the answer.
    ///
    /// # Errors
    ///
    /// If they take too much memory, or cannot be read.
    pub(super) fn load(&self, snapshot: &Snapshot, addresses: &[DocAddress]) -> Result<Vec<Document>, EngineError> {
        let bytes = |address: &DocAddress| {
            DOCUMENT_OVERHEAD_BYTES + snapshot.segments[address.segment].segment.document_extent(address.row).len()
        };
        self.take(addresses.iter().map(bytes).sum())?;
        snapshot.load_documents(addresses)
    }
}

#[cfg(test)]
mod tests {
    use cantata_engine::{FacetRequest, Filter, HitsRequest, SearchPlan};
    use cantata_mapping::TypedValue;
    use serde_json::json;

    use super::*;
    use crate::cancellation::CancelOnDrop;
    use crate::search::match_sets::PlanMatchSets;
    use crate::search::{facet, hits};
    use crate::test_index::TestIndex;

    #[tokio::test]
    async fn top_hits_and_pages_are_counted_before_they_are_read() {
        let index = TestIndex::new(&json!({"a": {"type": "keyword"}}));
        index.write((0..100).map(|number: usize| json!({"a": format!("{number} {}", "x".repeat(1000))}))).await;
        let snapshot = index.snapshot();
        let facet = FacetRequest {
            field: "a".to_owned(),
            buckets: Some(300_000),
            top_hits: Some(1),
            ..FacetRequest::default()
        };
        let page = HitsRequest { size: 100, documents: true, ..HitsRequest::default() };
        let plan = SearchPlan { filters: vec![Filter::All], hits: vec![page], facets: vec![facet] };
        let request = CancelOnDrop::default();
        let token = request.token();
        for (bytes, is_enough) in [(1 << 20, true), (20_000, false)] {
            let sets = || {
                let mut sets = PlanMatchSets::new(&snapshot, &plan, &token);
                sets.budget = SearchBudget::new(bytes);
                sets
            };
            let buckets = facet::compute(&sets(), &plan.facets[0]).map(|facet| facet.buckets.len());
            assert_eq!(buckets.ok(), is_enough.then_some(100));
            let match_sets = sets();
            let found = hits::find_page(&snapshot, &plan.hits[0], match_sets.of_filter(0), None);
            let page = hits::with_documents(found, &match_sets, &plan.hits[0]).map(|page| page.hits.len());
            assert_eq!(page.ok(), is_enough.then_some(100));
        }
    }

    #[tokio::test]
    async fn bitmaps_beyond_the_bound_are_computed_each_time() {
        let index = TestIndex::new(&json!({"a": {"type": "keyword"}}));
        let document = |number: usize| json!({"a": [(number % 2).to_string(), (number % 3).to_string()]});
        index.write((0..200).map(document)).await;
        let snapshot = index.snapshot();
        // One frequent value is stored as a bitmap already.
        let has = |value: &str| {
            let values = [value, "unknown"].map(|value| TypedValue::Text(value.to_owned()));
            Filter::Terms { field: "a".to_owned(), values: values.into() }
        };
        let filters = vec![Filter::And(vec![has("0"), has("2")]), Filter::And(vec![has("1"), has("2")]), has("2")];
        let plan = SearchPlan { filters, ..SearchPlan::default() };
        let request = CancelOnDrop::default();
        let token = request.token();
        for bytes in [0, 40, 1 << 20] {
            let mut sets = PlanMatchSets::new(&snapshot, &plan, &token);
            sets.budget = SearchBudget::new(bytes);
            let count = |filter: usize| sets.of_filter(filter)[0].count;
            let expected = |values: [usize; 2]| {
                let values_of = |number: usize| [number % 2, number % 3];
                (0..200).filter(|&number| values.iter().all(|value| values_of(number).contains(value))).count()
            };
            assert_eq!([count(0), count(1), count(2)], [[0, 2], [1, 2], [2, 2]].map(expected), "{bytes} bytes");
        }
        let budget = SearchBudget::new(100);
        assert!(budget.keep(60) && !budget.keep(41) && budget.keep(40) && !budget.keep(1));
    }

    #[test]
    fn an_answer_beyond_the_bound_is_rejected_with_its_name() {
        let budget = SearchBudget::new(1000);
        assert_eq!(budget.take(600), Ok(()));
        assert_eq!(budget.take(400), Ok(()));
        let Err(EngineError::Rejected(reason)) = budget.take(1) else { panic!("it was not rejected") };
        assert!(reason.contains("1000 bytes") && reason.contains("SEARCH_MEMORY"), "{reason}");
    }
}
