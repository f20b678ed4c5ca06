//! The segments of an index as its writer holds them: with the files they are in.

use std::path::Path;
use std::sync::Arc;

use cantata_durable_file as durable_file;

use super::manifest::{Manifest, ManifestSegment};
use crate::bitset::{Bitset, WORD_BITS};
use crate::error::IndexError;
use crate::segment::{HashedId, Segment};
use crate::segment_reader::SegmentReader;

/// Returns the name of a segment file.
pub(super) fn segment_file_name(number: u64) -> String {
    format!("{number}.segment")
}

/// Returns the name of a file of live documents.
pub(super) fn live_docs_file_name(number: u64) -> String {
    format!("{number}.live")
}

/// A segment of an index.
#[derive(Clone)]
pub(crate) struct IndexSegment {
    pub(crate) reader: SegmentReader,
    /// The segment file; nothing for a segment in memory, whose documents are in the WAL.
    pub(crate) file: Option<String>,
    /// The file with the current live documents, if they were written.
    live_docs_file: Option<String>,
}

impl IndexSegment {
    /// Returns a segment in memory.
    pub(crate) fn in_memory(segment: Segment) -> Self {
        let reader = SegmentReader { segment: Arc::new(segment), live_docs: None };
        Self { reader, file: None, live_docs_file: None }
    }

    /// Writes a new segment file and opens it.
    pub(crate) fn write(folder: &Path, number: u64, bytes: &[u8]) -> Result<Self, IndexError> {
        durable_file::write_new_synced(&folder.join(segment_file_name(number)), bytes)?;
        Self::open_new(folder, number)
    }

    /// Opens a segment file that was just written.
    pub(crate) fn open_new(folder: &Path, number: u64) -> Result<Self, IndexError> {
        let file = segment_file_name(number);
        let segment = Segment::open(&folder.join(&file))?;
        segment.set_verified();
        Ok(Self { file: Some(file), ..Self::in_memory(segment) })
    }

    /// Opens a segment of a manifest, given those that are open already.
    pub(crate) fn open(folder: &Path, entry: &ManifestSegment, known: &[Self]) -> Result<Self, IndexError> {
        let known = known.iter().find(|segment| segment.file.as_ref() == Some(&entry.file));
        let open = || {
            let segment = match known {
                Some(known) => Arc::clone(&known.reader.segment),
                None => Arc::new(Segment::open(&folder.join(&entry.file))?),
            };
            let live_docs = match &entry.live {
                Some(file) => {
                    let live = decode_live_docs(&fs_err::read(folder.join(file))?, segment.document_count());
                    Some(Arc::new(live.ok_or_else(|| IndexError::LiveDocs(file.clone()))?))
                }
                None => None,
            };
            Ok(SegmentReader { segment, live_docs })
        };
        let file = entry.file.clone();
        let reader = open().map_err(|source| IndexError::Segment { file: file.clone(), source: Box::new(source) })?;
        Ok(Self { reader, file: Some(file), live_docs_file: entry.live.clone() })
    }

    /// Compares the segment file with its checksum, unless that was done before.
    pub(crate) fn verify_once(&self) -> Result<(), IndexError> {
        let file = || self.file.clone().unwrap_or_default();
        let verified = self.reader.segment.verify_once();
        verified.map_err(|source| IndexError::Segment { file: file(), source: Box::new(source) })
    }

    /// Estimates how many bytes it has without its deleted documents.
    pub(crate) fn live_bytes(&self) -> usize {
        let SegmentReader { segment, .. } = &self.reader;
        let (live, all) = (self.reader.live_document_count() as u64, segment.document_count().max(1) as u64);
        (segment.bytes().len() as u64 * live / all) as usize
    }

    /// Returns whether this is the same segment as another, whatever was deleted in between.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.reader.segment, &other.reader.segment)
    }

    /// Deletes a document; returns whether it was there.
    pub(crate) fn delete(&mut self, id: &HashedId<'_>) -> bool {
        let Some(row) = self.reader.row_of(id) else { return false };
        self.reader.delete(row);
        self.live_docs_file = None;
        true
    }

    /// Returns the manifest entry, after writing the live documents if they changed; nothing for a segment in memory.
    pub(crate) fn manifest_entry(
        &mut self,
        folder: &Path,
        manifest: &mut Manifest,
    ) -> std::io::Result<Option<ManifestSegment>> {
        let Some(file) = self.file.clone() else { return Ok(None) };
        if let (Some(live), None) = (&self.reader.live_docs, &self.live_docs_file) {
            let live_docs_file = live_docs_file_name(manifest.new_file_number());
            durable_file::write_new_synced(&folder.join(&live_docs_file), &encode_live_docs(live))?;
            self.live_docs_file = Some(live_docs_file);
        }
        Ok(Some(ManifestSegment { file, live: self.live_docs_file.clone() }))
    }
}

pub(super) fn encode_live_docs(live: &Bitset) -> Vec<u8> {
    let mut bytes: Vec<u8> = live.words().iter().flat_map(|word| word.to_le_bytes()).collect();
    let checksum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}

fn decode_live_docs(bytes: &[u8], documents: usize) -> Option<Bitset> {
    let (words, checksum) = bytes.split_last_chunk::<4>()?;
    if crc32fast::hash(words) != u32::from_le_bytes(*checksum) || words.len() != documents.div_ceil(WORD_BITS) * 8 {
        return None;
    }
    let words: Vec<u64> = words.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    Some(Bitset::from_words(&words, documents))
}
