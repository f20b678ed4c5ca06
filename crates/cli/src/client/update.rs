//! `cantata update`: patches the data of analyses, one from the command line or many from files, in the given order.
//!
//! An update that is rejected stops nothing; if the server becomes unreachable, the message says from where on the outcome
//! is unknown. A dry run changes nothing on any server: it merges and checks here what a server would merge and check.

mod plan;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use cantata_json_stream::{ChunkReader, DocumentChunk, ReadError};
use clap::Args;
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde::Serialize;
use serde_json::Value;

use self::plan::{AnalysisUpdate, PlannedUpdate, UpdateError};
use super::diff::Difference;
use super::input::json_argument;
use crate::client::api_error::{ApiError, CallError};
use crate::client::arguments::{ServerArguments, StudyArgument};
use crate::client::server::ServerClient;
use crate::commands::import::{Source, sources};
use crate::error::{CliError, NOT_ALLOWED_CODE};
use crate::terminal::{Output, print_note};

/// How many bytes of a file are read at once.
const CHUNK_BYTES: usize = 1 << 20;

/// The arguments of `cantata update`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("updates").required(true))]
pub(crate) struct UpdateArguments {
    /// The analysis
    #[arg(value_name = "ANALYSIS", requires = "patch", group = "updates")]
    analysis_id: Option<String>,
    /// The changes of its data, as a JSON object or @FILE: null removes a member, objects are merged
    #[arg(long, value_name = "JSON", requires = "analysis_id")]
    patch: Option<String>,
    /// A JSON file with updates, in an array or one per line, each with analysisId, patch and perhaps studyId; gzipped or not;
    /// `-` is standard input
    #[arg(long = "from", value_name = "FILE", group = "updates")]
    files: Vec<PathBuf>,
    /// Shows what would change, and what the schema says to it, without changing anything
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    study: StudyArgument,
    #[command(flatten)]
    server: ServerArguments,
}

/// The JSON line of one update.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct UpdateLine<'a> {
    #[serde(flatten)]
    location: Option<&'a UpdateLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    analysis_id: Option<&'a str>,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<&'a [Difference]>,
    #[serde(flatten)]
    error: Option<&'a ApiError>,
}

/// The file and line of an update.
#[derive(Serialize)]
struct UpdateLocation {
    file: String,
    line: u64,
}

/// Updates analyses; the exit code says whether all updates were accepted.
pub(super) async fn run(arguments: &UpdateArguments) -> Result<ExitCode, CliError> {
    let sources = sources(&arguments.files)?;
    let patch = arguments.patch.as_deref().map(|patch| json_argument("--patch", patch)).transpose()?;
    let server = arguments.server.connect()?;
    let study = arguments.study.named();
    let mut run = UpdateRun {
        server: &server,
        study: study.as_deref(),
        is_dry: arguments.dry_run,
        output: arguments.server.output(),
        code: ExitCode::SUCCESS,
    };
    if let (Some(analysis_id), Some(patch)) = (&arguments.analysis_id, patch) {
        let update = AnalysisUpdate::new(analysis_id, patch).map_err(|error| CliError::setting(error.to_string()))?;
        run.apply(None, &Ok(update)).await?;
    }
    for source in &sources {
        run.apply_file(source).await?;
    }
    run.output.finish()?;
    Ok(run.code)
}

/// Updates in progress.
struct UpdateRun<'a> {
    server: &'a ServerClient,
    study: Option<&'a str>,
    is_dry: bool,
    output: Output,
    code: ExitCode,
}

impl UpdateRun<'_> {
    async fn apply_file(&mut self, source: &Source) -> Result<(), CliError> {
        let name = &source.name;
        let mut reader = match source.open(Arc::default()) {
            Ok(reader) => ChunkReader::new(reader, CHUNK_BYTES, source.has_lines()),
            Err(error) => return self.broken(&format!("{name}: cannot be read: {error}")),
        };
        loop {
            match reader.next_chunk() {
                Ok(Some(chunk)) => self.apply_chunk(name, &chunk).await?,
                Ok(None) => return Ok(()),
                Err(ReadError::Io(reason)) => return self.broken(&format!("{name}: cannot be read further: {reason}")),
                Err(ReadError::Syntax(reason)) => {
                    return self.broken(&format!("{name}, {reason}; the rest of it was not read"));
                }
            }
        }
    }

    async fn apply_chunk(&mut self, file: &str, chunk: &DocumentChunk) -> Result<(), CliError> {
        for line in &chunk.oversized_lines {
            let location = UpdateLocation { file: file.to_owned(), line: *line };
            self.apply(Some(&location), &Err(UpdateError::TooLong)).await?;
        }
        for found in &chunk.documents {
            let location = UpdateLocation { file: file.to_owned(), line: found.line };
            let document = chunk.bytes.get(found.range.clone()).unwrap_or_default();
            self.apply(Some(&location), &AnalysisUpdate::parse(document)).await?;
        }
        Ok(())
    }

    /// Applies one update and reports its outcome.
    async fn apply(
        &mut self,
        location: Option<&UpdateLocation>,
        update: &Result<AnalysisUpdate, UpdateError>,
    ) -> Result<(), CliError> {
        let id = update.as_ref().ok().map(|update| update.analysis_id.as_str());
        let outcome = match update {
            Ok(update) => self.send(update).await,
            Err(error) => Err(CallError::Rejected(ApiError::local(error.to_string()))),
        };
        match outcome {
            Ok(changes) => self.good(location, id, changes.as_deref())?,
            Err(CallError::Rejected(error)) => {
                self.bad(location, id, &error)?;
                self.code = ExitCode::FAILURE;
            }
            Err(CallError::NotAllowed(error)) => {
                self.bad(location, id, &error)?;
                self.code = ExitCode::from(NOT_ALLOWED_CODE);
            }
            Err(CallError::Unreachable(problem)) => {
                let place = place(location, id);
                return Err(CliError::Unreachable(format!("{problem}; the outcome is unknown from {place} on")));
            }
        }
        self.output.flush()
    }

    /// Sends an update; in a dry run, returns what it would change.
    async fn send(&self, update: &AnalysisUpdate) -> Result<Option<Vec<Difference>>, CallError> {
        let id = update.analysis_id.as_str();
        let study = self.server.study_of_analysis(update.study_id.as_deref().or(self.study), id).await?;
        let path = ["studies", study.as_str(), "analysis", id];
        if self.is_dry {
            let analysis: Value = self.server.get(&path, &[]).await?;
            let planned = PlannedUpdate::new(analysis, update.patch.clone());
            let (name, version) = planned.analysis_type();
            let query = [("version", version.as_str()), ("unrenderedOnly", "true")];
            let registered: Value = self.server.get(&["schemas", &name], &query).await?;
            return planned.check(&registered["schema"]).map(Some).map_err(CallError::Rejected);
        }
        let request = self.server.request(Method::PATCH, &path, &[]);
        let body = Value::Object(update.patch.clone()).to_string();
        self.server.execute(request.header(CONTENT_TYPE, "application/json").body(body)).await.map(|_| None)
    }

    fn good(
        &mut self,
        location: Option<&UpdateLocation>,
        analysis_id: Option<&str>,
        changes: Option<&[Difference]>,
    ) -> Result<(), CliError> {
        if self.output.is_json {
            return self.output.json_line(&UpdateLine { location, analysis_id, status: "OK", changes, error: None });
        }
        let id = analysis_id.unwrap_or_default();
        let colours = self.output.colours;
        match changes {
            None => self.output.line(&format!("{id}: {}", colours.good("updated"))),
            Some([]) => self.output.line(&format!("{id}: nothing would change")),
            Some(changes) => {
                self.output.line(&format!("{id}: would change"))?;
                changes.iter().try_for_each(|change| self.output.line(&format!("  {}", change.text(colours))))
            }
        }
    }

    fn bad(
        &mut self,
        location: Option<&UpdateLocation>,
        analysis_id: Option<&str>,
        error: &ApiError,
    ) -> Result<(), CliError> {
        if self.output.is_json {
            let error = Some(error);
            return self.output.json_line(&UpdateLine { location, analysis_id, status: "ERROR", changes: None, error });
        }
        self.output.flush()?;
        print_note(format_args!("{}: {}", place(location, analysis_id), error.text()));
        Ok(())
    }

    /// Reports a file that cannot be read to its end.
    fn broken(&mut self, reason: &str) -> Result<(), CliError> {
        self.code = ExitCode::FAILURE;
        self.output.flush()?;
        print_note(reason);
        Ok(())
    }
}

/// Says where an update is from and what it is about.
fn place(location: Option<&UpdateLocation>, analysis_id: Option<&str>) -> String {
    let location = location.map(|location| format!("{}, line {}", location.file, location.line));
    location.into_iter().chain(analysis_id.map(str::to_owned)).collect::<Vec<_>>().join(": ")
}
