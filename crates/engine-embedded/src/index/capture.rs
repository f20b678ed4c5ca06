//! Copying an index while it is written to.
//!
//! The copy is made of a snapshot, in which nothing changes: every segment becomes a segment file, those too that are
//! in memory only and whose documents are in the log. So the copy needs no log, and holds up nobody.

use std::sync::Arc;

use bytes::Bytes;
use cantata_engine::EngineError;

use super::Index;
use super::manifest::SegmentRecord;
use super::state::written_live;
use crate::segment::Segment;

/// A file of an index.
pub struct IndexFile {
    /// Where it belongs in the folder of all indexes, with `/` between the names.
    pub path: String,
    /// What is in it.
    pub content: Bytes,
}

/// The file of a segment, which stays for as long as this does.
struct SegmentBytes(Arc<Segment>);

impl AsRef<[u8]> for SegmentBytes {
    fn as_ref(&self) -> &[u8] {
        self.0.bytes()
    }
}

impl Index {
    /// Returns the files of a copy of the index as it is now. Every segment is compared with its checksum.
    pub(crate) fn backup_files(&self) -> Result<Vec<IndexFile>, EngineError> {
        let failed = |error: String| EngineError::Failed(format!("index `{}` cannot be copied: {error}", self.name));
        let (mut manifest, snapshot) = {
            let writer = self.writer();
            (writer.manifest.clone(), writer.snapshot())
        };
        let file = |name: &str, content: Bytes| IndexFile { path: format!("{}/{name}", self.name), content };
        let mut files = Vec::new();
        manifest.segments.clear();
        for view in snapshot.views.iter().filter(|view| view.documents() > 0) {
            view.segment.verify().map_err(failed)?;
            let mut record = SegmentRecord { file: format!("{}.segment", manifest.new_file()), live: None };
            let content = match view.segment.new_file() {
                Some(made) => made.map_err(failed)?.into(),
                None => Bytes::from_owner(SegmentBytes(Arc::clone(&view.segment))),
            };
            files.push(file(&record.file, content));
            if let Some(live) = &view.live {
                let name = format!("{}.live", manifest.new_file());
                files.push(file(&name, written_live(live).into()));
                record.live = Some(name);
            }
            manifest.segments.push(record);
        }
        // There is no such file, which stands for a log without entries.
        manifest.log = manifest.new_file();
        manifest.set_mapping(&snapshot.mapping);
        let (name, text) = manifest.written().map_err(|error| failed(error.to_string()))?;
        files.push(file(name, text.into()));
        Ok(files)
    }
}
