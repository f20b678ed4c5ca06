//! Redaction: removes from the answers of an engine what a view does not show.
//!
//! Which records match is part of every plan already. Here hidden fields are removed from each document, and members
//! that are named by dotted paths are put where the fields are. Below a suppression threshold only counts are shown:
//! counts are rounded down, and no record is returned.

use std::sync::Arc;

use async_trait::async_trait;
use cantata_catalogue::{Catalogue, Redaction};
use cantata_engine::{
    Document, EngineError, ExportPage, ExportRequest, ExportStream, FacetResult, SearchPlan, SearchResponse,
    nest_dotted_names,
};
use serde_json::Value;

use crate::served_catalogue::ServedCatalogue;

impl ServedCatalogue {
    /// Searches the records and redacts the answer.
    pub(crate) async fn search_records(&self, plan: SearchPlan) -> Result<SearchResponse, EngineError> {
        let mut answer = self.search(&self.catalogue.index, plan).await?;
        let hits = answer.hits.iter_mut().flat_map(|page| &mut page.hits).filter_map(|hit| hit.document.as_mut());
        hits.for_each(|document| prepare(&self.catalogue, document));
        let buckets = answer.facets.iter_mut().flat_map(|facet| &mut facet.buckets);
        buckets.flat_map(|bucket| &mut bucket.top_hits).for_each(|document| prepare(&self.catalogue, document));
        if let Some(threshold) = self.view.suppression_threshold {
            suppress(&mut answer, threshold);
        }
        Ok(answer)
    }

    /// Starts an export of records whose documents are redacted.
    pub(crate) async fn export_records(&self, request: ExportRequest) -> Result<Box<dyn ExportStream>, EngineError> {
        if self.view.suppression_threshold.is_some() {
            return Err(EngineError::PermissionDenied);
        }
        let export = self.engine.export(&self.catalogue.index, request).await?;
        Ok(Box::new(RedactedExport { export, catalogue: Arc::clone(&self.catalogue) }))
    }
}

struct RedactedExport {
    export: Box<dyn ExportStream>,
    catalogue: Arc<Catalogue>,
}

#[async_trait]
impl ExportStream for RedactedExport {
    fn total(&self) -> u64 {
        self.export.total()
    }

    async fn next(&mut self) -> Result<Option<ExportPage>, EngineError> {
        let Some(mut page) = self.export.next().await? else { return Ok(None) };
        let mut documents = page.hits.iter().filter_map(|hit| hit.document.as_ref());
        if self.catalogue.redaction.is_none() && !documents.any(Document::may_have_dotted_names) {
            return Ok(Some(page));
        }
        let catalogue = Arc::clone(&self.catalogue);
        let redacted = tokio::task::spawn_blocking(move || {
            let documents = page.hits.iter_mut().filter_map(|hit| hit.document.as_mut());
            documents.for_each(|document| prepare(&catalogue, document));
            page
        });
        redacted.await.map(Some).map_err(|error| EngineError::Failed(error.to_string()))
    }
}

/// Redacts a document, and nests its dotted names.
fn prepare(catalogue: &Catalogue, document: &mut Document) {
    if let Some(redaction) = &catalogue.redaction {
        redact(redaction, document);
    }
    if document.may_have_dotted_names() {
        let mut value = serde_json::to_value(document.root()).unwrap_or(Value::Null);
        if let Some(record) = record_in(&mut value, &catalogue.source_prefix) {
            nest_dotted_names(record, &catalogue.mapping);
        }
        *document = value.into();
    }
}

/// Returns the record in a document, at the dotted path of the object that wraps it.
fn record_in<'v>(document: &'v mut Value, prefix: &str) -> Option<&'v mut Value> {
    let mut record = document;
    for name in prefix.split('.').filter(|name| !name.is_empty()) {
        record = record.get_mut(name)?;
    }
    Some(record)
}

/// Redacts a document; one that cannot be read is emptied.
fn redact(redaction: &Redaction, document: &mut Document) {
    let mut value = serde_json::to_value(document.root()).unwrap_or(Value::Null);
    redaction.apply(&mut value);
    *document = value.into();
}

/// Rounds every count down to a multiple of the threshold, and removes everything else. Buckets are sorted by their
/// rounded counts, since the original order would reveal which of two exact counts is larger.
fn suppress(answer: &mut SearchResponse, threshold: u64) {
    let round = |count: u64| count - count % threshold;
    for page in &mut answer.hits {
        page.total = page.total.map(round);
        page.hits.clear();
    }
    for facet in &mut answer.facets {
        let mut buckets = std::mem::take(&mut facet.buckets);
        for bucket in &mut buckets {
            bucket.count = round(bucket.count);
            bucket.top_hits.clear();
            bucket.filtered.clear();
        }
        buckets.retain(|bucket| bucket.count > 0);
        buckets.sort_by(|one, other| other.count.cmp(&one.count).then_with(|| one.value.cmp(&other.value)));
        *facet = FacetResult {
            distinct: buckets.len() as u64,
            missing: round(facet.missing),
            buckets,
            ..FacetResult::default()
        };
    }
}
