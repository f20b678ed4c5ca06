//! Changes that come a second time.

use cantata_core::{AnalysisState, EventAction};
use cantata_engine::{IndexWriter, WriteOperation};
use serde_json::{Value, json};

use crate::support::{Bed, STUDIES, Stored};

/// A cluster keeps the position apart from the documents. If the process ends between the two, what was written comes
/// again, perhaps together with what happened since.
#[tokio::test(flavor = "multi_thread")]
async fn what_was_written_without_its_position_leaves_nothing_behind() {
    let files = [("files", json!({"document": "file-centric"}))];
    let mut bed = Bed::start(&files).await;
    bed.caught_up("files").await;
    bed.feed_only(&[]).await;

    let mut stored = Stored::submit(bed.store(), STUDIES[0], 2, json!({})).await;
    stored.become_state(bed.store(), AnalysisState::Published).await;
    let written = bed.expected(&files[0].1).await;
    assert_eq!(written.len(), 2);
    let put = |(id, source): (String, Value)| WriteOperation::Put { id, source: source.to_string().into_bytes() };
    bed.engine().write("files", written.into_iter().map(put).collect()).await.unwrap();
    stored.change(bed.store(), EventAction::Update, |analysis| analysis.files.truncate(1)).await;

    bed.feed_only(&files).await;
    bed.assert_right().await;
}
