//! What an import tells: what was refused, at once; how far it is, now and then; and at its end the whole.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use cantata_engine::ImportRefusal;

use super::progress::Progress;
use super::source::Source;
use super::split::{Broken, Found};

/// What is known of an import.
pub(super) struct Report {
    /// The names to show, by key.
    names: Vec<(String, String)>,
    begun: Instant,
    bytes_read: Arc<AtomicU64>,
    state: Mutex<State>,
}

struct State {
    progress: Progress,
    taken: u64,
    refused: u64,
    bytes: u64,
    /// The keys of sources that could not be read to their end, and whether a second try could.
    broken: Vec<(String, bool)>,
    /// For the chunks that may still be under way: the key, and numbers and lines of the documents.
    lines: VecDeque<(String, Vec<(u64, u64)>)>,
    at_once: usize,
}

impl Report {
    /// Begins to tell of an import.
    pub(super) fn new(sources: &[Source]) -> Self {
        let bytes_read = Arc::new(AtomicU64::new(0));
        let total = sources.iter().map(|source| source.size).sum();
        let state = State {
            progress: Progress::new(total),
            taken: 0,
            refused: 0,
            bytes: 0,
            broken: Vec::new(),
            lines: VecDeque::new(),
            at_once: 1,
        };
        let names = sources.iter().map(|source| (source.key.clone(), source.name.clone())).collect();
        Self { names, begun: Instant::now(), bytes_read, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says how many chunks may be under way at once.
    pub(super) fn expect_at_once(&self, chunks: usize) {
        self.state().at_once = chunks;
    }

    /// Returns the count of bytes read, for a source to add to.
    pub(super) fn bytes_read(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.bytes_read)
    }

    /// Returns how many documents were taken.
    pub(super) fn taken(&self) -> u64 {
        self.state().taken
    }

    /// Keeps the lines of documents whose numbers are no lines, for as long as they may be refused.
    pub(super) fn note_lines(&self, key: &str, documents: &[Found]) {
        if documents.iter().all(|found| found.number == found.line) {
            return;
        }
        let mut state = self.state();
        // Chunks are taken in in order, so only the last ones can be under way.
        if state.lines.len() == state.at_once {
            state.lines.pop_front();
        }
        let lines = documents.iter().map(|found| (found.number, found.line)).collect();
        state.lines.push_back((key.to_owned(), lines));
    }

    /// Counts documents that became part of the index.
    pub(super) fn took(&self, documents: u64, bytes: u64) {
        let mut state = self.state();
        state.taken += documents;
        state.bytes += bytes;
        let (taken, refused) = (state.taken, state.refused);
        state.progress.advance(self.bytes_read.load(Ordering::Relaxed), taken, refused);
    }

    /// Tells of a document that the engine refused.
    pub(super) fn refused_by_engine(&self, refusal: &ImportRefusal) {
        let line = self.state().line_of(&refusal.source, refusal.line);
        let name = self.names.iter().find(|(key, _)| *key == refusal.source).map_or("", |(_, name)| name);
        self.refused(name, line, &refusal.reason);
    }

    /// Tells of a document that was refused.
    pub(super) fn refused(&self, name: &str, line: u64, reason: &str) {
        let mut state = self.state();
        state.refused += 1;
        state.progress.tell(&format!("{name}, line {line}: {reason}"));
    }

    /// Tells of a source that cannot be read to its end.
    pub(super) fn broken(&self, source: &Source, broken: &Broken) {
        let mut state = self.state();
        let (reason, can_go_on) = match broken {
            Broken::Unreadable(reason) => (format!("{}: cannot be read further: {reason}", source.name), true),
            Broken::Syntax(reason) => (format!("{}, {reason}; the rest of it was not read", source.name), false),
        };
        state.broken.push((source.key.clone(), can_go_on));
        state.progress.tell(&reason);
    }

    /// Returns whether the rest of a source could be taken in later, without its being changed.
    pub(super) fn can_go_on(&self, source: &Source) -> bool {
        self.state().broken.iter().any(|(key, can_go_on)| *key == source.key && *can_go_on)
    }

    /// Takes the progress off the screen.
    pub(super) fn finish_progress(&self) {
        self.state().progress.finish();
    }

    /// Writes what became of the import, and returns the exit code for that.
    pub(super) fn summary(&self, index: &str) -> ExitCode {
        let state = self.state();
        let seconds = self.begun.elapsed().as_secs_f64();
        let megabytes = state.bytes as f64 / 1e6;
        let broken = match state.broken.len() {
            0 => String::new(),
            count => format!(", files not read to their end: {count}"),
        };
        // Nobody needs to read it; a closed pipe is no failure of the import.
        let _ = writeln!(
            io::stdout(),
            "{index}: {} documents taken, {} refused{broken}; {megabytes:.1} MB in {seconds:.1} s, {:.1} MB/s",
            state.taken,
            state.refused,
            megabytes / seconds.max(f64::EPSILON),
        );
        if state.refused == 0 && state.broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

impl State {
    /// Returns the line of a document.
    fn line_of(&self, source: &str, number: u64) -> u64 {
        let mut of_source = self.lines.iter().filter(|(key, _)| key == source);
        let found = of_source.find_map(|(_, lines)| {
            let place = lines.binary_search_by_key(&number, |(number, _)| *number).ok()?;
            lines.get(place).map(|(_, line)| *line)
        });
        found.unwrap_or(number)
    }
}
