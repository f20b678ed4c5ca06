//! An import through a running server, a request after the other.

use cantata_engine::{EngineError, IndexAdministration};

use super::Import;
use super::chunks::Chunks;
use crate::indexes::ServerClient;

/// How many bytes of documents a request has.
const CHUNK_SIZE: usize = 16 << 20;

/// Takes in all sources.
pub(super) async fn run(import: &Import<'_>, client: &ServerClient) -> Result<(), EngineError> {
    // Reading blocks, but nothing else runs on this thread.
    for chunk in Chunks::new(import, CHUNK_SIZE) {
        let bytes = chunk.bytes.len() as u64;
        let answer = client.import_chunk(import.index, chunk, import.id_field.map(str::to_owned)).await?;
        answer.refused.iter().for_each(|refusal| import.report.refused_by_engine(refusal));
        import.report.took(answer.taken, bytes);
    }
    Ok(())
}
