//! Filled sheets: each is sent as it is, and all its analyses are stored, or none.
//!
//! A violation is reported at its cell, as a spreadsheet names it: `samples.xlsx, files!B2: …`.

use std::path::Path;
use std::process::ExitCode;

use reqwest::Method;
use reqwest::header::CONTENT_TYPE;
use serde::Deserialize;
use serde_json::Value;

use super::SubmitArguments;
use crate::client::server::ServerClient;
use crate::error::CliError;
use crate::terminal::{Output, print_note};

/// The media types of sheets, by the end of a name.
const MEDIA_TYPES: [(&str, &str); 4] = [
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ("tsv", "text/tab-separated-values"),
    ("tab", "text/tab-separated-values"),
    ("csv", "text/csv"),
];

/// What became of a sheet.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SheetOutcome {
    status: String,
    analyses: u64,
    violation_count: u64,
    violations: Vec<SheetViolation>,
    results: Vec<SheetResult>,
}

#[derive(Deserialize)]
struct SheetViolation {
    sheet: String,
    row: Option<u32>,
    cell: Option<String>,
    message: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SheetResult {
    row: u32,
    analysis_id: Option<String>,
    message: Option<String>,
}

/// Submits filled sheets; the exit code says whether all were accepted.
pub(super) async fn run(arguments: &SubmitArguments, type_name: &str) -> Result<ExitCode, CliError> {
    let study = arguments
        .study
        .named()
        .ok_or_else(|| CliError::setting("a sheet names no study; name it with --study or CANTATA_STUDY".to_owned()))?;
    let mut files = Vec::new();
    for file in &arguments.files {
        files.push((file.display().to_string(), media_type(file)?, fs_err::read(file)));
    }
    let server = arguments.server.connect()?;
    let mut output = arguments.server.output();
    let mut is_complete = true;
    for (name, media_type, content) in files {
        let content = content.map_err(|error| CliError::setting(error.to_string()))?;
        let answer = submit(&server, arguments, (&study, type_name), media_type, content).await?;
        let outcome: SheetOutcome = serde_json::from_value(answer.clone()).map_err(|_| server.unexpected_response())?;
        is_complete &= matches!(outcome.status.as_str(), "VALID" | "SUBMITTED");
        if output.is_json {
            output.json_line(&answer)?;
        } else {
            report(&name, &outcome, arguments, &mut output)?;
        }
    }
    output.finish()?;
    Ok(if is_complete { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn media_type(file: &Path) -> Result<&'static str, CliError> {
    let extension = file.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    let known = MEDIA_TYPES.iter().find(|(known, _)| extension.as_deref() == Some(*known));
    known.map(|(_, media_type)| *media_type).ok_or_else(|| {
        let found = format!("{} is no sheet", file.display());
        CliError::setting(format!("{found}; with --type a file ends with .xlsx, .tsv or .csv"))
    })
}

async fn submit(
    server: &ServerClient,
    arguments: &SubmitArguments,
    (study, type_name): (&str, &str),
    media_type: &str,
    content: Vec<u8>,
) -> Result<Value, CliError> {
    let version = arguments.type_version.map(|version| version.to_string());
    let mut query: Vec<(&str, &str)> = arguments.query();
    query.push(("type", type_name));
    query.extend(version.as_deref().map(|version| ("version", version)));
    let request = server.request(Method::POST, &["sheets", study], &query);
    Ok(server.read(request.header(CONTENT_TYPE, media_type).body(content)).await?)
}

/// Reports what became of a sheet.
fn report(
    name: &str,
    outcome: &SheetOutcome,
    arguments: &SubmitArguments,
    output: &mut Output,
) -> Result<(), CliError> {
    let colours = output.colours;
    for result in &outcome.results {
        match (&result.analysis_id, &result.message) {
            (Some(id), _) if arguments.quiet => output.line(id)?,
            (Some(id), _) => output.line(&format!("{name}, row {}: {}", result.row, colours.good(id)))?,
            (None, message) => {
                print_note(format_args!("{name}, row {}: {}", result.row, message.as_deref().unwrap_or_default()));
            }
        }
    }
    output.flush()?;
    for violation in &outcome.violations {
        let SheetViolation { sheet, row, cell, message } = violation;
        let row = row.map_or_else(String::new, |row| format!(" row {row}"));
        let place = cell.as_ref().map_or_else(|| format!("{sheet}{row}"), |cell| format!("{sheet}!{cell}"));
        print_note(format_args!("{name}, {place}: {message}"));
    }
    let listed = outcome.violations.len() as u64;
    if outcome.violation_count > listed {
        print_note(format_args!("{name}: {} more violations", outcome.violation_count - listed));
    }
    if !arguments.quiet {
        let stored = outcome.results.iter().filter(|result| result.analysis_id.is_some()).count();
        let done = match outcome.status.as_str() {
            "VALID" => format!("{} valid", outcome.analyses),
            "INVALID" => format!("{} violations, nothing submitted", outcome.violation_count),
            _ => format!("{stored} of {} submitted", outcome.analyses),
        };
        print_note(format_args!("{name}: {done}"));
    }
    Ok(())
}
