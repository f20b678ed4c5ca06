//! `cantata study`.

use std::process::ExitCode;

use clap::{Args, Subcommand};
use reqwest::Method;
use serde_json::{Map, Value, json};

use super::input::json_argument;
use crate::client::arguments::ServerArguments;
use crate::error::CliError;

/// The arguments of `cantata study`.
#[derive(Debug, Args)]
pub(crate) struct StudyArguments {
    #[command(subcommand)]
    command: StudyCommand,
    #[command(flatten)]
    server: ServerArguments,
}

#[derive(Debug, Subcommand)]
enum StudyCommand {
    /// Registers a study
    Create {
        /// The id, 1 to 36 characters, which cannot be changed
        #[arg(value_name = "STUDY")]
        study_id: String,
        /// The name
        #[arg(long)]
        name: Option<String>,
        /// The organization
        #[arg(long)]
        organization: Option<String>,
        /// The description
        #[arg(long)]
        description: Option<String>,
        /// Additional information, as a JSON object or @FILE
        #[arg(long, value_name = "JSON")]
        info: Option<String>,
    },
    /// Lists the ids of the studies
    List,
}

/// Runs the command.
pub(super) async fn run(arguments: &StudyArguments) -> Result<ExitCode, CliError> {
    let mut body = Map::new();
    if let StudyCommand::Create { study_id, name, organization, description, info } = &arguments.command {
        body.insert("studyId".to_owned(), json!(study_id));
        for (key, value) in [("name", name), ("organization", organization), ("description", description)] {
            body.extend(value.as_ref().map(|value| (key.to_owned(), json!(value))));
        }
        if let Some(info) = info {
            body.insert("info".to_owned(), json_argument("--info", info)?);
        }
    }
    let server = arguments.server.connect()?;
    let mut output = arguments.server.output();
    match &arguments.command {
        StudyCommand::Create { study_id, .. } => {
            let answer: Value = server.send(Method::POST, &["studies", study_id], &Value::Object(body)).await?;
            output.result(&json!({"studyId": study_id}), [answer["message"].as_str().unwrap_or_default()])?;
        }
        StudyCommand::List => {
            let studies: Vec<String> = server.get(&["studies", "all"], &[]).await?;
            output.result(&json!(studies), &studies)?;
        }
    }
    output.finish()
}
