//! Imports into a data folder, on all cores.

use std::thread::available_parallelism;

use cantata_engine::EngineError;
use cantata_engine_embedded::{EmbeddedEngine, ImportProgress, max_import_chunk_bytes};

use super::Import;
use super::chunks::Chunks;

/// The size of a chunk per thread: a small import is shared by all threads, a large one needs little memory. Less if the
/// memory for imports is little.
const MIN_CHUNK_BYTES: u64 = 8 << 20;
const MAX_CHUNK_BYTES: u64 = 128 << 20;

/// Imports all sources.
pub(super) fn run(import: &Import<'_>, engine: &EmbeddedEngine) -> Result<(), EngineError> {
    let threads = available_parallelism().map_or(1, usize::from);
    import.report.expect_at_once(threads);
    let report_progress = |progress| match progress {
        ImportProgress::Rejected(document) => import.report.reject_document(&document),
        ImportProgress::Indexed { documents, bytes } => import.report.count_imported(documents, bytes),
    };
    let size: u64 = import.sources.iter().map(|source| source.size.unwrap_or(u64::MAX)).fold(0, u64::saturating_add);
    let chunk_size = (size / threads as u64 + 1).clamp(MIN_CHUNK_BYTES, MAX_CHUNK_BYTES);
    let chunks = Chunks::new(import, (chunk_size as usize).min(max_import_chunk_bytes(threads)));
    engine.import(import.index, chunks, import.id_field, threads, &report_progress)
}
