//! `cantata search`.

use std::io::BufReader;
use std::process::ExitCode;

use clap::Args;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::client::arguments::{ServerArguments, StudyArgument};
use crate::client::json_stream::for_each_element;
use crate::client::server::ServerClient;
use crate::error::CliError;
use crate::terminal::{Output, Table, cell_text};

/// The arguments of `cantata search`.
#[derive(Debug, Args)]
pub(crate) struct SearchArguments {
    /// The id of the analysis
    #[arg(long, short = 'a', value_name = "ID", conflicts_with = "file_id", required_unless_present = "file_id")]
    analysis_id: Option<String>,
    /// Analyses with a file whose object id contains a match of this regular expression, ignoring case
    #[arg(long, short = 'f', value_name = "EXPRESSION")]
    file_id: Option<String>,
    #[command(flatten)]
    study: StudyArgument,
    #[command(flatten)]
    server: ServerArguments,
}

/// Finds analyses.
pub(super) async fn run(arguments: &SearchArguments) -> Result<ExitCode, CliError> {
    let server = arguments.server.connect()?;
    let mut output = arguments.server.output();
    let study = arguments.study.named();
    match (&arguments.analysis_id, &arguments.file_id, study) {
        (Some(id), _, study) => {
            let study = server.study_of_analysis(study.as_deref(), id).await?;
            let analysis: Box<RawValue> = server.get(&["studies", &study, "analysis", id], &[]).await?;
            let mut table = analysis_table();
            write(&mut output, &mut table, &analysis)?;
            end(&mut output, table)?;
        }
        (None, Some(expression), Some(study)) => by_file(&server, &mut output, &study, expression).await?,
        (None, _, _) => return Err(CliError::setting("--file-id searches in one study; --study names it")),
    }
    output.finish()
}

async fn by_file(server: &ServerClient, output: &mut Output, study: &str, expression: &str) -> Result<(), CliError> {
    let response = server.open(&["studies", study, "analysis", "search", "id"], &[("fileId", expression)]).await?;
    let mut table = analysis_table();
    server.read_streaming(response, |body| {
        for_each_element(server, BufReader::new(body), None, &mut |analysis| {
            write(output, &mut table, analysis)?;
            Ok(!output.is_closed())
        })
    })?;
    end(output, table)
}

fn analysis_table() -> Table {
    Table::new(["analysis", "study", "state", "type", "version", "files"])
}

/// Writes an analysis as a row of a table, or as an element of an array.
fn write(output: &mut Output, table: &mut Table, analysis: &RawValue) -> Result<(), CliError> {
    if output.is_json {
        return output.element(analysis.get());
    }
    let analysis: Value = serde_json::from_str(analysis.get()).unwrap_or_default();
    let analysis_type = &analysis["analysisType"];
    let files = analysis["files"].as_array().map_or(0, Vec::len).to_string();
    let [id, study, state] = ["analysisId", "studyId", "analysisState"].map(|key| cell_text(&analysis[key]));
    let (name, version) = (cell_text(&analysis_type["name"]), cell_text(&analysis_type["version"]));
    table.row(output, &[id, study, state, name, version, files])
}

fn end(output: &mut Output, table: Table) -> Result<(), CliError> {
    if output.is_json { output.end_array() } else { table.finish(output) }
}
