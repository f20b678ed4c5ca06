//! `cantata download`: all records that match a filter, as the server writes them.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use reqwest::Response;
use serde_json::{Value, json};

use super::catalogue::Catalogue;
use super::query::RecordArguments;
use crate::client::api_error::CallError;
use crate::client::arguments::ServerArguments;
use crate::client::server::ServerClient;
use crate::error::CliError;
use crate::terminal::{Output, Progress, print_note};

/// The formats of files.
const FORMATS: [&str; 7] = ["tsv", "csv", "json", "jsonl", "parquet", "arrow", "xlsx"];

/// Those that nobody can read on a terminal.
const BINARY_FORMATS: [&str; 3] = ["parquet", "arrow", "xlsx"];

/// The arguments of `cantata download`.
#[derive(Debug, Args)]
pub(crate) struct DownloadArguments {
    #[command(flatten)]
    records: RecordArguments,
    /// The output format
    #[arg(long, value_name = "FORMAT", value_parser = FORMATS, default_value = "tsv")]
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
    let sort = arguments.records.sorting()?;
    let server = arguments.server.connect()?;
    let catalogue = server.catalogue(&arguments.records.catalogue).await?;
    let filter = arguments.records.filter.filter(&catalogue)?;
    let format = if arguments.server.json { "json" } else { arguments.format.as_str() };
    let (name, columns) = (arguments.records.catalogue.as_str(), arguments.records.columns());
    let file = FileDownload { name, format, filter, sort, columns, max_rows: arguments.max_rows };
    let (response, taken) = file.request(&server, &catalogue).await?;
    let mut output = Output::to_file(arguments.output.as_deref(), true)?;
    file.write(&server, response, &mut output).await?;
    let path = arguments.output.as_deref().filter(|_| !arguments.server.json);
    output.finish()?;
    if let Some(path) = path {
        print_note(format_args!("{}: {taken} records", path.display()));
    }
    Ok(ExitCode::SUCCESS)
}

/// A file that the server writes.
pub(super) struct FileDownload<'a> {
    /// The catalogue as the user names it.
    pub(super) name: &'a str,
    pub(super) format: &'a str,
    pub(super) filter: Value,
    pub(super) sort: Vec<Value>,
    /// `None`: those of the portal.
    pub(super) columns: Option<&'a [String]>,
    /// `None`: all.
    pub(super) max_rows: Option<u64>,
}

impl FileDownload<'_> {
    /// Requests the file, and returns how many records are in it, too.
    pub(super) async fn request(
        &self,
        server: &ServerClient,
        catalogue: &Catalogue,
    ) -> Result<(Response, u64), CliError> {
        let (found, rows) = self.rows(server, catalogue).await?;
        let mut file = json!({"fileName": "download", "fileType": self.format, "sqon": self.filter, "sort": self.sort});
        if let Some(columns) = self.columns {
            catalogue.selected(columns)?;
            file["columns"] = json!(columns);
        }
        if let Some(rows) = rows {
            file["maxRows"] = json!(rows);
        }
        let response = server.post(&[self.name, "download"], &json!({"files": [file]})).await?;
        Ok((response, self.max_rows.map_or(found, |most| most.min(found))))
    }

    /// Writes the file as it arrives.
    pub(super) async fn write(
        &self,
        server: &ServerClient,
        mut response: Response,
        output: &mut Output,
    ) -> Result<(), CliError> {
        let format = self.format;
        if output.is_terminal && BINARY_FORMATS.contains(&format) {
            return Err(CliError::setting(format!(
                "{format} is not for a terminal; write it to a file: > out.{format}"
            )));
        }
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

    /// Returns the number of matching records, and the number of rows to request. Silent truncation is an error.
    async fn rows(&self, server: &ServerClient, catalogue: &Catalogue) -> Result<(u64, Option<u64>), CliError> {
        let found = catalogue.count(server, &self.filter).await?;
        let selection = "configs { downloads { allowCustomMaxRows maxRows } }";
        let limits = catalogue.query(server, "", selection, json!({})).await?;
        let limits = &limits["configs"]["downloads"];
        let most = limits["maxRows"].as_u64().filter(|most| *most > 0);
        let wanted = self.max_rows.map_or(found, |wanted| wanted.min(found));
        if limits["allowCustomMaxRows"] == true {
            // 0 would be no limit.
            return Ok((found, Some(wanted.max(1))));
        }
        let given = most.map_or(found, |most| most.min(found));
        if wanted > given {
            return Err(CliError::failed(format!(
                "{found} records are found, but the catalogue gives {given} rows; take these with --max-rows {given}, or \
                 have `downloads.maxRows` of the catalogue changed"
            )));
        }
        if wanted < given {
            return Err(CliError::failed(format!(
                "the catalogue gives {given} rows and no other number; `downloads.allowCustomMaxRows` of the catalogue \
                 would change that"
            )));
        }
        Ok((found, None))
    }
}
