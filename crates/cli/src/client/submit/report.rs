//! Reports the outcome of payloads as it becomes known.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde::Serialize;

use super::SubmitArguments;
use super::payloads::PayloadLocation;
use crate::client::api_error::ApiError;
use crate::commands::import::Source;
use crate::error::CliError;
use crate::terminal::{Output, Progress, print_note};

/// The outcome of one payload.
pub(super) struct PayloadOutcome {
    location: PayloadLocation,
    study: Option<String>,
    /// The new analysis, if one was stored.
    analysis_id: Option<String>,
    /// Why the payload was rejected.
    error: Option<ApiError>,
}

impl PayloadOutcome {
    pub(super) fn accepted(location: PayloadLocation, study: &str, analysis_id: Option<String>) -> Self {
        Self { location, study: Some(study.to_owned()), analysis_id, error: None }
    }

    pub(super) fn rejected(location: PayloadLocation, error: ApiError) -> Self {
        Self { location, study: None, analysis_id: None, error: Some(error) }
    }
}

/// The JSON line of a payload.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PayloadLine<'a> {
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
    error: Option<&'a ApiError>,
}

/// Reports and counts payloads.
pub(super) struct SubmitReport {
    output: Output,
    progress: Progress,
    bytes_read: Arc<AtomicU64>,
    is_quiet: bool,
    is_dry: bool,
    publishes: bool,
    accepted: u64,
    rejected: u64,
    broken: u64,
}

impl SubmitReport {
    /// Starts a report on files.
    pub(super) fn new(sources: &[Source], arguments: &SubmitArguments) -> Self {
        let total: Option<u64> = sources.iter().map(|source| source.size).sum();
        Self {
            output: arguments.server.output(),
            progress: Progress::of_bytes(total),
            bytes_read: Arc::default(),
            is_quiet: arguments.quiet,
            is_dry: arguments.dry_run,
            publishes: arguments.publish,
            accepted: 0,
            rejected: 0,
            broken: 0,
        }
    }

    /// Returns the counter of bytes read.
    pub(super) fn bytes_read(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.bytes_read)
    }

    /// Reports the outcome of a payload.
    pub(super) fn add(&mut self, outcome: &PayloadOutcome) -> Result<(), CliError> {
        match outcome.error {
            Some(_) => self.rejected += 1,
            None => self.accepted += 1,
        }
        if self.output.is_json {
            return self.output.json_line(&self.line(outcome));
        }
        let location = format!("{}, line {}", outcome.location.file, outcome.location.line);
        if let Some(error) = &outcome.error {
            self.note(&format!("{location}: {}", error.text()))?;
        }
        let colours = self.output.colours;
        let line = match (&outcome.analysis_id, &outcome.error) {
            (Some(id), _) if self.is_quiet => id.clone(),
            (Some(id), None) if self.publishes => format!("{location}: {id} {}", colours.good("published")),
            (Some(id), None) => format!("{location}: {}", colours.good(id)),
            (None, None) if !self.is_quiet => format!("{location}: {}", colours.good("valid")),
            _ => return Ok(()),
        };
        let (progress, output) = (&self.progress, &mut self.output);
        progress.suspend(|| output.line(&line))
    }

    fn line<'a>(&self, outcome: &'a PayloadOutcome) -> PayloadLine<'a> {
        PayloadLine {
            file: &outcome.location.file,
            line: outcome.location.line,
            status: if outcome.error.is_none() { "OK" } else { "ERROR" },
            study_id: outcome.study.as_deref(),
            analysis_id: outcome.analysis_id.as_deref(),
            published: (self.publishes && outcome.analysis_id.is_some()).then_some(true),
            error: outcome.error.as_ref(),
        }
    }

    /// Reports a file that cannot be read to its end.
    pub(super) fn broken(&mut self, reason: &str) -> Result<(), CliError> {
        self.broken += 1;
        self.note(reason)
    }

    /// Writes a note to standard error, in order with the output.
    fn note(&mut self, line: &str) -> Result<(), CliError> {
        self.output.flush()?;
        self.progress.suspend(|| print_note(line));
        Ok(())
    }

    /// Flushes the output and updates the progress.
    pub(super) fn flush(&mut self) -> Result<(), CliError> {
        let message = format!("{} taken, {} refused", self.accepted, self.rejected);
        self.progress.advance(self.bytes_read.load(Ordering::Relaxed), message);
        let (progress, output) = (&self.progress, &mut self.output);
        progress.suspend(|| output.flush())
    }

    /// Adds to an error from where on the outcome is unknown.
    pub(super) fn stopped(&self, (failure, location): (CliError, Option<PayloadLocation>)) -> CliError {
        let (CliError::Unreachable(problem), Some(location)) = (&failure, location) else { return failure };
        let PayloadLocation { file, line } = location;
        CliError::Unreachable(format!("{problem}; the outcome is unknown from {file}, line {line} on"))
    }

    /// Writes the summary, and returns the exit code.
    pub(super) fn finish(self) -> Result<ExitCode, CliError> {
        let (accepted, rejected) = (self.accepted, self.rejected);
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
            self.progress.suspend(|| print_note(format_args!("{accepted} {done}, {rejected} refused{broken}")));
        }
        self.output.finish()?;
        Ok(if rejected == 0 && self.broken == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}
