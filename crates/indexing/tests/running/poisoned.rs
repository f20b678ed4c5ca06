//! Documents that cannot be indexed.

use cantata_core::AnalysisState;
use serde_json::{Value, json};

use crate::support::{Bed, Stored};

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

    // It is known after a restart, and also to an index that is made anew.
    bed.restart_after(|_| {}).await;
    assert_eq!(bed.caught_up("files").await.rejected, status.rejected);
    let job = bed.indexing().reindex("files").unwrap();
    assert_eq!(bed.ended(job.id).await.rejected, 1);
    assert_eq!(bed.caught_up("files").await.rejected.len(), 1);

    // Once it is mended, nothing is left of it.
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
