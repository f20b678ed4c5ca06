//! `cantata manifest`: the upload manifest that clients of storage servers read.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use serde::{Deserialize, Serialize};

use crate::client::arguments::{ServerArguments, StudyArgument};
use crate::error::CliError;
use crate::terminal::Output;

/// The arguments of `cantata manifest`.
#[derive(Debug, Args)]
pub(crate) struct ManifestArguments {
    /// The analysis
    #[arg(value_name = "ANALYSIS")]
    analysis_id: String,
    /// The folder with its files
    #[arg(long, short = 'd', value_name = "FOLDER", default_value = ".")]
    input_dir: PathBuf,
    /// The file to write; unset, standard output
    #[arg(long, short = 'f', value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    study: StudyArgument,
    #[command(flatten)]
    server: ServerArguments,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ManifestFile {
    object_id: String,
    file_name: String,
    file_md5sum: String,
}

/// A line of the manifest, for scripts.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ManifestEntry {
    object_id: String,
    path: String,
    file_md5sum: String,
}

/// Writes the manifest of an analysis whose files must exist.
pub(super) async fn run(arguments: &ManifestArguments) -> Result<ExitCode, CliError> {
    let server = arguments.server.connect()?;
    let id = &arguments.analysis_id;
    let study = server.study_of_analysis(arguments.study.named().as_deref(), id).await?;
    let files: Vec<ManifestFile> = server.get(&["studies", &study, "analysis", id, "files"], &[]).await?;
    let folder = std::path::absolute(&arguments.input_dir)
        .map_err(|error| CliError::setting(format!("--input-dir cannot be used: {error}")))?;
    let entries = entries(&folder, files)?;
    let mut output = Output::to_file(arguments.file.as_deref(), arguments.server.json)?;
    if output.is_json {
        output.json(&serde_json::json!({"analysisId": id, "files": entries}))?;
    } else {
        output.line(&format!("{id}\t\t"))?;
        for ManifestEntry { object_id, path, file_md5sum } in entries {
            output.line(&format!("{object_id}\t{path}\t{file_md5sum}"))?;
        }
    }
    output.finish()
}

/// Locates the files, or returns an error with all that are missing.
fn entries(folder: &Path, files: Vec<ManifestFile>) -> Result<Vec<ManifestEntry>, CliError> {
    let mut missing = Vec::new();
    let mut entries = Vec::new();
    for file in files {
        let path = folder.join(&file.file_name);
        if !path.is_file() {
            missing.push(path.display().to_string());
        }
        let path = path.display().to_string();
        entries.push(ManifestEntry { object_id: file.object_id, path, file_md5sum: file.file_md5sum });
    }
    if missing.is_empty() {
        return Ok(entries);
    }
    Err(CliError::failed(format!(
        "these files of the analysis do not exist; --input-dir names their folder:\n  {}",
        missing.join("\n  ")
    )))
}
