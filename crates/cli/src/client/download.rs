//! `cantata download`: all records that match a filter, as the server writes them.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::catalogue::Catalogue;
use super::filter::FilterArguments;
use super::query::ColumnArguments;
use crate::client::api_error::CallError;
use crate::client::arguments::ServerArguments;
use crate::client::server::ServerClient;
use crate::error::CliError;
use crate::terminal::{Output, Progress, print_note};

/// The arguments of `cantata download`.
#[derive(Debug, Args)]
pub(crate) struct DownloadArguments {
    /// The catalogue: its id or its document type
    #[arg(value_name = "CATALOGUE")]
    catalogue: String,
    #[command(flatten)]
    filter: FilterArguments,
    #[command(flatten)]
    columns: ColumnArguments,
    /// The output format
    #[arg(long, value_name = "FORMAT", value_parser = ["tsv", "csv", "json", "jsonl"], default_value = "tsv")]
    format: String,
    /// The file to write; unset, standard output
    #[arg(long, short = 'o', value_name = "FILE")]
    output: Option<PathBuf>,
    /// The maximum number of rows; unset, all, with an error if the catalogue limits them
    #[arg(long, value_name = "NUMBER")]
    max_rows: Option<u64>,
    #[command(flatten)]
    server: ServerArguments,
}

/// Downloads the matching records.
pub(super) async fn run(arguments: &DownloadArguments) -> Result<ExitCode, CliError> {
    let sort = arguments.columns.sorting()?;
    let server = arguments.server.connect()?;
    let catalogue = server.catalogue(&arguments.catalogue).await?;
    let filter = arguments.filter.filter(&catalogue)?;
    let (found, rows) = rows(&server, &catalogue, &filter, arguments).await?;
    let format = if arguments.server.json { "json" } else { arguments.format.as_str() };
    let mut file = json!({"fileName": "download", "fileType": format, "sqon": filter, "sort": sort});
    if let Some(columns) = arguments.columns.columns() {
        catalogue.selected(columns)?;
        file["columns"] = json!(columns);
    }
    if let Some(rows) = rows {
        file["maxRows"] = json!(rows);
    }
    let response = server.post(&[&arguments.catalogue, "download"], &json!({"files": [file]})).await?;
    let mut output = Output::to_file(arguments.output.as_deref(), true)?;
    write(&server, response, &mut output).await?;
    let path = arguments.output.as_deref().filter(|_| !arguments.server.json);
    output.finish()?;
    if let Some(path) = path {
        let taken = arguments.max_rows.map_or(found, |most| most.min(found));
        print_note(format_args!("{}: {taken} records", path.display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the number of matching records, and the number of rows to request. Silent truncation is an error.
async fn rows(
    server: &ServerClient,
    catalogue: &Catalogue,
    filter: &Value,
    arguments: &DownloadArguments,
) -> Result<(u64, Option<u64>), CliError> {
    let found = catalogue.count(server, filter).await?;
    let selection = "configs { downloads { allowCustomMaxRows maxRows } }";
    let limits = catalogue.query(server, "", selection, json!({})).await?;
    let limits = &limits["configs"]["downloads"];
    let most = limits["maxRows"].as_u64().filter(|most| *most > 0);
    let wanted = arguments.max_rows.map_or(found, |wanted| wanted.min(found));
    if limits["allowCustomMaxRows"] == true {
        // 0 would be no limit.
        return Ok((found, Some(wanted.max(1))));
    }
    let given = most.map_or(found, |most| most.min(found));
    if wanted > given {
        return Err(CliError::failed(format!(
            "{found} records are found, but the catalogue gives {given} rows; take these with --max-rows {given}, or have \
             `downloads.maxRows` of the catalogue changed"
        )));
    }
    if wanted < given {
        return Err(CliError::failed(format!(
            "the catalogue gives {given} rows and no other number; `downloads.allowCustomMaxRows` of the catalogue would \
             change that"
        )));
    }
    Ok((found, None))
}

async fn write(server: &ServerClient, mut response: reqwest::Response, output: &mut Output) -> Result<(), CliError> {
    let progress = Progress::of_bytes(response.content_length());
    let mut written = 0;
    loop {
        let piece = response.chunk().await.map_err(|_| -> CallError { server.unreachable("stopped answering") })?;
        let Some(piece) = piece else { break };
        written += piece.len() as u64;
        output.bytes(&piece)?;
        progress.advance(written, String::new());
        if output.is_closed() {
            break;
        }
    }
    Ok(())
}
