//! Client commands: what people and scripts do with a running server, one file each.
//!
//! A command reads its arguments, calls the server and writes the result: text for people, with `--json` JSON for scripts.
//! Lists of any length are streamed. Errors are shown in the words of the server.

mod api_error;
mod arguments;
mod catalogue;
mod check;
mod diff;
mod download;
mod export;
mod filter;
mod get;
mod input;
mod json_stream;
mod manifest;
mod mcp;
mod query;
mod reindex;
mod search;
mod server;
mod state;
mod study;
mod study_lookup;
mod submit;
mod type_pages;
mod types;
mod update;
mod update_file;

use std::process::ExitCode;

use clap::Subcommand;

pub(crate) use self::api_error::CallError;
pub(crate) use self::server::ServerClient;
use crate::error::CliError;
use crate::settings::LoggingSettings;

const ABOUT_CODES: &str = "Exit codes: 0 success, 1 something was rejected, 2 invalid command line, 3 the server cannot be reached \
    or cannot answer now, 4 the key does not allow it.";

/// The commands of the client.
#[derive(Debug, Subcommand)]
pub(crate) enum ClientCommand {
    /// Registers and lists studies
    #[command(after_help = ABOUT_CODES)]
    Study(study::StudyArguments),
    /// Registers, lists, shows and compares analysis types
    #[command(after_help = ABOUT_CODES)]
    Type(types::TypeArguments),
    /// Submits analyses, or validates them with --dry-run
    #[command(after_help = ABOUT_CODES)]
    Submit(submit::SubmitArguments),
    /// Writes the upload manifest of an analysis
    #[command(after_help = ABOUT_CODES)]
    Manifest(manifest::ManifestArguments),
    /// Publishes analyses
    #[command(after_help = ABOUT_CODES)]
    Publish(state::PublishArguments),
    /// Unpublishes analyses
    #[command(after_help = ABOUT_CODES)]
    Unpublish(state::StateArguments),
    /// Suppresses analyses permanently
    #[command(after_help = ABOUT_CODES)]
    Suppress(state::StateArguments),
    /// Shows an analysis
    #[command(after_help = ABOUT_CODES)]
    Get(get::GetArguments),
    /// Finds analyses by id or by the object id of a file
    #[command(after_help = ABOUT_CODES)]
    Search(search::SearchArguments),
    /// Exports analyses as payloads that can be submitted again
    #[command(after_help = ABOUT_CODES)]
    Export(export::ExportArguments),
    /// Changes the data of analyses, one or many from a file
    #[command(after_help = ABOUT_CODES)]
    Update(update::UpdateArguments),
    /// Changes the metadata of a file
    #[command(after_help = ABOUT_CODES)]
    UpdateFile(update_file::UpdateFileArguments),
    /// Searches a catalogue: records, or counts with --facet
    #[command(after_help = ABOUT_CODES)]
    Query(query::QueryArguments),
    /// Downloads all records of a catalogue that match a filter
    #[command(after_help = ABOUT_CODES)]
    Download(download::DownloadArguments),
    /// Rebuilds the indexes of catalogues from their sources, without interrupting searches
    #[command(after_help = ABOUT_CODES)]
    Reindex(reindex::ReindexArguments),
    /// Checks the configuration of catalogues, also against their indexes
    Check(Box<check::CheckArguments>),
    /// Connects a language model to a server: Model Context Protocol on standard input and output
    Mcp(mcp::McpArguments),
}

impl ClientCommand {
    /// Returns the settings of the log, if the command has one.
    pub(crate) fn logging(&self) -> Option<&LoggingSettings> {
        match self {
            Self::Check(arguments) => Some(&arguments.logging),
            _ => None,
        }
    }

    /// Runs the command.
    pub(crate) async fn run(&self) -> Result<ExitCode, CliError> {
        match self {
            Self::Study(arguments) => study::run(arguments).await,
            Self::Type(arguments) => types::run(arguments).await,
            Self::Submit(arguments) => submit::run(arguments).await,
            Self::Manifest(arguments) => manifest::run(arguments).await,
            Self::Publish(arguments) => state::publish(arguments).await,
            Self::Unpublish(arguments) => state::change(arguments, &state::UNPUBLISH).await,
            Self::Suppress(arguments) => state::change(arguments, &state::SUPPRESS).await,
            Self::Get(arguments) => get::run(arguments).await,
            Self::Search(arguments) => search::run(arguments).await,
            Self::Export(arguments) => export::run(arguments).await,
            Self::Update(arguments) => update::run(arguments).await,
            Self::UpdateFile(arguments) => update_file::run(arguments).await,
            Self::Query(arguments) => query::run(arguments).await,
            Self::Download(arguments) => download::run(arguments).await,
            Self::Reindex(arguments) => reindex::run(arguments).await,
            Self::Check(arguments) => Box::pin(check::run(arguments)).await,
            Self::Mcp(arguments) => mcp::run(arguments).await,
        }
    }
}
