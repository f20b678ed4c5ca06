//! What becomes of payloads, told as it is learned.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;

use super::SubmitArguments;
use super::payloads::Place;
use crate::client::progress::Progress;
use crate::client::refusal::Refusal;
use crate::client::{Output, tell};
use crate::failure::Failure;
use crate::import::Source;

/// What became of one payload.
pub(super) struct Outcome {
    place: Place,
    study: Option<String>,
    /// The new analysis, if one was stored.
    analysis_id: Option<String>,
    /// Why the payload was refused.
    refusal: Option<Refusal>,
}

impl Outcome {
    pub(super) fn taken(place: Place, study: &str, analysis_id: Option<String>) -> Self {
        Self { place, study: Some(study.to_owned()), analysis_id, refusal: None }
    }

    pub(super) fn refused(place: Place, refusal: Refusal) -> Self {
        Self { place, study: None, analysis_id: None, refusal: Some(refusal) }
    }
}

/// A line for scripts.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    file: &'a str,
    line: u64,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    study_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    analysis_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    published: Option<bool>,
    #[serde(flatten)]
    refusal: Option<&'a Refusal>,
}

/// Tells of payloads, and counts them.
pub(super) struct Report {
    output: Output,
    progress: Progress,
    bytes_read: Arc<AtomicU64>,
    is_quiet: bool,
    is_dry: bool,
    publishes: bool,
    taken: u64,
    refused: u64,
    broken: u64,
}

impl Report {
    /// Begins a report on these files.
    pub(super) fn new(sources: &[Source], arguments: &SubmitArguments) -> Self {
        let total: Option<u64> = sources.iter().map(|source| source.size).sum();
        Self {
            output: arguments.server.output(),
            progress: Progress::of_bytes(total),
            bytes_read: Arc::default(),
            is_quiet: arguments.quiet,
            is_dry: arguments.dry_run,
            publishes: arguments.publish,
            taken: 0,
            refused: 0,
            broken: 0,
        }
    }

    /// Returns the count of bytes read, for a file to add to.
    pub(super) fn bytes_read(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.bytes_read)
    }

    /// Tells what became of a payload.
    pub(super) fn tell(&mut self, outcome: &Outcome) -> Result<(), Failure> {
        match outcome.refusal {
            Some(_) => self.refused += 1,
            None => self.taken += 1,
        }
        if self.output.is_json {
            return self.output.json_line(&self.line(outcome));
        }
        let place = format!("{}, line {}", outcome.place.file, outcome.place.line);
        if let Some(refusal) = &outcome.refusal {
            self.aside(&format!("{place}: {}", refusal.text()))?;
        }
        let colours = self.output.colours;
        let line = match (&outcome.analysis_id, &outcome.refusal) {
            (Some(id), _) if self.is_quiet => id.clone(),
            (Some(id), None) if self.publishes => format!("{place}: {id} {}", colours.good("published")),
            (Some(id), None) => format!("{place}: {}", colours.good(id)),
            (None, None) if !self.is_quiet => format!("{place}: {}", colours.good("valid")),
            _ => return Ok(()),
        };
        let (progress, output) = (&self.progress, &mut self.output);
        progress.aside(|| output.line(&line))
    }

    fn line<'a>(&self, outcome: &'a Outcome) -> Line<'a> {
        Line {
            file: &outcome.place.file,
            line: outcome.place.line,
            status: if outcome.refusal.is_none() { "OK" } else { "ERROR" },
            study_id: outcome.study.as_deref(),
            analysis_id: outcome.analysis_id.as_deref(),
            published: (self.publishes && outcome.analysis_id.is_some()).then_some(true),
            refusal: outcome.refusal.as_ref(),
        }
    }

    /// Tells of a file that cannot be read to its end.
    pub(super) fn broken(&mut self, reason: &str) -> Result<(), Failure> {
        self.broken += 1;
        self.aside(reason)
    }

    /// Tells a person something beside the output, in its order.
    fn aside(&mut self, line: &str) -> Result<(), Failure> {
        self.output.flush()?;
        self.progress.aside(|| tell(line));
        Ok(())
    }

    /// Lets the reader have what was told so far.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        let message = format!("{} taken, {} refused", self.taken, self.refused);
        self.progress.advance(self.bytes_read.load(Ordering::Relaxed), message);
        let (progress, output) = (&self.progress, &mut self.output);
        progress.aside(|| output.flush())
    }

    /// Adds to a failure in the middle from where on nothing is known.
    pub(super) fn stopped(&self, (failure, place): (Failure, Option<Place>)) -> Failure {
        let (Failure::Unreachable(problem), Some(place)) = (&failure, place) else { return failure };
        let Place { file, line } = place;
        Failure::Unreachable(format!("{problem}; from {file}, line {line} on nothing is known"))
    }

    /// Writes how it went as a whole, and returns the exit code for that.
    pub(super) fn finish(self) -> Result<ExitCode, Failure> {
        let (taken, refused) = (self.taken, self.refused);
        if !self.output.is_json && !self.is_quiet {
            let done = match (self.is_dry, self.publishes) {
                (true, _) => "valid",
                (false, true) => "submitted and published",
                (false, false) => "submitted",
            };
            let broken = match self.broken {
                0 => String::new(),
                count => format!(", files not read to their end: {count}"),
            };
            self.progress.aside(|| tell(&format!("{taken} {done}, {refused} refused{broken}")));
        }
        self.output.finish()?;
        Ok(if refused == 0 && self.broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
