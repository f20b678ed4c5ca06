//! The simplest engine: documents in a map, plans evaluated row by row.
//!
//! It shows that the contract can be kept, holds the translation of filters against the model without any other
//! engine, and serves tests of what stands above engines.

mod matching;
mod scoring;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use cantata_mapping::IndexMapping;
use serde_json::Value;

pub(super) use self::scoring::scores;

use super::model::{
    FacetRecord, Model, Record, Row, Scores, evaluate_facet, export_page, last_elements, page, read_path,
};
use crate::{
    Alias, AliasChange, BatchOutcome, Document, EngineError, ExportPage, ExportRequest, ExportStream, FacetRequest,
    FacetResult, Filter, Hit, HitsResult, IndexAdmin, IndexReader, IndexSummary, IndexWriter, SearchPlan,
    SearchResponse, WriteOperation, apply_alias_changes,
};

/// An engine in memory.
#[derive(Debug, Default)]
pub struct MemoryEngine {
    state: Mutex<State>,
    #[cfg(test)]
    fault: Option<super::faulty::Fault>,
}

#[derive(Debug, Default)]
struct State {
    indexes: BTreeMap<String, MemoryIndex>,
    aliases: BTreeMap<String, String>,
}

#[derive(Debug)]
struct MemoryIndex {
    model: Model,
    position: Option<String>,
}

impl MemoryEngine {
    /// Makes an engine without indexes.
    pub fn new() -> Self {
        Self::default()
    }

    #[cfg(test)]
    pub(super) fn with_fault(fault: super::faulty::Fault) -> Self {
        Self { fault: Some(fault), ..Self::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with_index<T>(&self, name: &str, work: impl FnOnce(&mut MemoryIndex) -> T) -> Result<T, EngineError> {
        let State { indexes, aliases } = &mut *self.state();
        let index = indexes.get_mut(aliases.get(name).map_or(name, String::as_str));
        index.map(work).ok_or_else(|| EngineError::IndexNotFound(name.to_owned()))
    }

    fn with<T>(&self, index: &str, work: impl FnOnce(&mut Model) -> T) -> Result<T, EngineError> {
        self.with_index(index, |index| work(&mut index.model))
    }
}

#[async_trait]
impl IndexReader for MemoryEngine {
    async fn mapping(&self, index: &str) -> Result<Arc<IndexMapping>, EngineError> {
        self.with(index, |model| Arc::new(model.mapping().clone()))
    }

    async fn search(&self, index: &str, plan: Arc<SearchPlan>) -> Result<SearchResponse, EngineError> {
        #[cfg(test)]
        let plan = self.fault.map_or_else(|| Arc::clone(&plan), |fault| fault.distort_plan(&plan));
        let response = self.with(index, |model| {
            let hits = plan.hits.iter().map(|request| {
                let matching = matching(model, &plan.filters[request.filter]);
                let total = request.total.then_some(matching.len() as u64);
                let scores =
                    request.score.map(|score| scores(model, &plan.filters[score.query], &plan.filters[score.within]));
                HitsResult { total, hits: page(model.mapping(), matching, &scores.unwrap_or_default(), request) }
            });
            let facets = plan.facets.iter().map(|request| facet(model, &plan, request));
            SearchResponse { hits: hits.collect(), facets: facets.collect() }
        });
        #[cfg(test)]
        let response = response.map(|response| match self.fault {
            Some(fault) => fault.distort_response(response),
            None => response,
        });
        response
    }

    async fn export(&self, index: &str, request: ExportRequest) -> Result<Box<dyn ExportStream>, EngineError> {
        let mut hits = self.with(index, |model| {
            page(model.mapping(), matching(model, &request.filter), &Scores::new(), &export_page(&request))
        })?;
        hits.reverse();
        Ok(Box::new(MemoryExport { total: hits.len() as u64, left: hits, page_size: request.page_size.max(1) }))
    }

    async fn document(&self, index: &str, id: &str) -> Result<Option<Document>, EngineError> {
        self.with(index, |model| model.records().get(id).map(|record| Document::from(record.source.clone())))
    }
}

#[async_trait]
impl IndexWriter for MemoryEngine {
    async fn write(&self, index: &str, batch: Vec<WriteOperation>) -> BatchOutcome {
        #[cfg(test)]
        let batch = self.fault.map_or_else(|| batch.clone(), |fault| fault.distort_batch(&batch));
        self.with(index, |model| model.write(&batch))
    }

    async fn write_with_position(&self, index: &str, batch: Vec<WriteOperation>, position: &str) -> BatchOutcome {
        self.with_index(index, |index| {
            index.position = Some(position.to_owned());
            index.model.write(&batch)
        })
    }

    async fn position(&self, index: &str) -> Result<Option<String>, EngineError> {
        self.with_index(index, |index| index.position.clone())
    }
}

#[async_trait]
impl IndexAdmin for MemoryEngine {
    async fn create_index(&self, index: &str, mapping: Option<&Value>) -> Result<(), EngineError> {
        let mapping = mapping.map_or_else(|| Ok(IndexMapping::empty()), IndexMapping::parse)?;
        let mut state = self.state();
        if state.indexes.contains_key(index) {
            return Err(EngineError::IndexExists(index.to_owned()));
        }
        if state.aliases.contains_key(index) {
            return Err(EngineError::Rejected(format!("`{index}` is an alias")));
        }
        state.indexes.insert(index.to_owned(), MemoryIndex { model: Model::new(mapping), position: None });
        Ok(())
    }

    async fn delete_index(&self, index: &str) -> Result<(), EngineError> {
        let mut state = self.state();
        if state.aliases.contains_key(index) {
            return Err(EngineError::Rejected(format!("`{index}` is an alias")));
        }
        state.indexes.remove(index).ok_or_else(|| EngineError::IndexNotFound(index.to_owned()))?;
        state.aliases.retain(|_, of| of != index);
        Ok(())
    }

    async fn indexes(&self) -> Result<Vec<IndexSummary>, EngineError> {
        let summary = |(name, index): (&String, &MemoryIndex)| IndexSummary {
            name: name.clone(),
            documents: index.model.records().len() as u64,
            bytes: 0,
            problem: None,
        };
        Ok(self.state().indexes.iter().map(summary).collect())
    }

    async fn extend_mapping(&self, index: &str, mapping: &Value) -> Result<(), EngineError> {
        let more = IndexMapping::parse(mapping)?;
        self.with(index, |model| Ok(model.extend(&more)?))?
    }

    async fn aliases(&self) -> Result<Vec<Alias>, EngineError> {
        let alias = |(name, index): (&String, &String)| Alias { name: name.clone(), index: index.clone() };
        Ok(self.state().aliases.iter().map(alias).collect())
    }

    async fn change_aliases(&self, changes: &[AliasChange]) -> Result<(), EngineError> {
        let State { indexes, aliases } = &mut *self.state();
        *aliases = apply_alias_changes(aliases, changes, |name| indexes.contains_key(name))?;
        Ok(())
    }
}

fn matching<'m>(model: &'m Model, filter: &Filter) -> Vec<(&'m str, &'m Record)> {
    let records = model.records().iter().map(|(id, record)| (id.as_str(), record));
    records.filter(|(_, record)| matching::passes(model.mapping(), filter, &record.row)).collect()
}

fn facet(model: &Model, plan: &SearchPlan, request: &FacetRequest) -> FacetResult {
    let (path, level) = read_path(model.mapping(), &request.field);
    let counted: Vec<FacetRecord<'_>> = matching(model, &plan.filters[request.filter])
        .into_iter()
        .map(|(id, record)| {
            let mut lineages = record.row.lineages(&level);
            lineages.retain(|lineage| is_counted(model.mapping(), request, lineage));
            FacetRecord { id, record, elements: last_elements(&lineages) }
        })
        .collect();
    evaluate_facet(&counted, &path, request, &|index, record| {
        matching::passes(model.mapping(), &plan.filters[request.bucket_filters[index]], &record.row)
    })
}

/// Returns whether a facet counts the last element of a lineage.
fn is_counted(mapping: &IndexMapping, request: &FacetRequest, lineage: &[(&str, &Row)]) -> bool {
    let Some(((_, element), around)) = lineage.split_last() else { return false };
    matching::passes(mapping, &request.elements, element)
        && request.ancestors.iter().all(|ancestor| {
            let mut outer = around.iter().filter(|(path, _)| *path == ancestor.path);
            outer.any(|(_, outer)| matching::passes(mapping, &ancestor.filter, outer))
        })
}

struct MemoryExport {
    total: u64,
    /// The remaining records, the next one last.
    left: Vec<Hit>,
    page_size: usize,
}

#[async_trait]
impl ExportStream for MemoryExport {
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
