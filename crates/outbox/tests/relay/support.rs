//! A store with a history, and a relay from it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use cantata_core::{Analysis, AnalysisId, AnalysisState, Event, EventAction};
use cantata_kafka_client::{KafkaSettings, NewTopic};
use cantata_outbox::{Relay, RelaySettings, RelayState};
use cantata_store::contract::builders;
use cantata_store::{AnalysisChange, DuplicateRule, InsertOutcome, NewAnalysis, ReplaceOutcome, Revision, Store};
use cantata_store_sqlite::SqliteStore;
use cantata_testkit::kafka::{self, SentRecord};
use tempfile::TempDir;

/// The study of everything here.
pub(crate) const STUDY: &str = "ABC123";

/// Longer than anything takes on a busy machine.
const WAIT_TIMEOUT: Duration = Duration::from_secs(120);

/// Returns the settings for a topic of a broker, which is made with this many partitions.
pub(crate) fn settings(broker: &str, topic: &str, partitions: u16) -> KafkaSettings {
    KafkaSettings {
        bootstrap_servers: vec![broker.to_owned()],
        topic: topic.to_owned(),
        new_topic: Some(NewTopic { partitions: Some(partitions), replication_factor: Some(1) }),
        uses_tls: false,
        ca_certificate: None,
        credentials: None,
    }
}

/// A store on a folder of its own, with one study.
pub(crate) struct TestStore {
    pub(crate) store: Arc<dyn Store>,
    _folder: TempDir,
}

impl TestStore {
    pub(crate) async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(folder.path()).unwrap());
        store.create_study(builders::study(STUDY)).await.unwrap();
        Self { store, _folder: folder }
    }

    pub(crate) fn relay(&self, settings: &KafkaSettings) -> Relay {
        self.relay_as(&AnalysisId::generate().to_string(), settings)
    }

    /// Starts a relay whose process has this name.
    pub(crate) fn relay_as(&self, holder: &str, settings: &KafkaSettings) -> Relay {
        let settings = RelaySettings { kafka: settings.clone(), server_id: "song.overture".to_owned() };
        Relay::start(Arc::clone(&self.store), settings, holder.to_owned())
    }

    /// Returns the number of the latest event.
    pub(crate) fn latest(&self) -> u64 {
        *self.store.latest_event().borrow()
    }

    /// Submits an analysis with this many files.
    pub(crate) async fn submit(&self, files: usize) -> Stored {
        let analysis = builders::analysis(STUDY, files);
        let new = NewAnalysis::of(&analysis).unwrap();
        let InsertOutcome::Stored(revision) = self.store.insert_analysis(new, DuplicateRule::Allow).await.unwrap()
        else {
            panic!("the analysis was not stored");
        };
        Stored { store: Arc::clone(&self.store), analysis, revision }
    }

    /// Submits analyses and changes each of them, in turns; returns how many events that made.
    pub(crate) async fn make_history(&self, analyses: usize, changes: usize) -> u64 {
        let before = self.latest();
        let mut stored = Vec::new();
        for _ in 0..analyses {
            stored.push(self.submit(1).await);
        }
        for change in 0..changes {
            let (state, action) = if change % 2 == 0 {
                (AnalysisState::Published, EventAction::Publish)
            } else {
                (AnalysisState::Unpublished, EventAction::Unpublish)
            };
            for analysis in &mut stored {
                analysis.change(state, action).await;
            }
        }
        self.latest() - before
    }

    /// Waits until a relay has sent everything there is.
    pub(crate) async fn until_sent(&self, relay: &Relay) {
        let latest = self.latest();
        until(relay, "everything to be sent", |state| state.sent == Some(latest)).await;
    }
}

/// Waits until a relay is doing as it should.
pub(crate) async fn until(relay: &Relay, what: &str, is_so: impl FnMut(&RelayState) -> bool) {
    let mut watch = relay.watch();
    let seen = tokio::time::timeout(WAIT_TIMEOUT, watch.until(is_so)).await;
    assert!(matches!(seen, Ok(true)), "waited in vain for {what}; it is {:?}", relay.watch().state());
}

/// A stored analysis.
pub(crate) struct Stored {
    store: Arc<dyn Store>,
    pub(crate) analysis: Analysis,
    revision: Revision,
}

impl Stored {
    pub(crate) fn id(&self) -> AnalysisId {
        self.analysis.analysis_id
    }

    /// Returns the document as clients get it.
    pub(crate) async fn document(&self) -> String {
        self.store.analysis(self.id()).await.unwrap().unwrap().document
    }

    /// Brings the analysis into a state.
    pub(crate) async fn change(&mut self, state: AnalysisState, action: EventAction) {
        let mut after = self.analysis.clone();
        after.state = state;
        let change = AnalysisChange::between(self.revision, &self.analysis, &after, action).unwrap();
        let ReplaceOutcome::Stored(revision) = self.store.replace_analysis(change).await.unwrap() else {
            panic!("the change was not stored");
        };
        self.analysis = after;
        self.revision = revision;
    }
}

/// Returns the event numbers of each analysis, in the order of its partition.
pub(crate) fn by_analysis(records: &[SentRecord]) -> HashMap<String, Vec<u64>> {
    let mut found: HashMap<String, Vec<u64>> = HashMap::new();
    for record in records {
        found.entry(record.key.clone()).or_default().push(record.event);
    }
    found
}

/// Holds a topic against the store.
pub(crate) async fn assert_complete(store: &dyn Store, broker: &str, topic: &str) {
    let events = store.events_after(0, usize::MAX).await.unwrap();
    let message = |event: &Event| (event.seq, event.message("song.overture").unwrap());
    let events: Vec<(u64, String)> = events.iter().map(message).collect();
    kafka::assert_complete(&kafka::records(broker, topic).await, &events);
}
