//! Reading: searches, exports and single documents, each on one snapshot of its index.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use cantata_engine::{
    Document, EngineError, ExportPage, ExportRequest, ExportStream, IndexReader, SearchPlan, SearchResponse,
};
use cantata_mapping::IndexMapping;

use super::{EmbeddedEngine, run_blocking};
use crate::cancellation::CancelOnDrop;
use crate::permits::ExportPermits;
use crate::search::{self, ExportScan};

#[async_trait]
impl IndexReader for EmbeddedEngine {
    async fn mapping(&self, index: &str) -> Result<Arc<IndexMapping>, EngineError> {
        Ok(Arc::clone(&self.index(index)?.snapshot().mapping))
    }

    async fn list_fields(&self, index: &str) -> Result<Option<BTreeSet<String>>, EngineError> {
        Ok(Some(self.index(index)?.snapshot().list_fields()))
    }

    async fn search(&self, index: &str, plan: Arc<SearchPlan>) -> Result<SearchResponse, EngineError> {
        let snapshot = self.index(index)?.snapshot();
        let permit = self.0.search_permits.acquire(index).await?;
        let request = CancelOnDrop::default();
        let cancellation = request.token();
        run_blocking(move || {
            // Released when the search ends, which a cancelled request does not wait for.
            let _permit = permit;
            search::run(&snapshot, &plan, &cancellation)
        })
        .await
    }

    async fn export(&self, index: &str, request: ExportRequest) -> Result<Box<dyn ExportStream>, EngineError> {
        let snapshot = self.index(index)?.snapshot();
        let permit = self.0.search_permits.acquire(index).await?;
        let caller = CancelOnDrop::default();
        let cancellation = caller.token();
        let export = run_blocking(move || {
            let _permit = permit;
            ExportScan::new(snapshot, request, &cancellation)
        })
        .await?;
        let permits = self.0.export_permits.clone();
        Ok(Box::new(RunningExport { total: export.remaining, permits, scan: Some(export) }))
    }

    async fn document(&self, index: &str, id: &str) -> Result<Option<Document>, EngineError> {
        let snapshot = self.index(index)?.snapshot();
        let Some(address) = snapshot.locate(id) else { return Ok(None) };
        run_blocking(move || Ok(snapshot.load_documents(&[address])?.pop())).await
    }

    async fn has_documents(&self, index: &str, ids: &[&str]) -> Result<Vec<bool>, EngineError> {
        let snapshot = self.index(index)?.snapshot();
        Ok(ids.iter().map(|id| snapshot.locate(id).is_some()).collect())
    }
}

/// An export that is read page by page.
struct RunningExport {
    total: u64,
    permits: ExportPermits,
    /// Moved out while a page is computed.
    scan: Option<ExportScan>,
}

#[async_trait]
impl ExportStream for RunningExport {
    fn total(&self) -> u64 {
        self.total
    }

    async fn next(&mut self) -> Result<Option<ExportPage>, EngineError> {
        let permit = self.permits.acquire().await?;
        let Some(mut scan) = self.scan.take() else { return Ok(None) };
        let (scan, hits) = run_blocking(move || {
            let _permit = permit;
            let hits = scan.next_page()?;
            Ok((scan, hits))
        })
        .await?;
        self.scan = Some(scan);
        Ok((!hits.is_empty()).then_some(ExportPage { hits }))
    }
}
