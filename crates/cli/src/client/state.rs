//! `cantata publish`, `unpublish` and `suppress`: any number of analyses, concurrently, reported in order.

use std::io::{self, BufRead};
use std::process::ExitCode;

use clap::Args;
use futures_util::{Stream, StreamExt};
use reqwest::Method;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc;

use crate::client::api_error::{ApiError, CallError};
use crate::client::arguments::{ServerArguments, StudyArgument};
use crate::client::server::ServerClient;
use crate::error::{CliError, NOT_ALLOWED_CODE};
use crate::terminal::{Output, STANDARD_STREAM, print_note};

/// The number of concurrent changes.
const CONCURRENT_CHANGES: usize = 16;

/// A state transition.
pub(super) struct StateTransition {
    /// The path segment.
    verb: &'static str,
    /// The new state.
    state: &'static str,
    /// The past participle for messages.
    done: &'static str,
}

const PUBLISH: StateTransition = StateTransition { verb: "publish", state: "PUBLISHED", done: "published" };
pub(super) const UNPUBLISH: StateTransition =
    StateTransition { verb: "unpublish", state: "UNPUBLISHED", done: "unpublished" };
pub(super) const SUPPRESS: StateTransition =
    StateTransition { verb: "suppress", state: "SUPPRESSED", done: "suppressed" };

/// The arguments of the commands for states.
#[derive(Debug, Args)]
pub(crate) struct StateArguments {
    /// The analyses; `-` is standard input, with one id per line
    #[arg(value_name = "ANALYSES", required = true)]
    analyses: Vec<String>,
    #[command(flatten)]
    study: StudyArgument,
    #[command(flatten)]
    server: ServerArguments,
}

/// The arguments of `cantata publish`.
#[derive(Debug, Args)]
pub(crate) struct PublishArguments {
    /// Publishes even if the storage server knows no checksum of a file
    #[arg(long)]
    ignore_undefined_md5: bool,
    #[command(flatten)]
    analyses: StateArguments,
}

/// The JSON line of one analysis.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct StateOutcome<'a> {
    analysis_id: &'a str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'static str>,
    #[serde(flatten)]
    error: Option<&'a ApiError>,
}

/// Publishes analyses.
pub(super) async fn publish(arguments: &PublishArguments) -> Result<ExitCode, CliError> {
    apply(&arguments.analyses, &PUBLISH, arguments.ignore_undefined_md5).await
}

/// Changes the state of analyses.
pub(super) async fn change(arguments: &StateArguments, change: &StateTransition) -> Result<ExitCode, CliError> {
    apply(arguments, change, false).await
}

async fn apply(
    arguments: &StateArguments,
    change: &StateTransition,
    ignore_undefined_md5: bool,
) -> Result<ExitCode, CliError> {
    let server = arguments.server.connect()?;
    let study = arguments.study.named();
    let mut output = arguments.server.output();
    let (server, study) = (&server, study.as_deref());
    let mut outcomes = std::pin::pin!(
        ids(&arguments.analyses)
            .map(|id| async move {
                let id = id.map_err(|error| CliError::caused("standard input cannot be read", error))?;
                let changed = server.change_state(study, &id, change, ignore_undefined_md5).await;
                Ok::<_, CliError>((id, changed))
            })
            .buffered(CONCURRENT_CHANGES)
    );
    let mut code = ExitCode::SUCCESS;
    while let Some(outcome) = outcomes.next().await {
        let (id, changed) = outcome?;
        match changed {
            Ok(()) => good(&mut output, &id, change)?,
            Err(CallError::Rejected(error)) => {
                bad(&mut output, &id, &error)?;
                code = ExitCode::FAILURE;
            }
            Err(CallError::NotAllowed(error)) => {
                bad(&mut output, &id, &error)?;
                code = ExitCode::from(NOT_ALLOWED_CODE);
            }
            Err(CallError::Unreachable(problem)) => {
                return Err(CliError::Unreachable(format!("{problem}; the outcome is unknown from {id} on")));
            }
        }
        output.flush()?;
    }
    output.finish()?;
    Ok(code)
}

/// Returns the ids of the command line and of standard input.
fn ids(given: &[String]) -> impl Stream<Item = io::Result<String>> {
    let (sender, receiver) = mpsc::channel(CONCURRENT_CHANGES);
    let given = given.to_vec();
    // Reading blocks, and requests in progress must not wait for the next line.
    std::thread::spawn(move || {
        for id in given {
            if id != STANDARD_STREAM {
                if sender.blocking_send(Ok(id)).is_err() {
                    return;
                }
                continue;
            }
            for line in io::stdin().lock().lines() {
                let line = line.map(|line| line.trim().to_owned());
                let is_empty = line.as_ref().is_ok_and(String::is_empty);
                if !is_empty && sender.blocking_send(line).is_err() {
                    return;
                }
            }
        }
    });
    futures_util::stream::unfold(receiver, |mut receiver| async move { Some((receiver.recv().await?, receiver)) })
}

impl ServerClient {
    /// Changes the state of an analysis.
    async fn change_state(
        &self,
        study: Option<&str>,
        id: &str,
        change: &StateTransition,
        ignore_undefined_md5: bool,
    ) -> Result<(), CallError> {
        let study = self.study_of_analysis(study, id).await?;
        let query: &[(&str, &str)] = if ignore_undefined_md5 { &[("ignoreUndefinedMd5", "true")] } else { &[] };
        let request = self.request(Method::PUT, &["studies", &study, "analysis", change.verb, id], query);
        self.read::<Value>(request).await.map(|_| ())
    }
}

fn good(output: &mut Output, id: &str, change: &StateTransition) -> Result<(), CliError> {
    if output.is_json {
        return output.json_line(&StateOutcome {
            analysis_id: id,
            status: "OK",
            state: Some(change.state),
            error: None,
        });
    }
    let done = output.colours.good(change.done);
    output.line(&format!("{id}: {done}"))
}

fn bad(output: &mut Output, id: &str, error: &ApiError) -> Result<(), CliError> {
    if output.is_json {
        return output.json_line(&StateOutcome { analysis_id: id, status: "ERROR", state: None, error: Some(error) });
    }
    output.flush()?;
    print_note(format_args!("{id}: {}", error.text()));
    Ok(())
}
