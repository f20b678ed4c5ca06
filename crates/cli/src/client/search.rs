//! `cantata search`.

use std::io::BufReader;
use std::process::ExitCode;

use clap::Args;
use serde_json::Value;
use serde_json::value::RawValue;

use super::get::text;
use super::{Output, Server, ServerArguments, StudyArgument, Table};
use crate::client::elements::for_each;
use crate::failure::Failure;

/// What `cantata search` is told.
#[derive(Debug, Args)]
pub(crate) struct SearchArguments {
    /// The analysis of this id
    #[arg(long, short = 'a', value_name = "ID", conflicts_with = "file_id", required_unless_present = "file_id")]
    analysis_id: Option<String>,
    /// Analyses with a file whose object id matches this regular expression somewhere, case ignored
    #[arg(long, short = 'f', value_name = "EXPRESSION")]
    file_id: Option<String>,
    #[command(flatten)]
    study: StudyArgument,
    #[command(flatten)]
    server: ServerArguments,
}

/// Finds analyses.
pub(super) async fn run(arguments: &SearchArguments) -> Result<ExitCode, Failure> {
    let server = arguments.server.connect()?;
    let mut output = arguments.server.output();
    let study = arguments.study.named();
    match (&arguments.analysis_id, &arguments.file_id, study) {
        (Some(id), _, study) => {
            let study = server.study_of_analysis(study.as_deref(), id).await?;
            let analysis: Box<RawValue> = server.get(&["studies", &study, "analysis", id], &[]).await?;
            let mut found = Found::begin(&mut output)?;
            found.add(&mut output, &analysis)?;
            found.end(&mut output)?;
        }
        (None, Some(expression), Some(study)) => by_file(&server, &mut output, &study, expression).await?,
        (None, _, _) => return Err(Failure::setting("--file-id searches in one study; --study names it")),
    }
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}

async fn by_file(server: &Server, output: &mut Output, study: &str, expression: &str) -> Result<(), Failure> {
    let response = server.open(&["studies", study, "analysis", "search", "id"], &[("fileId", expression)]).await?;
    let mut found = Found::begin(output)?;
    server.while_it_arrives(response, |body| {
        for_each(server, BufReader::new(body), |analysis| {
            found.add(output, analysis)?;
            Ok(!output.is_closed())
        })
    })?;
    found.end(output)
}

/// Analyses as they are found.
enum Found {
    People(Table),
    /// As a list in which so many stand.
    Scripts(usize),
}

impl Found {
    fn begin(output: &mut Output) -> Result<Self, Failure> {
        if output.is_json {
            output.bytes(b"[")?;
            return Ok(Self::Scripts(0));
        }
        Ok(Self::People(Table::new(["analysis", "study", "state", "type", "version", "files"])))
    }

    fn add(&mut self, output: &mut Output, analysis: &RawValue) -> Result<(), Failure> {
        match self {
            Self::Scripts(count) => {
                output.bytes(if *count == 0 { b"\n" } else { b",\n" })?;
                *count += 1;
                output.bytes(analysis.get().as_bytes())
            }
            Self::People(table) => {
                let analysis: Value = serde_json::from_str(analysis.get()).unwrap_or_default();
                let analysis_type = &analysis["analysisType"];
                let files = analysis["files"].as_array().map_or(0, Vec::len).to_string();
                let [id, study, state] = ["analysisId", "studyId", "analysisState"].map(|key| text(&analysis[key]));
                let (name, version) = (text(&analysis_type["name"]), text(&analysis_type["version"]));
                table.row(output, &[id, study, state, name, version, files])
            }
        }
    }

    fn end(self, output: &mut Output) -> Result<(), Failure> {
        match self {
            Self::Scripts(0) => output.line("]"),
            Self::Scripts(_) => output.line("\n]"),
            Self::People(table) => table.finish(output),
        }
    }
}
