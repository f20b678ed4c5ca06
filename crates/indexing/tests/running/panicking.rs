//! A follower that panics is started again, and so is what starts followers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use cantata_catalogue::SourceConfig;
use cantata_core::{AnalysisState, AnalysisType};
use cantata_engine::SearchEngine;
use cantata_indexing::{
    AnalysisSource, ChangeBatch, IndexedCatalogue, Indexing, IndexingContext, SourceError, SourceSnapshot, StoreSource,
};
use serde_json::json;
use tempfile::TempDir;

use crate::support::{Bed, Stored, source};

/// The analyses of a store, once the first request for changes has panicked.
struct PanicsOnce {
    analyses: StoreSource,
    has_panicked: AtomicBool,
}

#[async_trait]
impl AnalysisSource for PanicsOnce {
    async fn types(&self) -> Result<Vec<AnalysisType>, SourceError> {
        self.analyses.types().await
    }

    async fn types_version(&self) -> Result<u64, SourceError> {
        self.analyses.types_version().await
    }

    async fn changes(&self, after: Option<&str>, limit: usize) -> Result<ChangeBatch, SourceError> {
        assert!(self.has_panicked.swap(true, Ordering::SeqCst), "the first request of this test panics");
        self.analyses.changes(after, limit).await
    }

    fn lag(&self, position: Option<&str>) -> Option<u64> {
        self.analyses.lag(position)
    }

    async fn snapshot(
        &self,
        studies: Option<&[String]>,
        states: &[AnalysisState],
    ) -> Result<SourceSnapshot, SourceError> {
        self.analyses.snapshot(studies, states).await
    }
}

/// Waits until the only catalogue has every change.
async fn until_caught_up(indexing: &Indexing) {
    let caught_up = async {
        while !indexing.status().iter().any(|one| one.index.is_some() && one.position.is_some() && one.lag == Some(0)) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(120), caught_up).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_follower_that_panicked_is_started_again_and_catches_up() {
    let bed = Bed::start(&[]).await;
    let (folder, store) = (TempDir::new().unwrap(), bed.store());
    let engine: Arc<dyn SearchEngine> = bed.running().engine.clone();
    let catalogue = IndexedCatalogue {
        id: "files".to_owned(),
        index: "files".to_owned(),
        source: source(&json!({"document": "file-centric"})),
        engine,
        is_shared: false,
    };
    let analyses = StoreSource::new(Arc::clone(store));
    let panicking = Arc::new(PanicsOnce { analyses, has_panicked: AtomicBool::new(false) });
    let opened = Arc::clone(&panicking);
    let indexing = Indexing::start(IndexingContext {
        folder: folder.path().to_owned(),
        store: Arc::clone(store),
        holder: "test".to_owned(),
        open_source: Box::new(move |_: &SourceConfig| {
            let source: Arc<dyn AnalysisSource> = opened.clone();
            Ok(source)
        }),
        catalogues: Box::new(move || vec![catalogue.clone()]),
    });
    let mut stored = Stored::submit(store, "A", 2, json!({})).await;
    stored.become_state(store, AnalysisState::Published).await;
    until_caught_up(&indexing).await;
    assert!(panicking.has_panicked.load(Ordering::SeqCst));
    assert_eq!(bed.contents("files").await.len(), 2);
    indexing.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn catalogues_are_followed_after_polling_them_and_opening_their_source_have_panicked() {
    let bed = Bed::start(&[]).await;
    let (folder, store) = (TempDir::new().unwrap(), bed.store());
    let engine: Arc<dyn SearchEngine> = bed.running().engine.clone();
    let catalogue = IndexedCatalogue {
        id: "files".to_owned(),
        index: "files".to_owned(),
        source: source(&json!({"document": "file-centric"})),
        engine,
        is_shared: false,
    };
    let analyses: Arc<dyn AnalysisSource> = Arc::new(StoreSource::new(Arc::clone(store)));
    let (polls, opened) = (Arc::new(AtomicUsize::new(0)), AtomicUsize::new(0));
    let polled = Arc::clone(&polls);
    let indexing = Indexing::start(IndexingContext {
        folder: folder.path().to_owned(),
        store: Arc::clone(store),
        holder: "test".to_owned(),
        open_source: Box::new(move |_: &SourceConfig| {
            assert!(opened.fetch_add(1, Ordering::SeqCst) > 0, "the first source of this test panics");
            Ok(Arc::clone(&analyses))
        }),
        catalogues: Box::new(move || {
            assert!(polled.fetch_add(1, Ordering::SeqCst) > 0, "the first poll of this test panics");
            vec![catalogue.clone()]
        }),
    });
    let mut stored = Stored::submit(store, "A", 2, json!({})).await;
    stored.become_state(store, AnalysisState::Published).await;
    until_caught_up(&indexing).await;
    assert!(polls.load(Ordering::SeqCst) >= 3, "one poll panicked, one met the source that did, and one went on");
    assert_eq!(bed.contents("files").await.len(), 2);
    indexing.stop().await;
}
