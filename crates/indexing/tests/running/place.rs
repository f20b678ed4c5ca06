//! The names of indexes.

use cantata_engine::IndexAdmin;
use cantata_indexing::IndexingActivity;
use serde_json::json;

use crate::support::{Bed, Stored};

#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_somebody_else_fills_is_left_alone() {
    let mut bed = Bed::start(&[]).await;
    bed.engine().create_index("files", None).await.unwrap();
    bed.engine().create_index("analyses-2024", None).await.unwrap();
    bed.feed("files", json!({"document": "file-centric"})).await;
    bed.feed("analyses", json!({"document": "analysis-centric"})).await;
    let status = bed.until("files", |status| status.status == IndexingActivity::Failing).await;
    assert!(status.last_error.unwrap().message.contains("esIndex"));
    // Another one is not disturbed by it, whatever numbers others gave to theirs.
    Stored::publish_new(bed.store(), json!({})).await;
    bed.caught_up("analyses").await;
    let job = bed.indexing().reindex("analyses").await.unwrap();
    bed.ended(job.id).await;
    let names: Vec<String> = bed.engine().indexes().await.unwrap().into_iter().map(|index| index.name).collect();
    assert_eq!(names, ["analyses-2024", "analyses-2025", "analyses-2026", "files"]);
}
