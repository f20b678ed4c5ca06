//! The named cases, by area, and what they share.

pub(super) mod aliases;
pub(super) mod dates;
pub(super) mod exact_scores;
pub(super) mod exports;
pub(super) mod extending;
pub(super) mod facets;
pub(super) mod indexes;
pub(super) mod numeric;
pub(super) mod operators;
pub(super) mod paging;
pub(super) mod pivots;
pub(super) mod positions;
pub(super) mod relevance;
pub(super) mod texts;
pub(super) mod unsigned;
pub(super) mod values;
pub(super) mod writes;

use std::cell::RefCell;
use std::sync::Arc;

use cantata_mapping::{IndexMapping, TypedValue};
use cantata_sqon::Sqon;
use serde_json::{Value, json};

use super::model::{FacetQuery, Model, Request, RequestContext};
use super::suite::now;
use crate::translate::{FacetFilter, FilterTranslator};
use crate::{
    BatchReport, EngineError, FacetRequest, FacetResult, Filter, Hit, HitsRequest, HitsResult, MissingOrder, SavedSets,
    SearchEngine, SearchPlan, SearchResponse, SortKey, SortMode, SortOrder, WriteOperation,
};

const INDEX: &str = "records";

/// An operator, a field, a value, and the ids of the records that match.
type LeafCase<'c> = (&'c str, &'c str, Value, &'c str);

/// An index under test. Every response is compared with that of the model.
struct TestIndex<'e> {
    engine: &'e dyn SearchEngine,
    model: RefCell<Model>,
}

impl<'e> TestIndex<'e> {
    /// Creates an index and writes documents, whose ids are letters from `a` on.
    async fn new(engine: &'e dyn SearchEngine, mapping: Value, documents: &[Value]) -> Self {
        let bench = Self::create(engine, Some(&mapping)).await;
        let ids = ('a'..='z').map(String::from);
        let report = bench.write(ids.zip(documents).map(|(id, document)| put(&id, document)).collect()).await;
        assert_eq!(report, BatchReport { written: documents.len(), ..BatchReport::default() });
        bench
    }

    /// Creates an index without documents.
    async fn create(engine: &'e dyn SearchEngine, mapping: Option<&Value>) -> Self {
        engine.create_index(INDEX, mapping).await.unwrap();
        let parsed = mapping.map_or_else(IndexMapping::empty, |mapping| IndexMapping::parse(mapping).unwrap());
        Self { engine, model: RefCell::new(Model::new(parsed)) }
    }

    async fn write(&self, batch: Vec<WriteOperation>) -> BatchReport {
        let report = self.engine.write(INDEX, batch.clone()).await.unwrap();
        let expected = self.model.borrow_mut().write(&batch);
        assert_eq!(report.rejected_indexes(), expected.rejected_indexes());
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
        let page = self.page(sqon, |_| {}).await;
        assert_eq!(page.total, Some(page.hits.len() as u64), "{sqon}");
        ids(&page.hits)
    }

    /// Checks which records match leaves of a SQON.
    async fn expect(&self, cases: &[LeafCase<'_>]) {
        for (op, field, value, expected) in cases {
            assert_eq!(self.ids(&leaf(op, field, value.clone())).await, *expected, "{op} {field} {value}");
        }
    }

    /// Returns the ids of all records in an order, in one text.
    async fn sorted(&self, sort: &[SortKey]) -> String {
        ids(&self.page(&json!(null), |page| page.sort = sort.to_vec()).await.hits)
    }

    /// Returns a page of the records that match a SQON.
    async fn page(&self, sqon: &Value, change: impl FnOnce(&mut HitsRequest)) -> HitsResult {
        let mut request = HitsRequest { size: 100, total: true, ..HitsRequest::default() };
        change(&mut request);
        let asked = Request { sqons: vec![read(sqon)], hits: vec![request.clone()], facets: Vec::new() };
        let plan = SearchPlan { filters: vec![self.filter(sqon).await], hits: vec![request], facets: Vec::new() };
        self.search_as_model(plan, &asked).await.hits.remove(0)
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
        let FacetFilter { records, elements, ancestors } =
            translation.facet_filter(read(sqon).as_ref(), field, filter_themselves).unwrap();
        let mut request =
            FacetRequest { elements, ancestors, distinct: true, missing: true, ..facet_request(field, 0, 100) };
        change(&mut request);
        let query = FacetQuery { filter_themselves, request: request.clone() };
        let asked = Request { sqons: vec![read(sqon)], hits: Vec::new(), facets: vec![query] };
        let plan = SearchPlan { filters: vec![records], hits: Vec::new(), facets: vec![request] };
        self.search_as_model(plan, &asked).await.facets.remove(0)
    }

    /// Returns the response to a plan, which is that of the model to the request.
    async fn search_as_model(&self, plan: SearchPlan, request: &Request) -> SearchResponse {
        let expected = self.model.borrow().answer(request, RequestContext { now: now(), sets: &sets() });
        let found = self.search(plan).await;
        assert_eq!(format!("{found:?}"), format!("{expected:?}"), "{request:?}");
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
    FilterTranslator::new(mapping, now(), sets)
}

/// Returns the ids of records, in one text.
fn ids(hits: &[Hit]) -> String {
    hits.iter().map(|hit| hit.cursor.id.as_str()).collect()
}

/// Returns a request for the buckets of a facet.
fn facet_request(field: &str, filter: usize, buckets: usize) -> FacetRequest {
    FacetRequest { field: field.to_owned(), filter, buckets: Some(buckets), ..FacetRequest::default() }
}

/// Returns a leaf of a SQON.
fn leaf(op: &str, field: &str, value: impl Into<Value>) -> Value {
    let value = value.into();
    match op {
        "wildcard" | "fuzzy" => json!({"op": op, "content": {"fieldNames": [field], "value": value}}),
        _ => json!({"op": op, "content": {"fieldName": field, "value": value}}),
    }
}

/// Returns a group of a SQON.
fn group(op: &str, content: &[Value]) -> Value {
    json!({"op": op, "content": content})
}

/// Returns a group of a SQON whose conditions hold in one element.
fn pivoted(op: &str, pivot: &str, content: &[Value]) -> Value {
    json!({"op": op, "content": content, "pivot": pivot})
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
