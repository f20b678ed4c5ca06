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
use crate::search::{self, ExportScan, SearchEffort};

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
        let effort = search::estimate_effort(&snapshot, &plan);
        let permits = match effort {
            SearchEffort::Instant | SearchEffort::Short => &self.0.short_search_permits,
            SearchEffort::Long => &self.0.search_permits,
        };
        let permit = permits.acquire(index).await?;
        let request = CancelOnDrop::default();
        let cancellation = request.token();
        if effort == SearchEffort::Instant {
            return search::run(&snapshot, &plan, &cancellation);
        }
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

#[cfg(test)]
mod tests {
    use cantata_engine::{FacetRequest, Filter, HitsRequest};
    use cantata_mapping::TypedValue;
    use serde_json::json;

    use crate::test_index::TestIndex;

    use super::*;

    #[tokio::test]
    async fn short_searches_do_not_wait_for_those_with_facets_over_many_records() {
        let index = TestIndex::new(&json!({"a": {"type": "keyword"}, "b": {"type": "keyword"}}));
        index
            .write((0..1100).map(|number: usize| json!({"a": number.to_string(), "b": (number % 2).to_string()})))
            .await;
        let plan = |filter: Filter, size: usize, facets: &[&str]| {
            let page = HitsRequest { size, total: true, ..HitsRequest::default() };
            let facet =
                |field: &&str| FacetRequest { field: (*field).to_owned(), distinct: true, ..FacetRequest::default() };
            let facets = facets.iter().map(facet).collect();
            Arc::new(SearchPlan { filters: vec![filter], hits: vec![page], facets })
        };
        let search = |plan: &Arc<SearchPlan>| index.engine.search("things", Arc::clone(plan));
        let count = |response: Result<SearchResponse, _>| {
            let SearchResponse { hits, facets } = response.unwrap();
            (hits[0].hits.len(), facets.iter().map(|facet| facet.distinct).collect::<Vec<_>>())
        };
        let asked_before = plan(Filter::All, 3, &["b"]);
        assert_eq!(count(search(&asked_before).await), (3, vec![2]));

        let permits = &index.engine.0.search_permits;
        let mut running = Vec::new();
        while let Some(permit) = poll_once(permits.acquire("things")).await {
            running.push(permit.unwrap());
        }
        assert_eq!(count(search(&asked_before).await), (3, vec![2]), "its facets are cached");
        assert_eq!(count(search(&plan(Filter::All, 4, &[])).await), (4, vec![]), "it has no facets");
        let terms = |field: &str, values: &[&str]| {
            let values = values.iter().map(|&value| TypedValue::Text(value.to_owned())).collect();
            Filter::Terms { field: field.to_owned(), values }
        };
        let both = Filter::And(vec![terms("b", &["0", "1"]), terms("a", &["7", "8"])]);
        for few in [terms("a", &["7", "8"]), terms("_id", &["7", "8"]), both] {
            assert_eq!(count(search(&plan(few, 4, &["b"])).await), (2, vec![2]), "its facet is over few records");
        }
        // Together they would need more look-ups than are made.
        let shared = terms("a", &["7"; 40]);
        assert_eq!(count(search(&plan(shared, 4, &["a", "b"])).await), (1, vec![1, 1]), "its facets share a filter");
        let with_new_facet = plan(terms("b", &["0", "1"]), 3, &["a"]);
        let with_many_rows = plan(Filter::All, 1001, &[]);
        let with_many_values = plan(terms("a", &["7"; 600]), 3, &["b"]);
        let free_places = permits.free_places();
        for long in [&with_new_facet, &with_many_rows, &with_many_values] {
            let mut waiting = std::pin::pin!(search(long));
            assert!(poll_once(&mut waiting).await.is_none());
            assert_eq!(permits.free_places(), free_places - 1);
        }
        drop(running);
        assert_eq!(count(search(&with_new_facet).await), (3, vec![1100]));
    }

    /// Returns the output of a future if it is ready at once.
    async fn poll_once<F: Future>(future: F) -> Option<F::Output> {
        tokio::select! {
            biased;
            output = future => Some(output),
            () = std::future::ready(()) => None,
        }
    }
}
