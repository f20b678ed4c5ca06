//! `cantata download`: everything that a filter finds, as the server writes it.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::catalogue::Catalogue;
use super::filter::FilterArguments;
use super::progress::Progress;
use super::query::ShownArguments;
use super::query::records::total;
use super::{CallError, Output, Server, ServerArguments, tell};
use crate::failure::Failure;

/// What `cantata download` is told.
#[derive(Debug, Args)]
pub(crate) struct DownloadArguments {
    /// The catalogue: its id or its document type
    #[arg(value_name = "CATALOGUE")]
    catalogue: String,
    #[command(flatten)]
    filter: FilterArguments,
    #[command(flatten)]
    shown: ShownArguments,
    /// How it is written
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Tsv)]
    format: Format,
    /// The file to write; unset, standard output
    #[arg(long, short = 'o', value_name = "FILE")]
    output: Option<PathBuf>,
    /// How many rows are wanted at most; unset, all, and it is told if the catalogue does not give all
    #[arg(long, value_name = "NUMBER")]
    max_rows: Option<u64>,
    #[command(flatten)]
    server: ServerArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Tsv,
    Csv,
    Json,
    Jsonl,
}

/// Downloads what a filter finds.
pub(super) async fn run(arguments: &DownloadArguments) -> Result<ExitCode, Failure> {
    let sort = arguments.shown.sorting()?;
    let server = arguments.server.connect()?;
    let catalogue = server.catalogue(&arguments.catalogue).await?;
    let filter = arguments.filter.filter(&catalogue)?;
    let (found, rows) = rows(&server, &catalogue, &filter, arguments).await?;
    let format = match arguments.format {
        _ if arguments.server.json => "json",
        Format::Tsv => "tsv",
        Format::Csv => "csv",
        Format::Json => "json",
        Format::Jsonl => "jsonl",
    };
    let mut file = json!({"fileName": "download", "fileType": format, "sqon": filter, "sort": sort});
    if let Some(columns) = arguments.shown.columns() {
        catalogue.selected(columns)?;
        file["columns"] = json!(columns);
    }
    if let Some(rows) = rows {
        file["maxRows"] = json!(rows);
    }
    let response = server.post(&[&arguments.catalogue, "download"], &json!({"files": [file]})).await?;
    let mut output = Output::to(arguments.output.as_deref(), true)?;
    write(&server, response, &mut output).await?;
    let path = arguments.output.as_deref().filter(|_| !arguments.server.json);
    output.finish()?;
    if let Some(path) = path {
        let taken = arguments.max_rows.map_or(found, |most| most.min(found));
        tell(&format!("{}: {taken} records", path.display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns how many records there are, and how many rows to ask for. What would be cut without a word is refused.
async fn rows(
    server: &Server,
    catalogue: &Catalogue,
    filter: &Value,
    arguments: &DownloadArguments,
) -> Result<(u64, Option<u64>), Failure> {
    let found = total(server, catalogue, filter).await?;
    let selection = "configs { downloads { allowCustomMaxRows maxRows } }";
    let limits = catalogue.ask(server, "", selection, json!({})).await?;
    let limits = &limits["configs"]["downloads"];
    let most = limits["maxRows"].as_u64().filter(|most| *most > 0);
    let wanted = arguments.max_rows.map_or(found, |wanted| wanted.min(found));
    if limits["allowCustomMaxRows"] == true {
        // 0 would be no limit.
        return Ok((found, Some(wanted.max(1))));
    }
    let given = most.map_or(found, |most| most.min(found));
    if wanted > given {
        return Err(Failure::Start(format!(
            "{found} records are found, but the catalogue gives {given} rows; take these with --max-rows {given}, or have \
             `downloads.maxRows` of the catalogue changed"
        )));
    }
    if wanted < given {
        return Err(Failure::Start(format!(
            "the catalogue gives {given} rows and no other number; `downloads.allowCustomMaxRows` of the catalogue would \
             change that"
        )));
    }
    Ok((found, None))
}

async fn write(server: &Server, mut response: reqwest::Response, output: &mut Output) -> Result<(), Failure> {
    let progress = Progress::of_bytes(response.content_length());
    let mut written = 0;
    loop {
        let piece = response.chunk().await.map_err(|_| -> CallError { server.gone("stopped answering") })?;
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
