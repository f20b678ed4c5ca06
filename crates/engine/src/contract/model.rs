//! The brute-force model: what every request must be answered, worked out from plain JSON documents one by one.
//!
//! The model is written to be obviously right, not fast. It reads filters as the filter language has them and shares no
//! code with the translation into plans or with any engine; only the reading of a single value
//! ([`cantata_mapping::Field::read`]) is common to all.

mod compare;
mod facet;
mod json;
mod order;
mod refusal;
mod row;
mod selection;
mod text;

use std::collections::BTreeMap;

use cantata_mapping::{IndexMapping, Moment};
use cantata_sqon::Sqon;
use serde_json::Value;

use crate::{Answer, ExportRequest, FacetAnswer, FacetRequest, Hit, HitsAnswer, HitsRequest};

pub use facet::Counted;
pub use row::Row;
pub use selection::Selection;

pub(super) use facet::answer as facet_answer;
pub(super) use order::{Page, page, read_path};
pub(super) use text::{forms, fuzzy, like};

/// The saved sets, by id.
pub type SavedSets = BTreeMap<String, Vec<String>>;

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

/// A request as the filter language writes it. Its hits and facets refer to filters by their place in `sqons`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Request {
    /// The filters; nothing is every record.
    pub sqons: Vec<Option<Sqon>>,
    /// The pages of records.
    pub hits: Vec<HitsRequest>,
    /// The facets.
    pub facets: Vec<FacetQuestion>,
}

/// A facet of a request.
#[derive(Debug, Clone, PartialEq)]
pub struct FacetQuestion {
    /// Whether the filter's own conditions on the field count.
    pub filter_themselves: bool,
    /// Everything else; the element filter follows from the filter and is left open here.
    pub request: FacetRequest,
}

/// What the model needs to know beside the documents.
#[derive(Debug, Clone, Copy)]
pub struct Surroundings<'a> {
    /// The moment of the request.
    pub now: Moment,
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

    /// Adds or replaces a document; fields that it brings are added to the mapping.
    ///
    /// # Errors
    ///
    /// Why the document is refused; then nothing has changed.
    pub fn put(&mut self, id: &str, source: Value) -> Result<(), String> {
        let mut mapping = self.mapping.clone();
        refusal::check_names(&mapping, &source)?;
        let is_extended = !mapping.extend_from(&source).is_empty();
        refusal::check_values(&mapping, &source)?;
        if is_extended {
            for record in self.records.values_mut() {
                record.row = Row::read(&mapping, "", &record.source);
            }
        }
        let row = Row::read(&mapping, "", &source);
        self.mapping = mapping;
        self.records.insert(id.to_owned(), Record { source, row });
        Ok(())
    }

    /// Adds the fields of another mapping; values that are there are read by them too.
    ///
    /// # Errors
    ///
    /// Why they are refused; then nothing has changed.
    pub fn extend(&mut self, more: &IndexMapping) -> Result<(), String> {
        self.mapping.merge(more).map_err(|errors| {
            let problems: Vec<String> = errors.iter().map(ToString::to_string).collect();
            problems.join("; ")
        })?;
        for record in self.records.values_mut() {
            record.row = Row::read(&self.mapping, "", &record.source);
        }
        Ok(())
    }

    /// Removes a document and returns whether it was there.
    pub fn delete(&mut self, id: &str) -> bool {
        self.records.remove(id).is_some()
    }

    /// Returns the selection of records by filters.
    pub fn selection<'a>(&'a self, surroundings: Surroundings<'a>) -> Selection<'a> {
        Selection { mapping: &self.mapping, now: surroundings.now, sets: surroundings.sets }
    }

    /// Answers a request.
    pub fn answer(&self, request: &Request, surroundings: Surroundings<'_>) -> Answer {
        let sqon = |place: usize| request.sqons.get(place).and_then(Option::as_ref);
        let hits = request.hits.iter().map(|hits| self.hits(sqon(hits.filter), hits, surroundings)).collect();
        let facets = request
            .facets
            .iter()
            .map(|question| {
                let also: Vec<Option<&Sqon>> = question.request.bucket_filters.iter().map(|&at| sqon(at)).collect();
                self.facet(sqon(question.request.filter), question, &also, surroundings)
            })
            .collect();
        Answer { hits, facets }
    }

    /// Answers an export.
    pub fn export(&self, sqon: Option<&Sqon>, request: &ExportRequest, surroundings: Surroundings<'_>) -> Vec<Hit> {
        let limit = request.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
        let wanted = Page { sort: &request.sort, after: None, offset: 0, size: limit, documents: true };
        page(&self.mapping, self.matching(sqon, surroundings), &wanted)
    }

    fn hits(&self, sqon: Option<&Sqon>, request: &HitsRequest, surroundings: Surroundings<'_>) -> HitsAnswer {
        let matching = self.matching(sqon, surroundings);
        let total = request.total.then_some(matching.len() as u64);
        HitsAnswer { total, hits: page(&self.mapping, matching, &Page::of(request)) }
    }

    fn matching(&self, sqon: Option<&Sqon>, surroundings: Surroundings<'_>) -> Vec<(&str, &Record)> {
        let selection = self.selection(surroundings);
        let records = self.records.iter().map(|(id, record)| (id.as_str(), record));
        records.filter(|(_, record)| sqon.is_none_or(|sqon| selection.matches(sqon, &record.row, ""))).collect()
    }

    fn facet(
        &self,
        sqon: Option<&Sqon>,
        question: &FacetQuestion,
        also: &[Option<&Sqon>],
        surroundings: Surroundings<'_>,
    ) -> FacetAnswer {
        let (path, level) = read_path(&self.mapping, &question.request.field);
        let mut kept = sqon.cloned();
        if !question.filter_themselves {
            for name in sqon.map(Sqon::fields_used).unwrap_or_default() {
                if read_path(&self.mapping, name).0 == path {
                    kept = kept.and_then(|kept| kept.without_field(name));
                }
            }
        }
        let sqon = kept.as_ref();
        let selection = self.selection(surroundings);
        let counted: Vec<Counted<'_>> = self
            .matching(sqon, surroundings)
            .into_iter()
            .map(|(id, record)| {
                let mut elements = record.row.elements_at(&level);
                elements.retain(|element| sqon.is_none_or(|sqon| selection.element_passes(sqon, element, &level)));
                Counted { id, record, elements }
            })
            .collect();
        facet::answer(&counted, &path, &question.request, &|place, record| {
            also[place].is_none_or(|sqon| selection.matches(sqon, &record.row, ""))
        })
    }
}
