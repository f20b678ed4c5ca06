//! The API keys, as shared records of the store: all servers of a database have the same ones.
//!
//! A server keeps the keys in memory and asks the store at most every [`REFRESH_INTERVAL`] whether one was changed. So
//! a key that is created or revoked anywhere counts everywhere after that time, and at once on the server that did it.
//! While the store cannot be asked, no key is accepted. A change names what it was computed from, so that changes of several
//! servers are never lost, and a name is never given twice.
//!
//! A key of a person allows no more than the person may as of their last sign-in, and nothing some time after it. Keys that
//! ended long ago, and people who can use no key any more, are removed.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use cantata_core::{Timestamp, error_chain};
use cantata_store::{RecordBase, RecordKind, SharedRecord, Store, StoreError};
use tokio::sync::Mutex;

use crate::people::{PersonAccess, record_id};
use crate::{KeyDigest, KeyError, KeyRecord, ResolvedKey, ScopeRules};

/// How long what was read is used before the store is asked again.
const REFRESH_INTERVAL: Duration = Duration::from_millis(250);

/// How many records are read at a time.
const PAGE_SIZE: usize = 1_000;

/// How often a change is tried again because another server was faster.
const MAX_ATTEMPTS: usize = 200;

/// How many keys in force a person may have.
const MAX_OWN_KEYS: usize = 100;

/// How many keys of a person are kept that are not in force any more.
const MAX_ENDED_OWN_KEYS: usize = 100;

/// How long a key is kept that has expired, or that a person has revoked, so that the audit log can be resolved.
const ENDED_KEY_RETENTION: Duration = Duration::from_secs(365 * 24 * 3600);

/// How long the access of a person counts after a sign-in, by default.
const DEFAULT_OWNER_ACCESS: Duration = Duration::from_secs(30 * 24 * 3600);

/// The API keys of a store.
pub struct KeyRegistry {
    store: Arc<dyn Store>,
    rules: ScopeRules,
    /// How long the access of a person counts after a sign-in.
    owner_access: Duration,
    known: ArcSwap<HashMap<KeyDigest, Arc<ResolvedKey>>>,
    /// What the keys are resolved from; locked while it is read.
    followed: Mutex<FollowedKeys>,
    start: Instant,
    /// Until when what was read counts, in nanoseconds after `start`: requests look here and take no lock.
    fresh_until: AtomicU64,
    /// Until when the store is not asked again, because it has failed. A store that is slow to fail would otherwise hold up
    /// every request after the other.
    failed_until: AtomicU64,
    generation: AtomicU64,
}

/// Keys and people, and the changes up to which they are known; none before they were read at all.
#[derive(Default)]
struct FollowedKeys {
    key_change: Option<u64>,
    person_change: Option<u64>,
    /// By id.
    keys: HashMap<String, KeyRecord>,
    /// By the id of their record.
    people: HashMap<String, PersonAccess>,
}

impl KeyRegistry {
    /// Names the store; nothing is read yet.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self {
            store,
            rules: ScopeRules::default(),
            owner_access: DEFAULT_OWNER_ACCESS,
            known: ArcSwap::default(),
            followed: Mutex::default(),
            start: Instant::now(),
            fresh_until: AtomicU64::new(0),
            failed_until: AtomicU64::new(0),
            generation: AtomicU64::new(0),
        }
    }

    /// Sets what limits the keys of people: the names of scopes, and how long their access counts after a sign-in.
    #[must_use]
    pub fn for_owners(self, rules: ScopeRules, owner_access: Duration) -> Self {
        Self { rules, owner_access, ..self }
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
        let mut followed = self.followed.lock().await;
        if self.is_fresh() {
            return Ok(());
        }
        let now = self.nanoseconds();
        if now < self.failed_until.load(Ordering::Acquire) {
            return Err(KeyError::Unavailable("the store has failed a moment ago".to_owned()));
        }
        let fresh = u64::try_from(REFRESH_INTERVAL.as_nanos()).unwrap_or(u64::MAX);
        match self.read_changes(&mut followed).await {
            Ok(()) => self.fresh_until.store(now.saturating_add(fresh), Ordering::Release),
            Err(error) => {
                self.failed_until.store(self.nanoseconds().saturating_add(fresh), Ordering::Release);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Reads what was changed, if anything was.
    async fn read_changes(&self, followed: &mut FollowedKeys) -> Result<(), KeyError> {
        let key_change = self.store.latest_record_change(RecordKind::Key).await?;
        let person_change = self.store.latest_record_change(RecordKind::Person).await?;
        if (followed.key_change, followed.person_change) != (Some(key_change), Some(person_change)) {
            self.follow(followed, key_change, person_change).await?;
            self.known.store(Arc::new(self.resolve(followed)));
            self.generation.fetch_add(1, Ordering::Release);
        }
        Ok(())
    }

    /// Reads what was changed since the last time.
    async fn follow(&self, followed: &mut FollowedKeys, key_change: u64, person_change: u64) -> Result<(), KeyError> {
        let FollowedKeys { key_change: known_keys, person_change: known_people, keys, people } = followed;
        let read_key = |record: &SharedRecord| {
            parse(record).inspect_err(|error| tracing::error!(%error, "a key is not accepted")).ok().flatten()
        };
        self.follow_kind(RecordKind::Key, key_change, known_keys, keys, read_key).await?;
        let read_person = |record: &SharedRecord| {
            let read = PersonAccess::parse(record).inspect_err(|error| {
                tracing::error!(error = error_chain(error), "the keys of a person are not accepted");
            });
            read.ok().flatten()
        };
        self.follow_kind(RecordKind::Person, person_change, known_people, people, read_person).await
    }

    /// Reads the records of a kind up to its latest change. One that cannot be read counts as removed.
    async fn follow_kind<T>(
        &self,
        kind: RecordKind,
        latest: u64,
        known: &mut Option<u64>,
        by_id: &mut HashMap<String, T>,
        read: impl Fn(&SharedRecord) -> Option<T>,
    ) -> Result<(), KeyError> {
        let mut last = known.unwrap_or_default();
        let (is_complete, records) = self.changed_records(kind, *known).await?;
        if is_complete {
            by_id.clear();
        }
        for record in records {
            last = record.change;
            match read(&record) {
                Some(content) => drop(by_id.insert(record.id, content)),
                None => drop(by_id.remove(&record.id)),
            }
        }
        *known = Some(last.max(latest));
        Ok(())
    }

    fn resolve(&self, followed: &FollowedKeys) -> HashMap<KeyDigest, Arc<ResolvedKey>> {
        let resolve = |key: &KeyRecord| match &key.owner {
            None => Some(ResolvedKey::new(key.clone())),
            Some(owner) => {
                let access = followed.people.get(&record_id(owner))?;
                let micros = i64::try_from(self.owner_access.as_micros()).unwrap_or(i64::MAX);
                let until = Timestamp::from_micros(access.signed_in.as_micros().saturating_add(micros));
                Some(ResolvedKey::of_person(key.clone(), access, &self.rules, until))
            }
        };
        followed.keys.values().filter_map(|key| Some((key.digest, Arc::new(resolve(key)?)))).collect()
    }

    /// Returns the records that were written after what is known, or all, and whether it is all: because nothing is known, or
    /// because removals were purged that were not seen.
    async fn changed_records(
        &self,
        kind: RecordKind,
        known: Option<u64>,
    ) -> Result<(bool, Vec<SharedRecord>), KeyError> {
        if let Some(known) = known {
            let changed = self.records_after(kind, known).await?;
            if self.store.purged_records(kind).await? <= known {
                return Ok((false, changed));
            }
        }
        Ok((true, self.records_after(kind, 0).await?))
    }

    async fn records_after(&self, kind: RecordKind, change: u64) -> Result<Vec<SharedRecord>, KeyError> {
        let mut records: Vec<SharedRecord> = Vec::new();
        loop {
            let last = records.last().map_or(change, |record| record.change);
            let page = self.store.records_after(kind, last, PAGE_SIZE).await?;
            let is_last = page.len() < PAGE_SIZE;
            records.extend(page);
            if is_last {
                return Ok(records);
            }
        }
    }

    /// Lets what this server decides next know of a change.
    async fn forget_freshness(&self) {
        let _reading = self.followed.lock().await;
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
        let records = self.records_after(RecordKind::Key, 0).await?;
        let keys = records.iter().filter_map(|record| parse(record).transpose());
        let mut keys: Vec<KeyRecord> = keys.collect::<Result<_, _>>()?;
        keys.sort_by(|one, other| (one.created, &one.id).cmp(&(other.created, &other.id)));
        Ok(keys)
    }

    /// Adds a key, unless an active one of its owner has its name, or the owner has too many.
    pub async fn add(&self, record: KeyRecord) -> Result<(), KeyError> {
        for _ in 0..MAX_ATTEMPTS {
            let latest = self.store.latest_record_change(RecordKind::Key).await?;
            let keys = self.list().await?;
            let of_owner = || keys.iter().filter(|key| key.revoked.is_none() && key.owner == record.owner);
            if of_owner().any(|key| key.name == record.name) {
                return Err(KeyError::NameTaken(record.name.clone()));
            }
            let now = Timestamp::now();
            if record.owner.is_some() && of_owner().filter(|key| key.is_active(now)).count() >= MAX_OWN_KEYS {
                return Err(KeyError::TooMany(MAX_OWN_KEYS));
            }
            if self.write(&record, RecordBase::Kind(latest)).await? {
                if let Err(error) = self.remove_ended(&keys, record.owner.as_deref(), now).await {
                    tracing::warn!(%error, "keys that ended could not be removed; the next key of their owner tries again");
                }
                return Ok(());
            }
        }
        Err(KeyError::Unavailable("other servers change the keys all the time".to_owned()))
    }

    /// Removes the oldest keys of a person that ended, beyond the number that is kept: a person may make and revoke keys
    /// without an end. The empty records stay, since a server may not have seen yet that a key was revoked.
    async fn remove_ended(&self, keys: &[KeyRecord], owner: Option<&str>, now: Timestamp) -> Result<(), KeyError> {
        let is_ended = |key: &&KeyRecord| owner.is_some() && key.owner.as_deref() == owner && !key.is_active(now);
        let ended: Vec<&KeyRecord> = keys.iter().filter(is_ended).collect();
        for key in &ended[..ended.len().saturating_sub(MAX_ENDED_OWN_KEYS)] {
            self.store.write_record(RecordKind::Key, &key.id, RecordBase::Any, None).await?;
        }
        Ok(())
    }

    /// Removes the keys that ended long ago, and the people whose last sign-in is too old for any of their keys.
    pub async fn remove_long_ended(&self, now: Timestamp) -> Result<(), KeyError> {
        let is_past = |moment: Timestamp, time: Duration| {
            let micros = i64::try_from(time.as_micros()).unwrap_or(i64::MAX);
            moment.as_micros().saturating_add(micros) < now.as_micros()
        };
        for record in self.records_after(RecordKind::Key, 0).await? {
            // What cannot be read is not accepted, and an administrator may still look at it.
            let Ok(Some(key)) = parse(&record) else { continue };
            // A revoked key without an owner would come back in force with an old key file if the store did not know it.
            let ended = if key.owner.is_some() { key.revoked.or(key.expires) } else { key.expires };
            if ended.is_some_and(|ended| is_past(ended, ENDED_KEY_RETENTION)) {
                self.store.write_record(RecordKind::Key, &record.id, RecordBase::Record(record.change), None).await?;
            }
        }
        for record in self.records_after(RecordKind::Person, 0).await? {
            let Ok(Some(person)) = PersonAccess::parse(&record) else { continue };
            if is_past(person.signed_in, self.owner_access) {
                let base = RecordBase::Record(record.change);
                self.store.write_record(RecordKind::Person, &record.id, base, None).await?;
            }
        }
        Ok(())
    }

    /// Adds keys that another place had, unless they are here already.
    pub async fn import(&self, records: &[KeyRecord]) -> Result<(), KeyError> {
        for record in records {
            self.write(record, RecordBase::Absent).await?;
        }
        Ok(())
    }

    /// Revokes the active key with a name or an id, and returns it. The names of keys of people are their own.
    pub async fn revoke(&self, name_or_id: &str) -> Result<KeyRecord, KeyError> {
        let is_named = |key: &KeyRecord| key.id == name_or_id || (key.owner.is_none() && key.name == name_or_id);
        let is_meant = |key: &&KeyRecord| key.revoked.is_none() && is_named(key);
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
