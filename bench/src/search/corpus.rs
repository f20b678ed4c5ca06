//! The documents as lines of JSON in a file, which is made once and kept.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use cantata_demo::catalogue::Documents;

use crate::threads::run_threads;
use crate::{Outcome, report};

/// The seed of the generated documents.
const SEED: u64 = 4;

/// How many documents a thread makes at a time.
const DOCUMENTS_PER_THREAD: u64 = 10_000;

/// How many documents tell one generator from the next.
const FINGERPRINT_DOCUMENTS: u64 = 200;

/// A file with a document on each line.
pub(super) struct Corpus {
    pub(super) path: PathBuf,
    pub(super) documents: u64,
    pub(super) bytes: u64,
}

impl Corpus {
    /// Returns the corpus of this many documents; it is made if it is not in the folder.
    pub(super) fn prepare(folder: &Path, documents: u64) -> Outcome<Self> {
        let path = folder.join(format!("files-{documents}-{:016x}.ndjson", fingerprint()?));
        if !path.try_exists()? {
            report::progress(&format!("making {documents} documents"));
            let unfinished = path.with_extension("unfinished");
            make(&unfinished, &(0..documents))?;
            fs_err::rename(&unfinished, &path)?;
        }
        let bytes = fs_err::metadata(&path)?.len();
        Ok(Self { path, documents, bytes })
    }

    pub(super) fn megabytes(&self) -> f64 {
        self.bytes as f64 / 1e6
    }
}

/// Returns a number that changes with what the generator makes.
fn fingerprint() -> Outcome<u64> {
    let mut hasher = DefaultHasher::new();
    lines(0..FINGERPRINT_DOCUMENTS)?.hash(&mut hasher);
    Ok(hasher.finish())
}

/// Writes the documents of these numbers into a file.
pub(super) fn make(path: &Path, numbers: &Range<u64>) -> Outcome<()> {
    let threads = std::thread::available_parallelism()?.get();
    let mut file = fs_err::File::create(path)?;
    for next in numbers.clone().step_by(threads * DOCUMENTS_PER_THREAD as usize) {
        let texts = run_threads(threads, |number| {
            let first = numbers.end.min(next + number as u64 * DOCUMENTS_PER_THREAD);
            lines(first..numbers.end.min(first + DOCUMENTS_PER_THREAD))
        })?;
        for text in texts {
            file.write_all(&text)?;
        }
    }
    Ok(file.sync_all()?)
}

fn lines(numbers: Range<u64>) -> Outcome<Vec<u8>> {
    let mut text = Vec::new();
    Documents::new(SEED, numbers.end).slice(numbers).write_to(&mut text)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corpus_made_in_pieces_is_the_same_as_one_made_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let documents = 2 * DOCUMENTS_PER_THREAD + 1;
        let corpus = Corpus::prepare(folder.path(), documents).unwrap();
        assert!(fs_err::read(&corpus.path).unwrap() == lines(0..documents).unwrap());
        assert_eq!(fs_err::read_dir(folder.path()).unwrap().count(), 1);
    }
}
