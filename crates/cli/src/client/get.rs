//! `cantata get`.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Map, Value};

use crate::client::arguments::{ServerArguments, StudyArgument};
use crate::error::CliError;
use crate::terminal::{Output, Table, cell_text};

/// The arguments of `cantata get`.
#[derive(Debug, Args)]
pub(crate) struct GetArguments {
    /// The analysis
    #[arg(value_name = "ANALYSIS")]
    analysis_id: String,
    #[command(flatten)]
    study: StudyArgument,
    #[command(flatten)]
    server: ServerArguments,
}

/// The members of an analysis that are shown first, with their labels.
const LABELLED_MEMBERS: [(&str, &str); 7] = [
    ("analysisId", "analysis"),
    ("studyId", "study"),
    ("analysisState", "state"),
    ("createdAt", "created"),
    ("updatedAt", "updated"),
    ("firstPublishedAt", "first published"),
    ("publishedAt", "published"),
];

/// Shows an analysis.
pub(super) async fn run(arguments: &GetArguments) -> Result<ExitCode, CliError> {
    let server = arguments.server.connect()?;
    let id = &arguments.analysis_id;
    let study = server.study_of_analysis(arguments.study.named().as_deref(), id).await?;
    let analysis: Value = server.get(&["studies", &study, "analysis", id], &[]).await?;
    let mut output = arguments.server.output();
    match analysis {
        Value::Object(members) if !output.is_json => show(members, &mut output)?,
        analysis => output.json(&analysis)?,
    }
    output.finish()
}

fn show(mut members: Map<String, Value>, output: &mut Output) -> Result<(), CliError> {
    let mut fact = |name: &str, value: &str| output.line(&format!("{name:16}{value}"));
    let analysis_type = members.shift_remove("analysisType").unwrap_or_default();
    fact("type", &format!("{} version {}", cell_text(&analysis_type["name"]), analysis_type["version"]))?;
    for (key, name) in LABELLED_MEMBERS {
        if let Some(Value::String(value)) = members.shift_remove(key) {
            fact(name, &value)?;
        }
    }
    members.shift_remove("analysisStateHistory");
    output.line("")?;
    let mut table = Table::new(["object id", "file", "size", "type", "access", "data type", "md5"]);
    let files = members.shift_remove("files").unwrap_or_default();
    for file in files.as_array().into_iter().flatten() {
        let cells = ["objectId", "fileName", "fileSize", "fileType", "fileAccess", "dataType", "fileMd5sum"];
        table.row(output, &cells.map(|cell| cell_text(&file[cell])))?;
    }
    table.finish(output)?;
    output.line("")?;
    output.json(&Value::Object(members))
}
