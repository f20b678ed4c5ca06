//! The API keys, as shared records of the store: all servers of a database have the same ones.
//!
//! A server keeps the keys in memory and asks the store at most every [`FRESH`] whether one was changed. So a key that is
//! created or revoked anywhere counts everywhere after that time, and at once on the server that did it. While the store
//! cannot be asked, no key is accepted. A change names what it was computed from, so that changes of several servers are
//! never lost, and a name is never given twice.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use cantata_core::{Timestamp, error_chain};
use cantata_store::{RecordBase, RecordKind, SharedRecord, Store, StoreError};
use tokio::sync::Mutex;

use crate::{KeyDigest, KeyError, KeyRecord, ResolvedKey};

/// How long what was read counts.
const FRESH: Duration = Duration::from_millis(250);

/// How many records are read at a time.
const PAGE_SIZE: usize = 1_000;

/// How often a change is tried again because another server was faster.
const MAX_ATTEMPTS: usize = 200;

/// The API keys of a store.
pub struct KeyRegistry {
    store: Arc<dyn Store>,
    known: ArcSwap<HashMap<KeyDigest, Arc<ResolvedKey>>>,
    /// The change up to which the keys are known; nothing before they were read at all. Locked while they are read.
    position: Mutex<Option<u64>>,
    start: Instant,
    /// Until when what was read counts, in nanoseconds after `start`: requests look here and take no lock.
    fresh_until: AtomicU64,
    generation: AtomicU64,
}

impl KeyRegistry {
    /// Names the store; nothing is read yet.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            known: ArcSwap::default(),
            position: Mutex::new(None),
            start: Instant::now(),
            fresh_until: AtomicU64::new(0),
            generation: AtomicU64::new(0),
        }
    }

    /// Returns whether there never was a key.
    pub async fn is_new(&self) -> Result<bool, KeyError> {
        Ok(self.store.latest_record_change(RecordKind::Key).await? == 0)
    }

    fn is_fresh(&self) -> bool {
        self.nanoseconds() < self.fresh_until.load(Ordering::Acquire)
    }

    fn nanoseconds(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    async fn refresh(&self) -> Result<(), KeyError> {
        let mut position = self.position.lock().await;
        if self.is_fresh() {
            return Ok(());
        }
        let now = self.nanoseconds();
        let latest = self.store.latest_record_change(RecordKind::Key).await?;
        if *position != Some(latest) {
            let mut known = (**self.known.load()).clone();
            let mut last = position.unwrap_or_default();
            for record in self.records_after(last).await? {
                last = record.change;
                update(&mut known, &record);
            }
            self.known.store(Arc::new(known));
            self.generation.fetch_add(1, Ordering::Release);
            *position = Some(last.max(latest));
        }
        let fresh = u64::try_from(FRESH.as_nanos()).unwrap_or(u64::MAX);
        self.fresh_until.store(now.saturating_add(fresh), Ordering::Release);
        Ok(())
    }

    async fn records_after(&self, change: u64) -> Result<Vec<SharedRecord>, KeyError> {
        let mut records: Vec<SharedRecord> = Vec::new();
        loop {
            let last = records.last().map_or(change, |record| record.change);
            let page = self.store.records_after(RecordKind::Key, last, PAGE_SIZE).await?;
            let is_last = page.len() < PAGE_SIZE;
            records.extend(page);
            if is_last {
                return Ok(records);
            }
        }
    }

    /// Lets what this server decides next know of a change.
    async fn forget_freshness(&self) {
        let _reading = self.position.lock().await;
        self.fresh_until.store(0, Ordering::Release);
        self.generation.fetch_add(1, Ordering::Release);
    }

    /// Returns the key with a digest, active or not.
    pub async fn find(&self, digest: &KeyDigest) -> Result<Option<Arc<ResolvedKey>>, KeyError> {
        if !self.is_fresh() {
            self.refresh().await?;
        }
        Ok(self.known.load().get(digest).cloned())
    }

    /// Returns a counter that increases with every change of the keys that this server has seen.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Returns every key, oldest first.
    pub async fn list(&self) -> Result<Vec<KeyRecord>, KeyError> {
        let records = self.records_after(0).await?;
        let keys = records.iter().filter_map(|record| parse(record).transpose());
        let mut keys: Vec<KeyRecord> = keys.collect::<Result<_, _>>()?;
        keys.sort_by(|one, other| (one.created, &one.id).cmp(&(other.created, &other.id)));
        Ok(keys)
    }

    /// Adds a key, unless an active one has its name.
    pub async fn add(&self, record: KeyRecord) -> Result<(), KeyError> {
        for _ in 0..MAX_ATTEMPTS {
            let latest = self.store.latest_record_change(RecordKind::Key).await?;
            if self.list().await?.iter().any(|key| key.revoked.is_none() && key.name == record.name) {
                return Err(KeyError::NameTaken(record.name));
            }
            if self.write(&record, RecordBase::Kind(latest)).await? {
                return Ok(());
            }
        }
        Err(KeyError::Unavailable("other servers change the keys all the time".to_owned()))
    }

    /// Adds keys that another place had, unless they are here already.
    pub async fn import(&self, records: &[KeyRecord]) -> Result<(), KeyError> {
        for record in records {
            self.write(record, RecordBase::Absent).await?;
        }
        Ok(())
    }

    /// Revokes the active key with a name or an id, and returns it.
    pub async fn revoke(&self, name_or_id: &str) -> Result<KeyRecord, KeyError> {
        let is_meant = |key: &&KeyRecord| key.revoked.is_none() && (key.name == name_or_id || key.id == name_or_id);
        let keys = self.list().await?;
        let key = keys.iter().find(is_meant).ok_or_else(|| KeyError::Unknown(name_or_id.to_owned()))?;
        self.revoke_id(&key.id).await
    }

    /// Revokes the key with an id, and returns it; one that is revoked already stays so.
    pub async fn revoke_id(&self, id: &str) -> Result<KeyRecord, KeyError> {
        let revoked = self.edit(id, |key| {
            key.revoked.get_or_insert_with(Timestamp::now);
        });
        revoked.await?.ok_or_else(|| KeyError::Unknown(id.to_owned()))
    }

    /// Records when a key was last used.
    pub async fn record_use(&self, id: &str, when: Timestamp) -> Result<(), KeyError> {
        self.edit(id, |key| key.last_used = Some(when)).await.map(|_| ())
    }

    /// Changes a key, if there is one.
    async fn edit(&self, id: &str, change: impl Fn(&mut KeyRecord) + Send) -> Result<Option<KeyRecord>, KeyError> {
        for _ in 0..MAX_ATTEMPTS {
            let Some(stored) = self.store.record(RecordKind::Key, id).await? else { return Ok(None) };
            let Some(before) = parse(&stored)? else { return Ok(None) };
            let mut key = before.clone();
            change(&mut key);
            if key == before || self.write(&key, RecordBase::Record(stored.change)).await? {
                return Ok(Some(key));
            }
        }
        Err(KeyError::Unavailable(format!("other servers change the key {id} all the time")))
    }

    async fn write(&self, record: &KeyRecord, base: RecordBase) -> Result<bool, KeyError> {
        let document = serde_json::to_string(record).map_err(|error| KeyError::Unusable(error.to_string()))?;
        let written = self.store.write_record(RecordKind::Key, &record.id, base, Some(document)).await;
        // The outcome of a failed write may be unknown.
        self.forget_freshness().await;
        Ok(written?.is_some())
    }
}

/// Takes a record over. One that cannot be read is a key that is not accepted.
fn update(known: &mut HashMap<KeyDigest, Arc<ResolvedKey>>, record: &SharedRecord) {
    match parse(record) {
        Ok(Some(key)) => {
            known.insert(key.digest, Arc::new(ResolvedKey::from(key)));
        }
        Ok(None) => known.retain(|_, key| key.record.id != record.id),
        Err(error) => {
            tracing::error!(%error, "a key is not accepted");
            known.retain(|_, key| key.record.id != record.id);
        }
    }
}

/// Reads a record; nothing if it was removed.
fn parse(record: &SharedRecord) -> Result<Option<KeyRecord>, KeyError> {
    let Some(document) = &record.document else { return Ok(None) };
    serde_json::from_str(document)
        .map(Some)
        .map_err(|error| KeyError::Unusable(format!("key {} cannot be read: {error}", record.id)))
}

impl From<StoreError> for KeyError {
    fn from(error: StoreError) -> Self {
        let text = error_chain(&error);
        match error {
            StoreError::Unavailable(_) | StoreError::OutcomeUnknown { .. } => Self::Unavailable(text),
            StoreError::NotWritable { .. } => Self::NotWritable(text),
            StoreError::Failed { .. } | StoreError::Corrupt { .. } => Self::Unusable(text),
        }
    }
}
