//! The segments of an index as its writer knows them: which are files, and what is deleted in them.

use std::path::Path;
use std::sync::Arc;

use cantata_durable_file as durable_file;

use crate::bitset::{Bitset, WORD};
use crate::index::manifest::{Manifest, SegmentRecord};
use crate::segment::{Segment, SoughtId};
use crate::snapshot::View;

/// Returns the name of the file of a segment.
pub(crate) fn segment_file(number: u64) -> String {
    format!("{number}.segment")
}

/// A segment that the writer holds.
#[derive(Clone)]
pub(crate) struct Held {
    pub(crate) view: View,
    /// The file; nothing while the segment is in memory only and its documents are in the log.
    pub(crate) file: Option<String>,
    /// The file with what is still there, as long as it is right.
    live_file: Option<String>,
}

impl Held {
    /// Returns a segment that is in memory only.
    pub(crate) fn in_memory(segment: Segment) -> Self {
        Self { view: View { segment: Arc::new(segment), live: None }, file: None, live_file: None }
    }

    /// Writes a new segment into a file and opens it.
    pub(crate) fn write(folder: &Path, number: u64, bytes: &[u8]) -> Result<Self, String> {
        let file = segment_file(number);
        let path = folder.join(&file);
        durable_file::write_synced(&path, bytes).map_err(|error| error.to_string())?;
        let segment = Arc::new(Segment::open(&path)?);
        Ok(Self { view: View { segment, live: None }, file: Some(file), live_file: None })
    }

    /// Opens a segment that a manifest names.
    pub(crate) fn open(folder: &Path, record: &SegmentRecord) -> Result<Self, String> {
        let broken = |error: String| format!("its segment {} cannot be opened: {error}", record.file);
        let segment = Segment::open(&folder.join(&record.file)).map_err(broken)?;
        let live = match &record.live {
            Some(file) => {
                let bytes = fs_err::read(folder.join(file)).map_err(|error| broken(error.to_string()))?;
                Some(Arc::new(
                    read_live(&bytes, segment.documents())
                        .ok_or_else(|| broken(format!("{file} does not say which of its documents are still there")))?,
                ))
            }
            None => None,
        };
        let view = View { segment: Arc::new(segment), live };
        Ok(Self { view, file: Some(record.file.clone()), live_file: record.live.clone() })
    }

    /// Says whether this is the same segment as another one, whatever was deleted in between.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.view.segment, &other.view.segment)
    }

    /// Takes a document away, if it is there.
    pub(crate) fn remove(&mut self, id: &SoughtId<'_>) -> bool {
        let Some(row) = self.view.row_of(id) else { return false };
        self.view.remove(row);
        self.live_file = None;
        true
    }

    /// Returns how the manifest names the segment, after writing what is still there into a file if it changed.
    /// Nothing for a segment in memory.
    pub(crate) fn record(&mut self, folder: &Path, manifest: &mut Manifest) -> std::io::Result<Option<SegmentRecord>> {
        let Some(file) = self.file.clone() else { return Ok(None) };
        if let (Some(live), None) = (&self.view.live, &self.live_file) {
            let live_file = format!("{}.live", manifest.new_file());
            durable_file::write_synced(&folder.join(&live_file), &written_live(live))?;
            self.live_file = Some(live_file);
        }
        Ok(Some(SegmentRecord { file, live: self.live_file.clone() }))
    }
}

pub(crate) fn written_live(live: &Bitset) -> Vec<u8> {
    let mut bytes: Vec<u8> = live.words().iter().flat_map(|word| word.to_le_bytes()).collect();
    let checksum = crc32fast::hash(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}

fn read_live(bytes: &[u8], documents: usize) -> Option<Bitset> {
    let (words, checksum) = bytes.split_last_chunk::<4>()?;
    if crc32fast::hash(words) != u32::from_le_bytes(*checksum) || words.len() != documents.div_ceil(WORD) * 8 {
        return None;
    }
    let words: Vec<u64> = words.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)).collect();
    Some(Bitset::from_words(&words, documents))
}
