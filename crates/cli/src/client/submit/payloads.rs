//! The payloads of all files, read on demand and grouped into requests.
//!
//! Each payload is sent as one line, and no line is empty, so that the lines of the response match.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use cantata_json_stream::{ChunkReader, DocumentChunk, MAX_DOCUMENT_BYTES, ReadError};
use serde::Deserialize;

use crate::client::api_error::ApiError;
use crate::commands::import::Source;
use crate::http::push_json_line;

/// The size of a request.
const REQUEST_BYTES: usize = 4 << 20;

/// The file and line of a payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PayloadLocation {
    pub(super) file: String,
    pub(super) line: u64,
}

/// A step of a submission.
pub(super) enum Batch {
    /// Payloads of one study.
    Payloads { study: String, locations: Vec<PayloadLocation>, body: Vec<u8> },
    /// A payload that cannot be sent.
    Rejected(PayloadLocation, ApiError),
    /// A file that cannot be read to its end.
    Broken(String),
}

/// The payloads of all files.
pub(super) struct Batches<'a> {
    sources: std::slice::Iter<'a, Source>,
    study: Option<&'a str>,
    bytes_read: Arc<AtomicU64>,
    current: Option<(&'a Source, ChunkReader<Box<dyn Read + Send>>)>,
    /// Batches that were not returned yet.
    pending: VecDeque<Batch>,
}

/// The member of a payload that names its study.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StudyReference {
    study_id: Option<String>,
}

impl<'a> Batches<'a> {
    /// Starts with the first file. Without a study, each payload names its own.
    pub(super) fn new(sources: &'a [Source], study: Option<&'a str>, bytes_read: Arc<AtomicU64>) -> Self {
        Self { sources: sources.iter(), study, bytes_read, current: None, pending: VecDeque::new() }
    }

    /// Groups the payloads of a chunk by study.
    fn add_chunk(&mut self, file: &str, chunk: &DocumentChunk) {
        for line in &chunk.oversized_lines {
            let location = PayloadLocation { file: file.to_owned(), line: *line };
            let reason = format!("longer than {} MB; a payload can be as long as that", MAX_DOCUMENT_BYTES >> 20);
            self.pending.push_back(Batch::Rejected(location, ApiError::local(reason)));
        }
        for found in &chunk.documents {
            let location = PayloadLocation { file: file.to_owned(), line: found.line };
            let payload = chunk.bytes.get(found.range.clone()).unwrap_or_default();
            match self.study_of(payload) {
                Ok(study) => self.add(study, location, payload),
                Err(reason) => self.pending.push_back(Batch::Rejected(location, ApiError::local(reason))),
            }
        }
    }

    fn study_of(&self, payload: &[u8]) -> Result<String, String> {
        if let Some(study) = self.study {
            return Ok(study.to_owned());
        }
        let reference: StudyReference = serde_json::from_slice(payload).map_err(|error| match error.classify() {
            serde_json::error::Category::Data => format!("no payload: {error}"),
            _ => format!("not JSON: {error}"),
        })?;
        let study = reference.study_id.filter(|study| !study.is_empty());
        study.ok_or_else(|| "the payload has no studyId; add it, or name the study with --study".to_owned())
    }

    fn add(&mut self, study: String, location: PayloadLocation, payload: &[u8]) {
        match self.pending.back_mut() {
            Some(Batch::Payloads { study: same, locations, body }) if *same == study => {
                locations.push(location);
                push_json_line(body, payload.trim_ascii());
            }
            _ => {
                let mut body = Vec::new();
                push_json_line(&mut body, payload.trim_ascii());
                self.pending.push_back(Batch::Payloads { study, locations: vec![location], body });
            }
        }
    }
}

impl Iterator for Batches<'_> {
    type Item = Batch;

    fn next(&mut self) -> Option<Batch> {
        loop {
            if let Some(batch) = self.pending.pop_front() {
                return Some(batch);
            }
            let Some((source, reader)) = &mut self.current else {
                let source = self.sources.next()?;
                match source.open(Arc::clone(&self.bytes_read)) {
                    Ok(reader) => {
                        self.current = Some((source, ChunkReader::new(reader, REQUEST_BYTES, source.has_lines())))
                    }
                    Err(error) => return Some(Batch::Broken(format!("{}: cannot be read: {error}", source.name))),
                }
                continue;
            };
            let source = *source;
            match reader.next_chunk() {
                Ok(Some(chunk)) => self.add_chunk(&source.name, &chunk),
                Ok(None) => self.current = None,
                Err(error) => {
                    self.current = None;
                    return Some(Batch::Broken(match error {
                        ReadError::Io(reason) => format!("{}: cannot be read further: {reason}", source.name),
                        ReadError::Syntax(reason) => format!("{}, {reason}; the rest of it was not read", source.name),
                    }));
                }
            }
        }
    }
}
