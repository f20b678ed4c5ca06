//! What an import is measured against: parsing the same JSON on all processors, and nothing else.

use std::io::{BufRead, BufReader, Seek, SeekFrom};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::Outcome;
use crate::threads::run_threads;

/// How much is read at a time.
const READ_BUFFER_BYTES: usize = 1 << 20;

/// Parses every line of a file, each thread its share; returns how long it took.
pub(super) fn parse(path: &Path, documents: u64) -> Outcome<Duration> {
    let threads = std::thread::available_parallelism()?.get();
    let bytes = fs_err::metadata(path)?.len();
    let start_of = |share: usize| bytes * share as u64 / threads as u64;
    let begun = Instant::now();
    let counts = run_threads(threads, |share| parse_share(path, start_of(share), start_of(share + 1)))?;
    let elapsed = begun.elapsed();
    let parsed: u64 = counts.into_iter().sum();
    if parsed == documents { Ok(elapsed) } else { Err(format!("parsed {parsed} documents of {documents}").into()) }
}

/// Parses the lines that begin in a part of a file; returns how many there are.
fn parse_share(path: &Path, start: u64, end: u64) -> Outcome<u64> {
    let mut file = BufReader::with_capacity(READ_BUFFER_BYTES, fs_err::File::open(path)?);
    let mut line = Vec::new();
    let mut position = start;
    if start > 0 {
        // The line that the byte before belongs to is the share of another thread.
        file.seek(SeekFrom::Start(start - 1))?;
        position = start - 1 + file.read_until(b'\n', &mut line)? as u64;
    }
    let mut parsed = 0;
    while position < end {
        line.clear();
        position += file.read_until(b'\n', &mut line)? as u64;
        std::hint::black_box(serde_json::from_slice::<Value>(&line)?);
        parsed += 1;
    }
    Ok(parsed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_parsed_once_wherever_the_shares_end() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text = "[1]\n[22]\n{\"three\":3}\n[]\n";
        fs_err::write(file.path(), text).unwrap();
        for middle in 0..=text.len() as u64 {
            let first = parse_share(file.path(), 0, middle).unwrap();
            let second = parse_share(file.path(), middle, text.len() as u64).unwrap();
            assert_eq!(first + second, 4, "{middle}");
        }
    }
}
