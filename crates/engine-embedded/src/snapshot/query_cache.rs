//! Query cache: pages and facets that were computed on a snapshot.
//!
//! A portal repeats its facets whenever a table is sorted or paged, and every visitor opens the same first page. Pages
//! and facets are cached one by one, each under the plan that asks for it alone. Documents are not cached: they may be
//! large.

use std::sync::OnceLock;

use cantata_engine::{Bucket, Cursor, FacetRequest, FacetResult, Filter, HitsRequest, SearchPlan};
use cantata_mapping::TypedValue;
use hashbrown::DefaultHashBuilder;
use moka::sync::Cache;

use super::DocAddress;

/// Capacity of the cache of pages, and of that of facets. The cache itself takes about as much again for its entries.
const MAX_CACHE_BYTES: u64 = 8 << 20;

/// Larger entries are not cached.
const MAX_ENTRY_BYTES: usize = 512 << 10;

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
}

/// Results of one kind. The cache is made for the first of them: many snapshots are never searched.
#[derive(Default)]
pub(crate) struct ResultCache<R>(OnceLock<Cache<SearchPlan, R, DefaultHashBuilder>>);

impl<R: ResultBytes + Clone + Send + Sync + 'static> ResultCache<R> {
    pub(crate) fn get(&self, plan: &SearchPlan) -> Option<R> {
        self.0.get()?.get(plan)
    }

    pub(crate) fn insert(&self, plan: SearchPlan, result: &R) {
        if plan_bytes(&plan) + result.bytes() > MAX_ENTRY_BYTES {
            return;
        }
        let weigher =
            |plan: &SearchPlan, result: &R| u32::try_from(plan_bytes(plan) + result.bytes()).unwrap_or(u32::MAX);
        let builder = || Cache::builder().max_capacity(MAX_CACHE_BYTES).weigher(weigher);
        self.0.get_or_init(|| builder().build_with_hasher(DefaultHashBuilder::default())).insert(plan, result.clone());
    }
}

/// A result with an estimate of its size in memory.
pub(crate) trait ResultBytes {
    fn bytes(&self) -> usize;
}

impl ResultBytes for HitsPage {
    fn bytes(&self) -> usize {
        let record = |(cursor, _): &(Cursor, DocAddress)| size_of::<DocAddress>() + cursor_bytes(cursor);
        size_of::<Self>() + self.records.iter().map(record).sum::<usize>()
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

fn filter_bytes(filter: &Filter) -> usize {
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
