//! Taking in many documents at once: each chunk of the input becomes one segment file.
//!
//! Chunks are read by several threads, but become part of the index in the order of the input, so that of several
//! documents with one id the last one holds, and so that the manifest can say with one number for each source how far
//! it was taken in. An import that was interrupted goes on from there.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use cantata_durable_file as durable_file;
use cantata_engine::{BatchReport, EngineError, ImportChunk, ImportRefusal, Operation, Refusal};
use cantata_mapping::IndexMapping;
use siphasher::sip128::{Hasher128, SipHasher13};

use super::Index;
use super::manifest::Manifest;
use super::state::Held;
use crate::build::{Draft, SharedMapping, assemble};

/// What an import tells while it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportProgress {
    /// A document was refused.
    Rejected(ImportRefusal),
    /// A chunk became part of the index: so many documents, in so many bytes.
    Indexed {
        /// Documents.
        documents: u64,
        /// Bytes of their JSON.
        bytes: u64,
    },
}

/// What an import does beside reading.
pub(crate) struct ImportRules<'a> {
    /// The field that is the id of a document without `_id`.
    pub(crate) id_field: Option<&'a str>,
    /// How many threads read.
    pub(crate) threads: usize,
    /// Is told what happens.
    pub(crate) tell: &'a (dyn Fn(ImportProgress) + Sync),
}

impl Index {
    /// Returns how far a source was taken in by an import that did not end.
    pub(crate) fn import_position(&self, source: &str) -> u64 {
        self.writer().manifest.imports.get(source).copied().unwrap_or_default()
    }

    /// Takes in chunks until there are none left, or one cannot be read.
    pub(crate) fn import(
        &self,
        chunks: impl Iterator<Item = Result<ImportChunk, String>> + Send,
        rules: &ImportRules<'_>,
    ) -> Result<(), EngineError> {
        let shared = Arc::new(SharedMapping::new(Arc::clone(&self.writer().mapping)));
        let input = Mutex::new(chunks.enumerate());
        let turns = Turns::default();
        let run = || -> Result<(), EngineError> {
            loop {
                let next = input.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some((turn, chunk)) = next else { return Ok(()) };
                let read = chunk.and_then(|chunk| {
                    let segment = read(&chunk, &shared, rules)?;
                    Ok((chunk, segment))
                });
                // After a failure nothing that comes later may become part of the index.
                if !turns.wait_for(turn) {
                    return Ok(());
                }
                let done = read
                    .map_err(EngineError::Refused)
                    .and_then(|(chunk, segment)| self.commit_chunk(&chunk, &segment, &shared, rules));
                turns.done(done.is_ok());
                done?;
            }
        };
        let results: Vec<Result<(), EngineError>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..rules.threads.max(1)).map(|_| scope.spawn(run)).collect();
            let failed = || Err(EngineError::Failed("a thread of the import ended early".to_owned()));
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| failed())).collect()
        });
        results.into_iter().collect()
    }

    /// Forgets how far a source was taken in: its import is complete.
    pub(crate) fn end_import(&self, source: &str) -> Result<(), EngineError> {
        let mut writer = self.writer();
        writer.manifest.imports.remove(source);
        writer.commit(&self.folder).map_err(|error| self.failed(error))
    }

    /// Takes in documents that are not there yet. They become a segment file at once; several threads may do this, and
    /// wait for each other only to make their files part of the index.
    pub(crate) fn fill(&self, documents: &[Operation]) -> Result<BatchReport, EngineError> {
        let shared = Arc::new(SharedMapping::new(Arc::clone(&self.writer().mapping)));
        let mut draft = Draft::new(Arc::clone(&shared));
        let mut report = BatchReport::default();
        for (place, operation) in documents.iter().enumerate() {
            let Operation::Put { id, source } = operation else { continue };
            match draft.add(id, source) {
                Ok(()) => report.written += 1,
                Err(reason) => report.refused.push(Refusal { place, id: id.clone(), reason }),
            }
        }
        if report.written > 0 {
            let assembled = assemble(&[draft.sorted()], &shared.current());
            let bytes = assembled.into_file().map_err(|error| self.failed(error))?;
            self.commit_segment(&bytes, &shared, |_| {})?;
        }
        Ok(report)
    }

    fn commit_chunk(
        &self,
        chunk: &ImportChunk,
        bytes: &[u8],
        shared: &SharedMapping,
        rules: &ImportRules<'_>,
    ) -> Result<(), EngineError> {
        let end = |manifest: &mut Manifest| {
            manifest.imports.insert(chunk.source.clone(), chunk.end);
        };
        let documents = self.commit_segment(bytes, shared, end)?;
        (rules.tell)(ImportProgress::Indexed { documents, bytes: chunk.bytes.len() as u64 });
        Ok(())
    }

    /// Makes a segment part of the index, with whatever else the manifest is to say then; returns how many documents it
    /// has.
    fn commit_segment(
        &self,
        bytes: &[u8],
        shared: &SharedMapping,
        note: impl FnOnce(&mut Manifest),
    ) -> Result<u64, EngineError> {
        let _tidying = self.tidying();
        let mut writer = self.writer();
        let mapping = united_mapping(&writer.mapping, &shared.current())?;
        // What came before, through the log too, must not come back over this when the log is read again.
        if writer.log.bytes() > 0 {
            writer.checkpoint(&self.folder).map_err(|error| self.failed(error))?;
        }
        let new = Held::write(&self.folder, writer.manifest.new_file(), bytes).map_err(|error| self.failed(error))?;
        let documents = new.view.segment.documents();
        for row in 0..documents {
            writer.remove(new.view.segment.id(row));
        }
        writer.held.push(new);
        writer.mapping = mapping;
        note(&mut writer.manifest);
        durable_file::sync_folder(&self.folder).map_err(|error| self.failed(error))?;
        writer.commit(&self.folder).map_err(|error| self.failed(error))?;
        self.snapshot.store(Arc::new(writer.snapshot()));
        Ok(documents as u64)
    }
}

/// Adds the fields that an import brought to those that other writes brought meanwhile.
fn united_mapping(present: &Arc<IndexMapping>, brought: &Arc<IndexMapping>) -> Result<Arc<IndexMapping>, EngineError> {
    if Arc::ptr_eq(present, brought) {
        return Ok(Arc::clone(brought));
    }
    let mut united = IndexMapping::clone(present);
    united.merge(brought).map_err(|errors| {
        let differences: Vec<String> = errors.iter().map(ToString::to_string).collect();
        let differences = differences.join("; ");
        EngineError::Refused(format!("other documents brought the same fields with other types: {differences}"))
    })?;
    Ok(Arc::new(united))
}

/// Makes a segment of a chunk.
fn read(chunk: &ImportChunk, shared: &Arc<SharedMapping>, rules: &ImportRules<'_>) -> Result<Vec<u8>, String> {
    let mut draft = Draft::new(Arc::clone(shared));
    for (line, range) in &chunk.documents {
        let json = chunk.bytes.get(range.clone()).unwrap_or_default();
        if let Err(reason) = draft.add_with_own_id(json, rules.id_field, || made_id(&chunk.source, *line)) {
            let refusal = ImportRefusal { source: chunk.source.clone(), line: *line, reason };
            (rules.tell)(ImportProgress::Rejected(refusal));
        }
    }
    assemble(&[draft.sorted()], &shared.current()).into_file()
}

/// Returns the id of a document that has none: the same whenever the same line is taken in again.
fn made_id(source: &str, line: u64) -> String {
    let mut hasher = SipHasher13::new();
    std::hash::Hasher::write(&mut hasher, source.as_bytes());
    std::hash::Hasher::write_u64(&mut hasher, line);
    format!("{:032x}", hasher.finish128().as_u128())
}

/// Lets threads do something one after the other, in order.
#[derive(Default)]
struct Turns {
    /// The turn that is next; nothing after a failure.
    next: Mutex<TurnState>,
    changed: Condvar,
}

#[derive(Default)]
struct TurnState {
    next: usize,
    failed: bool,
}

impl Turns {
    /// Waits for a turn; returns false if one before it failed.
    fn wait_for(&self, turn: usize) -> bool {
        let mut state = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        while state.next != turn && !state.failed {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        !state.failed
    }

    fn done(&self, success: bool) {
        let mut state = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        state.next += 1;
        state.failed |= !success;
        self.changed.notify_all();
    }
}
