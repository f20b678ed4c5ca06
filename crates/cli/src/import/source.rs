//! Where documents come from: a file or standard input, gzipped or not.
//!
//! The key of a source says which content it is: the index remembers by it how far the source came, and documents
//! without an id get one made of it. A file that was changed is another source.

use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::UNIX_EPOCH;

use flate2::read::MultiGzDecoder;
use uuid::Uuid;

/// What a gzipped file begins with.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Where documents come from.
#[derive(Debug)]
pub(crate) struct Source {
    /// The name to show.
    pub(crate) name: String,
    /// Which content it is.
    pub(crate) key: String,
    /// How many bytes there are to read, where that is known.
    pub(crate) size: Option<u64>,
    /// Nothing: standard input.
    path: Option<PathBuf>,
}

impl Source {
    /// Looks at a file.
    pub(crate) fn file(path: &Path) -> Result<Self, String> {
        let name = path.display().to_string();
        let unreadable = |error: io::Error| format!("{name} cannot be read: {error}");
        let absolute = path.canonicalize().map_err(unreadable)?;
        let metadata = absolute.metadata().map_err(unreadable)?;
        if metadata.is_dir() {
            return Err(format!("{name} is a folder; name the files in it"));
        }
        let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let modified = modified.unwrap_or_default().as_nanos();
        // What a pipe holds is known only once it was read.
        let size = metadata.is_file().then_some(metadata.len());
        let key = match size {
            Some(size) => format!("{} {size} {modified}", absolute.display()),
            None => format!("{} {}", absolute.display(), Uuid::new_v4()),
        };
        Ok(Self { name, key, size, path: Some(absolute) })
    }

    /// Returns standard input, whose content is another one each time.
    pub(crate) fn standard_input() -> Self {
        Self { name: "-".to_owned(), key: format!("standard input {}", Uuid::new_v4()), size: None, path: None }
    }

    /// Returns whether the name says that every line is a document.
    pub(crate) fn has_lines(&self) -> bool {
        let name = self.name.to_ascii_lowercase();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        name.ends_with(".ndjson") || name.ends_with(".jsonl")
    }

    /// Opens the source; its bytes come unzipped, and `read` counts them as they are stored.
    pub(crate) fn open(&self, read: Arc<AtomicU64>) -> io::Result<Box<dyn Read + Send>> {
        let stored: Box<dyn Read + Send> = match &self.path {
            Some(path) => Box::new(fs_err::File::open(path)?),
            None => Box::new(io::stdin()),
        };
        let mut counted = Counted { stored, read };
        let mut head = Vec::new();
        (&mut counted).take(GZIP.len() as u64).read_to_end(&mut head)?;
        let is_gzip = head == GZIP;
        let whole = Cursor::new(head).chain(counted);
        Ok(if is_gzip { Box::new(MultiGzDecoder::new(whole)) } else { Box::new(whole) })
    }
}

/// Counts the bytes that are read.
struct Counted {
    stored: Box<dyn Read + Send>,
    read: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.stored.read(buffer)?;
        self.read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}
