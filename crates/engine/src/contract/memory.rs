//! The simplest engine: documents in a map, plans evaluated row by row.
//!
//! It shows that the contract can be kept, holds the translation of filters against the model without any other
//! engine, and serves tests of what stands above engines.

mod matching;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use cantata_mapping::IndexMapping;
use serde_json::Value;

use super::model::{Counted, Model, Page, Record, facet_answer, page, read_path};
use crate::{
    Answer, BatchReport, Document, EngineError, ExportPage, ExportRequest, Exporting, FacetAnswer, FacetRequest,
    Filter, Hit, HitsAnswer, IndexSummary, Operation, Plan, Refusal, SearchEngine,
};

/// An engine in memory.
#[derive(Debug, Default)]
pub struct MemoryEngine {
    indexes: Mutex<BTreeMap<String, Model>>,
}

impl MemoryEngine {
    /// Makes an engine without indexes.
    pub fn new() -> Self {
        Self::default()
    }

    fn with<T>(&self, index: &str, read: impl FnOnce(&mut Model) -> T) -> Result<T, EngineError> {
        let mut indexes = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        indexes.get_mut(index).map(read).ok_or_else(|| EngineError::IndexNotFound(index.to_owned()))
    }
}

#[async_trait]
impl SearchEngine for MemoryEngine {
    async fn mapping(&self, index: &str) -> Result<Arc<IndexMapping>, EngineError> {
        self.with(index, |model| Arc::new(model.mapping().clone()))
    }

    async fn search(&self, index: &str, plan: Arc<Plan>) -> Result<Answer, EngineError> {
        self.with(index, |model| {
            let hits = plan.hits.iter().map(|request| {
                let matching = matching(model, &plan.filters[request.filter]);
                let total = request.total.then_some(matching.len() as u64);
                HitsAnswer { total, hits: page(model.mapping(), matching, &Page::of(request)) }
            });
            let facets = plan.facets.iter().map(|request| facet(model, &plan, request));
            Answer { hits: hits.collect(), facets: facets.collect() }
        })
    }

    async fn export(&self, index: &str, request: ExportRequest) -> Result<Box<dyn Exporting>, EngineError> {
        let limit = request.limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
        let wanted = Page { sort: &request.sort, after: None, offset: 0, size: limit, documents: true };
        let mut hits = self.with(index, |model| page(model.mapping(), matching(model, &request.filter), &wanted))?;
        hits.reverse();
        Ok(Box::new(MemoryExport { total: hits.len() as u64, left: hits, page_size: request.page_size.max(1) }))
    }

    async fn document(&self, index: &str, id: &str) -> Result<Option<Document>, EngineError> {
        self.with(index, |model| model.records().get(id).map(|record| Document::from(record.source.clone())))
    }

    async fn create_index(&self, index: &str, mapping: Option<&Value>) -> Result<(), EngineError> {
        let mapping = match mapping {
            None => IndexMapping::empty(),
            Some(value) => IndexMapping::parse(value).map_err(|errors| {
                let problems: Vec<String> = errors.iter().map(ToString::to_string).collect();
                EngineError::Refused(problems.join("; "))
            })?,
        };
        let mut indexes = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        if indexes.contains_key(index) {
            return Err(EngineError::IndexExists(index.to_owned()));
        }
        indexes.insert(index.to_owned(), Model::new(mapping));
        Ok(())
    }

    async fn delete_index(&self, index: &str) -> Result<(), EngineError> {
        let mut indexes = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        indexes.remove(index).map(|_| ()).ok_or_else(|| EngineError::IndexNotFound(index.to_owned()))
    }

    async fn indexes(&self) -> Result<Vec<IndexSummary>, EngineError> {
        let indexes = self.indexes.lock().unwrap_or_else(PoisonError::into_inner);
        let summary = |(name, model): (&String, &Model)| IndexSummary {
            name: name.clone(),
            documents: model.records().len() as u64,
            bytes: 0,
        };
        Ok(indexes.iter().map(summary).collect())
    }

    async fn write(&self, index: &str, batch: Vec<Operation>) -> Result<BatchReport, EngineError> {
        self.with(index, |model| {
            let mut report = BatchReport::default();
            for (place, operation) in batch.into_iter().enumerate() {
                match operation {
                    Operation::Delete { id } => report.deleted += usize::from(model.delete(&id)),
                    Operation::Put { id, source } => {
                        let document = serde_json::from_slice(&source).map_err(|error| error.to_string());
                        match document.and_then(|document| model.put(&id, document)) {
                            Ok(()) => report.written += 1,
                            Err(reason) => report.refused.push(Refusal { place, id, reason }),
                        }
                    }
                }
            }
            report
        })
    }
}

fn matching<'m>(model: &'m Model, filter: &Filter) -> Vec<(&'m str, &'m Record)> {
    let records = model.records().iter().map(|(id, record)| (id.as_str(), record));
    records.filter(|(_, record)| matching::passes(model.mapping(), filter, &record.row)).collect()
}

fn facet(model: &Model, plan: &Plan, request: &FacetRequest) -> FacetAnswer {
    let (path, level) = read_path(model.mapping(), &request.field);
    let counted: Vec<Counted<'_>> = matching(model, &plan.filters[request.filter])
        .into_iter()
        .map(|(id, record)| {
            let mut elements = record.row.elements_at(&level);
            elements.retain(|element| matching::passes(model.mapping(), &request.elements, element));
            Counted { id, record, elements }
        })
        .collect();
    facet_answer(&counted, &path, request, &|place, record| {
        matching::passes(model.mapping(), &plan.filters[request.bucket_filters[place]], &record.row)
    })
}

struct MemoryExport {
    total: u64,
    /// What is still to come, the next one last.
    left: Vec<Hit>,
    page_size: usize,
}

#[async_trait]
impl Exporting for MemoryExport {
    fn total(&self) -> u64 {
        self.total
    }

    async fn next(&mut self) -> Result<Option<ExportPage>, EngineError> {
        let rest = self.left.len().saturating_sub(self.page_size);
        let mut hits = self.left.split_off(rest);
        hits.reverse();
        Ok((!hits.is_empty()).then_some(ExportPage { hits }))
    }
}
