//! Online backup: copying an index while it is written to.
//!
//! The copy is made of a snapshot: every segment becomes a segment file, also those in memory whose documents are in the
//! WAL. So the copy needs no WAL, and writes go on meanwhile.

use std::sync::Arc;

use bytes::Bytes;
use cantata_engine::EngineError;

use super::Index;
use super::index_segment::{encode_live_docs, live_docs_file_name, segment_file_name};
use super::manifest::{Manifest, ManifestSegment};
use crate::error::IndexError;
use crate::segment::Segment;
use crate::snapshot::Snapshot;

/// A file of an index.
pub struct IndexFile {
    /// The path in the folder of all indexes, separated by `/`.
    pub path: String,
    /// What is in it.
    pub content: Bytes,
}

/// The bytes of a segment file, which keep the segment mapped.
struct SegmentBytes(Arc<Segment>);

impl AsRef<[u8]> for SegmentBytes {
    fn as_ref(&self) -> &[u8] {
        self.0.bytes()
    }
}

impl Index {
    /// Returns the files of a copy of the index as it is now. The checksum of every segment is verified.
    pub(crate) fn backup_files(&self) -> Result<Vec<IndexFile>, EngineError> {
        let (manifest, snapshot) = {
            let writer = self.usable_writer()?;
            (writer.manifest.clone(), writer.snapshot())
        };
        self.copy_files(manifest, &snapshot)
            .map_err(|error| EngineError::Failed(format!("index `{}` cannot be copied: {}", self.name, error.chain())))
    }

    fn copy_files(&self, mut manifest: Manifest, snapshot: &Snapshot) -> Result<Vec<IndexFile>, IndexError> {
        let file = |name: &str, content: Bytes| IndexFile { path: format!("{}/{name}", self.name), content };
        let mut files = Vec::new();
        manifest.segments.clear();
        for reader in snapshot.segments.iter().filter(|reader| reader.live_document_count() > 0) {
            reader.segment.verify()?;
            let mut entry = ManifestSegment { file: segment_file_name(manifest.new_file_number()), live: None };
            let content = match reader.segment.memory_to_file()? {
                Some(bytes) => bytes.into(),
                None => Bytes::from_owner(SegmentBytes(Arc::clone(&reader.segment))),
            };
            files.push(file(&entry.file, content));
            if let Some(live) = &reader.live_docs {
                let name = live_docs_file_name(manifest.new_file_number());
                files.push(file(&name, encode_live_docs(live).into()));
                entry.live = Some(name);
            }
            manifest.segments.push(entry);
        }
        // There is no such file, which means an empty WAL.
        manifest.first_wal = manifest.new_file_number();
        manifest.set_mapping(&snapshot.mapping);
        let (name, text) = manifest.to_file().map_err(std::io::Error::from)?;
        files.push(file(name, text.into()));
        Ok(files)
    }
}
