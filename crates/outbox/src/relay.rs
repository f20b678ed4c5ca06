//! The relay itself: who may send, what is sent next, and what happens after a failure.

use std::sync::Arc;
use std::time::Duration;

use cantata_core::Event;
use cantata_store::Store;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::error::{OutboxError, Result};
use crate::producer::Producer;
use crate::settings::KafkaSettings;
use crate::state::{RelayActivity, RelayState, RelayWatch};

/// How long a lease lasts: what others wait before they take over from a process that was killed.
const LEASE: Duration = Duration::from_secs(15);

/// How often a lease is renewed, and asked for by those who stand by.
const RENEWAL: Duration = Duration::from_secs(5);

/// The pauses after failures.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// How long stopping may take.
const STOP_LIMIT: Duration = Duration::from_secs(5);

/// How many bytes of events one request carries: half of what a topic takes in one message unless it is told otherwise.
const RUN_LIMIT: usize = 512 << 10;

/// How many events are sent at once: about as many as fill a request.
const FIRST_CHUNK: usize = 16;
const LARGEST_CHUNK: usize = 500;

/// Passes the events of a store on to Kafka, in the background.
pub struct Relay {
    stopping: watch::Sender<bool>,
    watch: RelayWatch,
    task: JoinHandle<()>,
}

impl Relay {
    /// Starts it. The holder is this process, by a name that no other has.
    pub fn start(store: Arc<dyn Store>, settings: KafkaSettings, holder: String) -> Self {
        let (stopping, stop) = watch::channel(false);
        let (state, seen) = watch::channel(RelayState { activity: RelayActivity::Starting, sent: None });
        let watch = RelayWatch { topic: settings.topic.clone(), state: seen, latest: store.latest_event() };
        let reader = settings.reader();
        let sender = Sender { store, settings: Arc::new(settings), reader, holder, stop, state };
        Self { stopping, watch, task: tokio::spawn(sender.run()) }
    }

    /// Returns what shows how it is doing.
    pub fn watch(&self) -> RelayWatch {
        self.watch.clone()
    }

    /// Stops it once what is under way is acknowledged, and in any case soon.
    pub async fn stop(mut self) {
        self.stopping.send_replace(true);
        if tokio::time::timeout(STOP_LIMIT, &mut self.task).await.is_err() {
            self.task.abort();
        }
    }
}

struct Sender {
    store: Arc<dyn Store>,
    settings: Arc<KafkaSettings>,
    /// The name under which the store knows the relay.
    reader: String,
    /// The name of this process as a holder of the lease.
    holder: String,
    stop: watch::Receiver<bool>,
    state: watch::Sender<RelayState>,
}

impl Sender {
    async fn run(self) {
        let mut pause = FIRST_PAUSE;
        let mut run_limit = RUN_LIMIT;
        let mut told = String::new();
        while !self.is_stopping() {
            let sent_before = self.state.borrow().sent;
            let Err(error) = self.turn(run_limit).await else { continue };
            if self.state.borrow().sent != sent_before {
                pause = FIRST_PAUSE;
                told.clear();
            }
            // A topic may take less than usual in one message: from now on each event goes alone, and compressed.
            if matches!(error, OutboxError::TooLarge { .. }) {
                run_limit = 0;
            }
            self.tell(&error, &mut told);
            self.rest(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        // If this fails, the lease runs out by itself.
        let _ = self.store.release(&self.reader, &self.holder).await;
    }

    /// Sends for as long as this process holds the lease; returns at once, after a rest, when another does.
    async fn turn(&self, run_limit: usize) -> Result<()> {
        if !self.store.lease(&self.reader, &self.holder, LEASE).await? {
            self.state.send_replace(RelayState { activity: RelayActivity::StandingBy, sent: None });
            self.rest(RENEWAL).await;
            return Ok(());
        }
        tokio::select! {
            ended = self.session(run_limit) => ended,
            () = self.keep_lease() => {
                tracing::warn!(topic = self.settings.topic, "another process sends the events now");
                Ok(())
            }
        }
    }

    /// Renews the lease until that is refused.
    async fn keep_lease(&self) {
        loop {
            tokio::time::sleep(RENEWAL).await;
            match self.store.lease(&self.reader, &self.holder, LEASE).await {
                Ok(true) => {}
                Ok(false) => return,
                // The session fails for the same reason as soon as it needs the store.
                Err(error) => tracing::warn!(%error, "the lease for sending events cannot be renewed"),
            }
        }
    }

    /// Sends whatever comes, until the process stops or something fails.
    async fn session(&self, run_limit: usize) -> Result<()> {
        let mut producer = tokio::select! {
            begun = Producer::begin(Arc::clone(&self.settings), run_limit) => begun?,
            () = self.stopped() => return Ok(()),
        };
        // Read after everybody before was ended: from here on nobody else gets an event acknowledged.
        let mut position = self.store.cursor(&self.reader).await?;
        let mut latest = self.store.latest_event();
        let mut chunk = FIRST_CHUNK;
        tracing::info!(topic = self.settings.topic, after = position, "sending events");
        self.show_sent(position);
        while !self.is_stopping() {
            let events = self.store.events_after(position, chunk).await?;
            let Some(last) = events.last().map(|event| event.seq) else {
                tokio::select! {
                    found = latest.wait_for(|latest| *latest > position) => if found.is_err() { return Ok(()) },
                    () = self.stopped() => {}
                }
                continue;
            };
            producer.send(&events).await?;
            if !self.store.move_cursor(&self.reader, &self.holder, last).await? {
                tracing::warn!(topic = self.settings.topic, "another process sends the events now");
                return Ok(());
            }
            position = last;
            chunk = next_chunk(&events);
            self.show_sent(position);
        }
        Ok(())
    }

    fn is_stopping(&self) -> bool {
        *self.stop.borrow() || self.stop.has_changed().is_err()
    }

    /// Waits until the relay is told to stop, or nobody is left to tell it.
    async fn stopped(&self) {
        let _ = self.stop.clone().wait_for(|stop| *stop).await;
    }

    async fn rest(&self, pause: Duration) {
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = self.stopped() => {}
        }
    }

    fn show(&self, activity: RelayActivity) {
        self.state.send_if_modified(|state| std::mem::replace(&mut state.activity, activity) != activity);
    }

    fn show_sent(&self, sent: u64) {
        self.state.send_replace(RelayState { activity: RelayActivity::Sending, sent: Some(sent) });
    }

    /// Tells of a failure: in the log as a warning when it is a new one.
    fn tell(&self, error: &OutboxError, told: &mut String) {
        self.show(RelayActivity::Failing(error.in_short()));
        let text = error.to_string();
        let topic = &self.settings.topic;
        if *told == text {
            tracing::debug!(topic, error = text, "events still cannot be sent to Kafka");
        } else {
            tracing::warn!(topic, error = text, "events cannot be sent to Kafka; they are kept, and tried again");
            *told = text;
        }
    }
}

/// Returns how many events like these fill a request.
fn next_chunk(events: &[Event]) -> usize {
    let bytes: usize = events.iter().map(|event| event.document.len()).sum();
    (RUN_LIMIT * events.len() / bytes.max(1)).clamp(1, LARGEST_CHUNK)
}
