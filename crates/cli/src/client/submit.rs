//! `cantata submit`: payloads out of files, through the batch route of the server, some megabytes at a time.
//!
//! Each payload is told of with the file and the line it stands in. One that is refused stops nothing; only a server
//! that is gone does, and then it is told from where on nothing is known.

mod payloads;
mod report;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde::Deserialize;

use self::payloads::{Batch, Batches, Place};
use self::report::{Outcome, Report};
use super::refusal::Refusal;
use super::{CallError, Server, ServerArguments, StudyArgument};
use crate::failure::Failure;
use crate::import::sources;

/// What `cantata submit` is told.
#[derive(Debug, Args)]
pub(crate) struct SubmitArguments {
    /// JSON: a payload, several, or a list of them, or a payload on each line; gzipped or not; `-` is standard input
    #[arg(value_name = "FILES", required = true)]
    files: Vec<PathBuf>,
    /// Checks everything, and stores nothing
    #[arg(long)]
    dry_run: bool,
    /// Publishes each analysis as it is stored
    #[arg(long, conflicts_with = "dry_run")]
    publish: bool,
    /// Stores files whose checksum is stored already
    #[arg(long)]
    allow_duplicates: bool,
    /// Writes nothing but the ids of new analyses to standard output
    #[arg(long, short = 'q', conflicts_with = "json")]
    quiet: bool,
    #[command(flatten)]
    study: StudyArgument,
    #[command(flatten)]
    server: ServerArguments,
}

/// What the server says of one payload.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    analysis_id: Option<String>,
    error_id: Option<String>,
    http_status_code: Option<u16>,
    message: Option<String>,
}

/// Submits payloads; the exit code says whether all of them were taken.
pub(super) async fn run(arguments: &SubmitArguments) -> Result<ExitCode, Failure> {
    let sources = sources(&arguments.files)?;
    let server = arguments.server.connect()?;
    let mut report = Report::new(&sources, arguments);
    let study = arguments.study.named();
    for batch in Batches::new(&sources, study.as_deref(), report.bytes_read()) {
        match batch {
            Batch::Payloads { study, places, body } => {
                let outcomes = submit(&server, arguments, &study, places, body).await;
                let outcomes = outcomes.map_err(|failure| report.stopped(failure))?;
                for outcome in outcomes {
                    report.tell(&outcome)?;
                }
            }
            Batch::Refused(place, refusal) => report.tell(&Outcome::refused(place, refusal))?,
            Batch::Broken(reason) => report.broken(&reason)?,
        }
        report.flush()?;
    }
    report.finish()
}

/// Submits payloads of one study.
async fn submit(
    server: &Server,
    arguments: &SubmitArguments,
    study: &str,
    places: Vec<Place>,
    body: Vec<u8>,
) -> Result<Vec<Outcome>, (Failure, Option<Place>)> {
    let first = places.first().cloned();
    let mut query = Vec::new();
    query.extend(arguments.dry_run.then_some(("validateOnly", "true")));
    query.extend(arguments.publish.then_some(("publish", "true")));
    query.extend(arguments.allow_duplicates.then_some(("allowDuplicates", "true")));
    let request = server.request(Method::POST, &["submit", study, "batch"], &query);
    let answer = server.answer(request.header(CONTENT_TYPE, "application/x-ndjson").body(body)).await;
    let lines = match answer {
        Ok(response) => server.bytes(response).await,
        Err(CallError::Refused(refusal)) => {
            // Such as a study that is not there: it is what each payload of it hears.
            let refused = |place| Outcome::refused(place, refusal.clone());
            return Ok(places.into_iter().map(refused).collect());
        }
        Err(error) => Err(error),
    };
    let lines = lines.map_err(|error| (error.into(), first))?;
    let mut answers = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let mut outcomes = Vec::with_capacity(places.len());
    for place in places {
        let answer = answers.next().and_then(|line| serde_json::from_slice::<Answer>(line).ok());
        let Some(answer) = answer else { return Err((server.gone("stopped answering").into(), Some(place))) };
        outcomes.push(outcome(study, place, answer));
    }
    Ok(outcomes)
}

fn outcome(study: &str, place: Place, answer: Answer) -> Outcome {
    match answer.message {
        None => Outcome::taken(place, study, answer.analysis_id),
        Some(message) => {
            let message = message.split_once("] - ").map_or(message.as_str(), |(_, text)| text).to_owned();
            let refusal = Refusal { error_id: answer.error_id, http_status_code: answer.http_status_code, message };
            Outcome::refused(place, refusal)
        }
    }
}
