//! The splitters of JSON arrays, concatenated documents and NDJSON.

use cantata_json_stream::{BodyFormat, BodySplitter, ChunkReader, SplitError};
use serde_json::Value;

/// The longest document of a body; longer than any input.
const MAX_DOCUMENT_BYTES: usize = 1 << 20;

/// In how many bytes at a time a body comes.
const PIECES: [usize; 3] = [1, 7, usize::MAX];

/// How long the chunks of a source are.
const CHUNKS: [usize; 3] = [5, 64, 1 << 16];

/// Splits a source in every way. How it arrives makes no difference, lines are lines, and a valid array is split into what
/// a parser finds in it.
pub fn target(data: &[u8]) {
    let lines = same(PIECES.map(|size| split(BodyFormat::Lines, data, size)));
    let expected = data.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
    assert_eq!(lines, Ok(expected.map(<[u8]>::to_vec).collect()));
    let elements = same(PIECES.map(|size| split(BodyFormat::Array, data, size)));
    if let Ok(parsed) = serde_json::from_slice::<Vec<Value>>(data) {
        let elements = elements.expect("an array can be split");
        let split: Vec<Value> =
            elements.iter().map(|element| serde_json::from_slice(element).expect("an element is JSON")).collect();
        assert_eq!(split, parsed);
    }
    for is_ndjson in [false, true] {
        same(CHUNKS.map(|size| read_chunks(data, size, is_ndjson)));
    }
}

/// Returns the one outcome of several ways.
fn same<T: PartialEq + std::fmt::Debug, const N: usize>(outcomes: [T; N]) -> T {
    assert!(outcomes.windows(2).all(|pair| pair[0] == pair[1]), "{outcomes:?}");
    outcomes.into_iter().next().expect("there is more than one way")
}

fn split(format: BodyFormat, body: &[u8], piece: usize) -> Result<Vec<Vec<u8>>, SplitError> {
    let mut splitter = BodySplitter::new(format, MAX_DOCUMENT_BYTES);
    let mut documents = Vec::new();
    for piece in body.chunks(piece) {
        splitter.feed(piece);
        while let Some(document) = splitter.next_document()? {
            documents.push(document.to_vec());
        }
    }
    documents.extend(splitter.finish()?.map(|document| document.to_vec()));
    Ok(documents)
}

/// Returns the number and the bytes of each document, and why the source ended early.
fn read_chunks(source: &[u8], chunk_bytes: usize, is_ndjson: bool) -> (Vec<(u64, Vec<u8>)>, Option<String>) {
    let mut reader = ChunkReader::new(source, chunk_bytes, is_ndjson);
    let mut documents = Vec::new();
    let failure = loop {
        match reader.next_chunk() {
            Ok(Some(chunk)) => {
                let bytes = |range: std::ops::Range<usize>| chunk.bytes[range].to_vec();
                documents.extend(chunk.documents.iter().map(|span| (span.number, bytes(span.range.clone()))));
            }
            Ok(None) => break None,
            Err(error) => break Some(error.to_string()),
        }
    };
    (documents, failure)
}
