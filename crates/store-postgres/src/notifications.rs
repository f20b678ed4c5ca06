//! Notifications of what other servers store, with LISTEN and NOTIFY.
//!
//! One connection listens: events and registered types are notified by the transaction that stores them, so they arrive
//! as soon as they can be read. Once a second the number of the latest event is also polled, which finds what was stored
//! while the connection was being made, and detects a dead connection.

use std::convert::Infallible;
use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use cantata_core::error_chain;
use cantata_store::{Result, StoreError};
use moka::sync::Cache;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_postgres::{AsyncMessage, Client};

use crate::error::read_error;
use crate::events::SELECT_LATEST;
use crate::pool::ConnectionPool;
use crate::query::from_bigint;
use crate::types::TYPE_CHANNEL;

/// The channel that notifies other servers of the number of the latest event.
pub(crate) const EVENT_CHANNEL: &str = "cantata_event";

/// How often the latest event is polled.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// How long a poll may take.
const POLL_TIMEOUT: Duration = Duration::from_secs(10);

/// How long to wait before reconnecting.
const RECONNECT_DELAY: Duration = Duration::from_millis(500);

const LISTENING: &str = "receiving notifications";

/// What notifications update.
pub(crate) struct NotificationTarget {
    pub(crate) latest_event: watch::Sender<u64>,
    pub(crate) latest_versions: Cache<String, u32>,
}

/// Publishes the number of an event, unless a later one is known.
pub(crate) fn advance_latest_event(latest_event: &watch::Sender<u64>, number: u64) {
    latest_event.send_if_modified(|latest| {
        let is_new = number > *latest;
        *latest = number.max(*latest);
        is_new
    });
}

impl NotificationTarget {
    fn notify(&self, channel: &str, payload: &str) {
        if channel == EVENT_CHANNEL {
            if let Ok(number) = payload.parse() {
                advance_latest_event(&self.latest_event, number);
            }
        } else if channel == TYPE_CHANNEL {
            self.latest_versions.invalidate_all();
        }
    }
}

/// Listens until the result is dropped, reconnecting whenever the connection is lost.
pub(crate) fn spawn_listener(pool: Arc<ConnectionPool>, target: NotificationTarget) -> JoinSet<()> {
    let mut listener = JoinSet::new();
    listener.spawn(async move {
        let target = Arc::new(target);
        loop {
            let Err(error) = listen(&pool, &target).await;
            tracing::warn!(
                error = error_chain(&error),
                "notifications of other servers cannot be received at the moment"
            );
            // Notifications of the meantime are lost.
            target.latest_versions.invalidate_all();
            tokio::time::sleep(RECONNECT_DELAY).await;
        }
    });
    listener
}

/// Listens until the connection is lost.
async fn listen(pool: &ConnectionPool, target: &Arc<NotificationTarget>) -> Result<Infallible> {
    let (client, mut connection) = pool.connect().await?;
    let notified = Arc::clone(target);
    // Aborted when it is dropped.
    let mut driver = JoinSet::new();
    driver.spawn(async move {
        while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
            match message {
                Ok(AsyncMessage::Notification(message)) => notified.notify(message.channel(), message.payload()),
                Ok(_) => {}
                Err(error) => return read_error(LISTENING)(error),
            }
        }
        StoreError::unavailable("the connection was closed")
    });
    tokio::select! {
        Some(ended) = driver.join_next() => Err(ended.unwrap_or_else(StoreError::unavailable)),
        polled = poll_latest_event(&client, target) => polled,
    }
}

/// Subscribes, then polls the latest event until that fails.
async fn poll_latest_event(client: &Client, target: &NotificationTarget) -> Result<Infallible> {
    let listen = format!("SET search_path TO cantata; LISTEN {EVENT_CHANNEL}; LISTEN {TYPE_CHANNEL}");
    client.batch_execute(&listen).await.map_err(read_error(LISTENING))?;
    let select = client.prepare(SELECT_LATEST).await.map_err(read_error(LISTENING))?;
    loop {
        let row = tokio::time::timeout(POLL_TIMEOUT, client.query_one(&select, &[]))
            .await
            .map_err(|_| StoreError::unavailable("the database does not answer"))?
            .map_err(read_error(LISTENING))?;
        advance_latest_event(&target.latest_event, from_bigint(row.get(0))?);
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}
