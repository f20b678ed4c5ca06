//! The log of an import: rejected documents, progress, and the summary.

use std::collections::{HashMap, VecDeque};
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use cantata_engine::RejectedImport;
use cantata_json_stream::{DocumentSpan, ReadError};

use super::source::Source;
use crate::terminal::{Progress, print_note};

/// How many documents that were rejected for the same reason are reported one by one.
const MAX_REPORTED_PER_REASON: u64 = 5;

/// How many reasons are told apart.
const MAX_REASONS: usize = 1_000;

/// Reports on an import.
pub(super) struct ImportLog {
    /// The names to show, by key.
    names: Vec<(String, String)>,
    begun: Instant,
    bytes_read: Arc<AtomicU64>,
    state: Mutex<Counters>,
}

struct Counters {
    progress: Progress,
    total: Option<u64>,
    imported: u64,
    rejected: u64,
    bytes: u64,
    /// The keys of sources that could not be read to their end, and whether a second try could.
    broken: Vec<(String, bool)>,
    /// How many documents were rejected for a reason, and the reason of the first.
    reasons: HashMap<String, (u64, String)>,
    /// For the chunks that may still be in progress: the key, and numbers and lines of the documents.
    lines: VecDeque<(String, Vec<(u64, u64)>)>,
    at_once: usize,
}

impl ImportLog {
    /// Starts the log of an import.
    pub(super) fn new(sources: &[Source]) -> Self {
        let bytes_read = Arc::new(AtomicU64::new(0));
        let total = sources.iter().map(|source| source.size).sum();
        let state = Counters {
            progress: Progress::of_bytes(total),
            total,
            imported: 0,
            rejected: 0,
            bytes: 0,
            broken: Vec::new(),
            reasons: HashMap::new(),
            lines: VecDeque::new(),
            at_once: 1,
        };
        let names = sources.iter().map(|source| (source.key.clone(), source.name.clone())).collect();
        Self { names, begun: Instant::now(), bytes_read, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, Counters> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets how many chunks are imported concurrently.
    pub(super) fn expect_at_once(&self, chunks: usize) {
        self.state().at_once = chunks;
    }

    /// Returns the count of bytes read, for a source to add to.
    pub(super) fn bytes_read(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.bytes_read)
    }

    /// Returns the number of imported documents.
    pub(super) fn imported(&self) -> u64 {
        self.state().imported
    }

    /// Returns whether a document was rejected, or a source could not be read to its end.
    pub(super) fn has_failures(&self) -> bool {
        let state = self.state();
        state.rejected > 0 || !state.broken.is_empty()
    }

    /// Stores the lines of documents whose numbers are no lines, for as long as they may be rejected.
    pub(super) fn note_lines(&self, key: &str, documents: &[DocumentSpan]) {
        if documents.iter().all(|found| found.number == found.line) {
            return;
        }
        let mut state = self.state();
        // Chunks are imported in order, so only the last ones can be in progress.
        if state.lines.len() == state.at_once {
            state.lines.pop_front();
        }
        let lines = documents.iter().map(|found| (found.number, found.line)).collect();
        state.lines.push_back((key.to_owned(), lines));
    }

    /// Counts imported documents.
    pub(super) fn count_imported(&self, documents: u64, bytes: u64) {
        let mut state = self.state();
        state.imported += documents;
        state.bytes += bytes;
        let message = format!("{} documents taken, {} refused", state.imported, state.rejected);
        let read = self.bytes_read.load(Ordering::Relaxed);
        let of = state.total.map(|total| format!(" of {}", total / 1_000_000)).unwrap_or_default();
        state.progress.log(|| format!("{message}; {}{of} MB read", read / 1_000_000));
        state.progress.advance(read, message);
    }

    /// Reports a document that the engine rejected.
    pub(super) fn reject_document(&self, document: &RejectedImport) {
        let line = self.state().line_of(&document.source, document.line);
        let name = self.names.iter().find(|(key, _)| *key == document.source).map_or("", |(_, name)| name);
        self.reject(name, line, &document.reason);
    }

    /// Reports a rejected document, unless many were rejected for the same reason.
    pub(super) fn reject(&self, name: &str, line: u64, reason: &str) {
        let mut state = self.state();
        state.rejected += 1;
        let mut kind = reason_kind(reason);
        if state.reasons.len() >= MAX_REASONS && !state.reasons.contains_key(&kind) {
            kind.clear();
        }
        let (count, _) = state.reasons.entry(kind).or_insert_with(|| (0, reason.to_owned()));
        *count += 1;
        if *count <= MAX_REPORTED_PER_REASON {
            state.progress.suspend(|| print_note(format_args!("{name}, line {line}: {reason}")));
        }
    }

    /// Reports a source that cannot be read to its end.
    pub(super) fn broken(&self, source: &Source, error: &ReadError) {
        let mut state = self.state();
        let (reason, can_resume) = match error {
            ReadError::Io(reason) => (format!("{}: cannot be read further: {reason}", source.name), true),
            ReadError::Syntax(reason) => (format!("{}, {reason}; the rest of it was not read", source.name), false),
        };
        state.broken.push((source.key.clone(), can_resume));
        state.progress.suspend(|| print_note(&reason));
    }

    /// Returns whether the rest of a source could be imported later without changing it.
    pub(super) fn can_resume(&self, source: &Source) -> bool {
        self.state().broken.iter().any(|(key, can_resume)| *key == source.key && *can_resume)
    }

    /// Clears the progress bar.
    pub(super) fn clear_progress(&self) {
        self.state().progress.clear();
    }

    /// Writes the summary, and returns the exit code.
    pub(super) fn summary(&self, index: &str) -> ExitCode {
        let state = self.state();
        let mut more: Vec<_> = state.reasons.values().filter(|(count, _)| *count > MAX_REPORTED_PER_REASON).collect();
        more.sort();
        for (count, reason) in more.into_iter().rev() {
            let count = count - MAX_REPORTED_PER_REASON;
            print_note(format_args!("{count} more are refused for such a reason: {reason}"));
        }
        let seconds = self.begun.elapsed().as_secs_f64();
        let megabytes = state.bytes as f64 / 1e6;
        let broken = match state.broken.len() {
            0 => String::new(),
            count => format!(", files not read to their end: {count}"),
        };
        // A closed pipe is ignored.
        let _ = writeln!(
            io::stdout(),
            "{index}: {} documents taken, {} refused{broken}; {megabytes:.1} MB in {seconds:.1} s, {:.1} MB/s",
            state.imported,
            state.rejected,
            megabytes / seconds.max(f64::EPSILON),
        );
        if state.rejected == 0 && state.broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// Returns what reasons have in common that differ in values and numbers alone.
fn reason_kind(reason: &str) -> String {
    let mut kind = String::new();
    let mut quote = None;
    for character in reason.chars() {
        match quote {
            Some(end) if character == end => quote = None,
            Some(_) => {}
            None if character.is_ascii_digit() => {}
            None => {
                kind.push(character);
                quote = Some(character).filter(|character| ['"', '`', '\''].contains(character));
            }
        }
    }
    kind
}

impl Counters {
    /// Returns the line of a document.
    fn line_of(&self, source: &str, number: u64) -> u64 {
        let mut of_source = self.lines.iter().filter(|(key, _)| key == source);
        let found = of_source.find_map(|(_, lines)| {
            let index = lines.binary_search_by_key(&number, |(number, _)| *number).ok()?;
            lines.get(index).map(|(_, line)| *line)
        });
        found.unwrap_or(number)
    }
}
