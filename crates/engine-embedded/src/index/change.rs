//! Changes of an index: each happens as a whole, or not at all.
//!
//! A change works on the state of the writer, which no reader sees before it is published. If it fails or panics, that
//! state may be half changed, so it is dropped: the manifest and the WAL are set back to what they were before the change,
//! and the index is opened again from them, while all other changes wait. Nothing is appended to a file whose write or sync
//! failed; what it has goes into a new one.
//!
//! If that fails too, as on a full disk, the index has failed: readers keep the last snapshot, and changes are refused. A
//! change or a health check tries first to open the index again, if no other one did a moment ago (see
//! [`crate::retry_pace`]). So writes go on by themselves once they can. An index that can be read but not written when the
//! server starts has failed in the same way. If its files turn out to be damaged, it is not read any more either.
//!
//! A retired index was deleted: its changes are refused, and work that runs on it stops at its next change.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard};

use cantata_engine::EngineError;

use super::Index;
use super::open_context::OpenContext;
use super::writer::IndexWriter;

/// Runs work; a panic becomes an error.
pub(super) fn catch_panic<T>(work: impl FnOnce() -> Result<T, EngineError>) -> Result<T, EngineError> {
    // Whatever the work may have left half done is dropped by the caller.
    let panicked = |_| Err(EngineError::Failed("a change of an index ended unexpectedly".to_owned()));
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(panicked)
}

impl Index {
    /// Runs a change, which publishes what readers are to see as its last step. An error that the change returns undoes
    /// all of it, except [`EngineError::Rejected`], which says that nothing was changed.
    pub(super) fn change<T>(
        &self,
        change: impl FnOnce(&mut IndexWriter) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        let mut writer = self.usable_writer()?;
        let changed = catch_panic(|| change(&mut writer));
        match &changed {
            Ok(_) => {
                writer.wal.confirm();
                writer.remove_way_back(&self.folder);
            }
            Err(EngineError::Rejected(_)) => {}
            Err(error) => {
                if self.is_retired() {
                    // Where it cannot be deleted, it is used again.
                    self.failure.store(Some(Arc::new(error.clone())));
                    return Err(self.not_found());
                }
                // All others wait for the writer: the index has failed only if it cannot be opened again.
                tracing::error!(index = self.name, %error, "a change failed; the index is opened again");
                let _attempt = self.retry_pace.begin();
                if let Err(error) = self.reopen(&mut writer) {
                    tracing::error!(index = self.name, %error, "an index is not written to until it can be opened again");
                }
            }
        }
        changed
    }

    /// Locks the writer in the state that the last successful change left.
    pub(super) fn usable_writer(&self) -> Result<MutexGuard<'_, IndexWriter>, EngineError> {
        let mut attempt = None;
        if let Some(failure) = self.failure() {
            attempt = self.retry_pace.try_begin();
            // Nobody waits for the attempt of another.
            if attempt.is_none() {
                return Err(if self.is_retired() { self.not_found() } else { failure });
            }
        }
        let mut writer = self.lock_writer();
        if self.is_retired() {
            return Err(self.not_found());
        }
        if let Some(failure) = self.failure() {
            let _attempt = attempt.or_else(|| self.retry_pace.try_begin()).ok_or(failure)?;
            self.reopen(&mut writer)?;
        }
        Ok(writer)
    }

    /// Locks the writer, whose state may be that of a failed change.
    pub(super) fn lock_writer(&self) -> MutexGuard<'_, IndexWriter> {
        self.writer.lock().unwrap_or_else(|poisoned| {
            self.writer.clear_poison();
            let failure = format!("index `{}` cannot be written: a change ended unexpectedly", self.name);
            self.failure.store(Some(Arc::new(EngineError::Failed(failure))));
            poisoned.into_inner()
        })
    }

    /// Undoes a failed change, and opens the index again.
    fn reopen(&self, writer: &mut IndexWriter) -> Result<(), EngineError> {
        let reopened = catch_panic(|| {
            writer.roll_back(&self.folder).map_err(|error| self.write_error(error))?;
            let loaded = IndexWriter::load(&self.folder, Some(&*writer), &OpenContext::default());
            let mut reopened = loaded.map_err(|error| match error.is_damage() && !self.is_retired() {
                true => self.set_damaged(error.chain()),
                false => self.write_error(error),
            })?;
            reopened.begin(&self.folder).map_err(|error| self.write_error(error))?;
            Ok(reopened)
        });
        match reopened {
            Ok(reopened) => {
                *writer = reopened;
                self.publish(writer);
                self.failure.store(None);
                Ok(())
            }
            Err(error) => {
                self.failure.store(Some(Arc::new(error.clone())));
                Err(if self.is_retired() { self.not_found() } else { error })
            }
        }
    }

    /// Returns why the index cannot be written; nothing if it can.
    pub(crate) fn failure(&self) -> Option<EngineError> {
        self.failure.load().as_deref().cloned()
    }

    /// Tries to make an index that has failed usable again, unless that was tried a moment ago.
    pub(crate) fn recover_from_failure(&self) -> Result<(), EngineError> {
        match self.usable_writer() {
            // It was deleted meanwhile.
            Ok(_) | Err(EngineError::IndexNotFound(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Makes the index refuse all changes, because it is deleted; or accept them again, because it could not be.
    pub(crate) fn set_retired(&self, is_retired: bool) {
        self.is_retired.store(is_retired, Ordering::SeqCst);
    }

    pub(crate) fn is_retired(&self) -> bool {
        self.is_retired.load(Ordering::SeqCst)
    }

    /// Returns the error of a change of a retired index.
    pub(super) fn not_found(&self) -> EngineError {
        EngineError::IndexNotFound(self.name.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_index::{create_index, put};

    fn ids(index: &Index) -> Vec<&'static str> {
        let snapshot = index.snapshot();
        ["a", "b", "c"].into_iter().filter(|id| snapshot.locate(id).is_some()).collect()
    }

    #[test]
    fn a_change_that_fails_or_panics_leaves_nothing() {
        let (folder, index) = create_index(None, &OpenContext::default());
        index.write(&[put("a")], Some("1")).unwrap();
        let half_done = |writer: &mut IndexWriter| {
            let (batch, _) = writer.prepare(&[put("b")]).unwrap();
            writer.wal.append([put("b")].iter(), None).unwrap();
            writer.apply(batch);
            writer.set_position(Some("2"));
            writer.delete("a");
        };
        let failed = index.change(|writer| -> Result<(), EngineError> {
            half_done(writer);
            Err(EngineError::Failed("no space".to_owned()))
        });
        assert_eq!(failed, Err(EngineError::Failed("no space".to_owned())));
        let panicked = index.change(|writer| -> Result<(), EngineError> {
            half_done(writer);
            panic!("in the middle of a change")
        });
        assert!(matches!(panicked, Err(EngineError::Failed(_))), "{panicked:?}");
        assert_eq!(index.failure(), None);
        assert_eq!((ids(&index), index.position().unwrap().as_deref()), (vec!["a"], Some("1")));
        index.write(&[put("c")], None).unwrap();
        assert_eq!((ids(&index), index.position().unwrap().as_deref()), (vec!["a", "c"], Some("1")));
        drop(index);
        let index = Index::open("things", folder.path().join("things"), &OpenContext::default()).unwrap();
        assert_eq!((ids(&index), index.position().unwrap().as_deref()), (vec!["a", "c"], Some("1")));
    }

    /// A log that is a pipe keeps the recovery waiting until the other end of the pipe is closed.
    #[cfg(unix)]
    #[test]
    fn others_wait_for_the_recovery_from_a_failed_change() {
        let (_folder, index) = create_index(None, &OpenContext::default());
        index.write(&[put("a")], None).unwrap();
        let pipe = index.folder().join("1000.log");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let no_space = || -> Result<(), EngineError> { Err(EngineError::Failed("no space".to_owned())) };
        std::thread::scope(|scope| {
            let failing = scope.spawn(|| index.change(|_| no_space()));
            // Returns when the recovery has opened the pipe.
            let pipe = fs_err::OpenOptions::new().write(true).open(&pipe).unwrap();
            assert_eq!(index.failure(), None, "the error of one change is not that of another");
            let other = scope.spawn(|| index.write(&[put("b")], Some("1")));
            drop(pipe);
            assert!(failing.join().unwrap().is_err());
            assert!(other.join().unwrap().is_ok());
        });
        assert_eq!((ids(&index), index.position().unwrap().as_deref()), (vec!["a", "b"], Some("1")));
    }

    #[test]
    fn a_change_whose_manifest_is_on_disk_already_is_undone_there() {
        let (folder, index) = create_index(None, &OpenContext::default());
        index.write(&[put("a")], Some("1")).unwrap();
        let failed = index.change(|writer| -> Result<(), EngineError> {
            let committed = writer.committed_manifest.clone();
            writer.set_position(Some("2"));
            writer.commit(index.folder()).unwrap();
            // As if the folder could not be synced after the manifest had got its name.
            writer.committed_manifest = committed;
            Err(EngineError::Failed("the folder cannot be synced".to_owned()))
        });
        assert!(failed.is_err());
        assert_eq!((ids(&index), index.position().unwrap().as_deref()), (vec!["a"], Some("1")));
        drop(index);
        let index = Index::open("things", folder.path().join("things"), &OpenContext::default()).unwrap();
        assert_eq!((ids(&index), index.position().unwrap().as_deref()), (vec!["a"], Some("1")));
    }

    #[test]
    fn a_result_that_was_computed_before_the_index_was_opened_again_is_dropped() {
        let (_folder, index) = create_index(None, &OpenContext::default());
        index.write(&[put("a")], None).unwrap();
        index.write(&[put("b")], None).unwrap();
        let reserved = index.change(|writer| Ok(writer.reserve_segment_file())).unwrap();
        let failed: Result<(), EngineError> = index.change(|_| Err(EngineError::Failed("no space".to_owned())));
        assert!(failed.is_err());
        assert!(!index.lock_writer().release_segment_file(&reserved));
        let next = index.change(|writer| Ok(writer.reserve_segment_file())).unwrap();
        assert!(next.number > reserved.number, "a number is never used twice");
        assert!(index.lock_writer().release_segment_file(&next));
    }

    #[test]
    fn a_retired_index_is_not_found_by_any_change() {
        let (_folder, index) = create_index(None, &OpenContext::default());
        index.write(&[put("a")], None).unwrap();
        index.set_retired(true);
        let not_found = || EngineError::IndexNotFound("things".to_owned());
        assert_eq!(index.write(&[put("b")], None).err(), Some(not_found()));
        assert_eq!(index.fill(&[put("b")]).err(), Some(not_found()));
        assert_eq!(index.compact(), Err(not_found()));
        assert_eq!(index.merge_files(), Err(not_found()));
        assert_eq!(index.flush_memory(), Err(not_found()));
        assert_eq!(index.position(), Err(not_found()));
        assert_eq!(ids(&index), ["a"], "a reader that has it keeps it");
    }
}
