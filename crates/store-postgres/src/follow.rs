//! Hearing of what other servers store.
//!
//! One connection listens: events and registered types are announced in the transaction that stores them, so they are
//! heard of as soon as they can be read. Once a second the number of the latest event is also asked for, which finds
//! what was stored while the connection was being made, and notices when it is dead.

use std::convert::Infallible;
use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;

use cantata_store::{Result, StoreError};
use moka::sync::Cache;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio_postgres::{AsyncMessage, Client};

use crate::analyses::number;
use crate::connections::Connections;
use crate::events::LATEST;
use crate::failure::{describe, reading};
use crate::types;

/// The channel on which servers tell each other the number of the latest event.
pub(crate) const EVENT_CHANNEL: &str = "cantata_event";

/// How often the database is asked without having been heard of.
const ASKING: Duration = Duration::from_secs(1);

/// How long an answer to that may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// How long to wait before a lost connection is made anew.
const PAUSE: Duration = Duration::from_millis(500);

const FOLLOWING: &str = "following other servers";

/// What changes when other servers store something.
pub(crate) struct Followed {
    pub(crate) latest_event: watch::Sender<u64>,
    pub(crate) latest_versions: Cache<String, u32>,
}

impl Followed {
    /// Notes the number of an event, unless a later one is known.
    pub(crate) fn note_event(latest_event: &watch::Sender<u64>, seen: u64) {
        latest_event.send_if_modified(|latest| {
            let is_new = seen > *latest;
            *latest = seen.max(*latest);
            is_new
        });
    }

    fn hear(&self, channel: &str, payload: &str) {
        if channel == EVENT_CHANNEL {
            if let Ok(seen) = payload.parse() {
                Self::note_event(&self.latest_event, seen);
            }
        } else if channel == types::CHANNEL {
            self.latest_versions.invalidate_all();
        }
    }
}

/// Follows for as long as the task is not aborted, whatever happens to the database.
pub(crate) fn start(connections: Arc<Connections>, followed: Followed) -> JoinHandle<()> {
    tokio::spawn(async move {
        let followed = Arc::new(followed);
        loop {
            let Err(error) = follow(&connections, &followed).await;
            tracing::warn!(%error, "other servers cannot be followed at the moment");
            // What was registered meanwhile was not heard of.
            followed.latest_versions.invalidate_all();
            tokio::time::sleep(PAUSE).await;
        }
    })
}

/// Follows until the connection is lost.
async fn follow(connections: &Connections, followed: &Arc<Followed>) -> Result<Infallible> {
    let (client, mut connection) = connections.dedicated().await?;
    let hearing = Arc::clone(followed);
    let mut driver = AbortOnDrop(tokio::spawn(async move {
        while let Some(message) = poll_fn(|context| connection.poll_message(context)).await {
            match message {
                Ok(AsyncMessage::Notification(heard)) => hearing.hear(heard.channel(), heard.payload()),
                Ok(_) => {}
                Err(error) => return describe(&error),
            }
        }
        "the connection was closed".to_owned()
    }));
    tokio::select! {
        ended = &mut driver.0 => Err(StoreError::Unavailable(ended.unwrap_or_else(|error| error.to_string()))),
        asked = ask(&client, followed) => asked,
    }
}

/// Listens, and asks once a second.
async fn ask(client: &Client, followed: &Followed) -> Result<Infallible> {
    let listen = format!("SET search_path TO cantata; LISTEN {EVENT_CHANNEL}; LISTEN {}", types::CHANNEL);
    client.batch_execute(&listen).await.map_err(reading(FOLLOWING))?;
    let select = client.prepare(LATEST).await.map_err(reading(FOLLOWING))?;
    loop {
        let row = tokio::time::timeout(PATIENCE, client.query_one(&select, &[]))
            .await
            .map_err(|_| StoreError::Unavailable("the database does not answer".to_owned()))?
            .map_err(reading(FOLLOWING))?;
        Followed::note_event(&followed.latest_event, number(row.get(0))?);
        tokio::time::sleep(ASKING).await;
    }
}

/// A task that ends with the value.
struct AbortOnDrop<T>(JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
