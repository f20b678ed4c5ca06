//! The number of concurrent exports. A permit is acquired before an export begins and released when its last byte is
//! sent, or when its client disconnects.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Rejection;
use super::client_address::ClientKey;

/// Limits the number of concurrent exports.
pub(super) struct ExportLimiter {
    max: usize,
    max_per_client: usize,
    running: Mutex<RunningExports>,
}

#[derive(Default)]
struct RunningExports {
    all: usize,
    by_client: HashMap<ClientKey, usize>,
}

/// The right to run an export, for as long as it lives.
pub(crate) struct ExportPermit {
    exports: Arc<ExportLimiter>,
    client: ClientKey,
}

impl ExportLimiter {
    /// Allows this many in all, and this many for one client; 0: any number.
    pub(super) fn new(max: usize, max_per_client: usize) -> Self {
        let limit = |number: usize| if number == 0 { usize::MAX } else { number };
        Self { max: limit(max), max_per_client: limit(max_per_client), running: Mutex::default() }
    }

    /// Acquires a permit.
    pub(super) fn acquire(self: &Arc<Self>, client: ClientKey) -> Result<ExportPermit, Rejection> {
        let mut running = self.lock();
        let of_client = running.by_client.get(&client).copied().unwrap_or_default();
        if of_client >= self.max_per_client {
            return Err(Rejection::TooManyExports { most: self.max_per_client });
        }
        if running.all >= self.max {
            return Err(Rejection::ExportsAreBusy);
        }
        running.all += 1;
        running.by_client.insert(client, of_client + 1);
        Ok(ExportPermit { exports: Arc::clone(self), client })
    }

    fn lock(&self) -> MutexGuard<'_, RunningExports> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ExportPermit {
    fn drop(&mut self) {
        let mut running = self.exports.lock();
        running.all -= 1;
        if let Some(of_client) = running.by_client.get_mut(&self.client) {
            *of_client -= 1;
            if *of_client == 0 {
                running.by_client.remove(&self.client);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;
    use crate::body_hook::with_guard;

    #[test]
    fn slots_come_back_when_their_bodies_go() {
        let exports = Arc::new(ExportLimiter::new(3, 2));
        let (one, other) = (ClientKey(1), ClientKey(2));
        let bodies: Vec<Body> =
            (0..2).map(|_| with_guard(Body::from("x"), exports.acquire(one).ok().unwrap())).collect();
        assert_eq!(exports.acquire(one).err(), Some(Rejection::TooManyExports { most: 2 }));
        let third = exports.acquire(other).ok().unwrap();
        assert_eq!(exports.acquire(ClientKey(3)).err(), Some(Rejection::ExportsAreBusy));
        drop(bodies);
        assert_eq!(exports.acquire(one).err(), None);
        drop(third);
        let running = exports.lock();
        assert_eq!((running.all, running.by_client.len()), (0, 0));
    }
}
