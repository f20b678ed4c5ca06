//! Reading a backup, which may come from anywhere.
//!
//! The manifest decides what is read next. An entry of another name, kind or size, a checksum that differs, anything
//! between the entries or after the last one: all of it ends the reading. Nothing is ever unpacked by a name that an
//! entry brings.

use std::io::{self, BufRead, BufReader, Read, Take, Write};
use std::path::{Path, PathBuf};

use cantata_durable_file as durable_file;
use flate2::bufread::GzDecoder;
use sha2::{Digest, Sha256};
use tar::{Archive, EntryType};

use crate::BackupError;
use crate::manifest::{ENTRY, FileRecord, Manifest, entry_name};
use crate::seal::{self, Sealing};

/// What every backup begins with, as all gzipped files do.
const BEGINNING: [u8; 3] = [0x1f, 0x8b, 8];

/// The largest manifest, in bytes.
const LARGEST_MANIFEST: u64 = 64 << 20;

/// Files may have so many bytes for each byte of the backup, and this many beside. No data compresses as well as what
/// is made to fill a disk.
const LARGEST_RATIO: u64 = 250;
const ALWAYS_ALLOWED: u64 = 1 << 30;

/// How much is read at once.
const PIECE: usize = 256 << 10;

/// A file that claims to be a backup.
pub struct Backup {
    path: PathBuf,
}

impl Backup {
    /// Names a file; nothing is read yet.
    pub fn at(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// Reads the whole file and compares it with its checksums.
    ///
    /// # Errors
    ///
    /// If it is no backup, or not whole.
    pub fn check(&self) -> Result<Manifest, BackupError> {
        self.walk(|_| Ok(io::sink()))
    }

    /// Writes the files into a folder, where none of them is yet, and returns what they are.
    ///
    /// # Errors
    ///
    /// If the file is no backup or not whole, or the folder cannot be written. What was written is of no use then.
    pub fn extract(&self, folder: &Path) -> Result<Manifest, BackupError> {
        let mut folders = vec![folder.to_owned()];
        let manifest = self.walk(|record| {
            let path = folder.join(&record.path);
            let parent = path.parent().unwrap_or(folder);
            fs_err::create_dir_all(parent)?;
            folders.push(parent.to_owned());
            durable_file::create_new_private(&path).map(Synced)
        })?;
        folders.sort();
        folders.dedup();
        for folder in folders {
            durable_file::sync_folder(&folder).map_err(|error| BackupError::io(folder.display().to_string(), error))?;
        }
        Ok(manifest)
    }

    /// Reads the backup; each file goes to what `open` returns for it.
    fn walk<W: Target>(&self, mut open: impl FnMut(&FileRecord) -> io::Result<W>) -> Result<Manifest, BackupError> {
        let unreadable = |error| BackupError::io(self.path.display().to_string(), error);
        let file = fs_err::File::open(&self.path).map_err(unreadable)?;
        let length = file.metadata().map_err(unreadable)?.len();
        let mut file = BufReader::with_capacity(PIECE, file);
        let begins = file.fill_buf().map_err(unreadable)?;
        let Some(sealed) = length.checked_sub(seal::LENGTH).filter(|_| begins.starts_with(&BEGINNING)) else {
            return Err(BackupError::NotABackup("it does not begin as one".to_owned()));
        };
        let mut archive = Archive::new(GzDecoder::new(Sealing::new(file.take(sealed))));
        let manifest = read_entries(&mut archive, length, &mut open)?;
        read_end(archive.into_inner())?;
        Ok(manifest)
    }
}

fn read_entries<W: Target>(
    archive: &mut Archive<impl Read>,
    length: u64,
    open: &mut impl FnMut(&FileRecord) -> io::Result<W>,
) -> Result<Manifest, BackupError> {
    let mut entries = archive.entries().map_err(|error| damaged(&error))?.raw(true);
    let mut text = Vec::new();
    let first = entries.next().ok_or_else(|| BackupError::NotABackup("nothing is in it".to_owned()))?;
    let first = first.map_err(|error| damaged(&error))?;
    expect(&first, ENTRY)?;
    first.take(LARGEST_MANIFEST).read_to_end(&mut text).map_err(|error| damaged(&error))?;
    let manifest = Manifest::read(&text)?;
    let allowed = length.saturating_mul(LARGEST_RATIO).saturating_add(ALWAYS_ALLOWED);
    if manifest.bytes() > allowed {
        return Err(BackupError::NotABackup(format!(
            "its {length} bytes would become {} bytes, which no data folder does",
            manifest.bytes()
        )));
    }
    for (place, record) in manifest.files.iter().enumerate() {
        let missing = || BackupError::Damaged(format!("it ends before {}", record.path));
        let entry = entries.next().ok_or_else(missing)?.map_err(|error| damaged(&error))?;
        expect(&entry, &entry_name(place, &record.path))?;
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

/// Refuses an entry that is not the file that comes next.
fn expect(entry: &tar::Entry<'_, impl Read>, name: &str) -> Result<(), BackupError> {
    let is_file = entry.header().entry_type() == EntryType::Regular;
    if is_file && *entry.path_bytes() == *name.as_bytes() {
        return Ok(());
    }
    let found = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
    Err(BackupError::NotABackup(format!("found {found:?} where the file {name:?} belongs")))
}

/// Copies an entry and returns its checksum.
fn copy(mut entry: impl Read, mut target: impl Target, path: &str) -> Result<String, BackupError> {
    let mut sum = Sha256::new();
    let mut piece = vec![0; PIECE];
    loop {
        let read = entry.read(&mut piece).map_err(|error| damaged(&error))?;
        let Some(read) = piece.get(..read).filter(|read| !read.is_empty()) else { break };
        sum.update(read);
        target.write_all(read).map_err(|error| BackupError::io(path, error))?;
    }
    target.finish().map_err(|error| BackupError::io(path, error))?;
    Ok(format!("{:x}", sum.finalize()))
}

/// Reads what follows the last entry: padding, and the seal.
fn read_end<R: BufRead>(mut decoder: GzDecoder<Sealing<Take<R>>>) -> Result<(), BackupError> {
    let mut padding = Vec::new();
    decoder.by_ref().take(PIECE as u64).read_to_end(&mut padding).map_err(|error| damaged(&error))?;
    let (file, expected) = decoder.into_inner().finish().map_err(|error| damaged(&error))?;
    let mut seal = Vec::new();
    let unread = file.limit();
    file.into_inner().take(seal::LENGTH).read_to_end(&mut seal).map_err(|error| damaged(&error))?;
    if padding.iter().any(|byte| *byte != 0) || unread > 0 || seal != expected {
        return Err(BackupError::Damaged("its end is not the end of a backup".to_owned()));
    }
    Ok(())
}

fn damaged(error: &io::Error) -> BackupError {
    BackupError::Damaged(format!("it cannot be read to its end: {error}"))
}

/// Where the content of a file goes.
trait Target: Write {
    /// Ends the file.
    fn finish(&mut self) -> io::Result<()>;
}

impl Target for io::Sink {
    fn finish(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A file that is on disk when it is finished.
struct Synced(fs_err::File);

impl Write for Synced {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Target for Synced {
    fn finish(&mut self) -> io::Result<()> {
        self.0.sync_all()
    }
}
