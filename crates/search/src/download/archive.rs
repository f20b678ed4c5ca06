//! Several files as one compressed archive.
//!
//! The head of an entry has the size of the entry, which is known only when it is complete. So an entry is kept aside
//! first: in memory while it is small, else in a temporary file without a name.

use std::io::{self, Read, Seek, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::Header;
use tempfile::SpooledTempFile;

use super::writer::PIECE;

/// How many bytes of an entry are kept in memory.
const KEPT_IN_MEMORY: usize = 4 * 1024 * 1024;

/// Entries are padded to multiples of this, and two empty blocks end the archive.
const BLOCK: usize = 512;

/// An archive that is being written.
pub(super) struct Archive {
    compressed: GzEncoder<Vec<u8>>,
    entry: SpooledTempFile,
    /// How many bytes of the entry are still to be copied.
    left: u64,
    /// How many bytes the entry has.
    size: u64,
}

impl Archive {
    pub(super) fn new() -> Self {
        let compressed = GzEncoder::new(Vec::new(), Compression::fast());
        Self { compressed, entry: SpooledTempFile::new(KEPT_IN_MEMORY), left: 0, size: 0 }
    }

    /// Keeps a piece of the entry.
    pub(super) fn keep(mut self, piece: &[u8]) -> io::Result<Self> {
        self.entry.write_all(piece)?;
        self.size += piece.len() as u64;
        Ok(self)
    }

    /// Writes the head of the entry that was kept.
    pub(super) fn begin_entry(mut self, name: &str) -> io::Result<Self> {
        let mut header = Header::new_gnu();
        header.set_path(name)?;
        header.set_size(self.size);
        header.set_mode(0o644);
        header.set_mtime(u64::try_from(jiff::Timestamp::now().as_second()).unwrap_or_default());
        header.set_cksum();
        self.compressed.write_all(header.as_bytes())?;
        self.entry.rewind()?;
        self.left = self.size;
        Ok(self)
    }

    /// Returns the next bytes of the archive, which may be none as yet; nothing if the entry is complete.
    pub(super) fn entry_piece(mut self) -> io::Result<(Self, Option<Vec<u8>>)> {
        if self.left == 0 {
            let padding = (BLOCK - (self.size % BLOCK as u64) as usize) % BLOCK;
            self.compressed.write_all(&[0; BLOCK][..padding])?;
            self.entry = SpooledTempFile::new(KEPT_IN_MEMORY);
            self.size = 0;
            return Ok((self, None));
        }
        let mut piece = vec![0; usize::try_from(self.left).map_or(PIECE, |left| left.min(PIECE))];
        self.entry.read_exact(&mut piece)?;
        self.left -= piece.len() as u64;
        self.compressed.write_all(&piece)?;
        let written = std::mem::take(self.compressed.get_mut());
        Ok((self, Some(written)))
    }

    /// Returns the last bytes of the archive.
    pub(super) fn end(mut self) -> io::Result<Vec<u8>> {
        self.compressed.write_all(&[0; 2 * BLOCK])?;
        self.compressed.finish()
    }
}
