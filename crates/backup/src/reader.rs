//! Reads a backup, which is untrusted.
//!
//! The manifest decides what is read next. An entry of another name, kind or size, a checksum that differs, anything
//! between the entries or after the last one is an error. No path is ever taken from an entry.

use std::io::{self, BufRead, BufReader, Read, Take, Write};
use std::path::{Path, PathBuf};

use cantata_durable_file as durable_file;
use flate2::bufread::GzDecoder;
use sha2::{Digest, Sha256};
use tar::{Archive, EntryType};

use crate::BackupError;
use crate::manifest::{FileRecord, MANIFEST_ENTRY, Manifest, entry_name};
use crate::trailer::{HashingStream, TRAILER_BYTES};

/// The first bytes of a gzip file.
const GZIP_MAGIC: [u8; 3] = [0x1f, 0x8b, 8];

/// The maximum size of a manifest.
const MAX_MANIFEST_BYTES: u64 = 64 << 20;

/// The maximum ratio of extracted to compressed size, beyond [`EXPANSION_FREE_BYTES`]: a decompression bomb has a higher
/// one, real data never has.
const MAX_EXPANSION_RATIO: u64 = 250;

/// The extracted size to which the ratio does not apply.
const EXPANSION_FREE_BYTES: u64 = 1 << 30;

/// The size of the read buffer.
const BUFFER_BYTES: usize = 256 << 10;

/// Reads and verifies a backup file.
pub struct BackupReader {
    path: PathBuf,
}

impl BackupReader {
    /// Creates a reader; nothing is read yet.
    pub fn at(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// Reads the whole file and verifies its checksums.
    ///
    /// # Errors
    ///
    /// If it is no backup, or not intact.
    pub fn check(&self) -> Result<Manifest, BackupError> {
        self.read_files(|_| Ok(None))
    }

    /// Extracts the files into a folder, in which none of them may exist, and returns the manifest.
    ///
    /// # Errors
    ///
    /// If the file is no backup or not intact, or the folder cannot be written. Files extracted before are to be discarded.
    pub fn extract(&self, folder: &Path) -> Result<Manifest, BackupError> {
        let mut folders = vec![folder.to_owned()];
        let manifest = self.read_files(|record| {
            let path = folder.join(&record.path);
            let parent = path.parent().unwrap_or(folder);
            fs_err::create_dir_all(parent)?;
            folders.extend(parent.ancestors().take_while(|ancestor| *ancestor != folder).map(Path::to_path_buf));
            durable_file::create_new_private(&path).map(Some)
        })?;
        folders.sort();
        folders.dedup();
        for folder in folders {
            durable_file::sync_folder(&folder).map_err(|error| BackupError::io(folder.display().to_string(), error))?;
        }
        Ok(manifest)
    }

    /// Reads the backup; each file is written to what `open` returns for it, if anything.
    fn read_files(
        &self,
        mut open: impl FnMut(&FileRecord) -> io::Result<Option<fs_err::File>>,
    ) -> Result<Manifest, BackupError> {
        let unreadable = |error| BackupError::io(self.path.display().to_string(), error);
        let file = fs_err::File::open(&self.path).map_err(unreadable)?;
        let length = file.metadata().map_err(unreadable)?.len();
        let mut file = BufReader::with_capacity(BUFFER_BYTES, file);
        let start = file.fill_buf().map_err(unreadable)?;
        let Some(archive_bytes) = length.checked_sub(TRAILER_BYTES).filter(|_| start.starts_with(&GZIP_MAGIC)) else {
            return Err(BackupError::NotABackup("it does not start like one".to_owned()));
        };
        let mut archive = Archive::new(GzDecoder::new(HashingStream::new(file.take(archive_bytes))));
        let manifest = read_entries(&mut archive, length, &mut open)?;
        verify_end(archive.into_inner())?;
        Ok(manifest)
    }
}

fn read_entries(
    archive: &mut Archive<impl Read>,
    length: u64,
    open: &mut impl FnMut(&FileRecord) -> io::Result<Option<fs_err::File>>,
) -> Result<Manifest, BackupError> {
    let mut entries = archive.entries().map_err(|error| damaged(&error))?.raw(true);
    let mut text = Vec::new();
    let first = entries.next().ok_or_else(|| BackupError::NotABackup("nothing is in it".to_owned()))?;
    let first = first.map_err(|error| damaged(&error))?;
    expect_entry(&first, MANIFEST_ENTRY)?;
    first.take(MAX_MANIFEST_BYTES).read_to_end(&mut text).map_err(|error| damaged(&error))?;
    let manifest = Manifest::read(&text)?;
    let allowed = length.saturating_mul(MAX_EXPANSION_RATIO).saturating_add(EXPANSION_FREE_BYTES);
    if manifest.bytes() > allowed {
        return Err(BackupError::NotABackup(format!(
            "its {length} bytes would become {} bytes, which no data folder does",
            manifest.bytes()
        )));
    }
    for (index, record) in manifest.files.iter().enumerate() {
        let missing = || BackupError::Damaged(format!("it ends before {}", record.path));
        let entry = entries.next().ok_or_else(missing)?.map_err(|error| damaged(&error))?;
        expect_entry(&entry, &entry_name(index, &record.path))?;
        let differs = |what: &str| BackupError::Damaged(format!("{} has another {what} than it should", record.path));
        if entry.size() != record.size {
            return Err(differs("size"));
        }
        let target = open(record).map_err(|error| BackupError::io(&record.path, error))?;
        if copy(entry, target, &record.path)? != record.sha256 {
            return Err(differs("checksum"));
        }
    }
    match entries.next() {
        None => Ok(manifest),
        Some(Ok(_)) => Err(BackupError::Damaged("something follows the last file".to_owned())),
        Some(Err(error)) => Err(damaged(&error)),
    }
}

/// Rejects an entry that is not the expected file.
fn expect_entry(entry: &tar::Entry<'_, impl Read>, name: &str) -> Result<(), BackupError> {
    let is_file = entry.header().entry_type() == EntryType::Regular;
    if is_file && *entry.path_bytes() == *name.as_bytes() {
        return Ok(());
    }
    let found = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
    Err(BackupError::NotABackup(format!("found {found:?} where the file {name:?} belongs")))
}

/// Reads an entry, copies it to the target if there is one, and returns its checksum.
fn copy(mut entry: impl Read, mut target: Option<fs_err::File>, path: &str) -> Result<String, BackupError> {
    let mut sum = Sha256::new();
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        let read = entry.read(&mut buffer).map_err(|error| damaged(&error))?;
        let Some(read) = buffer.get(..read).filter(|read| !read.is_empty()) else { break };
        sum.update(read);
        if let Some(target) = &mut target {
            target.write_all(read).map_err(|error| BackupError::io(path, error))?;
        }
    }
    if let Some(target) = target {
        target.sync_all().map_err(|error| BackupError::io(path, error))?;
    }
    Ok(format!("{:x}", sum.finalize()))
}

/// Verifies what follows the last entry: padding and the trailer.
fn verify_end<R: BufRead>(mut decoder: GzDecoder<HashingStream<Take<R>>>) -> Result<(), BackupError> {
    let mut padding = Vec::new();
    decoder.by_ref().take(BUFFER_BYTES as u64).read_to_end(&mut padding).map_err(|error| damaged(&error))?;
    let (file, expected) = decoder.into_inner().finish().map_err(|error| damaged(&error))?;
    let mut trailer = Vec::new();
    let unread = file.limit();
    file.into_inner().take(TRAILER_BYTES).read_to_end(&mut trailer).map_err(|error| damaged(&error))?;
    if padding.iter().any(|byte| *byte != 0) || unread > 0 || trailer != expected {
        return Err(BackupError::Damaged("its end is not the end of a backup".to_owned()));
    }
    Ok(())
}

fn damaged(error: &io::Error) -> BackupError {
    BackupError::Damaged(format!("it cannot be read to its end: {error}"))
}
