//! A SONG server as a source: this server plays it, since it has its interface. The broker is a real one.
#![expect(clippy::unwrap_used, reason = "a failure here is the failure of a test")]
#![expect(clippy::needless_pass_by_value, reason = "settings and events are written where they are used")]

mod polled;
mod topic;

use std::sync::Arc;
use std::time::Duration;

use cantata_catalogue::{CatalogueConfig, ConfigDefaults, SourceOrigin};
use cantata_indexing::{AnalysisSource, ChangeBatch, ChangedAnalysis};
use cantata_song_source::song_source;
use cantata_testkit::{Payload, TestServer};
use serde_json::{Value, json};

/// Longer than anything takes on a busy machine.
const WAIT_TIMEOUT: Duration = Duration::from_secs(120);

/// Makes a source of what a catalogue's `source.json` says of a SONG server, and more.
fn source(song: Value, more: Value) -> Arc<dyn AnalysisSource> {
    let mut source = json!({"document": "analysis-centric", "song": song});
    source.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let config = json!({"documentType": "file", "esIndex": "files", "source": source});
    let config = CatalogueConfig::from_value("files", &config, &ConfigDefaults::default()).unwrap().source.unwrap();
    let SourceOrigin::Song(origin) = &config.origin else { panic!("not of a SONG server") };
    song_source(origin, &config).unwrap()
}

/// Waits for the next changes.
async fn next(source: &dyn AnalysisSource, after: Option<&str>) -> ChangeBatch {
    tokio::time::timeout(WAIT_TIMEOUT, source.changes(after, 1000)).await.unwrap().unwrap()
}

/// Waits for changes of one analysis.
async fn next_of(source: &dyn AnalysisSource, position: &mut String, id: &str) -> ChangedAnalysis {
    loop {
        let changes = next(source, Some(position)).await;
        *position = changes.position;
        if let Some(found) = changes.analyses.into_iter().rfind(|analysis| analysis.analysis_id == id) {
            return found;
        }
    }
}

/// Reads a snapshot to its end: the documents, and its position.
async fn everything(source: &dyn AnalysisSource, studies: Option<&[String]>) -> (Vec<Value>, String) {
    let states = [cantata_core::AnalysisState::Published];
    let mut snapshot = source.snapshot(studies, &states).await.unwrap();
    let mut documents = Vec::new();
    while let Some(page) = snapshot.pages.next().await.unwrap() {
        documents.extend(page.iter().map(|text| serde_json::from_str::<Value>(text).unwrap()));
    }
    assert_eq!(snapshot.total, documents.len() as u64);
    (documents, snapshot.position)
}

async fn published(server: &TestServer, study: &str) -> String {
    let id = server.submit(&Payload::new(study)).await;
    state(server, study, &id, "publish").await;
    id
}

async fn state(server: &TestServer, study: &str, id: &str, change: &str) {
    server.put_empty(&format!("/studies/{study}/analysis/{change}/{id}")).await.assert_status(200);
}
