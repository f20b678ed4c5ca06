//! The engine: the indexes of a data folder.
//!
//! A lock file ensures that one process at a time has the folder open.

mod opening;
mod reading;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Duration;

use async_trait::async_trait;
use cantata_durable_file as durable_file;
use cantata_engine::{
    Alias, AliasChange, BatchOutcome, EngineError, IndexAdmin, IndexSummary, IndexWriter, WriteOperation,
    apply_alias_changes,
};
use serde_json::Value;
use tokio::task::spawn_blocking;

use self::opening::{IndexEntry, open_index, verify_in_background};
use crate::aliases::Aliases;
use crate::error::write_error;
use crate::index::{Index, OpenContext, source_bytes};
use crate::index_folders::{IndexFolders, remove_deleted};
use crate::permits::{ExportPermits, SearchPermits};
use crate::retry_pace::DEFAULT_RETRY_INTERVAL;

/// The name of the lock file.
const LOCK_FILE: &str = "lock";

/// A pause of this length in the writes of an index starts its maintenance.
const IDLE_INTERVAL: Duration = Duration::from_millis(200);

/// Batches with a position and fewer bytes of JSON are written by one thread: none delays the next one for long.
const MAX_SERIAL_BATCH_BYTES: usize = 4 << 20;

/// How often [`EmbeddedEngine::wait_until_idle`] checks for running writes.
const IDLE_POLL_INTERVAL: Duration = Duration::from_millis(2);

/// The limit of the name of an index.
const MAX_NAME_BYTES: usize = 200;

/// The embedded engine.
#[derive(Clone)]
pub struct EmbeddedEngine(Arc<Inner>);

struct Inner {
    folder: PathBuf,
    registry: RwLock<IndexRegistry>,
    search_permits: SearchPermits,
    short_search_permits: SearchPermits,
    export_permits: ExportPermits,
    /// Cloned by every running write or merge, also when its caller is gone.
    active_writes: Arc<()>,
    /// How long an index that cannot be read or written is left alone.
    retry_interval: Duration,
    /// Unlocked when the engine is dropped.
    _lock: fs_err::File,
}

/// The indexes and aliases of the folder.
#[derive(Clone)]
pub(crate) struct IndexRegistry {
    pub(crate) indexes: BTreeMap<String, IndexEntry>,
    pub(crate) aliases: Aliases,
    /// Whether the file of the aliases may have others: those of a deleted index, or of a change that was refused.
    has_stale_aliases: bool,
    folders: IndexFolders,
}

/// Why a data folder cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process has it open.
    #[error("the search folder {0} is in use by another process")]
    InUse(PathBuf),
    /// The file system reports an error.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

impl EmbeddedEngine {
    /// Returns whether a process has the indexes of a folder open, as every server has those of its data folder.
    pub fn is_in_use(folder: &Path) -> bool {
        fs_err::File::open(folder.join(LOCK_FILE)).is_ok_and(|lock| lock.file().try_lock().is_err())
    }

    /// Opens the indexes of a folder, which is created if it does not exist. An index that cannot be opened does not
    /// affect the others. One that cannot be read or written is tried again once a second, as long as it is asked for.
    ///
    /// # Errors
    ///
    /// If the folder cannot be used, or is in use by another process.
    pub fn open(folder: &Path) -> Result<Self, OpenError> {
        Self::open_with_retry_interval(folder, DEFAULT_RETRY_INTERVAL)
    }

    /// Opens the indexes of a folder. One that cannot be read or written is left alone for an interval before it is tried
    /// again.
    ///
    /// # Errors
    ///
    /// As [`Self::open`].
    pub fn open_with_retry_interval(folder: &Path, retry_interval: Duration) -> Result<Self, OpenError> {
        durable_file::create_folder(folder)?;
        let lock = fs_err::OpenOptions::new().create(true).truncate(false).write(true).open(folder.join(LOCK_FILE))?;
        if lock.file().try_lock().is_err() {
            return Err(OpenError::InUse(folder.to_owned()));
        }
        let folders = IndexFolders::read(folder, |name| check_name(name).is_ok())?;
        let context = OpenContext::new(retry_interval);
        let indexes: BTreeMap<String, IndexEntry> =
            folders.iter().map(|(name, folder)| (name.clone(), open_index(name, folder, &context))).collect();
        let (aliases, has_stale_aliases) = Aliases::read(folder, |name| indexes.contains_key(name))?;
        verify_in_background(indexes.values().flatten());
        Ok(Self(Arc::new(Inner {
            folder: folder.to_owned(),
            registry: RwLock::new(IndexRegistry { indexes, aliases, has_stale_aliases, folders }),
            search_permits: SearchPermits::default(),
            short_search_permits: SearchPermits::for_short_searches(),
            export_permits: ExportPermits::default(),
            active_writes: Arc::default(),
            retry_interval,
            _lock: lock,
        })))
    }

    pub(crate) fn index(&self, name: &str) -> Result<Arc<Index>, EngineError> {
        let registry = self.read_registry();
        let resolved = registry.aliases.resolve(name);
        match registry.indexes.get(resolved) {
            Some(Ok(index)) => index.damage().map_or_else(|| Ok(Arc::clone(index)), Err),
            Some(Err(unopened)) => {
                self.open_in_background(resolved, unopened);
                Err(unopened.error.clone())
            }
            None => Err(EngineError::IndexNotFound(name.to_owned())),
        }
    }

    /// Returns a copy of the registry.
    pub(crate) fn registry(&self) -> IndexRegistry {
        self.read_registry().clone()
    }

    fn read_registry(&self) -> RwLockReadGuard<'_, IndexRegistry> {
        self.0.registry.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_registry(&self) -> RwLockWriteGuard<'_, IndexRegistry> {
        self.0.registry.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates an index.
    ///
    /// # Errors
    ///
    /// If it exists already, or its name or mapping is invalid.
    pub fn create(&self, name: &str, mapping: Option<&Value>) -> Result<(), EngineError> {
        check_name(name)?;
        let mut registry = self.write_registry();
        if registry.indexes.contains_key(name) {
            return Err(EngineError::IndexExists(name.to_owned()));
        }
        if registry.aliases.aliases.contains_key(name) {
            return Err(EngineError::Rejected(format!("`{name}` is an alias; expected a name that no alias has")));
        }
        // A new index must not get aliases of an earlier one at the next start.
        self.write_stale_aliases(&mut registry)?;
        let (folder, temporary) =
            registry.folders.choose(name).map_err(|error| EngineError::Failed(error.to_string()))?;
        let context = OpenContext::new(self.0.retry_interval);
        let index = Index::create(name, &folder, &temporary, mapping, &context)?;
        registry.folders.insert(name, folder);
        registry.indexes.insert(name.to_owned(), Ok(Arc::new(index)));
        Ok(())
    }

    /// Deletes an index and its aliases.
    ///
    /// # Errors
    ///
    /// If there is none of this name, or its folder cannot be renamed.
    pub fn delete(&self, name: &str) -> Result<(), EngineError> {
        let mut registry = self.write_registry();
        if let Some(index) = registry.aliases.aliases.get(name) {
            return Err(EngineError::Rejected(format!(
                "`{name}` is an alias of `{index}`; expected the name of an index"
            )));
        }
        let Some(index) = registry.indexes.get(name).map(|index| index.as_ref().ok().cloned()) else {
            return Err(EngineError::IndexNotFound(name.to_owned()));
        };
        // Work that runs on it says from here on that there is no such index, whatever becomes of its files.
        index.iter().for_each(|index| index.set_retired(true));
        let deleted = registry.folders.take_away(name).map_err(|error| {
            // What is written into a folder of another name would be lost.
            index.iter().for_each(|index| index.set_retired(!registry.folders.is_in_place(name)));
            write_error(&error)
        })?;
        registry.indexes.remove(name);
        let alias_count = registry.aliases.aliases.len();
        registry.aliases.aliases.retain(|_, index| index != name);
        if registry.aliases.aliases.len() < alias_count {
            // The index is gone, after a crash too, and an alias without an index is dropped when the file is read.
            let written = registry.aliases.write(&self.0.folder);
            registry.has_stale_aliases = written.is_err();
            if let Err(error) = written {
                tracing::warn!(index = name, %error, "the file of the aliases still has those of a deleted index");
            }
        }
        drop(registry);
        remove_deleted(&deleted);
        Ok(())
    }

    fn apply_alias_changes(&self, changes: &[AliasChange]) -> Result<(), EngineError> {
        for change in changes {
            if let AliasChange::Add { alias, .. } = change {
                check_name(alias)?;
            }
        }
        let mut registry = self.write_registry();
        let aliases =
            apply_alias_changes(&registry.aliases.aliases, changes, |name| registry.indexes.contains_key(name))?;
        let aliases = Aliases { aliases };
        if aliases != registry.aliases || registry.has_stale_aliases {
            if let Err(error) = aliases.write(&self.0.folder) {
                // The file may have been replaced although the folder could not be synced. What cannot be undone now is
                // undone by the next change or health check.
                registry.has_stale_aliases = registry.aliases.write(&self.0.folder).is_err();
                return Err(write_error(&error));
            }
            registry.aliases = aliases;
            registry.has_stale_aliases = false;
        }
        Ok(())
    }

    /// Writes the file of the aliases if it may have others.
    fn write_stale_aliases(&self, registry: &mut IndexRegistry) -> Result<(), EngineError> {
        if registry.has_stale_aliases {
            registry.aliases.write(&self.0.folder).map_err(|error| write_error(&error))?;
            registry.has_stale_aliases = false;
        }
        Ok(())
    }

    async fn write_with_position(
        &self,
        index: &str,
        batch: Vec<WriteOperation>,
        position: Option<String>,
    ) -> BatchOutcome {
        let index = self.index(index)?;
        let report = {
            let (index, active) = (Arc::clone(&index), Arc::clone(&self.0.active_writes));
            let is_serial =
                position.is_some() && batch.iter().map(source_bytes).sum::<usize>() < MAX_SERIAL_BATCH_BYTES;
            let write = move || {
                let _active = active;
                index.write(&batch, position.as_deref())
            };
            let written = if is_serial { cantata_background::spawn_sequential(write) } else { spawn_blocking(write) };
            written.await.unwrap_or_else(|_| Err(panicked()))?
        };
        if index.claim_maintenance() {
            let (active, engine) = (Arc::clone(&self.0.active_writes), Arc::downgrade(&self.0));
            tokio::spawn(async move {
                while !index.is_idle_or_overloaded(IDLE_INTERVAL).await && engine.strong_count() > 0 {}
                // The folder of an engine that was dropped may be open again.
                let Some(engine) = engine.upgrade() else { return };
                // No request waits for this; a failure is logged, said by health checks, and retried by them and by later
                // writes.
                let log = |index: &Index, error| {
                    if !index.is_retired() {
                        tracing::error!(index = index.name(), %error, "cannot flush or merge segments");
                    }
                };
                cantata_background::spawn_below_normal(move || match index.flush_memory() {
                    Ok(()) => drop(cantata_background::spawn_low_priority(move || {
                        // Dropped in this order: once nothing is active, the folder may be opened again.
                        let _open = (engine, active);
                        index.merge_files().unwrap_or_else(|error| log(&index, error));
                    })),
                    Err(error) => log(&index, error),
                });
            });
        }
        Ok(report)
    }

    /// Waits until no write or merge is running. Must be awaited before the folder is opened again in the same process:
    /// dropping the engine does not stop them.
    pub async fn wait_until_idle(&self) {
        while Arc::strong_count(&self.0.active_writes) > 1 {
            tokio::time::sleep(IDLE_POLL_INTERVAL).await;
        }
    }
}

/// Returns the size of the files of a folder.
pub(crate) fn folder_bytes(folder: &Path) -> u64 {
    let Ok(entries) = fs_err::read_dir(folder) else { return 0 };
    entries.flatten().filter_map(|entry| entry.metadata().ok()).map(|metadata| metadata.len()).sum()
}

fn check_name(name: &str) -> Result<(), EngineError> {
    let is_valid = !name.is_empty()
        && name.len() <= MAX_NAME_BYTES
        && name != LOCK_FILE
        && name.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    if is_valid {
        return Ok(());
    }
    Err(EngineError::Rejected(format!(
        "{name:?} cannot be the name of an index; expected 1 to {MAX_NAME_BYTES} letters, digits, `_`, `-` and `.`, the \
         first of them a letter or digit, and not `{LOCK_FILE}`"
    )))
}

/// Runs blocking work on a thread that serves no requests.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, EngineError> + Send + 'static,
) -> Result<T, EngineError> {
    spawn_blocking(work).await.unwrap_or_else(|_| Err(panicked()))
}

fn panicked() -> EngineError {
    EngineError::Failed("a request ended unexpectedly".to_owned())
}

#[async_trait]
impl IndexWriter for EmbeddedEngine {
    async fn write(&self, index: &str, batch: Vec<WriteOperation>) -> BatchOutcome {
        self.write_with_position(index, batch, None).await
    }

    async fn bulk_load(&self, index: &str, documents: Vec<WriteOperation>) -> BatchOutcome {
        let (index, active) = (self.index(index)?, Arc::clone(&self.0.active_writes));
        let filled = cantata_background::spawn_low_priority(move || {
            let _active = active;
            let report = index.fill(&documents)?;
            // Backpressure: filling is not faster than merging; searches have the other processors.
            if index.is_maintenance_due()
                && let Err(error) = index.merge_files()
                && !index.is_retired()
            {
                tracing::error!(index = index.name(), %error, "cannot merge segments");
            }
            Ok(report)
        });
        filled.await.unwrap_or_else(|_| Err(panicked()))
    }

    async fn write_with_position(&self, index: &str, batch: Vec<WriteOperation>, position: &str) -> BatchOutcome {
        self.write_with_position(index, batch, Some(position.to_owned())).await
    }

    async fn position(&self, index: &str) -> Result<Option<String>, EngineError> {
        let index = self.index(index)?;
        run_blocking(move || index.position()).await
    }

    async fn check_health(&self) -> Result<(), EngineError> {
        let (engine, failed) = (self.clone(), self.failed_indexes());
        let has_stale_aliases = self.read_registry().has_stale_aliases;
        if failed.is_empty() && !has_stale_aliases {
            return Ok(());
        }
        run_blocking(move || {
            let written = engine.write_stale_aliases(&mut engine.write_registry());
            engine.recover(failed).and(written)
        })
        .await
    }

    fn maintenance_failure(&self, index: &str) -> Option<EngineError> {
        let registry = self.read_registry();
        registry.indexes.get(registry.aliases.resolve(index))?.as_ref().ok()?.maintenance_failure()
    }
}

#[async_trait]
impl IndexAdmin for EmbeddedEngine {
    async fn create_index(&self, index: &str, mapping: Option<&Value>) -> Result<(), EngineError> {
        self.create(index, mapping)
    }

    async fn delete_index(&self, index: &str) -> Result<(), EngineError> {
        self.delete(index)
    }

    async fn indexes(&self) -> Result<Vec<IndexSummary>, EngineError> {
        let registry = self.registry();
        let summary = |(name, index): (&String, &IndexEntry)| {
            let (documents, bytes, problem) = match index {
                Ok(index) => {
                    let problem = index.damage().map(|damage| damage.to_string());
                    (index.snapshot().live_document_count() as u64, folder_bytes(index.folder()), problem)
                }
                Err(unopened) => (0, folder_bytes(&unopened.folder), Some(unopened.error.to_string())),
            };
            IndexSummary { name: name.clone(), documents, bytes, problem }
        };
        Ok(registry.indexes.iter().map(summary).collect())
    }

    async fn extend_mapping(&self, index: &str, mapping: &Value) -> Result<(), EngineError> {
        let (index, mapping) = (self.index(index)?, mapping.clone());
        run_blocking(move || index.extend_mapping(&mapping)).await
    }

    async fn aliases(&self) -> Result<Vec<Alias>, EngineError> {
        let alias = |(name, index): (&String, &String)| Alias { name: name.clone(), index: index.clone() };
        Ok(self.read_registry().aliases.aliases.iter().map(alias).collect())
    }

    async fn change_aliases(&self, changes: &[AliasChange]) -> Result<(), EngineError> {
        let (engine, changes) = (self.clone(), changes.to_vec());
        run_blocking(move || engine.apply_alias_changes(&changes)).await
    }
}

#[cfg(test)]
mod tests {
    use cantata_engine::IndexReader as _;

    use super::*;
    use crate::test_index::put;

    #[tokio::test]
    async fn an_index_whose_damage_was_found_after_it_was_opened_is_listed_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let engine = EmbeddedEngine::open(folder.path()).unwrap();
        engine.create("things", None).unwrap();
        assert_eq!(engine.indexes().await.unwrap()[0].problem, None);
        let damage = engine.index("things").unwrap().set_damaged("1.segment is not as it was written".to_owned());
        assert_eq!(engine.indexes().await.unwrap()[0].problem, Some(damage.to_string()));
    }

    /// Work that began on an index before it was deleted must not reach the files of one that was created after it.
    #[tokio::test]
    async fn work_on_a_deleted_index_does_not_touch_another_of_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let engine = EmbeddedEngine::open(folder.path()).unwrap();
        engine.create("things", None).unwrap();
        engine.write_with_position("things", vec![put("old")], None).await.unwrap();
        let old = engine.index("things").unwrap();
        engine.delete("things").unwrap();
        engine.create("things", None).unwrap();
        engine.write_with_position("things", vec![put("new")], None).await.unwrap();
        let new = engine.index("things").unwrap();
        assert_ne!(old.folder(), new.folder());
        for is_retired in [true, false] {
            // Not even if the old one had not heard of it.
            old.set_retired(is_retired);
            for outcome in
                [old.compact(), old.fill(&[put("late")]).map(drop), old.write(&[put("late")], None).map(drop)]
            {
                assert!(outcome.is_err() || !is_retired);
            }
        }
        engine.write_with_position("things", vec![put("newer")], None).await.unwrap();
        engine.wait_until_idle().await;
        drop((engine, old, new));
        let engine = EmbeddedEngine::open(folder.path()).unwrap();
        let found = engine.has_documents("things", &["old", "new", "newer", "late"]).await;
        assert_eq!(found, Ok(vec![false, true, true, false]));
    }
}
