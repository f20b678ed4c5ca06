//! Locks of the saved sets that an engine has. It cannot read, change and write a set in one step, so of two changes at the
//! same time one would be lost: they run one after the other. Servers that share a store use a lease of it; without a store
//! a server is alone.

use std::array;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::time::Duration;

use cantata_engine::EngineError;
use cantata_store::{LEASE_DURATION, Store};
use tokio::sync::{Mutex, MutexGuard};
use uuid::Uuid;

use crate::shared_sets::store_error;

/// How long to wait before the lease is asked for again.
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// How often it is asked for: until that of a server that died has expired.
const MAX_ATTEMPTS: u32 = 400;

/// How many owners can save sets at the same time.
const OWNER_LOCKS: usize = 64;

/// The locks of the sets of one index.
pub(crate) struct SetLocks {
    store: Option<Arc<dyn Store>>,
    lease: String,
    holder: String,
    /// Held by the request that makes a change: all requests of this server have the same lease.
    changing: Mutex<()>,
    /// Held by the requests that save sets; those of one owner, or without owner, have the same lock.
    saving: [Mutex<()>; OWNER_LOCKS],
}

impl SetLocks {
    pub(crate) fn new(store: Option<Arc<dyn Store>>, index: &str) -> Self {
        let (lease, holder) = (format!("sets:{index}"), Uuid::new_v4().to_string());
        Self { store, lease, holder, changing: Mutex::new(()), saving: array::from_fn(|_| Mutex::new(())) }
    }

    /// Waits for the lock of a request that saves a set. The sets of an owner share a limit, and so do those without owner;
    /// sets that are saved at the same time would exceed it together. On several servers they do, by one set of each.
    pub(crate) async fn lock_saving(&self, owner: Option<&str>) -> MutexGuard<'_, ()> {
        let mut hasher = DefaultHasher::new();
        owner.hash(&mut hasher);
        self.saving[hasher.finish() as usize % OWNER_LOCKS].lock().await
    }

    /// Makes a change while no other one is made.
    pub(crate) async fn run_exclusively<T>(
        &self,
        change: impl Future<Output = Result<T, EngineError>>,
    ) -> Result<T, EngineError> {
        let _changing = self.changing.lock().await;
        let Some(store) = &self.store else { return change.await };
        self.acquire(&**store).await?;
        let changed = tokio::select! {
            changed = change => changed,
            // Another server has the lease, because this one was too slow to renew it.
            _ = store.keep_lease(&self.lease, &self.holder) => Err(EngineError::Busy),
        };
        // If this fails, the lease runs out by itself.
        let _ = store.release_lease(&self.lease, &self.holder).await;
        changed
    }

    async fn acquire(&self, store: &dyn Store) -> Result<(), EngineError> {
        for _ in 0..MAX_ATTEMPTS {
            let acquired = store.acquire_lease(&self.lease, &self.holder, LEASE_DURATION).await;
            if acquired.map_err(|error| store_error(&error))? {
                return Ok(());
            }
            tokio::time::sleep(RETRY_INTERVAL).await;
        }
        Err(EngineError::Busy)
    }
}
