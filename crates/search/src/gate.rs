//! The gate between the engine and everything that is shown: what a view does not show does not get through.
//!
//! Which records are found is part of every plan already. Here covered fields are taken out of each document, and where
//! only counts are shown, small ones are not, and no record is.

use std::sync::Arc;

use async_trait::async_trait;
use cantata_catalogue::Redaction;
use cantata_engine::{Answer, Document, EngineError, ExportPage, ExportRequest, Exporting, FacetAnswer, Plan};
use serde_json::Value;

use crate::catalogues::ServedCatalogue;

impl ServedCatalogue {
    /// Searches the records.
    pub(crate) async fn search_records(&self, plan: Plan) -> Result<Answer, EngineError> {
        let mut answer = self.search(&self.catalogue.index, plan).await?;
        if let Some(redaction) = &self.catalogue.redaction {
            let hits = answer.hits.iter_mut().flat_map(|page| &mut page.hits).filter_map(|hit| hit.document.as_mut());
            hits.for_each(|document| redact(redaction, document));
            let buckets = answer.facets.iter_mut().flat_map(|facet| &mut facet.buckets);
            buckets.flat_map(|bucket| &mut bucket.top_hits).for_each(|document| redact(redaction, document));
        }
        if let Some(below) = self.view.below {
            suppress(&mut answer, below);
        }
        Ok(answer)
    }

    /// Begins an export of records.
    pub(crate) async fn export_records(&self, request: ExportRequest) -> Result<Box<dyn Exporting>, EngineError> {
        if self.view.below.is_some() {
            return Err(EngineError::PermissionDenied);
        }
        let export = self.engine.export(&self.catalogue.index, request).await?;
        Ok(match &self.catalogue.redaction {
            None => export,
            Some(redaction) => Box::new(Redacted { export, redaction: Arc::clone(redaction) }),
        })
    }
}

/// An export whose documents lack what is covered.
struct Redacted {
    export: Box<dyn Exporting>,
    redaction: Arc<Redaction>,
}

#[async_trait]
impl Exporting for Redacted {
    fn total(&self) -> u64 {
        self.export.total()
    }

    async fn next(&mut self) -> Result<Option<ExportPage>, EngineError> {
        let Some(mut page) = self.export.next().await? else { return Ok(None) };
        let redaction = Arc::clone(&self.redaction);
        let redacted = tokio::task::spawn_blocking(move || {
            let documents = page.hits.iter_mut().filter_map(|hit| hit.document.as_mut());
            documents.for_each(|document| redact(&redaction, document));
            page
        });
        redacted.await.map(Some).map_err(|error| EngineError::Failed(error.to_string()))
    }
}

/// Takes what is covered out of a document; one that cannot be read has nothing left.
fn redact(redaction: &Redaction, document: &mut Document) {
    let mut value = serde_json::to_value(document.root()).unwrap_or(Value::Null);
    redaction.apply(&mut value);
    *document = value.into();
}

/// Rounds every count down to a multiple of the least that is shown, and leaves out everything else. The order of the
/// buckets would tell their exact counts apart, so it is that of the rounded ones.
fn suppress(answer: &mut Answer, below: u64) {
    let shown = |count: u64| count - count % below;
    for page in &mut answer.hits {
        page.total = page.total.map(shown);
        page.hits.clear();
    }
    for facet in &mut answer.facets {
        let mut buckets = std::mem::take(&mut facet.buckets);
        for bucket in &mut buckets {
            bucket.count = shown(bucket.count);
            bucket.top_hits.clear();
            bucket.filtered.clear();
        }
        buckets.retain(|bucket| bucket.count > 0);
        buckets.sort_by(|one, other| other.count.cmp(&one.count).then_with(|| one.value.cmp(&other.value)));
        *facet = FacetAnswer {
            distinct: buckets.len() as u64,
            missing: shown(facet.missing),
            buckets,
            ..FacetAnswer::default()
        };
    }
}
