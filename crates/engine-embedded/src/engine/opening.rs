//! Opening indexes, and trying again where that failed.
//!
//! A damaged index stays as it is: it is rebuilt, restored or deleted. One whose files could not be read, as with too many
//! open files, may be readable later. A request for it starts another attempt, at the pace of [`RetryPace`], and gets
//! the error of the last one meanwhile; a health check waits for the attempt that it begins.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};
use std::time::Duration;

use cantata_engine::EngineError;

use super::EmbeddedEngine;
use crate::index::{Index, OpenContext};
use crate::retry_pace::{Attempt, RetryPace};

/// How long segments that could not be read are left alone before they are compared with their checksums again.
const VERIFY_RETRY_INTERVAL: Duration = Duration::from_secs(60);

/// An index, or why it cannot be used.
pub(crate) type IndexEntry = Result<Arc<Index>, UnopenedIndex>;

/// An index that could not be opened.
#[derive(Clone)]
pub(crate) struct UnopenedIndex {
    pub(crate) error: EngineError,
    pub(crate) folder: PathBuf,
    retry_pace: Arc<RetryPace>,
}

impl UnopenedIndex {
    /// Returns whether its files are not as they were written.
    fn is_damaged(&self) -> bool {
        matches!(self.error, EngineError::IndexDamaged { .. })
    }

    fn try_begin(&self) -> Option<Attempt> {
        if self.is_damaged() { None } else { self.retry_pace.try_begin() }
    }
}

/// Opens the index in a folder.
pub(super) fn open_index(name: &str, folder: &Path, context: &OpenContext) -> IndexEntry {
    let index = Index::open(name, folder.to_owned(), context).map(Arc::new);
    let failure = index.as_ref().map_or_else(|error| Some(error.clone()), |index| index.failure());
    if let Some(error) = failure {
        tracing::error!(index = name, %error, "an index cannot be opened, or not written");
    }
    let retry_pace = RetryPace::new(context.retry_interval);
    index.map_err(|error| UnopenedIndex { error, folder: folder.to_owned(), retry_pace })
}

/// Compares indexes with their checksums that were too large for it when they were opened, as long as they are in use.
pub(super) fn verify_in_background<'a>(opened: impl Iterator<Item = &'a Arc<Index>>) {
    let mut indexes: Vec<Weak<Index>> = opened.filter(|index| !index.is_verified()).map(Arc::downgrade).collect();
    if indexes.is_empty() {
        return;
    }
    drop(cantata_background::spawn_low_priority(move || {
        loop {
            indexes.retain(|index| {
                index.upgrade().is_some_and(|index| must_verify_again(index.name(), index.verify_segments()))
            });
            if indexes.is_empty() {
                return;
            }
            std::thread::sleep(VERIFY_RETRY_INTERVAL);
        }
    }));
}

/// Logs the outcome of a comparison with checksums; returns whether it has to be made again, because nothing is known.
fn must_verify_again(index: &str, outcome: Result<(), EngineError>) -> bool {
    match outcome {
        Ok(()) | Err(EngineError::IndexNotFound(_)) => false,
        Err(error @ EngineError::IndexDamaged { .. }) => {
            tracing::error!(index, %error, "a damaged index is not read any more");
            false
        }
        Err(error) => {
            tracing::warn!(index, %error, "segments of an index cannot be compared with their checksums now");
            true
        }
    }
}

impl EmbeddedEngine {
    /// Tries to open an index again without waiting for it, if that is due.
    pub(super) fn open_in_background(&self, name: &str, unopened: &UnopenedIndex) {
        let Some(attempt) = unopened.try_begin() else { return };
        let active = Arc::clone(&self.0.active_writes);
        let (engine, name, unopened) = (self.clone(), name.to_owned(), unopened.clone());
        drop(cantata_background::spawn_below_normal(move || {
            // The next request gets the outcome.
            let _ = engine.open_again(&name, unopened, attempt);
            // In this order: once nothing is active, the folder may be opened again.
            drop(engine);
            drop(active);
        }));
    }

    /// Tries to make indexes usable that cannot be read, written or merged, if that is due; returns why one of them still
    /// cannot be read or written.
    pub(super) fn recover(&self, entries: Vec<(String, IndexEntry)>) -> Result<(), EngineError> {
        let outcomes: Vec<Result<(), EngineError>> = entries
            .into_iter()
            .map(|(name, entry)| match entry {
                Ok(index) => index.recover_from_failure().map(|()| self.maintain_again(&index)),
                Err(unopened) => match unopened.try_begin() {
                    Some(attempt) => self.open_again(&name, unopened, attempt),
                    None => Err(unopened.error),
                },
            })
            .collect();
        outcomes.into_iter().collect()
    }

    /// Tries a flush or merge that failed again, without waiting for it, if that is due.
    fn maintain_again(&self, index: &Arc<Index>) {
        if index.maintenance_failure().is_some()
            && let Some(attempt) = index.try_begin_maintenance()
        {
            let active = Arc::clone(&self.0.active_writes);
            let (engine, index) = (self.clone(), Arc::clone(index));
            drop(cantata_background::spawn_low_priority(move || {
                // Dropped in this order: once nothing is active, the folder may be opened again.
                let _running = (engine, attempt, active);
                if let Err(error) = index.flush_memory().and_then(|()| index.merge_files())
                    && !index.is_retired()
                {
                    tracing::error!(index = index.name(), %error, "cannot flush or merge segments");
                }
            }));
        }
    }

    /// Returns the indexes that cannot be read, written or merged, except damaged ones, for which trying again is of no use.
    pub(super) fn failed_indexes(&self) -> Vec<(String, IndexEntry)> {
        let has_failed = |entry: &IndexEntry| match entry {
            Ok(index) if index.damage().is_some() => false,
            Ok(index) => index.failure().is_some() || index.maintenance_failure().is_some(),
            Err(unopened) => !unopened.is_damaged(),
        };
        let registry = self.read_registry();
        let failed = registry.indexes.iter().filter(|(_, entry)| has_failed(entry));
        failed.map(|(name, entry)| (name.clone(), entry.clone())).collect()
    }

    /// Opens an index again; the attempt ends when its outcome is known to everybody. Two writers of one folder would remove
    /// each other's files, so nothing is done if an earlier attempt has opened it.
    fn open_again(&self, name: &str, unopened: UnopenedIndex, attempt: Attempt) -> Result<(), EngineError> {
        let is_unopened =
            |entry: &IndexEntry| matches!(entry, Err(now) if Arc::ptr_eq(&now.retry_pace, &unopened.retry_pace));
        if !self.read_registry().indexes.get(name).is_some_and(is_unopened) {
            return Ok(());
        }
        let opened = open_index(name, &unopened.folder, &OpenContext::new(self.0.retry_interval));
        let mut registry = self.write_registry();
        let outcome = match (registry.indexes.get_mut(name).filter(|entry| is_unopened(entry)), opened) {
            (Some(entry), Ok(index)) => {
                tracing::info!(index = name, "an index that could not be opened is open");
                verify_in_background(std::iter::once(&index));
                *entry = Ok(index);
                Ok(())
            }
            (Some(entry), Err(UnopenedIndex { error, .. })) => {
                *entry = Err(UnopenedIndex { error: error.clone(), ..unopened });
                Err(error)
            }
            // It was deleted meanwhile.
            (None, _) => Ok(()),
        };
        drop(registry);
        drop(attempt);
        outcome
    }
}

#[cfg(test)]
mod tests {
    use cantata_engine::{IndexReader as _, IndexWriter as _};

    use super::*;
    use crate::test_index::put;

    #[test]
    fn segments_that_could_not_be_read_are_verified_again_and_damaged_ones_are_not() {
        let damaged = EngineError::IndexDamaged { index: "things".to_owned(), reason: "wrong checksum".to_owned() };
        assert!(must_verify_again("things", Err(EngineError::Failed("too many open files".to_owned()))));
        assert!(!must_verify_again("things", Err(damaged)) && !must_verify_again("things", Ok(())));
    }

    /// Who learned that an index is not open may be late: another has opened it, and it is written to.
    #[tokio::test]
    async fn an_index_is_not_opened_twice() {
        let folder = tempfile::tempdir().unwrap();
        let open = || EmbeddedEngine::open_with_retry_interval(folder.path(), Duration::ZERO).unwrap();
        open().create("things", None).unwrap();
        // A folder stands where the manifest would be read.
        let (manifest, hidden) = (folder.path().join("things/manifest.json"), folder.path().join("hidden"));
        fs_err::rename(&manifest, &hidden).unwrap();
        fs_err::create_dir(&manifest).unwrap();
        let engine = open();
        let failed = engine.failed_indexes();
        assert_eq!(failed.len(), 1);
        fs_err::remove_dir(&manifest).unwrap();
        fs_err::rename(&hidden, &manifest).unwrap();
        for id in ["a", "b", "c"] {
            assert_eq!(engine.recover(failed.clone()), Ok(()));
            engine.write("things", vec![put(id)]).await.unwrap();
        }
        engine.wait_until_idle().await;
        drop(engine);
        assert_eq!(open().has_documents("things", &["a", "b", "c"]).await, Ok(vec![true, true, true]));
    }
}
