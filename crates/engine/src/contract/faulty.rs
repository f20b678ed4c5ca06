//! Faults that tests inject into the memory engine, each of which the suite must detect.

use std::sync::Arc;

use crate::{SearchPlan, SearchResponse, WriteOperation};

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

impl Fault {
    pub(super) fn distort_plan(self, plan: &SearchPlan) -> Arc<SearchPlan> {
        let mut plan = plan.clone();
        if self == Self::RepeatsWhereEqual {
            plan.hits.iter_mut().filter_map(|hits| hits.after.as_mut()).for_each(|cursor| cursor.id.clear());
        }
        Arc::new(plan)
    }

    pub(super) fn distort_response(self, mut response: SearchResponse) -> SearchResponse {
        if self == Self::CountsOneMore {
            response.facets.iter_mut().filter_map(|facet| facet.buckets.last_mut()).for_each(|last| last.count += 1);
        }
        if self == Self::LosesAHit {
            response.hits.iter_mut().filter(|page| page.hits.len() > 1).for_each(|page| drop(page.hits.pop()));
        }
        response
    }

    pub(super) fn distort_batch(self, batch: &[WriteOperation]) -> Vec<WriteOperation> {
        let stays = |operation: &&WriteOperation| {
            self != Self::ForgetsRemovals || matches!(operation, WriteOperation::Put { .. })
        };
        batch.iter().filter(stays).cloned().collect()
    }
}
