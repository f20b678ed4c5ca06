//! `cantata get`.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Map, Value};

use super::{Output, ServerArguments, StudyArgument, Table};
use crate::failure::Failure;

/// What `cantata get` is told.
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

/// What the server says of an analysis, with what people call it.
const FACTS: [(&str, &str); 7] = [
    ("analysisId", "analysis"),
    ("studyId", "study"),
    ("analysisState", "state"),
    ("createdAt", "created"),
    ("updatedAt", "updated"),
    ("firstPublishedAt", "first published"),
    ("publishedAt", "published"),
];

/// Shows an analysis.
pub(super) async fn run(arguments: &GetArguments) -> Result<ExitCode, Failure> {
    let server = arguments.server.connect()?;
    let id = &arguments.analysis_id;
    let study = server.study_of_analysis(arguments.study.named().as_deref(), id).await?;
    let analysis: Value = server.get(&["studies", &study, "analysis", id], &[]).await?;
    let mut output = arguments.server.output();
    match analysis {
        Value::Object(members) if !output.is_json => show(members, &mut output)?,
        analysis => output.json(&analysis)?,
    }
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

fn show(mut members: Map<String, Value>, output: &mut Output) -> Result<(), Failure> {
    let mut fact = |name: &str, value: &str| output.line(&format!("{name:16}{value}"));
    let analysis_type = members.shift_remove("analysisType").unwrap_or_default();
    fact("type", &format!("{} version {}", text(&analysis_type["name"]), analysis_type["version"]))?;
    for (key, name) in FACTS {
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
        table.row(output, &cells.map(|cell| text(&file[cell])))?;
    }
    table.finish(output)?;
    output.line("")?;
    output.json(&Value::Object(members))
}

/// Returns a value as a cell shows it.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
