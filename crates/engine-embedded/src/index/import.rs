//! Bulk import: each chunk of the input becomes one segment file.
//!
//! Chunks are read by several threads, but committed in the order of the input, so that of several documents with one id
//! the last one wins, and so that the manifest needs one number for each source to say how far it was read. An interrupted
//! import continues from there.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use cantata_engine::{BatchReport, EngineError, ImportChunk, RejectedImport, WriteOperation};
use cantata_mapping::IndexMapping;
use siphasher::sip128::{Hasher128, SipHasher13};

use super::change::catch_panic;
use super::index_segment::IndexSegment;
use super::manifest::Manifest;
use super::{Index, source_bytes};
use crate::build::{DocumentBuffer, DynamicMapping, build_segment};
use crate::build_memory::reserve_for_documents;
use crate::error::IndexError;

/// An event of a running import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportProgress {
    /// A document was rejected.
    Rejected(RejectedImport),
    /// A chunk became part of the index.
    Indexed {
        /// Its documents.
        documents: u64,
        /// Bytes of their JSON.
        bytes: u64,
    },
}

/// Options of an import.
pub(crate) struct ImportOptions<'a> {
    /// The field that is the id of a document without `_id`.
    pub(crate) id_field: Option<&'a str>,
    /// The number of threads that read chunks.
    pub(crate) threads: usize,
    pub(crate) on_progress: &'a (dyn Fn(ImportProgress) + Sync),
}

impl Index {
    /// Returns how far a source was read by an import that did not end.
    pub(crate) fn import_position(&self, source: &str) -> Result<u64, EngineError> {
        Ok(self.usable_writer()?.manifest.imports.get(source).copied().unwrap_or_default())
    }

    /// Imports chunks until there are none left, or one cannot be written.
    pub(crate) fn import(
        &self,
        chunks: impl Iterator<Item = ImportChunk> + Send,
        options: &ImportOptions<'_>,
    ) -> Result<(), EngineError> {
        let mapping = Arc::new(DynamicMapping::new(Arc::clone(&self.usable_writer()?.mapping)));
        let input = Mutex::new(chunks.enumerate());
        let sequencer = CommitSequencer::default();
        let run = || -> Result<(), EngineError> {
            loop {
                // What comes after a chunk that could not be read must not become part of the index. Memory is reserved
                // in the order of the chunks, so that none waits for the commit of one that waits for memory.
                let next = input.lock().ok().and_then(|mut input| {
                    let (number, chunk) = input.next()?;
                    let permit = reserve_for_documents(chunk.bytes.len());
                    Some((number, chunk, permit))
                });
                let Some((number, chunk, permit)) = next else { return Ok(()) };
                let segment =
                    catch_panic(|| build_chunk(&chunk, &mapping, options).map_err(|error| self.write_error(error)));
                // After a failure no later chunk may become part of the index.
                if !sequencer.wait_for(number) {
                    return Ok(());
                }
                // The other threads wait for the end of this, whatever it is.
                let committed = catch_panic(|| {
                    let documents = self.commit_segment(&segment?, &mapping, |manifest| {
                        manifest.imports.insert(chunk.source.clone(), chunk.end);
                    })?;
                    (options.on_progress)(ImportProgress::Indexed { documents, bytes: chunk.bytes.len() as u64 });
                    Ok(())
                });
                sequencer.finish(committed.is_ok());
                committed?;
                drop((chunk, permit));
                // Each document is looked up in all segments, so there must never be many.
                self.merge_once_if_free()?;
            }
        };
        let results: Vec<Result<(), EngineError>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..options.threads.max(1)).map(|_| scope.spawn(run)).collect();
            let panicked = || Err(EngineError::Failed("a thread of the import ended early".to_owned()));
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| panicked())).collect()
        });
        results.into_iter().collect()
    }

    /// Forgets the position of a source whose import is complete.
    pub(crate) fn end_import(&self, source: &str) -> Result<(), EngineError> {
        self.change(|writer| {
            writer.manifest.imports.remove(source);
            writer.commit(&self.folder).map_err(|error| self.write_error(error))
        })
    }

    /// Adds documents whose ids are new. They become a segment file at once; several threads may do this, and wait for
    /// each other only to commit.
    pub(crate) fn fill(&self, documents: &[WriteOperation]) -> Result<BatchReport, EngineError> {
        let mapping = Arc::new(DynamicMapping::new(Arc::clone(&self.usable_writer()?.mapping)));
        let _permit = reserve_for_documents(documents.iter().map(source_bytes).sum());
        let mut buffer = DocumentBuffer::new(Arc::clone(&mapping));
        let mut report = BatchReport::default();
        for (batch_index, operation) in documents.iter().enumerate() {
            let WriteOperation::Put { id, source } = operation else { continue };
            match buffer.add(id, source) {
                Ok(()) => report.written += 1,
                Err(error) => report.reject(batch_index, id, &error),
            }
        }
        if report.written > 0 {
            let built = build_segment(&[buffer.sorted()], &mapping.current());
            let built = built.map_err(|error| EngineError::Rejected(error.chain()))?;
            let bytes = built.into_file().map_err(|error| self.write_error(error))?;
            self.commit_segment(&bytes, &mapping, |_| {})?;
        }
        Ok(report)
    }

    /// Makes a segment part of the index, together with a change of the manifest; returns the number of its documents.
    fn commit_segment(
        &self,
        bytes: &[u8],
        mapping: &DynamicMapping,
        change_manifest: impl FnOnce(&mut Manifest),
    ) -> Result<u64, EngineError> {
        let _flush = self.lock_flush();
        self.change(|writer| {
            let mapping = merge_mappings(&writer.mapping, &mapping.current())?;
            let commit = || -> Result<usize, IndexError> {
                // Earlier writes must not come back over this segment when the WAL is replayed.
                writer.flush_wal(&self.folder)?;
                let segment = IndexSegment::write(&self.folder, writer.manifest.new_file_number(), bytes)?;
                let documents = segment.reader.segment.document_count();
                for row in 0..documents {
                    writer.delete(segment.reader.segment.id(row));
                }
                writer.segments.push(segment);
                writer.mapping = mapping;
                change_manifest(&mut writer.manifest);
                writer.commit(&self.folder)?;
                Ok(documents)
            };
            let documents = commit().map_err(|error| self.write_error(error))?;
            self.publish(writer);
            Ok(documents as u64)
        })
    }
}

/// Adds the fields that an import added to those that other writes added meanwhile.
fn merge_mappings(present: &Arc<IndexMapping>, added: &Arc<IndexMapping>) -> Result<Arc<IndexMapping>, EngineError> {
    if Arc::ptr_eq(present, added) {
        return Ok(Arc::clone(added));
    }
    let mut merged = IndexMapping::clone(present);
    merged.merge(added).map_err(|errors| {
        let conflicts = IndexError::Mapping(errors);
        EngineError::Rejected(format!("other documents added the same fields with other types: {conflicts}"))
    })?;
    Ok(Arc::new(merged))
}

/// Builds the segment of a chunk.
fn build_chunk(
    chunk: &ImportChunk,
    mapping: &Arc<DynamicMapping>,
    options: &ImportOptions<'_>,
) -> Result<Vec<u8>, IndexError> {
    let mut buffer = DocumentBuffer::new(Arc::clone(mapping));
    for (line, range) in &chunk.documents {
        let json = chunk.bytes.get(range.clone()).unwrap_or_default();
        if let Err(error) = buffer.add_with_own_id(json, options.id_field, || derive_id(&chunk.source, *line)) {
            let rejected = RejectedImport { source: chunk.source.clone(), line: *line, reason: error.to_string() };
            (options.on_progress)(ImportProgress::Rejected(rejected));
        }
    }
    build_segment(&[buffer.sorted()], &mapping.current())?.into_file()
}

/// Returns the id of a document that has none: the same whenever the same line is imported again.
fn derive_id(source: &str, line: u64) -> String {
    let mut hasher = SipHasher13::new();
    std::hash::Hasher::write(&mut hasher, source.as_bytes());
    std::hash::Hasher::write_u64(&mut hasher, line);
    format!("{:032x}", hasher.finish128().as_u128())
}

/// Lets threads commit one after the other, in the order of the chunks.
#[derive(Default)]
struct CommitSequencer {
    state: Mutex<SequencerState>,
    changed: Condvar,
}

#[derive(Default)]
struct SequencerState {
    next: usize,
    has_failed: bool,
}

impl CommitSequencer {
    /// Waits until all earlier commits are finished; returns false if one of them failed.
    fn wait_for(&self, number: usize) -> bool {
        let is_early = |state: &mut SequencerState| state.next != number && !state.has_failed;
        let state = self.changed.wait_while(self.lock(), is_early).unwrap_or_else(PoisonError::into_inner);
        !state.has_failed
    }

    fn finish(&self, is_success: bool) {
        let mut state = self.lock();
        state.next += 1;
        state.has_failed |= !is_success;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, SequencerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::super::open_context::OpenContext;
    use super::*;
    use crate::test_index::create_index;

    #[test]
    fn an_import_whose_progress_cannot_be_told_ends() {
        let (_folder, index) = create_index(None, &OpenContext::default());
        let chunks = (1..=8_u64).map(|number| {
            let bytes = b"{\"n\": 1}".to_vec();
            ImportChunk { source: "file".to_owned(), documents: vec![(number, 0..bytes.len())], bytes, end: number }
        });
        let on_progress = |progress: ImportProgress| {
            assert!(!matches!(progress, ImportProgress::Indexed { .. }), "nobody listens");
        };
        let options = ImportOptions { id_field: None, threads: 4, on_progress: &on_progress };
        let failed = index.import(chunks, &options);
        assert!(matches!(failed, Err(EngineError::Failed(_))), "{failed:?}");
        assert_eq!(index.import_position("file"), Ok(1), "what comes after it is not part of the index");
    }
}
