//! The brute-force model: the expected response to every request, computed from plain JSON documents one by one.
//!
//! Scores are not part of it: which conditions score is a matter of plans, whose brute force is
//! [`super::memory`].
//!
//! The model is written to be obviously right, not fast. It reads filters as the filter language has them and shares no
//! code with the translation into plans or with any engine; only the reading of a single value
//! ([`cantata_mapping::Field::read`]) is common to all.

mod compare;
mod facet;
mod filter;
mod json;
mod order;
mod rejection;
mod row;
mod text;

use std::collections::BTreeMap;

use cantata_mapping::{IndexMapping, MappingError, UtcDateTime};
use cantata_sqon::Sqon;
use serde_json::Value;

use crate::{
    BatchReport, ExportRequest, FacetRequest, FacetResult, Hit, HitsRequest, HitsResult, SavedSets, SearchResponse,
    WriteOperation,
};

pub use facet::FacetRecord;
pub use filter::FilterEvaluator;
pub use rejection::DocumentError;
pub use row::Row;

pub(super) use facet::{evaluate as evaluate_facet, last_elements};
pub(super) use order::{Scores, export_page, page, read_path};
pub(super) use text::{forms, fuzzy, like};

/// A document of the model.
#[derive(Debug, Clone)]
pub struct Record {
    /// The document as it was given.
    pub source: Value,
    /// The values in it, by level.
    pub row: Row,
}

/// An index of the model.
#[derive(Debug, Clone)]
pub struct Model {
    mapping: IndexMapping,
    records: BTreeMap<String, Record>,
}

/// A request as the filter language writes it. Its hits and facets refer to filters by their index in `sqons`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Request {
    /// The filters; nothing is every record.
    pub sqons: Vec<Option<Sqon>>,
    /// The pages of records.
    pub hits: Vec<HitsRequest>,
    /// The facets.
    pub facets: Vec<FacetQuery>,
}

/// A facet of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct FacetQuery {
    /// Whether the filter's own conditions on the field count.
    pub filter_themselves: bool,
    /// Everything else; the element filter follows from the filter and is left open here.
    pub request: FacetRequest,
}

/// The parts of a request that the model cannot know.
#[derive(Debug, Clone, Copy)]
pub struct RequestContext<'a> {
    /// The moment of the request.
    pub now: UtcDateTime,
    /// The saved sets.
    pub sets: &'a SavedSets,
}

impl Model {
    /// Makes an index without documents.
    pub fn new(mapping: IndexMapping) -> Self {
        Self { mapping, records: BTreeMap::new() }
    }

    /// Returns the mapping as it is now.
    pub fn mapping(&self) -> &IndexMapping {
        &self.mapping
    }

    /// Returns the records by id.
    pub fn records(&self) -> &BTreeMap<String, Record> {
        &self.records
    }

    /// Writes a batch, one operation after the other.
    pub fn write(&mut self, batch: &[WriteOperation]) -> BatchReport {
        let mut report = BatchReport::default();
        for (batch_index, operation) in batch.iter().enumerate() {
            match operation {
                WriteOperation::Delete { id } => report.deleted += usize::from(self.records.remove(id).is_some()),
                WriteOperation::Put { id, source } => match self.put(id, source) {
                    Ok(()) => report.written += 1,
                    Err(error) => report.reject(batch_index, id, &error),
                },
            }
        }
        report
    }

    /// Adds or replaces a document; fields that it has and the mapping lacks are added to the mapping.
    ///
    /// # Errors
    ///
    /// Why the document is rejected; then nothing has changed.
    pub fn put(&mut self, id: &str, source: &[u8]) -> Result<(), DocumentError> {
        let source = serde_json::from_slice(source)?;
        let mut mapping = self.mapping.clone();
        rejection::check_names(&mapping, &source)?;
        let is_extended = !mapping.extend_from(&source).is_empty();
        rejection::check_values(&mapping, &source)?;
        if is_extended {
            for (id, record) in &mut self.records {
                record.row = Row::of_record(&mapping, id, &record.source);
            }
        }
        let row = Row::of_record(&mapping, id, &source);
        self.mapping = mapping;
        self.records.insert(id.to_owned(), Record { source, row });
        Ok(())
    }

    /// Adds the fields of another mapping; values that are there are read by them too.
    ///
    /// # Errors
    ///
    /// Why they are rejected; then nothing has changed.
    pub fn extend(&mut self, more: &IndexMapping) -> Result<(), Vec<MappingError>> {
        self.mapping.merge(more)?;
        for (id, record) in &mut self.records {
            record.row = Row::of_record(&self.mapping, id, &record.source);
        }
        Ok(())
    }

    /// Returns the selection of records by filters.
    pub fn evaluator<'a>(&'a self, context: RequestContext<'a>) -> FilterEvaluator<'a> {
        FilterEvaluator { mapping: &self.mapping, now: context.now, sets: context.sets }
    }

    /// Answers a request.
    pub fn answer(&self, request: &Request, context: RequestContext<'_>) -> SearchResponse {
        let sqon = |index: usize| request.sqons.get(index).and_then(Option::as_ref);
        let hits = request.hits.iter().map(|hits| self.hits(sqon(hits.filter), hits, context));
        let facets = request.facets.iter().map(|query| {
            let bucket_filters: Vec<_> = query.request.bucket_filters.iter().map(|&index| sqon(index)).collect();
            self.facet(sqon(query.request.filter), query, &bucket_filters, context)
        });
        SearchResponse { hits: hits.collect(), facets: facets.collect() }
    }

    /// Answers an export.
    pub fn export(&self, sqon: Option<&Sqon>, request: &ExportRequest, context: RequestContext<'_>) -> Vec<Hit> {
        page(&self.mapping, self.matching(sqon, context), &Scores::new(), &export_page(request))
    }

    /// Returns what a facet keeps of a filter: all of it if it filters itself, else what is not on its own field.
    pub fn kept(&self, sqon: Option<&Sqon>, query: &FacetQuery) -> Option<Sqon> {
        let (path, _) = read_path(&self.mapping, &query.request.field);
        let mut kept = sqon.cloned();
        if !query.filter_themselves {
            for name in sqon.map(Sqon::fields_used).unwrap_or_default() {
                if read_path(&self.mapping, name).0 == path {
                    kept = kept.and_then(|kept| kept.without_field(name));
                }
            }
        }
        kept
    }

    fn hits(&self, sqon: Option<&Sqon>, request: &HitsRequest, context: RequestContext<'_>) -> HitsResult {
        let matching = self.matching(sqon, context);
        let total = request.total.then_some(matching.len() as u64);
        HitsResult { total, hits: page(&self.mapping, matching, &Scores::new(), request) }
    }

    fn matching(&self, sqon: Option<&Sqon>, context: RequestContext<'_>) -> Vec<(&str, &Record)> {
        let evaluator = self.evaluator(context);
        let records = self.records.iter().map(|(id, record)| (id.as_str(), record));
        records.filter(|(_, record)| sqon.is_none_or(|sqon| evaluator.matches(sqon, &record.row, ""))).collect()
    }

    fn facet(
        &self,
        sqon: Option<&Sqon>,
        query: &FacetQuery,
        bucket_filters: &[Option<&Sqon>],
        context: RequestContext<'_>,
    ) -> FacetResult {
        let (path, level) = read_path(&self.mapping, &query.request.field);
        let kept = self.kept(sqon, query);
        let sqon = kept.as_ref();
        let evaluator = self.evaluator(context);
        let counted: Vec<FacetRecord<'_>> = self
            .matching(sqon, context)
            .into_iter()
            .map(|(id, record)| {
                let mut lineages = record.row.lineages(&level);
                lineages.retain(|lineage| sqon.is_none_or(|sqon| evaluator.lineage_passes(sqon, lineage)));
                FacetRecord { id, record, elements: last_elements(&lineages) }
            })
            .collect();
        facet::evaluate(&counted, &path, &query.request, &|index, record| {
            bucket_filters[index].is_none_or(|sqon| evaluator.matches(sqon, &record.row, ""))
        })
    }
}
