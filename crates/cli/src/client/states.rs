//! `cantata publish`, `unpublish` and `suppress`: any number of analyses, some at a time, told of in their order.

use std::io::{self, BufRead};
use std::process::ExitCode;

use clap::Args;
use futures_util::{Stream, StreamExt};
use reqwest::Method;
use serde::Serialize;
use serde_json::Value;
use tokio::sync::mpsc;

use super::input::STANDARD_INPUT;
use super::refusal::Refusal;
use super::{CallError, Output, Server, ServerArguments, StudyArgument, tell};
use crate::failure::{Failure, NOT_ALLOWED};

/// How many analyses are changed at once.
const AT_ONCE: usize = 16;

/// A change of state.
pub(super) struct Change {
    /// The word in the address.
    verb: &'static str,
    /// The state it leads to.
    state: &'static str,
    /// What people call that.
    done: &'static str,
}

const PUBLISH: Change = Change { verb: "publish", state: "PUBLISHED", done: "published" };
pub(super) const UNPUBLISH: Change = Change { verb: "unpublish", state: "UNPUBLISHED", done: "unpublished" };
pub(super) const SUPPRESS: Change = Change { verb: "suppress", state: "SUPPRESSED", done: "suppressed" };

/// What the commands for states are told.
#[derive(Debug, Args)]
pub(crate) struct StateArguments {
    /// The analyses; `-` is standard input, with an id on each line
    #[arg(value_name = "ANALYSES", required = true)]
    analyses: Vec<String>,
    #[command(flatten)]
    study: StudyArgument,
    #[command(flatten)]
    server: ServerArguments,
}

/// What `cantata publish` is told.
#[derive(Debug, Args)]
pub(crate) struct PublishArguments {
    /// Publishes although the storage server knows no checksum of a file
    #[arg(long)]
    ignore_undefined_md5: bool,
    #[command(flatten)]
    analyses: StateArguments,
}

/// What became of one analysis.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Outcome<'a> {
    analysis_id: &'a str,
    status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'static str>,
    #[serde(flatten)]
    refusal: Option<&'a Refusal>,
}

/// Publishes analyses.
pub(super) async fn publish(arguments: &PublishArguments) -> Result<ExitCode, Failure> {
    apply(&arguments.analyses, &PUBLISH, arguments.ignore_undefined_md5).await
}

/// Brings analyses into another state.
pub(super) async fn change(arguments: &StateArguments, change: &Change) -> Result<ExitCode, Failure> {
    apply(arguments, change, false).await
}

async fn apply(arguments: &StateArguments, change: &Change, ignore_undefined_md5: bool) -> Result<ExitCode, Failure> {
    let server = arguments.server.connect()?;
    let study = arguments.study.named();
    let mut output = arguments.server.output();
    let (server, study) = (&server, study.as_deref());
    let mut outcomes = std::pin::pin!(
        ids(&arguments.analyses)
            .map(|id| async move {
                let changed = match &id {
                    Ok(id) => server.change_state(study, id, change, ignore_undefined_md5).await,
                    Err(error) => return Err(Failure::Start(format!("standard input cannot be read: {error}"))),
                };
                Ok((id.unwrap_or_default(), changed))
            })
            .buffered(AT_ONCE)
    );
    let mut code = ExitCode::SUCCESS;
    while let Some(outcome) = outcomes.next().await {
        let (id, changed) = outcome?;
        match changed {
            Ok(()) => good(&mut output, &id, change)?,
            Err(CallError::Refused(refusal)) => {
                bad(&mut output, &id, &refusal)?;
                code = ExitCode::FAILURE;
            }
            Err(CallError::NotAllowed(refusal)) => {
                bad(&mut output, &id, &refusal)?;
                code = ExitCode::from(NOT_ALLOWED);
            }
            Err(CallError::Unreachable(problem)) => {
                return Err(Failure::Unreachable(format!("{problem}; of {id} and those after it nothing is known")));
            }
        }
        output.flush()?;
    }
    output.finish()?;
    Ok(code)
}

/// Returns the ids that the command line and, where it says so, standard input name.
fn ids(given: &[String]) -> impl Stream<Item = io::Result<String>> {
    let (sender, receiver) = mpsc::channel(AT_ONCE);
    let given = given.to_vec();
    // Reading blocks, and those under way should not wait for the next line.
    std::thread::spawn(move || {
        for id in given {
            if id != STANDARD_INPUT {
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

impl Server {
    /// Brings an analysis into another state.
    async fn change_state(
        &self,
        study: Option<&str>,
        id: &str,
        change: &Change,
        ignore_undefined_md5: bool,
    ) -> Result<(), CallError> {
        let study = self.study_of_analysis(study, id).await?;
        let query: &[(&str, &str)] = if ignore_undefined_md5 { &[("ignoreUndefinedMd5", "true")] } else { &[] };
        let request = self.request(Method::PUT, &["studies", &study, "analysis", change.verb, id], query);
        self.read::<Value>(request).await.map(|_| ())
    }
}

fn good(output: &mut Output, id: &str, change: &Change) -> Result<(), Failure> {
    if output.is_json {
        return output.json_line(&Outcome { analysis_id: id, status: "OK", state: Some(change.state), refusal: None });
    }
    let done = output.colours.good(change.done);
    output.line(&format!("{id}: {done}"))
}

fn bad(output: &mut Output, id: &str, refusal: &Refusal) -> Result<(), Failure> {
    if output.is_json {
        return output.json_line(&Outcome { analysis_id: id, status: "ERROR", state: None, refusal: Some(refusal) });
    }
    output.flush()?;
    tell(&format!("{id}: {}", refusal.text()));
    Ok(())
}
