//! `cantata type`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bytes::Bytes;
use clap::{Args, Subcommand};
use reqwest::Method;
use serde_json::{Value, json};

use super::diff;
use super::input::json_file;
use crate::client::api_error::CallError;
use crate::client::arguments::ServerArguments;
use crate::client::server::ServerClient;
use crate::error::CliError;
use crate::terminal::{Output, Table, cell_text};

/// The arguments of `cantata type`.
#[derive(Debug, Args)]
pub(crate) struct TypeArguments {
    #[command(subcommand)]
    command: TypeCommand,
    #[command(flatten)]
    server: ServerArguments,
}

#[derive(Debug, Subcommand)]
enum TypeCommand {
    /// Registers the next version of a type
    Register {
        /// A JSON file with name, schema and options; `-` is standard input
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
    /// Lists the versions of all types, newest first
    List {
        /// Only types of this name
        #[arg(long, value_name = "NAME")]
        name: Option<String>,
    },
    /// Shows a type as it was registered
    Get {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
        /// The version; unset, the latest
        #[arg(long, value_name = "NUMBER")]
        version: Option<u32>,
        /// Shows the complete schema that payloads are validated against
        #[arg(long)]
        rendered: bool,
    },
    /// Writes a submission sheet to fill, for `cantata submit --type`
    Template {
        /// The name of the type
        #[arg(value_name = "NAME")]
        name: String,
        /// The file to write; it ends with .xlsx or .tsv
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// The version; unset, the latest
        #[arg(long, value_name = "NUMBER")]
        version: Option<u32>,
    },
    /// Compares two versions, or a version and a file; the exit code is 1 if they differ
    Diff {
        /// The name of the type
        #[arg(value_name = "NAME")]
        name: String,
        /// A JSON file as for `type register`, which is compared with the latest version; `-` is standard input
        #[arg(value_name = "FILE", conflicts_with = "to")]
        file: Option<PathBuf>,
        /// The older version; unset, the latest before a file, else the one before the newer one
        #[arg(long, value_name = "NUMBER")]
        from: Option<u32>,
        /// The newer version; unset, the latest
        #[arg(long, value_name = "NUMBER")]
        to: Option<u32>,
    },
}

/// Runs the command.
pub(super) async fn run(arguments: &TypeArguments) -> Result<ExitCode, CliError> {
    let server = arguments.server.connect()?;
    let mut output = arguments.server.output();
    let mut code = ExitCode::SUCCESS;
    match &arguments.command {
        TypeCommand::Register { file } => {
            let body = json_file(file)?;
            let registered: Value = server.send(Method::POST, &["schemas"], &body).await?;
            let (name, version) = (registered["name"].as_str().unwrap_or_default(), &registered["version"]);
            let line = format!("{name} version {version} is registered");
            output.result(&json!({"name": name, "version": version}), [line])?;
        }
        TypeCommand::List { name } => list(&server, &mut output, name.as_deref()).await?,
        TypeCommand::Get { name, version, rendered } => {
            output.json(&registered(&server, name, *version, *rendered).await?)?;
        }
        TypeCommand::Template { name, file, version } => {
            let template = template(&server, name, file, *version).await?;
            let mut written = Output::to_file(Some(file), true)?;
            written.bytes(&template)?;
            written.finish()?;
            let line = format!("{}: fill it, then cantata submit {0} --type {name}", file.display());
            output.result(&json!({"file": file.display().to_string()}), [line])?;
        }
        TypeCommand::Diff { name, file, from, to } => {
            let (before, after) = match file {
                Some(file) => (registered(&server, name, *from, false).await?, json_file(file)?),
                None => {
                    let after = registered(&server, name, *to, false).await?;
                    let version = after["version"].as_u64().and_then(|version| u32::try_from(version).ok());
                    let earlier =
                        from.or(version.and_then(|version| version.checked_sub(1)).filter(|earlier| *earlier > 0));
                    let Some(earlier) = earlier else {
                        return Err(CliError::setting(format!("{name} has no version before the first; name a FILE")));
                    };
                    (registered(&server, name, Some(earlier), false).await?, after)
                }
            };
            let differences = diff::differences(&compared(&before), &compared_with(&before, &after));
            let colours = output.colours;
            output.result(&json!(differences), differences.iter().map(|difference| difference.text(colours)))?;
            if !differences.is_empty() {
                code = ExitCode::FAILURE;
            }
        }
    }
    output.finish()?;
    Ok(code)
}

/// Returns one version of a type.
async fn registered(
    server: &ServerClient,
    name: &str,
    version: Option<u32>,
    rendered: bool,
) -> Result<Value, CallError> {
    let version = version.map(|version| version.to_string());
    let mut query = vec![("unrenderedOnly", if rendered { "false" } else { "true" })];
    query.extend(version.as_deref().map(|version| ("version", version)));
    let mut found: Value = server.get(&["schemas", name], &query).await?;
    if let Some(members) = found.as_object_mut() {
        // The response also lists all versions.
        members.retain(|name, _| name != "count" && name != "resultSet");
    }
    Ok(found)
}

/// Returns the template of a type in the format that the name of a file says.
async fn template(server: &ServerClient, name: &str, file: &Path, version: Option<u32>) -> Result<Bytes, CliError> {
    let extension = file.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
    let Some(format @ ("xlsx" | "tsv")) = extension.as_deref() else {
        return Err(CliError::setting(format!(
            "found {}, expected a name that ends with .xlsx or .tsv",
            file.display()
        )));
    };
    let version = version.map(|version| version.to_string());
    let mut query = vec![("format", format)];
    query.extend(version.as_deref().map(|version| ("version", version)));
    let response = server.open(&["schemas", name, "template"], &query).await?;
    Ok(server.bytes(response).await?)
}

/// Returns the comparable part of a type.
fn compared(registered: &Value) -> Value {
    json!({"schema": registered["schema"], "options": registered["options"]})
}

/// Returns the comparable part of a type; omitted options are inherited.
fn compared_with(before: &Value, after: &Value) -> Value {
    let mut compared = compared(after);
    for option in ["fileTypes", "externalValidations"] {
        if compared["options"][option].is_null() {
            if !compared["options"].is_object() {
                compared["options"] = json!({});
            }
            compared["options"][option] = before["options"][option].clone();
        }
    }
    compared
}

async fn list(server: &ServerClient, output: &mut Output, name: Option<&str>) -> Result<(), CliError> {
    let mut query = vec![("hideSchema", "true")];
    query.extend(name.map(|name| ("names", name)));
    let types: Vec<Value> = server.types(&query).await?;
    if output.is_json {
        return output.json(&Value::Array(types));
    }
    let mut table = Table::new(["name", "version", "registered", "file types"]);
    for found in &types {
        let cells = [&found["name"], &found["version"], &found["createdAt"], &found["options"]["fileTypes"]];
        table.row(output, &cells.map(cell_text))?;
    }
    table.finish(output)
}
