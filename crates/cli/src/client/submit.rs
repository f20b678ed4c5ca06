//! `cantata submit`: submits payloads from files through the batch route, some megabytes at a time.
//!
//! Each payload is reported with its file and line. A rejected one stops nothing; if the server becomes unreachable, the
//! report says from where on the outcome is unknown.

mod payloads;
mod report;
mod sheets;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde::Deserialize;

use self::payloads::{Batch, Batches, PayloadLocation};
use self::report::{PayloadOutcome, SubmitReport};
use crate::client::api_error::{ApiError, CallError, without_origin};
use crate::client::arguments::{ServerArguments, StudyArgument};
use crate::client::server::ServerClient;
use crate::commands::import::sources;
use crate::error::CliError;

/// The arguments of `cantata submit`.
#[derive(Debug, Args)]
pub(crate) struct SubmitArguments {
    /// JSON files with one payload, several, an array of them, or one per line; gzipped or not; `-` is standard input; with
    /// --type filled sheets, XLSX, TSV or CSV
    #[arg(value_name = "FILES", required = true)]
    files: Vec<PathBuf>,
    /// The analysis type of filled sheets
    #[arg(long = "type", value_name = "NAME")]
    type_name: Option<String>,
    /// A version of the analysis type; unset, the latest
    #[arg(long, value_name = "NUMBER", requires = "type_name")]
    type_version: Option<u32>,
    /// Validates without storing
    #[arg(long)]
    dry_run: bool,
    /// Publishes each analysis after storing it
    #[arg(long, conflicts_with = "dry_run")]
    publish: bool,
    /// Accepts files whose checksum is stored already
    #[arg(long)]
    allow_duplicates: bool,
    /// Writes only the ids of new analyses to standard output
    #[arg(long, short = 'q', conflicts_with = "json")]
    quiet: bool,
    #[command(flatten)]
    study: StudyArgument,
    #[command(flatten)]
    server: ServerArguments,
}

impl SubmitArguments {
    /// Returns the parameters of a submission.
    fn query(&self) -> Vec<(&'static str, &'static str)> {
        let mut query = Vec::new();
        query.extend(self.dry_run.then_some(("validateOnly", "true")));
        query.extend(self.publish.then_some(("publish", "true")));
        query.extend(self.allow_duplicates.then_some(("allowDuplicates", "true")));
        query
    }
}

/// The response for one payload.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PayloadResponse {
    analysis_id: Option<String>,
    error_id: Option<String>,
    http_status_code: Option<u16>,
    message: Option<String>,
}

/// Submits payloads; the exit code says whether all were accepted.
pub(super) async fn run(arguments: &SubmitArguments) -> Result<ExitCode, CliError> {
    if let Some(type_name) = &arguments.type_name {
        return sheets::run(arguments, type_name).await;
    }
    let sources = sources(&arguments.files)?;
    let server = arguments.server.connect()?;
    let mut report = SubmitReport::new(&sources, arguments);
    let study = arguments.study.named();
    for batch in Batches::new(&sources, study.as_deref(), report.bytes_read()) {
        match batch {
            Batch::Payloads { study, locations, body } => {
                let outcomes = submit(&server, arguments, &study, locations, body).await;
                let outcomes = outcomes.map_err(|failure| report.stopped(failure))?;
                for outcome in outcomes {
                    report.add(&outcome)?;
                }
            }
            Batch::Rejected(location, error) => report.add(&PayloadOutcome::rejected(location, error))?,
            Batch::Broken(reason) => report.broken(&reason)?,
        }
        report.flush()?;
    }
    report.finish()
}

/// Submits payloads of one study.
async fn submit(
    server: &ServerClient,
    arguments: &SubmitArguments,
    study: &str,
    locations: Vec<PayloadLocation>,
    body: Vec<u8>,
) -> Result<Vec<PayloadOutcome>, (CliError, Option<PayloadLocation>)> {
    let first = locations.first().cloned();
    let request = server.request(Method::POST, &["submit", study, "batch"], &arguments.query());
    let answer = server.execute(request.header(CONTENT_TYPE, "application/x-ndjson").body(body)).await;
    let lines = match answer {
        Ok(response) => server.bytes(response).await,
        Err(CallError::Rejected(error)) => {
            // An error of the whole request, such as an unknown study, is reported for each payload.
            let rejected = |location| PayloadOutcome::rejected(location, error.clone());
            return Ok(locations.into_iter().map(rejected).collect());
        }
        Err(error) => Err(error),
    };
    let lines = lines.map_err(|error| (error.into(), first))?;
    let mut answers = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let mut outcomes = Vec::with_capacity(locations.len());
    for location in locations {
        let answer = answers.next().and_then(|line| serde_json::from_slice::<PayloadResponse>(line).ok());
        let Some(answer) = answer else { return Err((server.unreachable("stopped answering").into(), Some(location))) };
        outcomes.push(outcome(study, location, answer));
    }
    Ok(outcomes)
}

fn outcome(study: &str, location: PayloadLocation, answer: PayloadResponse) -> PayloadOutcome {
    match answer.message {
        None => PayloadOutcome::accepted(location, study, answer.analysis_id),
        Some(message) => {
            let message = without_origin(&message).to_owned();
            let error = ApiError { error_id: answer.error_id, http_status_code: answer.http_status_code, message };
            PayloadOutcome::rejected(location, error)
        }
    }
}
