//! The command line: what can be asked for, and the settings that go with it.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::failure::Failure;
use crate::settings::{Settings, complete, document};

const ABOUT_SETTINGS: &str = "Every setting is a flag, an environment variable and a key of the TOML file, all of one \
    name: --server-port, SERVER_PORT, server_port. A flag wins over the environment, the environment over the file, \
    the file over the default. An environment variable without content counts as not set.";

/// A whole data catalogue in one program.
#[derive(Debug, Parser)]
#[command(name = "cantata", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs the server on the data folder, until it is told to stop
    #[command(after_help = ABOUT_SETTINGS)]
    Serve(ServeArguments),
    /// Runs the server with sample data: studies, analysis types and analyses
    #[command(after_help = ABOUT_SETTINGS)]
    Demo(DemoArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    #[command(flatten)]
    config: ConfigArgument,
    #[command(flatten)]
    settings: Settings,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    #[command(flatten)]
    pub(crate) sample: SampleArguments,
    #[command(flatten)]
    config: ConfigArgument,
    #[command(flatten)]
    settings: Settings,
}

/// What `cantata demo` is told beside the settings.
#[derive(Debug, Args)]
pub(crate) struct SampleArguments {
    /// Deletes what the server keeps in the data folder and starts over; any other file there stays
    #[arg(long)]
    pub(crate) fresh: bool,
    /// How many analyses to submit
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) count: usize,
}

#[derive(Debug, Args)]
struct ConfigArgument {
    /// A TOML file with settings [env: CANTATA_CONFIG]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Command {
    /// Returns the settings in force.
    pub(crate) fn settings(&self) -> &Settings {
        match self {
            Self::Serve(arguments) => &arguments.settings,
            Self::Demo(arguments) => &arguments.settings,
        }
    }
}

impl Cli {
    /// Reads the command line, and the settings it leaves out from the environment and the file.
    pub(crate) fn read(arguments: Vec<OsString>) -> Result<Self, Failure> {
        let command = document(Self::command());
        let matches = complete(&command, arguments)?;
        Ok(Self::from_arg_matches(&matches)?)
    }
}
