//! The named cases, by area, and what they share.

pub(super) mod aliases;
pub(super) mod dates;
pub(super) mod exports;
pub(super) mod extending;
pub(super) mod facets;
pub(super) mod indexes;
pub(super) mod numeric;
pub(super) mod operators;
pub(super) mod paging;
pub(super) mod pivots;
pub(super) mod positions;
pub(super) mod texts;
pub(super) mod unsigned;
pub(super) mod values;
pub(super) mod writes;

use std::cell::RefCell;
use std::sync::Arc;

use cantata_mapping::{IndexMapping, TypedValue, UtcDateTime};
use cantata_sqon::Sqon;
use serde_json::Value;

use super::model::{FacetQuery, Model, Request, RequestContext};
use crate::translate::FilterTranslator;
use crate::{
    BatchReport, EngineError, FacetRequest, FacetResult, Filter, HitsRequest, HitsResult, MissingOrder, SavedSets,
    SearchEngine, SearchPlan, SearchResponse, SortKey, SortMode, SortOrder, WriteOperation,
};

/// The moment of every request: 2023-11-14T22:13:20Z.
const NOW_MILLIS: i64 = 1_700_000_000_000;

const INDEX: &str = "records";

/// An index with what a case needs to ask it. What a case expects, it expects of the model too.
struct TestIndex<'e> {
    engine: &'e dyn SearchEngine,
    model: RefCell<Model>,
}

impl<'e> TestIndex<'e> {
    /// Makes an index and writes documents; each is found by its place in the list, from `a` on.
    async fn new(engine: &'e dyn SearchEngine, mapping: Value, documents: &[Value]) -> Self {
        let bench = Self::create(engine, Some(&mapping)).await;
        let ids = ('a'..='z').map(String::from);
        let report = bench.write(ids.zip(documents).map(|(id, document)| put(&id, document)).collect()).await;
        assert_eq!(report, BatchReport { written: documents.len(), ..BatchReport::default() });
        bench
    }

    /// Makes an index without documents.
    async fn create(engine: &'e dyn SearchEngine, mapping: Option<&Value>) -> Self {
        engine.create_index(INDEX, mapping).await.unwrap();
        let parsed = mapping.map_or_else(IndexMapping::empty, |mapping| IndexMapping::parse(mapping).unwrap());
        Self { engine, model: RefCell::new(Model::new(parsed)) }
    }

    async fn write(&self, batch: Vec<WriteOperation>) -> BatchReport {
        let report = self.engine.write(INDEX, batch.clone()).await.unwrap();
        let mut model = self.model.borrow_mut();
        let mut refused = Vec::new();
        for (place, operation) in batch.into_iter().enumerate() {
            let put = match operation {
                WriteOperation::Put { id, source } => model.put(&id, &source),
                WriteOperation::Delete { id } => {
                    model.delete(&id);
                    Ok(())
                }
            };
            if put.is_err() {
                refused.push(place);
            }
        }
        assert_eq!(report.rejected.iter().map(|rejected| rejected.batch_index).collect::<Vec<_>>(), refused);
        report
    }

    async fn extend(&self, mapping: &Value) -> Result<(), EngineError> {
        self.engine.extend_mapping(INDEX, mapping).await?;
        self.model.borrow_mut().extend(&IndexMapping::parse(mapping).unwrap()).unwrap();
        Ok(())
    }

    async fn mapping(&self) -> Arc<IndexMapping> {
        self.engine.mapping(INDEX).await.unwrap()
    }

    /// Returns the filter of a SQON.
    async fn filter(&self, sqon: &Value) -> Filter {
        let mapping = self.mapping().await;
        let sets = sets();
        translation(&mapping, &sets).filter(read(sqon).as_ref()).unwrap()
    }

    /// Returns the ids of the records that match a SQON, in one text.
    async fn ids(&self, sqon: &Value) -> String {
        let hits = self.page(sqon, |_| {}).await;
        let ids: String = hits.hits.iter().map(|hit| hit.cursor.id.as_str()).collect();
        assert_eq!(hits.total, Some(hits.hits.len() as u64), "{sqon}");
        ids
    }

    /// Returns a page of the records that match a SQON.
    async fn page(&self, sqon: &Value, change: impl FnOnce(&mut HitsRequest)) -> HitsResult {
        let mut request = HitsRequest {
            filter: 0,
            size: 100,
            offset: 0,
            sort: Vec::new(),
            after: None,
            total: true,
            documents: false,
        };
        change(&mut request);
        let asked = Request { sqons: vec![read(sqon)], hits: vec![request.clone()], facets: Vec::new() };
        let expected = self.expect(&asked).hits.remove(0);
        let plan = SearchPlan { filters: vec![self.filter(sqon).await], hits: vec![request], facets: Vec::new() };
        let mut answer = self.search(plan).await;
        assert_eq!((answer.hits.len(), answer.facets.len()), (1, 0));
        let found = answer.hits.remove(0);
        assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{sqon}");
        found
    }

    /// Returns the response of the model.
    fn expect(&self, request: &Request) -> SearchResponse {
        let sets = sets();
        let now = UtcDateTime::from_millis(NOW_MILLIS).unwrap();
        self.model.borrow().answer(request, RequestContext { now, sets: &sets })
    }

    /// Returns a facet whose own filter counts.
    async fn facet(&self, field: &str, sqon: &Value, change: impl FnOnce(&mut FacetRequest)) -> FacetResult {
        self.facet_with(field, sqon, true, change).await
    }

    async fn facet_with(
        &self,
        field: &str,
        sqon: &Value,
        filter_themselves: bool,
        change: impl FnOnce(&mut FacetRequest),
    ) -> FacetResult {
        let mapping = self.mapping().await;
        let sets = sets();
        let translation = translation(&mapping, &sets);
        let (records, elements) = translation.facet_filter(read(sqon).as_ref(), field, filter_themselves).unwrap();
        let mut request = FacetRequest {
            field: field.to_owned(),
            filter: 0,
            elements,
            buckets: Some(100),
            distinct: true,
            missing: true,
            stats: false,
            histograms: Vec::new(),
            ranges: Vec::new(),
            top_hits: None,
            bucket_filters: Vec::new(),
        };
        change(&mut request);
        let query = FacetQuery { filter_themselves, request: request.clone() };
        let asked = Request { sqons: vec![read(sqon)], hits: Vec::new(), facets: vec![query] };
        let expected = self.expect(&asked).facets.remove(0);
        let plan = SearchPlan { filters: vec![records], hits: Vec::new(), facets: vec![request] };
        let mut answer = self.search(plan).await;
        assert_eq!((answer.hits.len(), answer.facets.len()), (0, 1));
        let found = answer.facets.remove(0);
        assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{field} {sqon}");
        found
    }

    async fn search(&self, plan: SearchPlan) -> SearchResponse {
        self.engine.search(INDEX, Arc::new(plan)).await.unwrap()
    }
}

fn put(id: &str, document: &Value) -> WriteOperation {
    WriteOperation::Put { id: id.to_owned(), source: document.to_string().into_bytes() }
}

fn delete(id: &str) -> WriteOperation {
    WriteOperation::Delete { id: id.to_owned() }
}

fn read(sqon: &Value) -> Option<Sqon> {
    Sqon::parse(sqon).unwrap().map(Sqon::normalise)
}

fn sets() -> SavedSets {
    SavedSets::from([("saved".to_owned(), vec!["red".to_owned(), "green".to_owned()])])
}

fn translation<'a>(mapping: &'a IndexMapping, sets: &'a SavedSets) -> FilterTranslator<'a> {
    FilterTranslator::new(mapping, UtcDateTime::from_millis(NOW_MILLIS).unwrap(), sets)
}

/// Returns a leaf of a SQON.
fn leaf(op: &str, field: &str, value: impl Into<Value>) -> Value {
    serde_json::json!({"op": op, "content": {"fieldName": field, "value": value.into()}})
}

/// Returns a group of a SQON.
fn group(op: &str, content: &[Value]) -> Value {
    serde_json::json!({"op": op, "content": content})
}

/// Returns a group of a SQON whose conditions hold in one element.
fn pivoted(op: &str, pivot: &str, content: &[Value]) -> Value {
    serde_json::json!({"op": op, "content": content, "pivot": pivot})
}

/// Returns the buckets of a facet of texts, such as `red 2, green 1`.
fn texts(facet: &FacetResult) -> String {
    let buckets = facet.buckets.iter().map(|bucket| match &bucket.value {
        TypedValue::Text(text) => format!("{text} {}", bucket.count),
        other => format!("{other:?} {}", bucket.count),
    });
    buckets.collect::<Vec<_>>().join(", ")
}

/// Returns a key of an order by the least value, records without one last.
fn key(field: &str, order: SortOrder) -> SortKey {
    SortKey { field: Some(field.to_owned()), order, mode: SortMode::Min, missing: MissingOrder::Last }
}
