//! Imports through a running server, one request at a time.

use cantata_engine::{EngineError, IndexMaintenance};

use super::Import;
use super::chunks::Chunks;
use crate::backends::RemoteIndexes;

/// The size of a request.
const CHUNK_BYTES: usize = 16 << 20;

/// Imports all sources.
pub(super) async fn run(import: &Import<'_>, client: &RemoteIndexes) -> Result<(), EngineError> {
    // Reading blocks, but nothing else runs on this thread.
    for chunk in Chunks::new(import, CHUNK_BYTES) {
        let bytes = chunk.bytes.len() as u64;
        let answer = client.import_chunk(import.index, chunk, import.id_field.map(str::to_owned)).await?;
        answer.rejected.iter().for_each(|document| import.report.reject_document(document));
        import.report.count_imported(answer.indexed, bytes);
    }
    Ok(())
}
