//! Putting segment files together in the background, so that there are never many.
//!
//! Segments of about the same size are merged twelve at a time, so a document is rewritten a few times in all, however
//! many there are. Merging reads segments that never change and holds up nobody; documents that are deleted meanwhile
//! are deleted in the new segment before it takes the place of the old ones.

use std::sync::{Arc, PoisonError};

use cantata_engine::EngineError;
use cantata_mapping::IndexMapping;

use super::Index;
use super::state::Held;
use super::writer::united;

/// So many segments of about the same size are merged.
const TOGETHER: usize = 12;

/// Segments with fewer documents count as one size.
const SMALL: usize = 2_000;

/// No merged segment gets more documents, because a segment is made in memory.
const LARGEST: usize = 1_200_000;

impl Index {
    /// Merges segments if there are enough of one size; returns whether it did.
    pub(crate) fn merge_some(&self) -> Result<bool, EngineError> {
        let _merging = self.merging.lock().unwrap_or_else(PoisonError::into_inner);
        let chosen = choose(&self.writer().held);
        if chosen.is_empty() {
            return Ok(false);
        }
        self.merge(&chosen)?;
        Ok(true)
    }

    /// Merges as much as possible and drops everything deleted.
    pub(crate) fn compact(&self) -> Result<(), EngineError> {
        let _merging = self.merging.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let _tidying = self.tidying();
            let mut writer = self.writer();
            writer.checkpoint(&self.folder).map_err(|error| self.failed(error))?;
            self.snapshot.store(Arc::new(writer.snapshot()));
        }
        let mut left = self.writer().held.clone();
        left.sort_by_key(|held| held.view.documents());
        while !left.is_empty() {
            let mut chosen = Vec::new();
            let mut documents = 0;
            while let Some(next) = left.first()
                && (chosen.is_empty() || documents + next.view.documents() <= LARGEST)
            {
                documents += next.view.documents();
                chosen.push(left.remove(0));
            }
            if chosen.len() > 1 || chosen.iter().any(|held| held.view.live.is_some()) {
                self.merge(&chosen)?;
            }
        }
        Ok(())
    }

    fn merge(&self, chosen: &[Held]) -> Result<(), EngineError> {
        let failed = |error: String| self.failed(error);
        let (mapping, number) = {
            let mut writer = self.writer();
            (Arc::clone(&writer.mapping), writer.begin_segment())
        };
        let merged = self.united_file(chosen, &mapping, number);
        let mut writer = self.writer();
        writer.finished(number);
        writer.exchange(chosen, merged?);
        writer.commit(&self.folder).map_err(failed)?;
        self.snapshot.store(Arc::new(writer.snapshot()));
        writer.remove_leftovers(&self.folder).map_err(failed)
    }

    /// Puts segments together into a file, and brings the log onto the disk.
    pub(super) fn united_file(
        &self,
        chosen: &[Held],
        mapping: &IndexMapping,
        number: u64,
    ) -> Result<Option<Held>, EngineError> {
        let united = united(chosen, mapping);
        let made = united.map(|united| Held::write(&self.folder, number, &united.into_file()?)).transpose();
        let made = made.map_err(|error| self.failed(error))?;
        self.sync_log()?;
        Ok(made)
    }
}

/// Returns the segments to be merged next; none if there is nothing to do.
pub(crate) fn choose(held: &[Held]) -> Vec<Held> {
    let on_disk = || held.iter().filter(|held| held.file.is_some());
    // A segment most of whose documents are gone is worth rewriting alone.
    if let Some(hollow) = on_disk().find(|held| held.view.documents() * 2 < held.view.segment.documents()) {
        return vec![hollow.clone()];
    }
    let size = |held: &Held| (held.view.documents().max(SMALL) / SMALL).ilog(TOGETHER);
    for of_size in 0..=LARGEST.ilog(TOGETHER) {
        let same: Vec<Held> = on_disk().filter(|held| size(held) == of_size).take(TOGETHER).cloned().collect();
        let documents: usize = same.iter().map(|held| held.view.documents()).sum();
        if same.len() == TOGETHER && documents <= LARGEST {
            return same;
        }
    }
    Vec::new()
}
