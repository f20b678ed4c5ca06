//! The binary as a client: what people and scripts do with a running server, one file for each command.
//!
//! A command reads its arguments, calls the server and writes what it learns: text for people, with `--json` JSON for
//! scripts. Lists of any length pass through without being held. What the server refuses is told in its own words.

mod analysis;
mod catalogue;
mod check;
mod colour;
mod completions;
mod download;
mod elements;
mod export;
mod filter;
mod get;
mod input;
mod manifest;
mod mcp;
mod output;
mod progress;
mod query;
mod refusal;
mod reindex;
mod search;
mod server;
mod states;
mod study;
mod submit;
mod table;
mod types;
mod update_file;

use std::process::ExitCode;

use cantata_catalogue::Secret;
use clap::{Args, Subcommand};

use self::check::CheckArguments;
use self::completions::CompletionsArguments;
use self::download::DownloadArguments;
use self::export::ExportArguments;
use self::get::GetArguments;
use self::manifest::ManifestArguments;
use self::mcp::McpArguments;
pub(crate) use self::output::{Output, tell};
use self::query::QueryArguments;
pub(crate) use self::refusal::CallError;
use self::reindex::ReindexArguments;
use self::search::SearchArguments;
pub(crate) use self::server::Server;
use self::states::{PublishArguments, StateArguments};
use self::study::StudyArguments;
use self::submit::SubmitArguments;
pub(crate) use self::table::Table;
use self::types::TypeArguments;
use self::update_file::UpdateFileArguments;
use crate::connection::{connect, credential};
use crate::failure::Failure;
use crate::settings::{LoggingSettings, environment, secret};

/// The server of whoever names none.
const DEFAULT_SERVER: &str = "http://127.0.0.1:5050";

const ABOUT_CODES: &str = "Ends with 0 if all went well, 1 if something was refused, 2 if the command line cannot be used, 3 \
    if the server cannot be reached or cannot answer now, and 4 if the key does not allow it.";

/// What can be asked of a running server, and what helps with that.
#[derive(Debug, Subcommand)]
pub(crate) enum ClientCommand {
    /// Registers and lists studies
    #[command(after_help = ABOUT_CODES)]
    Study(StudyArguments),
    /// Registers, lists, shows and compares analysis types
    #[command(after_help = ABOUT_CODES)]
    Type(TypeArguments),
    /// Submits analyses, or with --dry-run only checks them
    #[command(after_help = ABOUT_CODES)]
    Submit(SubmitArguments),
    /// Writes the manifest of an analysis, by which its files are uploaded
    #[command(after_help = ABOUT_CODES)]
    Manifest(ManifestArguments),
    /// Publishes analyses
    #[command(after_help = ABOUT_CODES)]
    Publish(PublishArguments),
    /// Takes analyses back to unpublished
    #[command(after_help = ABOUT_CODES)]
    Unpublish(StateArguments),
    /// Suppresses analyses, for good
    #[command(after_help = ABOUT_CODES)]
    Suppress(StateArguments),
    /// Shows an analysis
    #[command(after_help = ABOUT_CODES)]
    Get(GetArguments),
    /// Finds analyses by their own id or by the object id of a file
    #[command(after_help = ABOUT_CODES)]
    Search(SearchArguments),
    /// Writes analyses as payloads that can be submitted again
    #[command(after_help = ABOUT_CODES)]
    Export(ExportArguments),
    /// Changes the metadata of a file
    #[command(after_help = ABOUT_CODES)]
    UpdateFile(UpdateFileArguments),
    /// Searches a catalogue: records, or with --facet counts
    #[command(after_help = ABOUT_CODES)]
    Query(QueryArguments),
    /// Downloads everything that a filter finds in a catalogue
    #[command(after_help = ABOUT_CODES)]
    Download(DownloadArguments),
    /// Makes the indexes of catalogues anew from their sources, while they are searched
    #[command(after_help = ABOUT_CODES)]
    Reindex(ReindexArguments),
    /// Checks the configuration of catalogues, by itself and against their indexes
    Check(Box<CheckArguments>),
    /// Lets a language model use a server: messages of the Model Context Protocol on standard input and output
    Mcp(McpArguments),
    /// Writes the script by which a shell completes commands and flags
    Completions(CompletionsArguments),
}

/// Which server is asked, and in which form it is told what it says.
#[derive(Debug, Args)]
pub(crate) struct ServerArguments {
    /// The address of the server [env: CANTATA_URL] [default: http://127.0.0.1:5050]
    #[arg(long, value_name = "URL", global = true)]
    server: Option<String>,
    /// The key or token to show to it; as a flag, everybody on the machine could read it [env: CANTATA_KEY]
    #[arg(long, value_name = "KEY", global = true, alias = "api-key", value_parser = secret)]
    key: Option<Secret>,
    /// Writes JSON for scripts instead of text for people
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// The study that analyses belong to.
#[derive(Debug, Args)]
struct StudyArgument {
    /// The study [env: CANTATA_STUDY]
    #[arg(long = "study", short = 's', value_name = "STUDY")]
    given: Option<String>,
}

impl ServerArguments {
    /// Prepares to speak to the server.
    pub(crate) fn connect(&self) -> Result<Server, Failure> {
        let in_environment = environment("CANTATA_URL").map(|address| address.to_string_lossy().into_owned());
        let address = self.server.clone().or(in_environment).unwrap_or_else(|| DEFAULT_SERVER.to_owned());
        let key = credential(self.key.as_ref());
        let (base, http) = connect(&address, key.as_ref().map(Secret::reveal))?;
        Ok(Server::new(base, http))
    }

    /// Says whether the command line or the environment names a server.
    fn names_server(&self) -> bool {
        self.server.is_some() || environment("CANTATA_URL").is_some()
    }

    /// Returns where to write to.
    pub(crate) fn output(&self) -> Output {
        Output::standard(self.json)
    }
}

impl StudyArgument {
    /// Returns the study, if one is named.
    fn named(&self) -> Option<String> {
        let in_environment = || environment("CANTATA_STUDY").map(|study| study.to_string_lossy().into_owned());
        self.given.clone().or_else(in_environment)
    }
}

impl ClientCommand {
    /// Returns what the log should be like, if there is one.
    pub(crate) fn logging(&self) -> Option<&LoggingSettings> {
        match self {
            Self::Check(arguments) => Some(&arguments.logging),
            _ => None,
        }
    }

    /// Does what was asked for.
    pub(crate) async fn run(&self) -> Result<ExitCode, Failure> {
        match self {
            Self::Study(arguments) => study::run(arguments).await,
            Self::Type(arguments) => types::run(arguments).await,
            Self::Submit(arguments) => submit::run(arguments).await,
            Self::Manifest(arguments) => manifest::run(arguments).await,
            Self::Publish(arguments) => states::publish(arguments).await,
            Self::Unpublish(arguments) => states::change(arguments, &states::UNPUBLISH).await,
            Self::Suppress(arguments) => states::change(arguments, &states::SUPPRESS).await,
            Self::Get(arguments) => get::run(arguments).await,
            Self::Search(arguments) => search::run(arguments).await,
            Self::Export(arguments) => export::run(arguments).await,
            Self::UpdateFile(arguments) => update_file::run(arguments).await,
            Self::Query(arguments) => query::run(arguments).await,
            Self::Download(arguments) => download::run(arguments).await,
            Self::Reindex(arguments) => reindex::run(arguments).await,
            Self::Check(arguments) => Box::pin(check::run(arguments)).await,
            Self::Mcp(arguments) => mcp::run(arguments).await,
            Self::Completions(arguments) => completions::run(arguments),
        }
    }
}
