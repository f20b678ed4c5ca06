//! `cantata update-file`.

use std::process::ExitCode;

use clap::Args;
use reqwest::Method;
use serde_json::{Map, Value};

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
    #[arg(long, value_name = "ACCESS", value_parser = ["open", "controlled"], group = "changes")]
    access: Option<String>,
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

/// Changes the metadata of a file.
pub(super) async fn run(arguments: &UpdateFileArguments) -> Result<ExitCode, CliError> {
    let info = arguments.info.as_deref().map(|info| json_argument("--info", info)).transpose()?;
    let changes = [
        ("fileSize", arguments.size.map(Value::from)),
        ("fileMd5sum", arguments.md5.clone().map(Value::from)),
        ("fileAccess", arguments.access.clone().map(Value::from)),
        ("dataType", arguments.data_type.clone().map(Value::from)),
        ("info", info),
    ];
    let body: Map<_, _> = changes.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
    let server = arguments.server.connect()?;
    let id = &arguments.object_id;
    let study = server.study_of_file(arguments.study.named().as_deref(), id).await?;
    let answer: Value = server.send(Method::PUT, &["studies", &study, "files", id], &Value::Object(body)).await?;
    let mut output = arguments.server.output();
    output.result(&answer, [answer["message"].as_str().unwrap_or_default()])?;
    output.finish()
}
