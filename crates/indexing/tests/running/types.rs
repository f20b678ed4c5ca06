//! New versions of analysis types.

use cantata_catalogue::{Catalogue, CatalogueConfig, ConfigDefaults};
use cantata_engine::IndexReader;
use serde_json::json;

use crate::support::{Bed, Stored};

async fn type_of(bed: &Bed, path: &str) -> Option<String> {
    let mapping = bed.engine().mapping("analyses").await.unwrap();
    mapping.field(path).map(|field| format!("{:?}", field.kind))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_version_brings_its_fields_before_its_analyses() {
    let bed = Bed::start(&[("analyses", json!({"document": "analysis-centric"}))]).await;
    bed.caught_up("analyses").await;
    assert_eq!(type_of(&bed, "experiment.when").await, None);
    bed.register(json!({"reads": {"type": "integer"}, "when": {"type": "string", "format": "date"}})).await;
    // The first analysis of it may come sooner than the next look at the types.
    Stored::publish_new(bed.store(), json!({"reads": 1, "when": "2026-01-01"})).await;
    bed.assert_right().await;
    assert!(type_of(&bed, "experiment.when").await.unwrap().starts_with("Date"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_field_that_becomes_wider_needs_a_reindex() {
    let bed = Bed::start(&[("analyses", json!({"document": "analysis-centric"}))]).await;
    Stored::publish_new(bed.store(), json!({"reads": 1})).await;
    bed.assert_right().await;
    bed.register(json!({"reads": {"type": "number"}, "more": {"type": "string"}})).await;
    let status = bed.until("analyses", |status| !status.needs_reindex.is_empty()).await;
    assert!(status.needs_reindex[0].contains("`experiment.reads`"), "{status:?}");
    // What can be added is there all the same.
    assert!(type_of(&bed, "experiment.more").await.is_some());
    assert_eq!(type_of(&bed, "experiment.reads").await.unwrap(), "Long");
    let job = bed.indexing().reindex("analyses").await.unwrap();
    bed.ended(job.id).await;
    let status = bed.caught_up("analyses").await;
    assert!(status.needs_reindex.is_empty(), "{status:?}");
    assert_eq!(type_of(&bed, "experiment.reads").await.unwrap(), "Double");
    bed.assert_right().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn properties_of_one_graphql_name_leave_the_catalogue_as_it_is() {
    let bed = Bed::start(&[("analyses", json!({"document": "analysis-centric"}))]).await;
    let text = || json!({"type": "string"});
    bed.register(json!({"reads": {"type": "integer"}, "tumour-grade": text(), "tumour_grade": text()})).await;
    Stored::publish_new(bed.store(), json!({"reads": 1, "tumour-grade": "x", "tumour_grade": "y"})).await;
    bed.assert_right().await;
    let mapping = bed.engine().mapping("analyses").await.unwrap();
    let config = json!({"esIndex": "analyses", "documentType": "analysis"});
    let config = CatalogueConfig::from_value("analyses", &config, &ConfigDefaults::default()).unwrap();
    let catalogue = Catalogue::build(&config, &mapping).unwrap();
    let path_of = |name: &str| catalogue.root.aggregation(name).map(|field| field.path.clone());
    assert_eq!(path_of("experiment__tumour_grade").as_deref(), Some("experiment.tumour_grade"));
    assert_eq!(path_of("experiment__tumour_grade_2").as_deref(), Some("experiment.tumour-grade"));
}
