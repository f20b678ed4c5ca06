//! Keys in a file of the data folder: `keys.json`, which only its owner may read.
//!
//! The file is replaced as a whole, on disk before it counts, by one process at a time (`keys.lock`), so that commands
//! and a server can change it side by side and nobody ever reads half of it. Readers look at it again after a moment.
//! They compare what it says, not its time: a clock or a file system cannot hide a revocation.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use cantata_core::Timestamp;
use cantata_durable_file as durable_file;
use fs_err as fs;
use serde::{Deserialize, Serialize};

use crate::{KeyDigest, KeyError, KeyRecord, ResolvedKey};

const FILE: &str = "keys.json";
const LOCK: &str = "keys.lock";
const VERSION: u32 = 1;

/// How long what was read counts.
const FRESH: Duration = Duration::from_millis(250);

/// The file of keys in a data folder.
pub struct KeyFile {
    folder: PathBuf,
    known: ArcSwap<HashMap<KeyDigest, Arc<ResolvedKey>>>,
    /// What the file said; nothing before it was read at all.
    read: Mutex<Option<Vec<u8>>>,
    start: Instant,
    /// Until when what was read counts, in nanoseconds after `start`: requests look here and take no lock.
    fresh_until: AtomicU64,
    generation: AtomicU64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    version: u32,
    keys: Vec<KeyRecord>,
}

/// The member that every version has.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

impl KeyFile {
    /// Names the folder; nothing is read yet, and no file is made until there is a key.
    pub fn in_folder(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            known: ArcSwap::default(),
            read: Mutex::new(None),
            start: Instant::now(),
            fresh_until: AtomicU64::new(0),
            generation: AtomicU64::new(0),
        }
    }

    /// Returns whether a key was ever made here.
    pub fn is_new(&self) -> Result<bool, KeyError> {
        self.folder.join(FILE).try_exists().map(|exists| !exists).map_err(|error| read_error(&error))
    }

    fn is_fresh(&self) -> bool {
        self.nanoseconds() < self.fresh_until.load(Ordering::Acquire)
    }

    fn nanoseconds(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    fn refresh(&self) -> Result<(), KeyError> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_fresh() {
            return Ok(());
        }
        let now = self.nanoseconds();
        let bytes = self.bytes()?;
        if read.as_ref().is_none_or(|before| *before != bytes) {
            let records = parse(&bytes)?;
            let known = records.into_iter().map(|record| (record.digest, Arc::new(ResolvedKey::from(record))));
            self.known.store(Arc::new(known.collect()));
            self.generation.fetch_add(1, Ordering::Release);
        }
        *read = Some(bytes);
        let fresh = u64::try_from(FRESH.as_nanos()).unwrap_or(u64::MAX);
        self.fresh_until.store(now.saturating_add(fresh), Ordering::Release);
        Ok(())
    }

    fn bytes(&self) -> Result<Vec<u8>, KeyError> {
        durable_file::read_or_default(&self.folder.join(FILE)).map_err(|error| read_error(&error))
    }

    /// Changes the keys while nobody else does.
    fn change<T>(&self, change: impl FnOnce(&mut Vec<KeyRecord>) -> Result<T, KeyError>) -> Result<T, KeyError> {
        durable_file::create_folder(&self.folder)?;
        let lock = fs::OpenOptions::new().create(true).append(true).open(self.folder.join(LOCK))?;
        lock.file().lock()?;
        let before = self.bytes()?;
        let mut keys = parse(&before)?;
        let changed = change(&mut keys)?;
        if let Err(error) = self.replace(&Content { version: VERSION, keys }) {
            // A change that is refused must not count, even if only the last sync failed.
            if self.bytes().is_ok_and(|now| now != before) {
                let _ = self.put_back(&before);
            }
            return Err(error.into());
        }
        // What this process decides next must know of the change.
        let _reading = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        self.fresh_until.store(0, Ordering::Release);
        self.generation.fetch_add(1, Ordering::Release);
        Ok(changed)
    }

    fn replace(&self, content: &Content) -> io::Result<()> {
        let mut text = serde_json::to_vec_pretty(content)?;
        text.push(b'\n');
        durable_file::replace_private(&self.folder.join(FILE), &text)
    }

    /// Makes the file what it was.
    fn put_back(&self, before: &[u8]) -> io::Result<()> {
        let path = self.folder.join(FILE);
        if before.is_empty() {
            fs::remove_file(&path)?;
            return durable_file::sync_folder(&self.folder);
        }
        durable_file::replace_private(&path, before)
    }

    /// Returns the key with a digest, active or not.
    pub fn find(&self, digest: &KeyDigest) -> Result<Option<Arc<ResolvedKey>>, KeyError> {
        if !self.is_fresh() {
            self.refresh()?;
        }
        Ok(self.known.load().get(digest).cloned())
    }

    /// Returns a counter that increases with every change of the keys that this process has seen.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Returns every key, oldest first.
    pub fn list(&self) -> Result<Vec<KeyRecord>, KeyError> {
        parse(&self.bytes()?)
    }

    /// Adds a key, unless an active one has its name.
    pub fn add(&self, record: KeyRecord) -> Result<(), KeyError> {
        self.change(|keys| {
            if keys.iter().any(|key| key.revoked.is_none() && key.name == record.name) {
                return Err(KeyError::NameTaken(record.name));
            }
            keys.push(record);
            Ok(())
        })
    }

    /// Revokes the active key with a name or an id, and returns it.
    pub fn revoke(&self, name_or_id: &str) -> Result<KeyRecord, KeyError> {
        self.change(|keys| {
            let is_meant =
                |key: &&mut KeyRecord| key.revoked.is_none() && (key.name == name_or_id || key.id == name_or_id);
            let key = keys.iter_mut().find(is_meant).ok_or_else(|| KeyError::Unknown(name_or_id.to_owned()))?;
            key.revoked = Some(Timestamp::now());
            Ok(key.clone())
        })
    }

    /// Revokes the key with an id, and returns it; one that is revoked already stays so.
    pub fn revoke_id(&self, id: &str) -> Result<KeyRecord, KeyError> {
        self.change(|keys| {
            let key = keys.iter_mut().find(|key| key.id == id).ok_or_else(|| KeyError::Unknown(id.to_owned()))?;
            key.revoked.get_or_insert_with(Timestamp::now);
            Ok(key.clone())
        })
    }

    /// Records when a key was last used.
    pub fn record_use(&self, id: &str, when: Timestamp) -> Result<(), KeyError> {
        self.change(|keys| {
            if let Some(key) = keys.iter_mut().find(|key| key.id == id) {
                key.last_used = Some(when);
            }
            Ok(())
        })
    }
}

fn parse(bytes: &[u8]) -> Result<Vec<KeyRecord>, KeyError> {
    if bytes.is_empty() {
        return Ok(Vec::new());
    }
    let unreadable = |error: serde_json::Error| KeyError::Unusable(format!("{FILE} cannot be read: {error}"));
    // Another version may have other members.
    let Version { version } = serde_json::from_slice(bytes).map_err(unreadable)?;
    if version != VERSION {
        return Err(KeyError::Unusable(format!(
            "{FILE} has version {version}, and this version of Cantata reads {VERSION}; use the one that wrote it"
        )));
    }
    serde_json::from_slice::<Content>(bytes).map(|content| content.keys).map_err(unreadable)
}

/// Returns the error of a file that cannot be read, whatever the reason is.
fn read_error(error: &io::Error) -> KeyError {
    KeyError::Unusable(error.to_string())
}

/// The error of a write.
impl From<io::Error> for KeyError {
    fn from(error: io::Error) -> Self {
        match durable_file::is_not_writable(&error) {
            true => Self::NotWritable(error.to_string()),
            false => Self::Unusable(error.to_string()),
        }
    }
}
