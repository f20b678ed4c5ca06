//! Input of documents: a file or standard input, gzipped or not.
//!
//! The key of a source identifies its content: the index stores the position of an import by it, and it is part of
//! generated document ids. A changed file is another source.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

use flate2::read::MultiGzDecoder;
use uuid::Uuid;

use super::table::TableLayout;
use super::table_rows::TableFormat;

/// The first bytes of a gzip file.
const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// A file or standard input.
#[derive(Debug)]
pub(crate) struct Source {
    /// The display name.
    pub(crate) name: String,
    /// Identifies the content.
    pub(crate) key: String,
    /// The stored size in bytes, if known.
    pub(crate) size: Option<u64>,
    /// None for standard input.
    path: Option<PathBuf>,
    /// The columns of a table, once it was examined.
    pub(super) table: Option<Arc<TableLayout>>,
}

/// Why a file cannot be imported.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SourceError {
    /// It cannot be read.
    #[error("{0} cannot be read")]
    Unreadable(String, #[source] io::Error),
    /// It is a folder.
    #[error("{0} is a folder; name the files in it")]
    Folder(String),
}

impl Source {
    /// Examines a file.
    pub(crate) fn file(path: &Path) -> Result<Self, SourceError> {
        let name = path.display().to_string();
        let unreadable = |error: io::Error| SourceError::Unreadable(name.clone(), error);
        let absolute = path.canonicalize().map_err(unreadable)?;
        let metadata = absolute.metadata().map_err(unreadable)?;
        if metadata.is_dir() {
            return Err(SourceError::Folder(name));
        }
        let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let modified = modified.unwrap_or_default().as_nanos();
        // The content of a pipe is not known in advance.
        let size = metadata.is_file().then_some(metadata.len());
        let key = match size {
            Some(size) => format!("{} {size} {modified}", absolute.display()),
            None => format!("{} {}", absolute.display(), Uuid::new_v4()),
        };
        Ok(Self { name, key, size, path: Some(absolute), table: None })
    }

    /// Returns standard input, with a new key each time.
    pub(crate) fn standard_input() -> Self {
        let key = format!("standard input {}", Uuid::new_v4());
        Self { name: "-".to_owned(), key, size: None, path: None, table: None }
    }

    /// Returns whether every line is a document: the name says so, or rows of a table become lines.
    pub(crate) fn has_lines(&self) -> bool {
        let name = self.plain_name();
        self.table.is_some() || name.ends_with(".ndjson") || name.ends_with(".jsonl")
    }

    /// Returns the format of a table, if the name says that it is one.
    pub(super) fn table_format(&self) -> Option<TableFormat> {
        let name = self.plain_name();
        match name.rsplit_once('.')?.1 {
            "csv" => Some(TableFormat::Delimited(b',')),
            "tsv" | "tab" => Some(TableFormat::Delimited(b'\t')),
            "xlsx" => Some(TableFormat::Xlsx),
            "parquet" => Some(TableFormat::Parquet),
            _ => None,
        }
    }

    /// Returns the name in lower case, without the ending of a compressed file.
    fn plain_name(&self) -> String {
        let name = self.name.to_ascii_lowercase();
        name.strip_suffix(".gz").unwrap_or(&name).to_owned()
    }

    /// Opens the source for reading uncompressed bytes; `read` counts the stored bytes.
    pub(crate) fn open(&self, read: Arc<AtomicU64>) -> io::Result<Box<dyn Read + Send>> {
        let stored: Box<dyn Read + Send> = match &self.path {
            Some(path) => Box::new(fs_err::File::open(path)?),
            None => Box::new(io::stdin()),
        };
        let mut counted = CountingReader { stored, read };
        let mut head = Vec::new();
        (&mut counted).take(GZIP_MAGIC.len() as u64).read_to_end(&mut head)?;
        let is_gzip = head == GZIP_MAGIC;
        let whole = Cursor::new(head).chain(counted);
        Ok(if is_gzip { Box::new(MultiGzDecoder::new(whole)) } else { Box::new(whole) })
    }
}

impl Source {
    /// Opens the file itself, for formats that are not read from their start to their end.
    pub(super) fn open_file(&self) -> io::Result<File> {
        let path = self.path.as_ref().ok_or_else(|| io::Error::other("standard input has to be JSON"))?;
        Ok(fs_err::File::open(path)?.into_file())
    }
}

/// A reader that counts bytes.
struct CountingReader {
    stored: Box<dyn Read + Send>,
    read: Arc<AtomicU64>,
}

impl Read for CountingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.stored.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
