//! `cantata export`: analyses as payloads that `cantata submit` accepts.

use std::io::BufReader;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::value::RawValue;

use super::json_stream::for_each_within;
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
    let mut paths: Vec<[String; 3]> = Vec::new();
    match study {
        Some(study) if arguments.analyses.is_empty() => paths.push(["export".to_owned(), "studies".to_owned(), study]),
        _ => paths.extend(
            arguments
                .analyses
                .chunks(ANALYSES_PER_REQUEST)
                .map(|some| ["export".to_owned(), "analysis".to_owned(), some.join(",")]),
        ),
    }
    let mut output = Output::to_file(arguments.output.as_deref(), arguments.server.json)?;
    let mut count = 0_u64;
    for path in paths {
        payloads(&server, &path.each_ref().map(String::as_str), &mut output, &mut count).await?;
    }
    if output.is_json {
        output.line(if count == 0 { "[]" } else { "\n]" })?;
    }
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

async fn payloads(server: &ServerClient, path: &[&str], output: &mut Output, count: &mut u64) -> Result<(), CliError> {
    let response = server.open(path, &[]).await?;
    let mut write = |payload: &RawValue| {
        if output.is_json {
            output.bytes(if *count == 0 { b"[\n" } else { b",\n" })?;
            output.bytes(payload.get().as_bytes())?;
        } else {
            output.line(payload.get())?;
        }
        *count += 1;
        Ok(!output.is_closed())
    };
    server.read_streaming(response, |body| for_each_within(server, BufReader::new(body), "payloads", &mut write))
}
