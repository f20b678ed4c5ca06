//! An import into the data folder itself, on all cores.

use std::thread::available_parallelism;

use cantata_engine::EngineError;
use cantata_engine_embedded::{EmbeddedEngine, ImportProgress};

use super::Import;
use super::chunks::Chunks;

/// How many bytes of documents are taken in at once by each thread, at least and at most: a small import is shared by
/// all threads, a large one needs little memory.
const SMALLEST_CHUNK: u64 = 8 << 20;
const LARGEST_CHUNK: u64 = 128 << 20;

/// Takes in all sources.
pub(super) fn run(import: &Import<'_>, engine: &EmbeddedEngine) -> Result<(), EngineError> {
    let threads = available_parallelism().map_or(1, usize::from);
    import.report.expect_at_once(threads);
    let tell = |progress| match progress {
        ImportProgress::Rejected(refusal) => import.report.refused_by_engine(&refusal),
        ImportProgress::Indexed { documents, bytes } => import.report.took(documents, bytes),
    };
    let size: u64 = import.sources.iter().map(|source| source.size.unwrap_or(u64::MAX)).fold(0, u64::saturating_add);
    let chunk_size = (size / threads as u64 + 1).clamp(SMALLEST_CHUNK, LARGEST_CHUNK);
    let chunks = Chunks::new(import, chunk_size as usize);
    engine.import(import.index, chunks, import.id_field, threads, &tell)
}
