//! Engines that are wrong in one respect: the suite must find each of them out.

use std::sync::Arc;

use async_trait::async_trait;
use cantata_mapping::IndexMapping;
use serde_json::Value;

use super::memory::MemoryEngine;
use crate::{
    Alias, AliasChange, Answer, BatchReport, Document, EngineError, ExportRequest, Exporting, IndexSummary, Operation,
    Plan, SearchEngine,
};

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// The last bucket of a facet has one record too many.
    CountsOneMore,
    /// A page with several records lacks its last one.
    LosesAHit,
    /// A removed document stays.
    ForgetsRemovals,
    /// A page after a cursor begins with the records that are equal to it in all keys of the sort.
    RepeatsWhereEqual,
}

/// An engine that is right but for one fault.
#[derive(Debug)]
pub(super) struct FaultyEngine {
    right: MemoryEngine,
    fault: Fault,
}

impl FaultyEngine {
    pub(super) fn new(fault: Fault) -> Self {
        Self { right: MemoryEngine::new(), fault }
    }
}

#[async_trait]
impl SearchEngine for FaultyEngine {
    async fn mapping(&self, index: &str) -> Result<Arc<IndexMapping>, EngineError> {
        self.right.mapping(index).await
    }

    async fn search(&self, index: &str, plan: Arc<Plan>) -> Result<Answer, EngineError> {
        let mut plan = Plan::clone(&plan);
        let cursors = plan.hits.iter_mut().filter_map(|hits| hits.after.as_mut());
        if self.fault == Fault::RepeatsWhereEqual {
            cursors.for_each(|cursor| cursor.id.clear());
        }
        let mut answer = self.right.search(index, Arc::new(plan)).await?;
        match self.fault {
            Fault::CountsOneMore => {
                answer.facets.iter_mut().filter_map(|facet| facet.buckets.last_mut()).for_each(|last| last.count += 1);
            }
            Fault::LosesAHit => {
                answer.hits.iter_mut().filter(|page| page.hits.len() > 1).for_each(|page| drop(page.hits.pop()));
            }
            Fault::ForgetsRemovals | Fault::RepeatsWhereEqual => {}
        }
        Ok(answer)
    }

    async fn export(&self, index: &str, request: ExportRequest) -> Result<Box<dyn Exporting>, EngineError> {
        self.right.export(index, request).await
    }

    async fn document(&self, index: &str, id: &str) -> Result<Option<Document>, EngineError> {
        self.right.document(index, id).await
    }

    async fn create_index(&self, index: &str, mapping: Option<&Value>) -> Result<(), EngineError> {
        self.right.create_index(index, mapping).await
    }

    async fn delete_index(&self, index: &str) -> Result<(), EngineError> {
        self.right.delete_index(index).await
    }

    async fn indexes(&self) -> Result<Vec<IndexSummary>, EngineError> {
        self.right.indexes().await
    }

    async fn write(&self, index: &str, mut batch: Vec<Operation>) -> Result<BatchReport, EngineError> {
        if self.fault == Fault::ForgetsRemovals {
            batch.retain(|operation| matches!(operation, Operation::Put { .. }));
        }
        self.right.write(index, batch).await
    }

    async fn write_at(&self, index: &str, batch: Vec<Operation>, position: &str) -> Result<BatchReport, EngineError> {
        self.right.write_at(index, batch, position).await
    }

    async fn position(&self, index: &str) -> Result<Option<String>, EngineError> {
        self.right.position(index).await
    }

    async fn extend_mapping(&self, index: &str, mapping: &Value) -> Result<(), EngineError> {
        self.right.extend_mapping(index, mapping).await
    }

    async fn aliases(&self) -> Result<Vec<Alias>, EngineError> {
        self.right.aliases().await
    }

    async fn change_aliases(&self, changes: &[AliasChange]) -> Result<(), EngineError> {
        self.right.change_aliases(changes).await
    }
}
