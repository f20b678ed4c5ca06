//! Writes a backup.

use std::io::{self, Read, Seek, Write};

use bytes::Bytes;
use cantata_core::Timestamp;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use tar::{Builder, Header};

use crate::BackupError;
use crate::manifest::{FORMAT_VERSION, FileRecord, MANIFEST_ENTRY, Manifest, entry_name};
use crate::trailer::HashingStream;

/// A file for a backup; it must not change any more.
pub struct BackupFile {
    /// Its path in the data folder, with `/` as separator.
    pub path: String,
    /// Its content.
    pub content: FileContent,
}

/// The content of a file.
pub enum FileContent {
    /// Bytes, such as a memory-mapped file.
    Bytes(Bytes),
    /// An open file.
    File(fs_err::File),
}

/// A backup that is ready to be written: its files were read once, and its manifest is known.
pub struct PreparedBackup {
    manifest: Manifest,
    files: Vec<BackupFile>,
}

impl PreparedBackup {
    /// Reads the files and computes their checksums.
    ///
    /// # Errors
    ///
    /// If one of them cannot be read.
    pub fn new(mut files: Vec<BackupFile>) -> Result<Self, BackupError> {
        let mut records = Vec::new();
        for file in &mut files {
            let (size, sha256) = file.content.checksum().map_err(|error| BackupError::io(&file.path, error))?;
            records.push(FileRecord { path: file.path.clone(), size, sha256 });
        }
        let manifest = Manifest {
            format: FORMAT_VERSION,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            created_at: Timestamp::now(),
            files: records,
        };
        Ok(Self { manifest, files })
    }

    /// Returns its manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Writes the archive.
    ///
    /// # Errors
    ///
    /// If it cannot be written, or one of the files cannot be read again.
    pub fn write_to(self, target: impl Write) -> io::Result<()> {
        let mut archive = Builder::new(GzEncoder::new(HashingStream::new(target), Compression::fast()));
        let text = serde_json::to_vec_pretty(&self.manifest)?;
        let created_at = self.manifest.created_at;
        archive.append(&header(MANIFEST_ENTRY, text.len() as u64, created_at)?, text.as_slice())?;
        for (index, (file, record)) in self.files.into_iter().zip(&self.manifest.files).enumerate() {
            let header = header(&entry_name(index, &record.path), record.size, created_at)?;
            match file.content {
                FileContent::Bytes(bytes) => archive.append(&header, &*bytes)?,
                FileContent::File(mut file) => {
                    file.rewind()?;
                    archive.append(&header, file.take(record.size))?;
                }
            }
        }
        let (mut target, trailer) = archive.into_inner()?.finish()?.finish()?;
        target.write_all(&trailer)?;
        target.flush()
    }
}

impl FileContent {
    /// Returns the size and the checksum.
    fn checksum(&mut self) -> io::Result<(u64, String)> {
        let mut sum = Sha256::new();
        let size = match self {
            Self::Bytes(bytes) => {
                sum.update(&*bytes);
                bytes.len() as u64
            }
            Self::File(file) => {
                file.rewind()?;
                io::copy(file, &mut sum)?
            }
        };
        Ok((size, format!("{:x}", sum.finalize())))
    }
}

fn header(name: &str, size: u64, created_at: Timestamp) -> io::Result<Header> {
    let mut header = Header::new_ustar();
    header.set_path(name)?;
    header.set_size(size);
    header.set_mode(0o600);
    header.set_mtime(u64::try_from(created_at.as_millis() / 1000).unwrap_or_default());
    header.set_cksum();
    Ok(header)
}
