//! Checksums of stored rows: what is read is what was written, or an error that names it.
//!
//! SQLite has no checksums of its own, so a bit that changes on the disk would change a document and nobody would notice. A
//! row that was written before there were checksums gets one in the background once the store is opened (`missing_checksums.rs`).

use cantata_core::AnalysisId;
use cantata_store::{Result, StoreError};
use rusqlite::Row;

/// Returns the checksum of the columns of a row; the borders between them count.
pub(crate) fn checksum_of(columns: &[&[u8]]) -> u32 {
    let mut checksum = crc32fast::Hasher::new();
    for column in columns {
        checksum.update(&(column.len() as u64).to_le_bytes());
        checksum.update(column);
    }
    checksum.finalize()
}

/// Rejects columns that do not have the checksum that was stored with them.
pub(crate) fn check(stored: Option<u32>, columns: &[&[u8]], location: impl FnOnce() -> String) -> Result<()> {
    match stored {
        Some(stored) if stored != checksum_of(columns) => {
            Err(StoreError::corrupt(location(), "its checksum is not the one that was stored with it"))
        }
        _ => Ok(()),
    }
}

/// Returns the checksum of a revision. Its number and its study are not among the columns: `check.rs` compares them with those
/// of other rows.
pub(crate) fn of_revision(analysis_id: AnalysisId, state: i16, action: i16, document: &[u8]) -> u32 {
    checksum_of(&[analysis_id.as_bytes(), &state.to_le_bytes(), &action.to_le_bytes(), document])
}

/// The columns of a revision, not checked yet.
pub(crate) struct RevisionRow {
    pub(crate) analysis_id: AnalysisId,
    pub(crate) state: i16,
    pub(crate) action: i16,
    document: Vec<u8>,
    checksum: Option<u32>,
}

impl RevisionRow {
    /// Reads the columns analysis_id, state, action, document and checksum of an event, the first of which has this index.
    pub(crate) fn read(row: &Row<'_>, first: usize) -> rusqlite::Result<Self> {
        Ok(Self {
            analysis_id: AnalysisId::from_bytes(row.get(first)?),
            state: row.get(first + 1)?,
            action: row.get(first + 2)?,
            document: row.get_ref(first + 3)?.as_bytes()?.to_vec(),
            checksum: row.get(first + 4)?,
        })
    }

    /// Returns the document of a revision of this analysis; an error names both.
    pub(crate) fn into_document(self, revision: u64, analysis_id: AnalysisId) -> Result<String> {
        let location = || format!("revision {revision} of analysis {analysis_id}");
        if self.analysis_id != analysis_id {
            let found = format!("it is a revision of analysis {}", self.analysis_id);
            return Err(StoreError::corrupt(location(), found));
        }
        let (state, action) = (self.state.to_le_bytes(), self.action.to_le_bytes());
        check(self.checksum, &[analysis_id.as_bytes(), &state, &action, &self.document], location)?;
        String::from_utf8(self.document).map_err(|error| StoreError::corrupt(location(), error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flipped_bit_and_moved_border_is_found() {
        let stored = checksum_of(&[b"ab", b"c"]);
        assert!(check(Some(stored), &[b"ab", b"c"], String::new).is_ok());
        assert!(check(None, &[b"other"], String::new).is_ok());
        for bit in 0..16 {
            let mut flipped = *b"ab";
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(check(Some(stored), &[&flipped, b"c"], String::new).is_err(), "bit {bit}");
        }
        assert!(check(Some(stored), &[b"a", b"bc"], String::new).is_err());
    }
}
