//! `cantata search`.

use std::io::BufReader;
use std::process::ExitCode;

use clap::Args;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::client::arguments::{ServerArguments, StudyArgument};
use crate::client::json_stream::for_each;
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
            let mut writer = AnalysisWriter::begin(&mut output)?;
            writer.add(&mut output, &analysis)?;
            writer.end(&mut output)?;
        }
        (None, Some(expression), Some(study)) => by_file(&server, &mut output, &study, expression).await?,
        (None, _, _) => return Err(CliError::setting("--file-id searches in one study; --study names it")),
    }
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

async fn by_file(server: &ServerClient, output: &mut Output, study: &str, expression: &str) -> Result<(), CliError> {
    let response = server.open(&["studies", study, "analysis", "search", "id"], &[("fileId", expression)]).await?;
    let mut writer = AnalysisWriter::begin(output)?;
    server.read_streaming(response, |body| {
        for_each(server, BufReader::new(body), |analysis| {
            writer.add(output, analysis)?;
            Ok(!output.is_closed())
        })
    })?;
    writer.end(output)
}

/// Writes analyses as a table or an array.
enum AnalysisWriter {
    Table(Table),
    /// An array, with the number of elements so far.
    Array(usize),
}

impl AnalysisWriter {
    fn begin(output: &mut Output) -> Result<Self, CliError> {
        if output.is_json {
            output.bytes(b"[")?;
            return Ok(Self::Array(0));
        }
        Ok(Self::Table(Table::new(["analysis", "study", "state", "type", "version", "files"])))
    }

    fn add(&mut self, output: &mut Output, analysis: &RawValue) -> Result<(), CliError> {
        match self {
            Self::Array(count) => {
                output.bytes(if *count == 0 { b"\n" } else { b",\n" })?;
                *count += 1;
                output.bytes(analysis.get().as_bytes())
            }
            Self::Table(table) => {
                let analysis: Value = serde_json::from_str(analysis.get()).unwrap_or_default();
                let analysis_type = &analysis["analysisType"];
                let files = analysis["files"].as_array().map_or(0, Vec::len).to_string();
                let [id, study, state] =
                    ["analysisId", "studyId", "analysisState"].map(|key| cell_text(&analysis[key]));
                let (name, version) = (cell_text(&analysis_type["name"]), cell_text(&analysis_type["version"]));
                table.row(output, &[id, study, state, name, version, files])
            }
        }
    }

    fn end(self, output: &mut Output) -> Result<(), CliError> {
        match self {
            Self::Array(0) => output.line("]"),
            Self::Array(_) => output.line("\n]"),
            Self::Table(table) => table.finish(output),
        }
    }
}
