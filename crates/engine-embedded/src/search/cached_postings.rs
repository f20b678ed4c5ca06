//! Cached postings: for each value or range of a facet, the documents with an element that has it and passes the
//! conditions on elements.
//!
//! A condition on a nesting level narrows the facets of this level and of those below it to the elements that pass.
//! Counting these goes through the rows of the level, of which a document has several. And the bars of a histogram are
//! ranges of thousands of values, which are found row by row. But the same few conditions and the same bars come again and
//! again, beside other conditions on records: a person picks "Female", and then one study after the other. So the documents
//! of each value among the elements that pass, and those of each range, are cached, and such a facet is counted like any
//! other: by intersecting bitmaps of documents.
//!
//! Invariants: cached postings depend on a segment alone, which never changes, not on deletions and not on conditions on
//! records. They are built when they are asked for the second time, and never by a search that was cancelled. The cache has
//! a capacity in bytes, and what it holds is taken from the budget of the query cache.

use std::ops::Range;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use cantata_engine::{AncestorFilter, FacetRequest, Filter, NumberRange};
use hashbrown::DefaultHashBuilder;
use moka::sync::Cache;

use super::facet_counts::{are_ranges_intersected, count_in, is_counted_by_postings};
use super::filter;
use super::match_sets::PlanMatchSets;
use crate::bitset::{Bitset, WORD_BITS};
use crate::segment::{PostingList, Segment, SegmentField};
use crate::snapshot::{BudgetShare, filter_bytes, query_cache_bytes, reserve_cache_bytes};

/// The share of the budget of the query cache that cached postings take at most, as a divisor.
const CAPACITY_DIVISOR: usize = 2;

/// Postings that take more than this share of the capacity are not cached, as a divisor.
const MAX_ENTRY_DIVISOR: usize = 4;

/// Postings with larger conditions are not cached.
const MAX_KEY_BYTES: usize = 16 << 10;

/// What the cache itself takes for an entry.
const ENTRY_OVERHEAD_BYTES: usize = 512;

/// Postings that are not used for so long are dropped: their segment may be gone.
const MAX_IDLE: Duration = Duration::from_secs(600);

static CACHE: OnceLock<PostingsCache> = OnceLock::new();

type PostingsCache = Cache<Key, Entry, DefaultHashBuilder>;

/// What a facet counts, of any records.
#[derive(PartialEq, Eq, Hash)]
pub(super) struct Counted {
    field: String,
    elements: Filter,
    ancestors: Vec<AncestorFilter>,
    /// The bounds of ranges as bits; empty: each value is counted.
    ranges: Vec<(Option<u64>, Option<u64>)>,
}

#[derive(PartialEq, Eq, Hash)]
struct Key {
    segment: u64,
    counted: Arc<Counted>,
}

#[derive(Clone)]
enum Entry {
    SeenOnce,
    Postings(Arc<CachedPostings>),
}

struct CachedPostings {
    /// For each value, and last for "no value"; or for each range.
    documents: Vec<DocumentList>,
    share: BudgetShare,
}

enum DocumentList {
    Sparse(Vec<u32>),
    Dense(Bitset),
}

impl Counted {
    /// Returns how the values of a facet are counted; nothing if all elements are, which needs no cache.
    pub(super) fn values(request: &FacetRequest) -> Option<Arc<Self>> {
        let is_narrowed = request.elements != Filter::All || !request.ancestors.is_empty();
        is_narrowed.then(|| Self::new(request, &[])).flatten()
    }

    /// Returns how ranges of a facet are counted.
    pub(super) fn ranges(request: &FacetRequest, ranges: &[NumberRange]) -> Option<Arc<Self>> {
        (!ranges.is_empty()).then(|| Self::new(request, ranges)).flatten()
    }

    /// Returns nothing if the conditions and ranges are too large for a key.
    fn new(request: &FacetRequest, ranges: &[NumberRange]) -> Option<Arc<Self>> {
        let FacetRequest { field, elements, ancestors, .. } = request;
        let around = ancestors.iter().map(|ancestor| ancestor.path.len() + filter_bytes(&ancestor.filter));
        let bytes = field.len() + filter_bytes(elements) + around.sum::<usize>() + size_of_val(ranges);
        let ranges = ranges.iter().map(|range| (range.from.map(f64::to_bits), range.to.map(f64::to_bits)));
        (bytes <= MAX_KEY_BYTES).then(|| {
            let (field, elements, ancestors) = (field.clone(), elements.clone(), ancestors.clone());
            Arc::new(Self { field, elements, ancestors, ranges: ranges.collect() })
        })
    }
}

/// Counts the documents of a segment that have each value, and last those that have an element without one; nothing if
/// the postings are not cached yet or going through the elements is cheaper.
pub(super) fn count_values<'a>(
    match_sets: &PlanMatchSets<'a>,
    segment: usize,
    field: &SegmentField<'_>,
    request: &'a FacetRequest,
    counted: &Arc<Counted>,
) -> Option<Vec<u32>> {
    let (within, documents) = matching(match_sets, segment, request);
    let each = || (0..=field.dictionary.len() as u32).map(|ordinal| ordinal..ordinal + 1).collect();
    let is_cheap = is_counted_by_postings(within, field, documents);
    is_cheap.then(|| count(match_sets, segment, field, request, counted, each)).flatten()
}

/// Counts the documents of a segment that have a value in each of some intervals of ordinals; nothing as above.
pub(super) fn count_ranges<'a>(
    match_sets: &PlanMatchSets<'a>,
    segment: usize,
    field: &SegmentField<'_>,
    request: &'a FacetRequest,
    counted: &Arc<Counted>,
    intervals: impl FnOnce() -> Vec<Range<u32>>,
) -> Option<Vec<u32>> {
    let (within, documents) = matching(match_sets, segment, request);
    let is_cheap = are_ranges_intersected(within, field, counted.ranges.len(), documents);
    is_cheap.then(|| count(match_sets, segment, field, request, counted, intervals)).flatten()
}

/// Returns a segment, and how many of its documents match the filter of a facet.
fn matching<'m>(match_sets: &'m PlanMatchSets<'_>, segment: usize, request: &FacetRequest) -> (&'m Segment, usize) {
    (&match_sets.snapshot.segments[segment].segment, match_sets.of_filter(request.filter)[segment].count)
}

fn count<'a>(
    match_sets: &PlanMatchSets<'a>,
    segment: usize,
    field: &SegmentField<'_>,
    request: &'a FacetRequest,
    counted: &Arc<Counted>,
    intervals: impl FnOnce() -> Vec<Range<u32>>,
) -> Option<Vec<u32>> {
    let instance = match_sets.snapshot.segments[segment].segment.instance();
    let key = Key { segment: instance, counted: Arc::clone(counted) };
    let cache = CACHE.get_or_init(new_cache);
    let postings = match cache.get(&key) {
        Some(Entry::Postings(postings)) => postings,
        Some(Entry::SeenOnce) => {
            let postings = Arc::new(CachedPostings::build(match_sets, segment, field, request, &intervals())?);
            cache.insert(key, Entry::Postings(Arc::clone(&postings)));
            postings
        }
        None => {
            cache.insert(key, Entry::SeenOnce);
            return None;
        }
    };
    let matches = &match_sets.of_filter(request.filter)[segment].documents;
    Some(postings.documents.iter().map(|list| count_in(matches, list.as_postings())).collect())
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

impl CachedPostings {
    /// Builds the postings of intervals of ordinals; nothing if there is no room for them, or the search was cancelled.
    fn build<'a>(
        match_sets: &PlanMatchSets<'a>,
        segment: usize,
        field: &SegmentField<'_>,
        request: &'a FacetRequest,
        intervals: &[Range<u32>],
    ) -> Option<Self> {
        let within = &match_sets.snapshot.segments[segment].segment;
        let bitmap_bytes = within.document_count().div_ceil(WORD_BITS) * size_of::<u64>();
        let document_counts = field.postings.document_counts;
        // With elements that do not pass, a value has as many documents or fewer.
        let list_bytes = |interval: &Range<u32>| {
            let counts = document_counts.get(interval.start as usize..interval.end as usize).unwrap_or_default();
            let documents: usize = counts.iter().map(|&count| count as usize).sum();
            size_of::<DocumentList>() + bitmap_bytes.min(documents.saturating_mul(size_of::<u32>()))
        };
        let bytes = intervals.iter().map(list_bytes).sum::<usize>() + MAX_KEY_BYTES + ENTRY_OVERHEAD_BYTES;
        if bytes > query_cache_bytes() / CAPACITY_DIVISOR / MAX_ENTRY_DIVISOR {
            return None;
        }
        let share = reserve_cache_bytes(bytes)?;
        let elements = match_sets.elements_of_all_records(segment, field.level, request);
        let documents_of = |interval: &Range<u32>| {
            let mut rows = Bitset::empty(elements.length());
            for ordinal in interval.clone() {
                match field.postings.rows(ordinal) {
                    PostingList::Dense(words) => rows.union_words(words),
                    PostingList::Sparse(list) => list.iter().for_each(|&row| rows.insert(row as usize)),
                }
            }
            rows.intersect_with(&elements);
            DocumentList::new(filter::lift(within, &rows, field.level, 0), bitmap_bytes)
        };
        // What is found after the client has gone is incomplete.
        let is_wanted = || match_sets.cancellation.check().is_ok();
        let documents = intervals.iter().map(|interval| is_wanted().then(|| documents_of(interval)));
        let documents = documents.collect::<Option<Vec<_>>>()?;
        is_wanted().then_some(Self { documents, share })
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
    use crate::search::{facet, facet_counts};
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
                let counted_values = Counted::values(facet).unwrap();
                if let Some(counts) = count_values(&match_sets, 0, &field, facet, &counted_values) {
                    assert_eq!(counts, expected, "{facet:?}");
                    counted += 1;
                }
            }
        }
        // Each of nine is seen once before; six of them come twice in each round.
        assert_eq!(counted, 3 * plan.facets.len() - 9);
    }

    #[tokio::test]
    async fn ranges_are_counted_like_the_values_in_them() {
        let (number, mut random) = (json!({ "type": "long" }), StdRng::seed_from_u64(6));
        let things = json!({ "type": "nested", "properties": { "kind": { "type": "keyword" }, "age": number } });
        let index = TestIndex::new(&json!({ "size": number, "things": things }));
        let documents: Vec<Value> = (0..DOCUMENTS)
            .map(|_| {
                let count = random.random_range(0..4);
                let kinds = (0..count).map(|_| if random.random() { "a" } else { "b" }).collect::<Vec<_>>();
                let things = kinds.into_iter().map(|kind| json!({ "kind": kind, "age": random.random_range(0..90) }));
                let things: Vec<Value> = things.collect();
                json!({ "size": random.random_range(0..5_000), "things": things })
            })
            .collect();
        index.write(documents.iter().cloned()).await;
        let snapshot = index.snapshot();
        let ranges = |bounds: &[(Option<i32>, Option<i32>)]| -> Vec<NumberRange> {
            let range = |&(from, to): &(Option<i32>, Option<i32>)| NumberRange {
                from: from.map(f64::from),
                to: to.map(f64::from),
            };
            bounds.iter().map(range).collect()
        };
        let bars = ranges(&[(Some(0), Some(30)), (Some(30), Some(31)), (Some(31), Some(31)), (Some(40), None)]);
        let overlapping = ranges(&[(None, None), (None, Some(50)), (Some(20), Some(60)), (Some(9), Some(2))]);
        let of_size = FacetRequest {
            field: "size".to_owned(),
            ranges: vec![bars.clone(), overlapping.clone()],
            ..FacetRequest::default()
        };
        let elements = is_of_kind("things.kind", "a");
        let of_age = FacetRequest { field: "things.age".to_owned(), elements, ..of_size.clone() };
        let lies_in = |range: &NumberRange, value: &Value| {
            let value = value.as_f64().unwrap();
            range.from.is_none_or(|from| value >= from) && range.to.is_none_or(|to| value < to)
        };
        let count = |ranges: &[NumberRange], has: &dyn Fn(&NumberRange, &Value) -> bool| -> Vec<u64> {
            ranges.iter().map(|range| documents.iter().filter(|document| has(range, document)).count() as u64).collect()
        };
        let has_size = |range: &NumberRange, document: &Value| lies_in(range, &document["size"]);
        let has_age = |range: &NumberRange, document: &Value| {
            let things = document["things"].as_array().unwrap();
            things.iter().any(|thing| thing["kind"] == "a" && lies_in(range, &thing["age"]))
        };
        let expected = [
            [count(&bars, &has_size), count(&overlapping, &has_size)],
            [count(&bars, &has_age), count(&overlapping, &has_age)],
        ];
        let plan = SearchPlan { filters: vec![Filter::All], hits: Vec::new(), facets: vec![of_size, of_age] };
        let request = CancelOnDrop::default();
        let token = request.token();
        for round in 0..3 {
            let match_sets = PlanMatchSets::new(&snapshot, &plan, &token);
            for (facet, expected) in plan.facets.iter().zip(&expected) {
                let answer = facet::compute(&match_sets, facet).unwrap();
                assert_eq!(answer.ranges, expected, "{}, round {round}", facet.field);
            }
        }
        let cached = plan.facets.iter().flat_map(|facet| facet.ranges.iter().map(|list| Counted::ranges(facet, list)));
        for counted in cached {
            let key = Key { segment: snapshot.segments[0].segment.instance(), counted: counted.unwrap() };
            assert!(matches!(CACHE.get().unwrap().get(&key), Some(Entry::Postings(_))));
        }
    }
}
