//! `cantata update-file`.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use reqwest::Method;
use serde_json::{Map, Value, json};

use super::input::json_argument;
use crate::client::arguments::{ServerArguments, StudyArgument};
use crate::error::CliError;

/// The arguments of `cantata update-file`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("changes").required(true).multiple(true))]
pub(crate) struct UpdateFileArguments {
    /// The object id of the file
    #[arg(value_name = "FILE")]
    object_id: String,
    /// Its size in bytes; only while its analysis is unpublished
    #[arg(long, value_name = "BYTES", group = "changes")]
    size: Option<u64>,
    /// Its MD5 checksum; only while its analysis is unpublished
    #[arg(long, value_name = "MD5", group = "changes")]
    md5: Option<String>,
    /// Who may download it
    #[arg(long, value_name = "ACCESS", value_enum, group = "changes")]
    access: Option<FileAccessArgument>,
    /// What kind of data it holds
    #[arg(long, value_name = "TEXT", group = "changes")]
    data_type: Option<String>,
    /// Additional information, as a JSON object or @FILE
    #[arg(long, value_name = "JSON", group = "changes")]
    info: Option<String>,
    #[command(flatten)]
    study: StudyArgument,
    #[command(flatten)]
    server: ServerArguments,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum FileAccessArgument {
    Open,
    Controlled,
}

/// Changes the metadata of a file.
pub(super) async fn run(arguments: &UpdateFileArguments) -> Result<ExitCode, CliError> {
    let mut body = Map::new();
    let access = arguments.access.map(|access| match access {
        FileAccessArgument::Open => "open",
        FileAccessArgument::Controlled => "controlled",
    });
    let info = arguments.info.as_deref().map(|info| json_argument("--info", info)).transpose()?;
    let changes = [
        ("fileSize", arguments.size.map(Value::from)),
        ("fileMd5sum", arguments.md5.as_ref().map(|md5| json!(md5))),
        ("fileAccess", access.map(Value::from)),
        ("dataType", arguments.data_type.as_ref().map(|data_type| json!(data_type))),
        ("info", info),
    ];
    body.extend(changes.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    let server = arguments.server.connect()?;
    let id = &arguments.object_id;
    let study = server.study_of_file(arguments.study.named().as_deref(), id).await?;
    let answer: Value = server.send(Method::PUT, &["studies", &study, "files", id], &Value::Object(body)).await?;
    let mut output = arguments.server.output();
    if output.is_json {
        output.json(&answer)?;
    } else {
        output.line(answer["message"].as_str().unwrap_or_default())?;
    }
    output.finish()?;
    Ok(ExitCode::SUCCESS)
}
