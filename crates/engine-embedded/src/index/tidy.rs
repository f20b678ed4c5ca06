//! Keeping what is in memory small: its segments few, the log short.
//!
//! This happens beside the writes. Segments never change, so they are put together without the writer, which is held for
//! a moment to put the result in their place. What is in memory becomes a segment file together with a new log: from
//! then on entries go into the new one, and the old one is left when the file is part of the index. A crash in between
//! leaves two logs, which are read one after the other.
//!
//! While writes come in a stream, segments are left to gather: put together later, each document is put together with more
//! others at once, or goes straight into the file. A search asks each of them, so they may not become many.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use cantata_engine::EngineError;

use super::Index;
use super::merge;
use super::state::Held;
use super::writer::{Writer, united};
use crate::segment::Segment;

/// When the log has so many bytes, what is in it becomes a segment file.
const LARGE_LOG: u64 = 32 << 20;

/// When there are so many segments of about one size in memory, they are put together.
const MANY: usize = 16;

/// When there are so many of about one size, it does not wait until nothing is written any more.
const CROWDED: usize = 64;

/// How many documents a small segment in memory has at most. Those of the next size have so many times [`MANY`].
const SMALL: usize = 512;

/// Whoever writes faster than this is kept up with waits: so many times as many segments, or bytes of log. While a file is
/// made nothing else is put together, and small batches come in by the hundred: they must not have to wait for the file.
const TOO_MUCH: usize = 8;

/// Says whether so much is in memory that whoever brings more has to wait.
pub(crate) fn is_too_much(writer: &Writer) -> bool {
    writer.log.bytes() >= LARGE_LOG * TOO_MUCH as u64
        || writer.held.iter().filter(|held| held.file.is_none()).count() >= CROWDED * TOO_MUCH
}

impl Index {
    /// Says whether somebody should see to [`Self::tidy_memory`] and is the first to be told.
    pub(crate) fn wants_tidying(&self) -> bool {
        if self.tidied_soon.load(Ordering::Relaxed) {
            return false;
        }
        let is_untidy = {
            let writer = self.writer();
            writer.log.bytes() >= LARGE_LOG
                || !many(&writer.held, MANY).is_empty()
                || !merge::choose(&writer.held).is_empty()
        };
        is_untidy && !self.tidied_soon.swap(true, Ordering::Relaxed)
    }

    /// Waits for a while; says whether nothing was written meanwhile, or so much that it has to be tidied now.
    pub(crate) async fn rests_or_is_crowded(&self, a_while: Duration) -> bool {
        let before = Arc::downgrade(&self.snapshot());
        tokio::time::sleep(a_while).await;
        let writer = self.writer();
        Arc::downgrade(&self.snapshot()).ptr_eq(&before)
            || writer.log.bytes() >= LARGE_LOG
            || !many(&writer.held, CROWDED).is_empty()
    }

    /// Puts segments in memory together, or writes them into a file, until there is nothing to do.
    pub(crate) fn tidy_memory(&self) -> Result<(), EngineError> {
        // From here on, whoever writes may ask for it again.
        self.tidied_soon.store(false, Ordering::Relaxed);
        let _tidying = self.tidying();
        while self.save_log()? || self.unite_memory()? {}
        Ok(())
    }

    /// Merges files until there is nothing to do.
    pub(crate) fn tidy_files(&self) -> Result<(), EngineError> {
        while self.merge_some()? {}
        Ok(())
    }

    /// Puts segments in memory together if there are many of about one size, the smallest first: a document is put
    /// together with others once for each size, however many small batches come.
    fn unite_memory(&self) -> Result<bool, EngineError> {
        let (chosen, mapping) = {
            let writer = self.writer();
            (many(&writer.held, MANY), Arc::clone(&writer.mapping))
        };
        if chosen.is_empty() {
            return Ok(false);
        }
        let made = united(&chosen, &mapping).map(|united| Held::in_memory(Segment::in_memory(united)));
        let mut writer = self.writer();
        writer.exchange(&chosen, made);
        self.snapshot.store(Arc::new(writer.snapshot()));
        Ok(true)
    }

    /// Brings what is in the log onto the disk while others go on writing, so that little is left to whoever has to hold
    /// the writer for it.
    pub(super) fn sync_log(&self) -> Result<(), EngineError> {
        let file = self.writer().log.file().map_err(|error| self.failed(error))?;
        file.sync_data().map_err(|error| self.failed(error))
    }

    /// Writes what is in memory into a segment file if the log is large.
    fn save_log(&self) -> Result<bool, EngineError> {
        let failed = |error: String| self.failed(error);
        if self.writer().log.bytes() < LARGE_LOG {
            return Ok(false);
        }
        self.sync_log()?;
        let (chosen, mapping, log, number) = {
            let mut writer = self.writer();
            let log = writer.begin_log(&self.folder).map_err(failed)?;
            (writer.in_memory(), Arc::clone(&writer.mapping), log, writer.begin_segment())
        };
        let made = self.united_file(&chosen, &mapping, number);
        let mut writer = self.writer();
        writer.finished(number);
        writer.exchange(&chosen, made?);
        writer.leave_older_logs(log, &self.folder).map_err(failed)?;
        self.snapshot.store(Arc::new(writer.snapshot()));
        Ok(true)
    }
}

/// Returns the segments in memory to be put together next: those of about one size, if there are at least so many.
fn many(held: &[Held], at_least: usize) -> Vec<Held> {
    let in_memory = || held.iter().filter(|held| held.file.is_none());
    let largest = in_memory().map(|held| held.view.segment.documents()).max().unwrap_or_default();
    let mut most = SMALL;
    loop {
        let is_small = |held: &&Held| held.view.segment.documents() <= most;
        if in_memory().filter(is_small).count() >= at_least {
            return in_memory().filter(is_small).cloned().collect();
        }
        if largest <= most {
            return Vec::new();
        }
        most = most.saturating_mul(MANY);
    }
}
