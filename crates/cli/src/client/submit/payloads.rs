//! The payloads of all files, read as they are asked for and put together into requests.
//!
//! The server splits what it is sent as the files were split here, so that answers and places go together: each payload
//! is one line, and no line is empty.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use memchr::memchr2;
use serde::Deserialize;

use crate::client::refusal::Refusal;
use crate::import::{Broken, LONGEST_DOCUMENT, Part, Source, Splitter};

/// How many bytes of payloads a request has.
const REQUEST: usize = 4 << 20;

/// Where a payload stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) file: String,
    pub(super) line: u64,
}

/// What is next.
pub(super) enum Batch {
    /// Payloads of one study.
    Payloads { study: String, places: Vec<Place>, body: Vec<u8> },
    /// A payload that cannot be sent.
    Refused(Place, Refusal),
    /// A file that cannot be read to its end.
    Broken(String),
}

/// The payloads of all files.
pub(super) struct Batches<'a> {
    sources: std::slice::Iter<'a, Source>,
    study: Option<&'a str>,
    bytes_read: Arc<AtomicU64>,
    current: Option<(&'a Source, Splitter<Box<dyn Read + Send>>)>,
    /// What was found and not asked for yet.
    found: VecDeque<Batch>,
}

/// The part of a payload that says where it goes.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Addressed {
    study_id: Option<String>,
}

impl<'a> Batches<'a> {
    /// Begins with the first file. Without a study, each payload names its own.
    pub(super) fn new(sources: &'a [Source], study: Option<&'a str>, bytes_read: Arc<AtomicU64>) -> Self {
        Self { sources: sources.iter(), study, bytes_read, current: None, found: VecDeque::new() }
    }

    /// Sorts the payloads of a part by their studies.
    fn take(&mut self, file: &str, part: &Part) {
        for line in &part.too_long {
            let place = Place { file: file.to_owned(), line: *line };
            let reason = format!("longer than {} MB; a payload can be as long as that", LONGEST_DOCUMENT >> 20);
            self.found.push_back(Batch::Refused(place, Refusal::here(reason)));
        }
        for found in &part.documents {
            let place = Place { file: file.to_owned(), line: found.line };
            let payload = part.bytes.get(found.range.clone()).unwrap_or_default();
            match self.study_of(payload) {
                Ok(study) => self.add(study, place, payload),
                Err(reason) => self.found.push_back(Batch::Refused(place, Refusal::here(reason))),
            }
        }
    }

    fn study_of(&self, payload: &[u8]) -> Result<String, String> {
        if let Some(study) = self.study {
            return Ok(study.to_owned());
        }
        let addressed: Addressed = serde_json::from_slice(payload).map_err(|error| match error.classify() {
            serde_json::error::Category::Data => format!("no payload: {error}"),
            _ => format!("not JSON: {error}"),
        })?;
        let study = addressed.study_id.filter(|study| !study.is_empty());
        study.ok_or_else(|| "the payload has no studyId; add it, or name the study with --study".to_owned())
    }

    fn add(&mut self, study: String, place: Place, payload: &[u8]) {
        match self.found.back_mut() {
            Some(Batch::Payloads { study: same, places, body }) if *same == study => {
                places.push(place);
                add_line(body, payload);
            }
            _ => {
                let mut body = Vec::new();
                add_line(&mut body, payload);
                self.found.push_back(Batch::Payloads { study, places: vec![place], body });
            }
        }
    }
}

fn add_line(body: &mut Vec<u8>, payload: &[u8]) {
    let start = body.len();
    body.extend_from_slice(payload.trim_ascii());
    // Between the parts of a payload a line break is as good as a space; within a text it cannot stand.
    if let Some(line) = body.get_mut(start..).filter(|line| memchr2(b'\n', b'\r', line).is_some()) {
        line.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\r')).for_each(|byte| *byte = b' ');
    }
    body.push(b'\n');
}

impl Iterator for Batches<'_> {
    type Item = Batch;

    fn next(&mut self) -> Option<Batch> {
        loop {
            if let Some(batch) = self.found.pop_front() {
                return Some(batch);
            }
            let Some((source, splitter)) = &mut self.current else {
                let source = self.sources.next()?;
                match source.open(Arc::clone(&self.bytes_read)) {
                    Ok(reader) => self.current = Some((source, Splitter::new(reader, REQUEST, source.has_lines()))),
                    Err(error) => return Some(Batch::Broken(format!("{}: cannot be read: {error}", source.name))),
                }
                continue;
            };
            let source = *source;
            match splitter.next_part() {
                Ok(Some(part)) => self.take(&source.name, &part),
                Ok(None) => self.current = None,
                Err(broken) => {
                    self.current = None;
                    return Some(Batch::Broken(match broken {
                        Broken::Unreadable(reason) => format!("{}: cannot be read further: {reason}", source.name),
                        Broken::Syntax(reason) => format!("{}, {reason}; the rest of it was not read", source.name),
                    }));
                }
            }
        }
    }
}
