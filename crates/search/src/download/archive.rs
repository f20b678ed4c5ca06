//! Several files as one compressed tar archive.
//!
//! The header of an entry holds its size, which is known only when the entry is complete. So an entry is spooled first:
//! in memory while it is small, otherwise in an unnamed temporary file.

use std::io::{self, Read, Seek, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::Header;
use tempfile::SpooledTempFile;

use super::row_writer::CHUNK_BYTES;

/// How many bytes of an entry are spooled in memory.
const MAX_MEMORY_BYTES: usize = 4 * 1024 * 1024;

/// Entries are padded to multiples of this, and two empty blocks end the archive.
const BLOCK_BYTES: usize = 512;

/// An archive that is being written.
pub(super) struct ArchiveWriter {
    compressed: GzEncoder<Vec<u8>>,
    entry: SpooledTempFile,
    /// How many bytes of the entry are not copied yet.
    left: u64,
    size: u64,
}

impl ArchiveWriter {
    pub(super) fn new() -> Self {
        let compressed = GzEncoder::new(Vec::new(), Compression::fast());
        Self { compressed, entry: SpooledTempFile::new(MAX_MEMORY_BYTES), left: 0, size: 0 }
    }

    /// Spools a chunk of the entry.
    pub(super) fn spool(mut self, chunk: &[u8]) -> io::Result<Self> {
        self.entry.write_all(chunk)?;
        self.size += chunk.len() as u64;
        Ok(self)
    }

    /// Writes the header of the spooled entry.
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

    /// Returns the next bytes of the archive, possibly none yet; `None` when the entry is complete.
    pub(super) fn entry_chunk(mut self) -> io::Result<(Self, Option<Vec<u8>>)> {
        if self.left == 0 {
            let padding = (BLOCK_BYTES - (self.size % BLOCK_BYTES as u64) as usize) % BLOCK_BYTES;
            self.compressed.write_all(&[0; BLOCK_BYTES][..padding])?;
            self.entry = SpooledTempFile::new(MAX_MEMORY_BYTES);
            self.size = 0;
            return Ok((self, None));
        }
        let mut chunk = vec![0; usize::try_from(self.left).map_or(CHUNK_BYTES, |left| left.min(CHUNK_BYTES))];
        self.entry.read_exact(&mut chunk)?;
        self.left -= chunk.len() as u64;
        self.compressed.write_all(&chunk)?;
        let written = std::mem::take(self.compressed.get_mut());
        Ok((self, Some(written)))
    }

    /// Returns the last bytes of the archive.
    pub(super) fn end(mut self) -> io::Result<Vec<u8>> {
        self.compressed.write_all(&[0; 2 * BLOCK_BYTES])?;
        self.compressed.finish()
    }
}
