//! Open connections, and which of them is closed when there are too many.
//!
//! A connection is waiting while only its client can go on: before a request is there, while a body comes, while a
//! response is not read. Where there is no room for a new connection, the one is closed that has been waiting longest. So
//! clients that do nothing, or next to nothing, can hold connections only while no other client needs them.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use http::Version;
use tokio::task::{AbortHandle, Id};

use super::response::PendingResponse;
use crate::access::CredentialCache;

/// The origin of all timestamps here.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

/// The timestamp of a connection that is not waiting for its client.
const NOT_WAITING: u64 = 0;

/// How long a client may leave a response unread before the connection counts as waiting, in milliseconds.
const WRITE_GRACE_MILLIS: u64 = 1000;

/// A connection, as far as its requests are concerned.
pub(crate) struct Connection {
    peer: IpAddr,
    /// Since when it waits for the client, in milliseconds.
    waiting_since: AtomicU64,
    /// The number of requests whose responses are not complete; HTTP/2 has several at once.
    open_requests: AtomicU32,
    /// Since when a part of a response could not be sent for lack of room in the windows of HTTP/2; 0 if it could.
    unread_since: AtomicU64,
    min_client_rate: u64,
    /// How many responses HTTP/2 has not sent.
    unsent_count: AtomicUsize,
    unsent: Mutex<UnsentResponses>,
    is_http1: AtomicBool,
    credential: CredentialCache,
}

/// Responses that HTTP/2 has not sent. A client that reads one of several must read the others, too: what it reads of all
/// of them says nothing about a single one.
#[derive(Default)]
struct UnsentResponses {
    by_due_time: BTreeMap<UnsentResponse, PendingResponse>,
    last_number: u64,
}

/// A response that is not sent: by when it would be at the minimum rate, in milliseconds, and its number.
pub(super) type UnsentResponse = (u64, u64);

impl Connection {
    /// Begins by waiting for a request. The client reads this many bytes of a response in a second at least.
    pub(super) fn new(peer: IpAddr, min_client_rate: u64) -> Self {
        Self {
            peer: peer.to_canonical(),
            waiting_since: AtomicU64::new(now()),
            open_requests: AtomicU32::new(0),
            unread_since: AtomicU64::new(NOT_WAITING),
            min_client_rate: min_client_rate.max(1),
            unsent_count: AtomicUsize::new(0),
            unsent: Mutex::default(),
            is_http1: AtomicBool::new(false),
            credential: CredentialCache::default(),
        }
    }

    /// Returns the cache of the credential that was accepted last.
    pub(crate) fn credential(&self) -> &CredentialCache {
        &self.credential
    }

    /// Returns the address of the client.
    pub(crate) fn peer(&self) -> IpAddr {
        self.peer
    }

    /// Notes that a request is there.
    pub(super) fn begin_request(&self, version: Version) {
        self.is_http1.store(version != Version::HTTP_2, Ordering::Relaxed);
        self.open_requests.fetch_add(1, Ordering::Relaxed);
        self.waiting_since.store(NOT_WAITING, Ordering::Relaxed);
    }

    /// Notes that a response is complete, though it may not be sent yet.
    pub(super) fn end_response(&self) {
        if self.open_requests.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.waiting_since.store(now(), Ordering::Relaxed);
        }
    }

    /// Notes that a request waits for more of its body; other requests may be under way.
    pub(crate) fn wait_for_body(&self) {
        if self.open_requests.load(Ordering::Relaxed) <= 1 {
            self.waiting_since.store(now(), Ordering::Relaxed);
        }
    }

    /// Notes that the client does not read what is to be sent; for a moment that is normal.
    pub(super) fn wait_for_reader(&self) {
        self.waiting_since.store(now() + WRITE_GRACE_MILLIS, Ordering::Relaxed);
    }

    /// Notes that the client went on: it sent or received something.
    pub(crate) fn note_progress(&self) {
        let since = if self.is_idle() { now() } else { NOT_WAITING };
        self.waiting_since.store(since, Ordering::Relaxed);
    }

    /// Notes whether a part of a response is ready and not taken.
    pub(super) fn set_unread(&self, is_unread: bool) {
        self.unread_since.store(if is_unread { now() } else { NOT_WAITING }, Ordering::Relaxed);
    }

    /// Returns whether its requests are of HTTP/1.
    pub(super) fn is_http1(&self) -> bool {
        self.is_http1.load(Ordering::Relaxed)
    }

    /// Notes that a response is to be sent.
    pub(super) fn add_unsent(&self, bytes: u64, held: PendingResponse) -> UnsentResponse {
        self.unsent_count.fetch_add(1, Ordering::Relaxed);
        let due_time = now().saturating_add(bytes.saturating_mul(1000) / self.min_client_rate);
        let mut unsent = self.lock_unsent();
        unsent.last_number += 1;
        let response = (due_time, unsent.last_number);
        unsent.by_due_time.insert(response, held);
        response
    }

    /// Notes that a response was sent, or never will be.
    pub(super) fn remove_unsent(&self, response: UnsentResponse) {
        // One that was given up is not there any more.
        if self.lock_unsent().by_due_time.remove(&response).is_some() {
            self.unsent_count.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Returns whether a response is to be sent.
    pub(super) fn has_unsent(&self) -> bool {
        self.unsent_count.load(Ordering::Relaxed) > 0
    }

    /// Gives up the responses that are overdue by a time: nothing of them is kept.
    pub(super) fn give_up_overdue(&self, timeout: Duration) {
        while let Some(held) = self.take_overdue(timeout) {
            self.unsent_count.fetch_sub(1, Ordering::Relaxed);
            let given_up = held.lock().unwrap_or_else(PoisonError::into_inner).take();
            drop(given_up);
            tracing::debug!(peer = %self.peer, "gave up a response that its client reads too slowly");
        }
    }

    fn take_overdue(&self, timeout: Duration) -> Option<PendingResponse> {
        if !self.has_unsent() {
            return None;
        }
        let mut unsent = self.lock_unsent();
        let first = unsent.by_due_time.first_entry()?;
        time_to(first.key().0, timeout).is_zero().then(|| first.remove())
    }

    /// Returns when the first response will be overdue by a time.
    pub(super) fn time_to_overdue(&self, timeout: Duration) -> Option<Duration> {
        if !self.has_unsent() {
            return None;
        }
        let unsent = self.lock_unsent();
        let (first, _) = unsent.by_due_time.first_key_value()?;
        Some(time_to(first.0, timeout))
    }

    fn lock_unsent(&self) -> MutexGuard<'_, UnsentResponses> {
        self.unsent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that bytes came from the client. One that sends is alive, also if it reads nothing yet.
    pub(super) fn note_received(&self) {
        if self.unread_since.load(Ordering::Relaxed) != NOT_WAITING {
            self.set_unread(true);
        }
    }

    /// Returns how much longer to wait for the client before the connection is closed. On HTTP/1 hyper limits the time
    /// between requests, so there it is nothing; before the first request and on HTTP/2 no other timeout does.
    pub(super) fn time_left(&self, timeout: Duration) -> Option<Duration> {
        if self.is_http1() {
            return None;
        }
        let since = if self.is_idle() { self.waiting_since.load(Ordering::Relaxed) } else { NOT_WAITING };
        let since = if since == NOT_WAITING { self.unread_since.load(Ordering::Relaxed) } else { since };
        let waited = if since == NOT_WAITING { 0 } else { now().saturating_sub(since) };
        Some(timeout.saturating_sub(Duration::from_millis(waited)))
    }

    fn is_idle(&self) -> bool {
        self.open_requests.load(Ordering::Relaxed) == 0
    }

    fn waiting_since(&self) -> Option<u64> {
        let since = [&self.waiting_since, &self.unread_since].map(|since| since.load(Ordering::Relaxed));
        since.into_iter().find(|since| *since != NOT_WAITING)
    }
}

/// Returns how much is left until so long after a timestamp.
fn time_to(timestamp: u64, after: Duration) -> Duration {
    Duration::from_millis(timestamp).saturating_add(after).saturating_sub(Duration::from_millis(now()))
}

fn now() -> u64 {
    u64::try_from(START.elapsed().as_millis()).unwrap_or(u64::MAX).saturating_add(1)
}

/// The open connections, by the tasks that serve them.
pub(super) struct Connections {
    max: usize,
    open: HashMap<Id, (Arc<Connection>, AbortHandle)>,
    is_full: bool,
}

impl Connections {
    pub(super) fn new(max: usize) -> Self {
        Self { max, open: HashMap::new(), is_full: false }
    }

    /// Makes room for a new connection; returns false if requests of all others are under way.
    pub(super) fn make_room(&mut self) -> bool {
        let was_full = std::mem::replace(&mut self.is_full, self.open.len() >= self.max);
        if !self.is_full {
            return true;
        }
        if !was_full {
            tracing::warn!(connections = self.open.len(), "there are as many connections as MAX_CONNECTIONS allows");
        }
        let waiting = self.open.iter().filter_map(|(id, (connection, _))| Some((connection.waiting_since()?, *id)));
        let Some((_, longest)) = waiting.min_by_key(|(since, _)| *since) else { return false };
        if let Some((connection, task)) = self.open.remove(&longest) {
            tracing::debug!(peer = %connection.peer(), "closed a waiting connection to make room for a new one");
            task.abort();
        }
        true
    }

    /// Adds a connection.
    pub(super) fn add(&mut self, connection: Arc<Connection>, task: AbortHandle) {
        self.open.insert(task.id(), (connection, task));
    }

    /// Removes a connection that was closed.
    pub(super) fn remove(&mut self, task: Id) {
        self.open.remove(&task);
    }
}
