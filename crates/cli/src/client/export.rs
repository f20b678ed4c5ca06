//! `cantata export`: analyses as payloads that `cantata submit` accepts.

use std::io::BufReader;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::value::RawValue;

use super::json_stream::for_each_element;
use crate::client::arguments::{ServerArguments, StudyArgument};
use crate::client::server::ServerClient;
use crate::error::CliError;
use crate::terminal::Output;

/// The number of analyses per request.
const ANALYSES_PER_REQUEST: usize = 100;

/// The arguments of `cantata export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// The analyses; unset, all of the study
    #[arg(value_name = "ANALYSES")]
    analyses: Vec<String>,
    /// The file to write; unset, standard output
    #[arg(long, short = 'o', value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    study: StudyArgument,
    #[command(flatten)]
    server: ServerArguments,
}

/// Writes payloads, one per line; with `--json`, as one array.
pub(super) async fn run(arguments: &ExportArguments) -> Result<ExitCode, CliError> {
    let study = arguments.study.named();
    if study.is_none() && arguments.analyses.is_empty() {
        return Err(CliError::setting("nothing to export; name analyses, or a study with --study"));
    }
    let server = arguments.server.connect()?;
    let (kind, requests) = match study {
        Some(study) if arguments.analyses.is_empty() => ("studies", vec![study]),
        _ => ("analysis", arguments.analyses.chunks(ANALYSES_PER_REQUEST).map(|ids| ids.join(",")).collect()),
    };
    let mut output = Output::to_file(arguments.output.as_deref(), arguments.server.json)?;
    for ids in &requests {
        payloads(&server, &["export", kind, ids], &mut output).await?;
    }
    if output.is_json {
        output.end_array()?;
    }
    output.finish()
}

async fn payloads(server: &ServerClient, path: &[&str], output: &mut Output) -> Result<(), CliError> {
    let response = server.open(path, &[]).await?;
    let mut write = |payload: &RawValue| {
        if output.is_json {
            output.element(payload.get())?;
        } else {
            output.line(payload.get())?;
        }
        Ok(!output.is_closed())
    };
    server.read_streaming(response, |body| for_each_element(server, BufReader::new(body), Some("payloads"), &mut write))
}
