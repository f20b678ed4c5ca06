//! Documents that cannot be indexed.

use std::sync::Arc;
use std::time::Duration;

use cantata_catalogue::SourceConfig;
use cantata_core::AnalysisState;
use cantata_engine::SearchEngine;
use cantata_indexing::{AnalysisSource, IndexedCatalogue, Indexing, IndexingContext, StoreSource};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Bed, Stored, source};

/// A mapping that not every document fits.
fn strict() -> Value {
    json!({"document": "file-centric", "mapping": {"properties": {"fileName": {"type": "date"}}}})
}

async fn with_file_name(bed: &Bed, name: &str) -> Stored {
    let mut stored = Stored::submit(bed.store(), "A", 2, json!({})).await;
    rename(bed, &mut stored, name).await;
    stored.become_state(bed.store(), AnalysisState::Published).await;
    stored
}

async fn rename(bed: &Bed, stored: &mut Stored, name: &str) {
    stored
        .change(bed.store(), cantata_core::EventAction::Update, |analysis| {
            analysis.files.iter_mut().for_each(|file| file.file_name = "2026-01-01".to_owned());
            analysis.files[0].file_name = name.to_owned();
        })
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_that_is_refused_is_set_aside_and_stops_nothing() {
    let mut bed = Bed::start(&[("files", strict())]).await;
    let mut bad = with_file_name(&bed, "no date").await;
    with_file_name(&bed, "2026-02-02").await;
    let status = bed.caught_up("files").await;
    assert_eq!(bed.contents("files").await.len(), 3);
    let [document] = &status.rejected[..] else { panic!("{status:?}") };
    assert_eq!(document.analysis_id, bad.id());
    assert_eq!(document.document_id, Some(bad.analysis.files[0].object_id.to_string()));
    assert!(document.reason.contains("fileName"), "{}", document.reason);

    // It is known after a restart, and also to a new index generation.
    bed.restart_after(|_| {}).await;
    assert_eq!(bed.caught_up("files").await.rejected, status.rejected);
    let job = bed.indexing().reindex("files").await.unwrap();
    assert_eq!(bed.ended(job.id).await.rejected, 1);
    assert_eq!(bed.caught_up("files").await.rejected.len(), 1);

    // Once it is corrected, nothing is left of it.
    rename(&bed, &mut bad, "2026-03-03").await;
    assert_eq!(bed.caught_up("files").await.rejected, []);
    bed.assert_right().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_document_leaves_no_old_one_behind() {
    let bed = Bed::start(&[("files", strict())]).await;
    let mut stored = with_file_name(&bed, "2026-02-02").await;
    bed.assert_right().await;
    rename(&bed, &mut stored, "no date").await;
    let status = bed.caught_up("files").await;
    assert_eq!((bed.contents("files").await.len(), status.rejected.len()), (1, 1));
    // It goes with its analysis.
    stored.become_state(bed.store(), AnalysisState::Suppressed).await;
    assert_eq!(bed.caught_up("files").await.rejected, []);
    bed.assert_right().await;
}

/// One of several servers on the store and the engine of a bed.
pub(crate) fn server(bed: &Bed, folder: &TempDir, holder: &str) -> Indexing {
    let engine: Arc<dyn SearchEngine> = bed.running().engine.clone();
    let catalogue = IndexedCatalogue {
        id: "files".to_owned(),
        index: "files".to_owned(),
        source: source(&strict()),
        engine,
        is_shared: true,
    };
    let analyses: Arc<dyn AnalysisSource> = Arc::new(StoreSource::new(Arc::clone(bed.store())));
    Indexing::start(IndexingContext {
        folder: folder.path().to_owned(),
        store: Arc::clone(bed.store()),
        holder: holder.to_owned(),
        open_source: Box::new(move |_: &SourceConfig| Ok(Arc::clone(&analyses))),
        catalogues: Box::new(move || vec![catalogue.clone()]),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_set_aside_of_a_shared_index_is_known_to_every_server() {
    let bed = Bed::start(&[]).await;
    let folders = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    let (one, other) = (server(&bed, &folders[0], "one"), server(&bed, &folders[1], "other"));
    let mut bad = with_file_name(&bed, "no date").await;
    let rejected = async |indexing: &Indexing, expected: usize| {
        let waiting = async {
            while indexing.status().first().is_none_or(|status| status.rejected.len() != expected) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        let waited = tokio::time::timeout(Duration::from_secs(120), waiting).await;
        assert!(waited.is_ok(), "{:#?}", indexing.status());
    };
    rejected(&one, 1).await;
    rejected(&other, 1).await;
    one.stop().await;
    // A server that starts later knows it, too, and the one that is left goes on.
    let again = server(&bed, &folders[0], "again");
    rejected(&again, 1).await;
    rename(&bed, &mut bad, "2026-03-03").await;
    rejected(&other, 0).await;
    rejected(&again, 0).await;
    again.stop().await;
    other.stop().await;
}
