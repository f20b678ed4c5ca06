//! The relay itself: who may send, what is sent next, and what happens after a failure.

use std::sync::Arc;
use std::time::Duration;

use cantata_core::{Event, error_chain};
use cantata_kafka_client::{KafkaError, Producer, ProducerRecord};
use cantata_store::{LEASE_DURATION, LEASE_RENEWAL_INTERVAL, Store, StoreError};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::error::OutboxError;
use crate::settings::RelaySettings;
use crate::state::{RelayActivity, RelayState, RelayWatch};

/// The delays after failures.
const MIN_BACKOFF: Duration = Duration::from_millis(200);
const MAX_BACKOFF: Duration = Duration::from_secs(10);

/// The header with the number of an event, by which consumers recognise a duplicate.
const EVENT_HEADER: &str = "event";

/// How long stopping may take.
const STOP_TIMEOUT: Duration = Duration::from_secs(5);

/// The bytes of events in one request: half of the default `max.message.bytes` of a topic.
const MAX_REQUEST_BYTES: usize = 512 << 10;

/// How many events are read from the store at once: about as many as fill a request.
const INITIAL_FETCH_EVENTS: usize = 16;
const MAX_FETCH_EVENTS: usize = 500;

/// Sends the events of a store to Kafka, in the background.
pub struct Relay {
    stopping: watch::Sender<bool>,
    watch: RelayWatch,
    task: JoinHandle<()>,
}

impl Relay {
    /// Starts it. The holder is a name of this process that no other has.
    pub fn start(store: Arc<dyn Store>, settings: RelaySettings, holder: String) -> Self {
        let (stopping, stop) = watch::channel(false);
        let (state, watched) = watch::channel(RelayState { activity: RelayActivity::Starting, sent: None });
        let watch = RelayWatch { topic: settings.kafka.topic.clone(), state: watched, latest: store.latest_event() };
        let cursor = settings.cursor_name();
        let sender = EventSender { store, settings, cursor, holder, stop, state };
        Self { stopping, watch, task: tokio::spawn(sender.run()) }
    }

    /// Returns a view of its state.
    pub fn watch(&self) -> RelayWatch {
        self.watch.clone()
    }

    /// Stops it once what is under way is acknowledged, and in any case soon.
    pub async fn stop(mut self) {
        self.stopping.send_replace(true);
        if tokio::time::timeout(STOP_TIMEOUT, &mut self.task).await.is_err() {
            self.task.abort();
        }
    }
}

struct EventSender {
    store: Arc<dyn Store>,
    settings: RelaySettings,
    /// The name of the cursor in the store.
    cursor: String,
    /// The name of this process as a holder of the lease.
    holder: String,
    stop: watch::Receiver<bool>,
    state: watch::Sender<RelayState>,
}

impl EventSender {
    async fn run(self) {
        let mut backoff = MIN_BACKOFF;
        let mut max_request_bytes = MAX_REQUEST_BYTES;
        let mut last_reported = String::new();
        while !self.is_stopping() {
            let sent_before = self.state.borrow().sent;
            let Err(error) = self.send_while_leased(max_request_bytes).await else { continue };
            if self.state.borrow().sent != sent_before {
                backoff = MIN_BACKOFF;
                last_reported.clear();
            }
            // The topic accepts less than usual in one message: from now on each event is sent alone, compressed.
            if matches!(error, OutboxError::EventTooLarge { .. }) {
                max_request_bytes = 0;
            }
            self.report_failure(&error, &mut last_reported);
            self.sleep_unless_stopped(backoff).await;
            backoff = (backoff * 2).min(MAX_BACKOFF);
        }
        // If this fails, the lease runs out by itself.
        let _ = self.store.release_lease(&self.cursor, &self.holder).await;
    }

    /// Sends while this process holds the lease; stands by for a moment if another does.
    async fn send_while_leased(&self, max_request_bytes: usize) -> Result<()> {
        if !self.store.acquire_lease(&self.cursor, &self.holder, LEASE_DURATION).await? {
            self.state.send_replace(RelayState { activity: RelayActivity::StandingBy, sent: None });
            self.sleep_unless_stopped(LEASE_RENEWAL_INTERVAL).await;
            return Ok(());
        }
        tokio::select! {
            ended = self.session(max_request_bytes) => ended,
            () = self.keep_lease() => {
                tracing::warn!(topic = self.settings.kafka.topic, "another process sends the events now");
                Ok(())
            }
        }
    }

    /// Renews the lease until another process has it.
    async fn keep_lease(&self) {
        // After an error the session fails for the same reason as soon as it needs the store.
        while let Err(error) = self.store.keep_lease(&self.cursor, &self.holder).await {
            tracing::warn!(error = error_chain(&error), "the lease for sending events cannot be renewed");
        }
    }

    /// Sends all events, until the process stops or something fails.
    async fn session(&self, max_request_bytes: usize) -> Result<()> {
        let begin = Producer::begin(self.settings.kafka.clone(), self.settings.transactional_id(), max_request_bytes);
        let mut producer = tokio::select! {
            begun = begin => begun?,
            () = self.stopped() => return Ok(()),
        };
        // Read after all earlier sessions are fenced: from here on no other session gets an event acknowledged.
        let mut position = self.store.cursor(&self.cursor).await?;
        let mut latest = self.store.latest_event();
        let mut fetch_size = INITIAL_FETCH_EVENTS;
        tracing::info!(topic = self.settings.kafka.topic, after = position, "sending events");
        self.set_sent(position);
        while !self.is_stopping() {
            let events = self.store.events_after(position, fetch_size).await?;
            let Some(last) = events.last().map(|event| event.seq) else {
                tokio::select! {
                    found = latest.wait_for(|latest| *latest > position) => if found.is_err() { return Ok(()) },
                    () = self.stopped() => {}
                }
                continue;
            };
            let records = events.iter().map(|event| self.record(event)).collect::<Result<Vec<_>>>()?;
            producer.send(&records).await.map_err(|error| match error {
                KafkaError::RecordTooLarge { topic, record } => {
                    OutboxError::EventTooLarge { event: events.get(record).map_or(0, |event| event.seq), topic }
                }
                error => error.into(),
            })?;
            if !self.store.advance_cursor(&self.cursor, &self.holder, last).await? {
                tracing::warn!(topic = self.settings.kafka.topic, "another process sends the events now");
                return Ok(());
            }
            position = last;
            fetch_size = next_fetch_size(&events);
            self.set_sent(position);
        }
        Ok(())
    }

    fn record(&self, event: &Event) -> Result<ProducerRecord> {
        let corrupt = |error| StoreError::corrupt(format!("event {}", event.seq), error);
        Ok(ProducerRecord {
            key: event.analysis_id.to_string().into(),
            value: event.message(&self.settings.server_id).map_err(corrupt)?.into(),
            header: (EVENT_HEADER, event.seq.to_string().into()),
        })
    }

    fn is_stopping(&self) -> bool {
        *self.stop.borrow() || self.stop.has_changed().is_err()
    }

    /// Waits until the relay is stopped or dropped.
    async fn stopped(&self) {
        let _ = self.stop.clone().wait_for(|stop| *stop).await;
    }

    async fn sleep_unless_stopped(&self, backoff: Duration) {
        tokio::select! {
            () = tokio::time::sleep(backoff) => {}
            () = self.stopped() => {}
        }
    }

    fn set_activity(&self, activity: RelayActivity) {
        self.state.send_if_modified(|state| std::mem::replace(&mut state.activity, activity) != activity);
    }

    fn set_sent(&self, sent: u64) {
        self.state.send_replace(RelayState { activity: RelayActivity::Sending, sent: Some(sent) });
    }

    /// Logs a failure, as a warning if it is not the one that was last reported, and shows it in the state.
    fn report_failure(&self, error: &OutboxError, last_reported: &mut String) {
        self.set_activity(RelayActivity::Failing(error.summary()));
        let text = error_chain(error);
        let topic = &self.settings.kafka.topic;
        if *last_reported == text {
            tracing::debug!(topic, error = text, "events still cannot be sent to Kafka");
        } else {
            tracing::warn!(topic, error = text, "events cannot be sent to Kafka; they are kept, and tried again");
            *last_reported = text;
        }
    }
}

type Result<T> = std::result::Result<T, OutboxError>;

/// Returns how many events like these fill a request.
fn next_fetch_size(events: &[Event]) -> usize {
    let bytes: usize = events.iter().map(|event| event.document.len()).sum();
    (MAX_REQUEST_BYTES * events.len() / bytes.max(1)).clamp(1, MAX_FETCH_EVENTS)
}
