//! Query cache: pages and facets that were computed on a snapshot.
//!
//! A portal repeats its facets whenever a table is sorted or paged, and every visitor opens the same first page. Pages
//! and facets are cached one by one, each under the plan that asks for it alone. Documents are not cached: they may be
//! large.
//!
//! Entries are counted in bytes, with their plans. The cache of a snapshot has a capacity, and those of all snapshots
//! share a budget of the process: what does not fit into it is not cached. Global ordinals and cached postings are taken
//! from it too.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use cantata_engine::{Bucket, Cursor, FacetRequest, FacetResult, Filter, HitsRequest, SearchPlan};
use cantata_mapping::TypedValue;
use hashbrown::DefaultHashBuilder;
use moka::sync::Cache;

use super::DocAddress;

/// Capacity of the cache of pages, and of that of facets. The cache itself takes about as much again for its entries.
const MAX_CACHE_BYTES: u64 = 8 << 20;

/// Larger entries are not cached.
const MAX_ENTRY_BYTES: usize = 512 << 10;

/// What the cache itself takes for an entry.
const ENTRY_OVERHEAD_BYTES: usize = 512;

/// The budget of all snapshots of the process.
static BUDGET: CacheBudget = CacheBudget::new(128 << 20);

/// Sets how many bytes the cached results of all indexes of this process may have.
pub fn set_query_cache_bytes(bytes: usize) {
    BUDGET.max.store(bytes, Ordering::Relaxed);
}

/// Returns how many bytes the cached results of all indexes of this process may have.
pub(crate) fn query_cache_bytes() -> usize {
    BUDGET.max.load(Ordering::Relaxed)
}

/// Takes bytes from the budget for something else that is kept for searches, if there are this many left.
pub(crate) fn reserve_cache_bytes(bytes: usize) -> Option<BudgetShare> {
    BUDGET.take(bytes)
}

/// A number of bytes that caches share.
struct CacheBudget {
    max: AtomicUsize,
    used: AtomicUsize,
}

impl CacheBudget {
    const fn new(max: usize) -> Self {
        Self { max: AtomicUsize::new(max), used: AtomicUsize::new(0) }
    }

    /// Takes bytes from the budget, if there are this many left.
    fn take(&'static self, bytes: usize) -> Option<BudgetShare> {
        let max = self.max.load(Ordering::Relaxed);
        let add = |used: usize| used.checked_add(bytes).filter(|used| *used <= max);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).ok()?;
        Some(BudgetShare { budget: self, bytes })
    }
}

/// Bytes of a budget, until they are dropped.
pub(crate) struct BudgetShare {
    budget: &'static CacheBudget,
    bytes: usize,
}

impl BudgetShare {
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Drop for BudgetShare {
    fn drop(&mut self) {
        self.budget.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// The cached results of a snapshot.
#[derive(Default)]
pub(crate) struct QueryCache {
    pub(crate) pages: ResultCache<HitsPage>,
    pub(crate) facets: ResultCache<FacetResult>,
}

/// A page of records, without their documents.
#[derive(Clone, Default)]
pub(crate) struct HitsPage {
    pub(crate) total: Option<u64>,
    pub(crate) records: Vec<(Cursor, DocAddress)>,
    /// The scores of the records, if they are wanted.
    pub(crate) scores: Option<Vec<f32>>,
}

impl QueryCache {
    /// Returns the key of a page of a plan; nothing if the plan is too large to be kept.
    pub(crate) fn page_key(plan: &SearchPlan, index: usize) -> Option<SearchPlan> {
        let page = &plan.hits[index];
        let scored = page.score.iter().flat_map(|score| [score.query, score.within]);
        is_small(plan, scored.chain([page.filter])).then(|| plan.single_page(index))
    }

    /// Returns the key of a facet of a plan; nothing if the plan is too large to be kept.
    pub(crate) fn facet_key(plan: &SearchPlan, index: usize) -> Option<SearchPlan> {
        let facet = &plan.facets[index];
        let filters = facet.bucket_filters.iter().copied().chain([facet.filter]);
        is_small(plan, filters).then(|| plan.single_facet(index))
    }
}

/// Returns whether filters of a plan are small enough for a key, which is a copy of them.
fn is_small(plan: &SearchPlan, filters: impl IntoIterator<Item = usize>) -> bool {
    filters.into_iter().map(|filter| filter_bytes(&plan.filters[filter])).sum::<usize>() <= MAX_ENTRY_BYTES
}

/// Results of one kind. The cache is made for the first of them: many snapshots are never searched.
pub(crate) struct ResultCache<R> {
    budget: &'static CacheBudget,
    results: OnceLock<Cache<SearchPlan, Arc<CachedResult<R>>, DefaultHashBuilder>>,
}

/// A result with its share of the budget.
struct CachedResult<R> {
    result: R,
    share: BudgetShare,
}

impl<R> Default for ResultCache<R> {
    fn default() -> Self {
        Self { budget: &BUDGET, results: OnceLock::new() }
    }
}

impl<R: ResultBytes + Clone + Send + Sync + 'static> ResultCache<R> {
    pub(crate) fn get(&self, plan: &SearchPlan) -> Option<R> {
        self.results.get()?.get(plan).map(|cached| cached.result.clone())
    }

    pub(crate) fn contains(&self, plan: &SearchPlan) -> bool {
        self.results.get().is_some_and(|results| results.contains_key(plan))
    }

    pub(crate) fn insert(&self, plan: SearchPlan, result: &R) {
        let bytes = ENTRY_OVERHEAD_BYTES + plan_bytes(&plan) + result.bytes();
        if bytes > MAX_ENTRY_BYTES {
            return;
        }
        let Some(share) = self.budget.take(bytes) else { return };
        let bytes_of = |cached: &Arc<CachedResult<R>>| u32::try_from(cached.share.bytes()).unwrap_or(u32::MAX);
        let weigh = move |_: &SearchPlan, cached: &Arc<CachedResult<R>>| bytes_of(cached);
        let builder = || Cache::builder().max_capacity(MAX_CACHE_BYTES).weigher(weigh);
        let results = self.results.get_or_init(|| builder().build_with_hasher(DefaultHashBuilder::default()));
        results.insert(plan, Arc::new(CachedResult { result: result.clone(), share }));
    }
}

/// A result with an estimate of its size in memory.
pub(crate) trait ResultBytes {
    fn bytes(&self) -> usize;
}

impl ResultBytes for HitsPage {
    fn bytes(&self) -> usize {
        let record = |(cursor, _): &(Cursor, DocAddress)| size_of::<DocAddress>() + cursor_bytes(cursor);
        let scores = self.scores.as_deref().map_or(0, size_of_val);
        size_of::<Self>() + self.records.iter().map(record).sum::<usize>() + scores
    }
}

impl ResultBytes for FacetResult {
    fn bytes(&self) -> usize {
        let bucket =
            |bucket: &Bucket| size_of::<Bucket>() + value_bytes(&bucket.value) + size_of_val(&bucket.filtered[..]);
        let counts = self.histograms.iter().map(|bars| size_of_val(&bars[..]));
        let counts = counts.chain(self.ranges.iter().map(|ranges| size_of_val(&ranges[..])));
        size_of::<Self>() + self.buckets.iter().map(bucket).sum::<usize>() + counts.sum::<usize>()
    }
}

fn plan_bytes(plan: &SearchPlan) -> usize {
    let page = |page: &HitsRequest| size_of::<HitsRequest>() + page.after.as_ref().map_or(0, cursor_bytes);
    let facet = |facet: &FacetRequest| {
        let ancestors = facet.ancestors.iter().map(|ancestor| ancestor.path.len() + filter_bytes(&ancestor.filter));
        let elements = filter_bytes(&facet.elements) + ancestors.sum::<usize>();
        size_of::<FacetRequest>() + facet.field.len() + elements
    };
    let requests = plan.hits.iter().map(page).chain(plan.facets.iter().map(facet));
    size_of::<SearchPlan>() + requests.chain(plan.filters.iter().map(filter_bytes)).sum::<usize>()
}

/// Returns an estimate of the memory of a filter.
pub(crate) fn filter_bytes(filter: &Filter) -> usize {
    let content = match filter {
        Filter::All | Filter::None => 0,
        Filter::And(parts) | Filter::Or(parts) => parts.iter().map(filter_bytes).sum(),
        Filter::Not(inner) => filter_bytes(inner),
        Filter::Nested { path, inner } => path.len() + filter_bytes(inner),
        Filter::Terms { field, values } => field.len() + values.iter().map(value_bytes).sum::<usize>(),
        Filter::Range { field, .. } | Filter::Exists { field } => field.len(),
        Filter::Pattern { field, pattern: text }
        | Filter::Wildcard { field, pattern: text }
        | Filter::Fuzzy { field, text, .. } => field.len() + text.len(),
    };
    size_of::<Filter>() + content
}

fn cursor_bytes(cursor: &Cursor) -> usize {
    size_of::<Cursor>() + cursor.id.len() + cursor.values.iter().flatten().map(value_bytes).sum::<usize>()
}

fn value_bytes(value: &TypedValue) -> usize {
    size_of::<TypedValue>() + if let TypedValue::Text(text) = value { text.len() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(text: String) -> SearchPlan {
        let filter = Filter::Terms { field: "a".to_owned(), values: vec![TypedValue::Text(text)] };
        SearchPlan { filters: vec![filter], hits: vec![HitsRequest::default()], facets: vec![] }
    }

    #[test]
    fn plans_count_and_caches_share_one_budget() {
        static SMALL: CacheBudget = CacheBudget::new(256 << 10);
        let cache = || ResultCache::<HitsPage> { budget: &SMALL, results: OnceLock::new() };
        let (one, other) = (cache(), cache());
        let page = HitsPage::default();
        for number in 0..100 {
            one.insert(plan(format!("{number}{}", "x".repeat(10_000))), &page);
        }
        let used = SMALL.used.load(Ordering::Relaxed);
        assert!(200 << 10 < used && used <= 256 << 10, "{used} bytes are used");
        other.insert(plan("x".repeat(100_000)), &page);
        assert!(other.get(&plan("x".repeat(100_000))).is_none(), "there is no room");
        drop(one);
        other.insert(plan("x".repeat(100_000)), &page);
        assert!(other.get(&plan("x".repeat(100_000))).is_some(), "a cache that goes makes room");
    }

    #[test]
    fn a_large_plan_is_no_key() {
        assert!(QueryCache::page_key(&plan("x".repeat(1000)), 0).is_some());
        assert!(QueryCache::page_key(&plan("x".repeat(4 << 20)), 0).is_none());
    }
}
