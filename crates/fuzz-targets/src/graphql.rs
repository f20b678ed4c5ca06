//! GraphQL, from a request to its plan and the response.

use std::sync::{Arc, LazyLock};

use cantata_catalogue::CatalogueView;
use cantata_engine::{SavedSets, SearchPlan};
use cantata_graphql::{CatalogueSchema, GraphqlRequest, PlanContext, PlanResults};
use cantata_mapping::UtcDateTime;
use serde_json::Value;

use crate::sample::CATALOGUE;

static SCHEMA: LazyLock<CatalogueSchema> =
    LazyLock::new(|| CatalogueSchema::build(Arc::clone(&CATALOGUE)).expect("the catalogue has a schema"));

/// Plans a request: JSON with a query, or a query alone. It is refused, or its plan is one that engines accept.
pub fn target(data: &[u8]) {
    let request = match (serde_json::from_slice(data), std::str::from_utf8(data)) {
        (Ok(request), _) => request,
        (Err(_), Ok(query)) => GraphqlRequest { query: query.to_owned(), ..GraphqlRequest::default() },
        (Err(_), Err(_)) => return,
    };
    let prepared = match SCHEMA.prepare(&request) {
        Ok(prepared) => prepared,
        Err(refused) => {
            assert_eq!(refused.status, 400);
            return assert_json(&refused.bytes);
        }
    };
    let now = UtcDateTime::from_millis(1_700_000_000_000).expect("the time is in range");
    let sets = SavedSets::from([("mine".to_owned(), vec!["A1".to_owned()])]);
    let planned = prepared.plan(&PlanContext { now, sets: &sets, view: &CatalogueView::without_rules() });
    planned.records.iter().chain(&planned.sets).for_each(check_plan);
    assert_json(&planned.write(&PlanResults::default()).body);
}

fn assert_json(body: &[u8]) {
    assert!(serde_json::from_slice::<Value>(body).is_ok(), "{}", String::from_utf8_lossy(body));
}

/// Checks what engines rely on.
fn check_plan(plan: &SearchPlan) {
    let is_filter = |index: usize| index < plan.filters.len();
    for page in &plan.hits {
        assert!(is_filter(page.filter));
        assert!(page.after.as_ref().is_none_or(|cursor| cursor.values.len() == page.sort.len()));
    }
    for facet in &plan.facets {
        assert!(is_filter(facet.filter));
        assert!(facet.bucket_filters.iter().all(|index| is_filter(*index)));
        assert!(facet.histograms.iter().all(|interval| interval.is_finite() && *interval > 0.0));
    }
}
