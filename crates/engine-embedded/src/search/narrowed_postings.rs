//! Narrowed postings: for each value of a nested field, the documents with an element that has the value and passes the
//! conditions on elements.
//!
//! A condition on a nesting level narrows the facets of this level and of those below it to the elements that pass.
//! Counting these goes through the rows of the level, of which a document has several. But the same few conditions come
//! again and again, beside others on records: a person picks "Female", and then one study after the other. So the
//! documents of each value among the elements that pass are cached, and such a facet is counted like any other: by
//! intersecting bitmaps of documents.
//!
//! Invariants: cached postings depend on a segment alone, which never changes, not on deletions and not on conditions on
//! records. They are built when a narrowing is met for the second time, and never by a search that was cancelled. The
//! cache has a capacity in bytes, and what it holds is taken from the budget of the query cache.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use cantata_engine::{AncestorFilter, FacetRequest, Filter};
use hashbrown::DefaultHashBuilder;
use moka::sync::Cache;

use super::facet_counts::{count_in, is_counted_by_postings};
use super::filter;
use super::match_sets::PlanMatchSets;
use crate::bitset::{Bitset, WORD_BITS};
use crate::segment::{PostingList, SegmentField};
use crate::snapshot::{BudgetShare, filter_bytes, query_cache_bytes, reserve_cache_bytes};

/// The share of the budget of the query cache that narrowed postings take at most, as a divisor.
const CAPACITY_DIVISOR: usize = 2;

/// Postings that take more than this share of the capacity are not cached, as a divisor.
const MAX_ENTRY_DIVISOR: usize = 4;

/// Narrowings with larger conditions are not cached.
const MAX_KEY_BYTES: usize = 16 << 10;

/// What the cache itself takes for an entry.
const ENTRY_OVERHEAD_BYTES: usize = 512;

/// Postings that are not used for so long are dropped: their segment may be gone.
const MAX_IDLE: Duration = Duration::from_secs(600);

static CACHE: OnceLock<PostingsCache> = OnceLock::new();

type PostingsCache = Cache<Key, Entry, DefaultHashBuilder>;

/// The elements that a facet counts, of any records.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Narrowing {
    field: String,
    elements: Filter,
    ancestors: Vec<AncestorFilter>,
}

#[derive(PartialEq, Eq, Hash)]
struct Key {
    segment: u64,
    narrowing: Arc<Narrowing>,
}

#[derive(Clone)]
enum Entry {
    SeenOnce,
    Postings(Arc<NarrowedPostings>),
}

struct NarrowedPostings {
    /// For each ordinal, and last for "no value".
    documents: Vec<DocumentList>,
    share: BudgetShare,
}

enum DocumentList {
    Sparse(Vec<u32>),
    Dense(Bitset),
}

impl Narrowing {
    /// Returns how a facet is narrowed; nothing if it counts all elements, or the conditions are too large for a key.
    pub(super) fn new(request: &FacetRequest) -> Option<Arc<Self>> {
        let FacetRequest { field, elements, ancestors, .. } = request;
        let around = ancestors.iter().map(|ancestor| ancestor.path.len() + filter_bytes(&ancestor.filter));
        let is_narrowed = *elements != Filter::All || !ancestors.is_empty();
        let is_small = field.len() + filter_bytes(elements) + around.sum::<usize>() <= MAX_KEY_BYTES;
        (is_narrowed && is_small)
            .then(|| Arc::new(Self { field: field.clone(), elements: elements.clone(), ancestors: ancestors.clone() }))
    }
}

/// Counts the documents of a segment that have each ordinal, and last those that have an element without value; nothing
/// if the postings are not cached yet or going through the elements is cheaper.
pub(super) fn count<'a>(
    match_sets: &PlanMatchSets<'a>,
    segment: usize,
    field: &SegmentField<'_>,
    request: &'a FacetRequest,
    narrowing: &Arc<Narrowing>,
) -> Option<Vec<u32>> {
    let within = &match_sets.snapshot.segments[segment].segment;
    let matches = &match_sets.of_filter(request.filter)[segment];
    if !is_counted_by_postings(within, field, matches.count) {
        return None;
    }
    let key = Key { segment: within.instance(), narrowing: Arc::clone(narrowing) };
    let cache = CACHE.get_or_init(new_cache);
    let postings = match cache.get(&key) {
        Some(Entry::Postings(postings)) => postings,
        Some(Entry::SeenOnce) => {
            let postings = Arc::new(NarrowedPostings::build(match_sets, segment, field, request)?);
            cache.insert(key, Entry::Postings(Arc::clone(&postings)));
            postings
        }
        None => {
            cache.insert(key, Entry::SeenOnce);
            return None;
        }
    };
    Some(postings.documents.iter().map(|list| count_in(&matches.documents, list.as_postings())).collect())
}

fn new_cache() -> PostingsCache {
    let capacity = query_cache_bytes() / CAPACITY_DIVISOR;
    let weigh = |_: &Key, entry: &Entry| match entry {
        Entry::SeenOnce => (MAX_KEY_BYTES + ENTRY_OVERHEAD_BYTES) as u32,
        Entry::Postings(postings) => u32::try_from(postings.share.bytes()).unwrap_or(u32::MAX),
    };
    let builder = Cache::builder().max_capacity(capacity as u64).weigher(weigh).time_to_idle(MAX_IDLE);
    builder.build_with_hasher(DefaultHashBuilder::default())
}

impl NarrowedPostings {
    /// Builds the postings of a segment; nothing if there is no room for them, or the search was cancelled.
    fn build<'a>(
        match_sets: &PlanMatchSets<'a>,
        segment: usize,
        field: &SegmentField<'_>,
        request: &'a FacetRequest,
    ) -> Option<Self> {
        let within = &match_sets.snapshot.segments[segment].segment;
        let bitmap_bytes = within.document_count().div_ceil(WORD_BITS) * size_of::<u64>();
        // With elements that do not pass, a value has as many documents or fewer.
        let list_bytes = |&count: &u32| size_of::<DocumentList>() + bitmap_bytes.min(count as usize * size_of::<u32>());
        let bytes = field.postings.document_counts.iter().map(list_bytes).sum::<usize>();
        let bytes = bytes + MAX_KEY_BYTES + ENTRY_OVERHEAD_BYTES;
        if bytes > query_cache_bytes() / CAPACITY_DIVISOR / MAX_ENTRY_DIVISOR {
            return None;
        }
        let share = reserve_cache_bytes(bytes)?;
        let elements = match_sets.elements_of_all_records(segment, field.level, request);
        let documents_of = |ordinal: u32| {
            let rows = match field.postings.rows(ordinal) {
                PostingList::Dense(words) => {
                    let mut rows = elements.clone();
                    rows.intersect_words(words);
                    rows
                }
                PostingList::Sparse(list) => {
                    let mut rows = Bitset::empty(elements.length());
                    let passing = list.iter().map(|&row| row as usize).filter(|&row| elements.contains(row));
                    passing.for_each(|row| rows.insert(row));
                    rows
                }
            };
            DocumentList::new(filter::lift(within, &rows, field.level, 0), bitmap_bytes)
        };
        let documents = (0..=field.dictionary.len() as u32).map(documents_of).collect();
        // What was found after the client had gone is incomplete.
        match_sets.cancellation.check().ok()?;
        Some(Self { documents, share })
    }
}

impl DocumentList {
    fn new(documents: Bitset, bitmap_bytes: usize) -> Self {
        if documents.count() * size_of::<u32>() < bitmap_bytes {
            Self::Sparse(documents.iter().map(|document| document as u32).collect())
        } else {
            Self::Dense(documents)
        }
    }

    fn as_postings(&self) -> PostingList<'_> {
        match self {
            Self::Sparse(documents) => PostingList::Sparse(documents),
            Self::Dense(documents) => PostingList::Dense(documents.words()),
        }
    }
}

#[cfg(test)]
mod tests {
    use cantata_engine::SearchPlan;
    use cantata_mapping::TypedValue;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};
    use serde_json::{Value, json};

    use super::*;
    use crate::cancellation::CancelOnDrop;
    use crate::search::facet_counts;
    use crate::test_index::TestIndex;

    const DOCUMENTS: usize = 640;

    /// Returns a document of things with parts, of few kinds.
    fn random_document(random: &mut StdRng) -> Value {
        let (mut things, count) = (Vec::new(), random.random_range(0..4));
        for _ in 0..count {
            let (mut parts, count) = (Vec::new(), random.random_range(0..4));
            for _ in 0..count {
                let kind = random.random_range(0..5);
                parts.push(if kind == 4 { json!({}) } else { json!({ "kind": kind.to_string() }) });
            }
            things.push(json!({ "kind": if random.random() { "a" } else { "b" }, "parts": parts }));
        }
        json!({ "things": things })
    }

    fn is_of_kind(field: &str, kind: &str) -> Filter {
        Filter::Terms { field: field.to_owned(), values: vec![TypedValue::Text(kind.to_owned())] }
    }

    #[tokio::test]
    async fn documents_are_counted_like_their_elements() {
        let (kind, mut random) = (json!({ "type": "keyword" }), StdRng::seed_from_u64(5));
        let parts = json!({ "type": "nested", "properties": { "kind": kind } });
        let things = json!({ "type": "nested", "properties": { "kind": kind, "parts": parts } });
        let index = TestIndex::new(&json!({ "things": things }));
        index.write((0..DOCUMENTS).map(|_| random_document(&mut random))).await;
        let snapshot = index.snapshot();
        let segment = &snapshot.segments[0].segment;
        let of_things = |kind: &str| is_of_kind("things.kind", kind);
        let with_thing = |kind: &str| Filter::Nested { path: "things".to_owned(), inner: Box::new(of_things(kind)) };
        let counts = FacetRequest { buckets: Some(10), missing: true, ..FacetRequest::default() };
        let mut facets = Vec::new();
        for (filter, kind) in [(0, "a"), (0, "b"), (1, "a"), (1, "b"), (0, "none")] {
            let ancestors = vec![AncestorFilter { path: "things".to_owned(), filter: of_things(kind) }];
            let of_parts = FacetRequest { filter, field: "things.parts.kind".to_owned(), ancestors, ..counts.clone() };
            let of_some_parts = FacetRequest { elements: is_of_kind("things.parts.kind", "1"), ..of_parts.clone() };
            let field = "things.kind".to_owned();
            let of_things = FacetRequest { filter, field, elements: of_things(kind), ..counts.clone() };
            facets.extend([of_parts, of_some_parts, of_things]);
        }
        let plan = SearchPlan { filters: vec![Filter::All, with_thing("a")], hits: Vec::new(), facets };
        let request = CancelOnDrop::default();
        let token = request.token();
        let mut counted = 0;
        for _ in 0..3 {
            let match_sets = PlanMatchSets::new(&snapshot, &plan, &token);
            for facet in &plan.facets {
                let field = segment.field(&facet.field).unwrap();
                let matches = &match_sets.of_filter(facet.filter)[0];
                let elements = match_sets.elements(0, field.level, facet);
                let expected = facet_counts::count_by_ordinal(segment, &field, matches, Some(&elements));
                if let Some(counts) = count(&match_sets, 0, &field, facet, &Narrowing::new(facet).unwrap()) {
                    assert_eq!(counts, expected, "{facet:?}");
                    counted += 1;
                }
            }
        }
        // Each of nine narrowings is seen once before; six of them come twice in each round.
        assert_eq!(counted, 3 * plan.facets.len() - 9);
    }
}
