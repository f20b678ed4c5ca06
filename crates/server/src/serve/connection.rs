//! The connections that are open, and which of them goes when there are too many.
//!
//! A connection is waiting while only its client can go on: before a request is there, while a body comes, while an
//! answer is not read. Where there is no room for a new one, the one goes that has been waiting longest. So clients that
//! do nothing, or next to nothing, can hold connections only while nobody else needs them.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use tokio::task::{AbortHandle, Id};

use crate::access::RecentCredential;

/// What moments are counted from.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// Stands for no moment: it is the server's turn.
const WORKING: u64 = 0;

/// How long an answer may be in the way of the next one without its client being slow, in milliseconds.
const MOMENT: u64 = 1000;

/// A connection, as far as its requests are concerned.
pub(crate) struct Connection {
    peer: IpAddr,
    /// Since when it waits for the client, in milliseconds.
    waiting_since: AtomicU64,
    /// Whether a request is there that is not answered to its end.
    is_asked: AtomicBool,
    credential: RecentCredential,
}

impl Connection {
    /// Begins by waiting for a request.
    pub(super) fn new(peer: IpAddr) -> Self {
        Self {
            peer: peer.to_canonical(),
            waiting_since: AtomicU64::new(now()),
            is_asked: AtomicBool::new(false),
            credential: RecentCredential::default(),
        }
    }

    /// Returns what is remembered of the credential that came last.
    pub(crate) fn credential(&self) -> &RecentCredential {
        &self.credential
    }

    /// Returns the other end.
    pub(crate) fn peer(&self) -> IpAddr {
        self.peer
    }

    /// Says that a request is there.
    pub(super) fn request_begins(&self) {
        self.is_asked.store(true, Ordering::Relaxed);
        self.waiting_since.store(WORKING, Ordering::Relaxed);
    }

    /// Says that the answer is complete, though it may not be sent yet.
    pub(super) fn answer_ends(&self) {
        self.is_asked.store(false, Ordering::Relaxed);
        self.waits();
    }

    /// Says that only the client can go on.
    pub(crate) fn waits(&self) {
        self.waiting_since.store(now(), Ordering::Relaxed);
    }

    /// Says that the client does not take what is to be sent; for a moment that happens to everybody.
    pub(super) fn is_not_read(&self) {
        self.waiting_since.store(now() + MOMENT, Ordering::Relaxed);
    }

    /// Says that the client went on: it sent something, or took something.
    pub(crate) fn goes_on(&self) {
        let since = if self.is_asked.load(Ordering::Relaxed) { WORKING } else { now() };
        self.waiting_since.store(since, Ordering::Relaxed);
    }

    fn waiting_since(&self) -> Option<u64> {
        Some(self.waiting_since.load(Ordering::Relaxed)).filter(|since| *since != WORKING)
    }
}

fn now() -> u64 {
    u64::try_from(START.elapsed().as_millis()).unwrap_or(u64::MAX).saturating_add(1)
}

/// The open connections, by the tasks that serve them.
pub(super) struct Connections {
    most: usize,
    open: HashMap<Id, (Arc<Connection>, AbortHandle)>,
    is_full: bool,
}

impl Connections {
    /// Allows so many.
    pub(super) fn new(most: usize) -> Self {
        Self { most, open: HashMap::new(), is_full: false }
    }

    /// Makes room for a new connection; returns false if all others are being worked for.
    pub(super) fn make_room(&mut self) -> bool {
        let was_full = std::mem::replace(&mut self.is_full, self.open.len() >= self.most);
        if !self.is_full {
            return true;
        }
        if !was_full {
            tracing::warn!(connections = self.open.len(), "there are as many connections as MAX_CONNECTIONS allows");
        }
        let waiting = self.open.iter().filter_map(|(id, (connection, _))| Some((connection.waiting_since()?, *id)));
        let Some((_, longest)) = waiting.min_by_key(|(since, _)| *since) else { return false };
        if let Some((connection, task)) = self.open.remove(&longest) {
            tracing::debug!(peer = %connection.peer(), "a connection that waited for its client made room");
            task.abort();
        }
        true
    }

    /// Adds a connection.
    pub(super) fn opened(&mut self, connection: Arc<Connection>, task: AbortHandle) {
        self.open.insert(task.id(), (connection, task));
    }

    /// Removes a connection.
    pub(super) fn closed(&mut self, task: Id) {
        self.open.remove(&task);
    }
}
