//! The command line: what can be asked for, and the settings that go with it.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::backup::BackupArguments;
use crate::client::ClientCommand;
use crate::failure::Failure;
use crate::import::ImportArguments;
use crate::index::IndexArguments;
use crate::key::KeyArguments;
use crate::restore::RestoreArguments;
use crate::settings::{LoggingSettings, Settings, complete, document};
use crate::song_db::SongDbArguments;

const ABOUT_SETTINGS: &str = "Every setting is a flag, an environment variable and a key of the TOML file, all of one \
    name: --server-port, SERVER_PORT, server_port. A flag wins over the environment, the environment over the file, \
    the file over the default. An environment variable without content counts as not set.";

/// The command that takes over the database of a SONG server.
const IMPORT_SONG_DB: &str = "import song-db";

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
    /// Runs the server with sample data: studies, analysis types, analyses, and two catalogues to search
    #[command(after_help = ABOUT_SETTINGS)]
    Demo(DemoArguments),
    /// Takes documents into an index of the search service, of a stopped server or through a running one
    ///
    /// Ends with 0 if everything was taken, and with 1 if a document was refused or a file could not be read to its
    /// end; the others are in the index all the same. Interrupted, the same command goes on where it was.
    #[command(after_help = ABOUT_SETTINGS)]
    Import(ImportArguments),
    /// Takes over the database of a SONG server: studies, analysis types, analyses with their files and their past
    ///
    /// SONG may go on running meanwhile. Run again, it takes what is new or has changed since, also after it was
    /// interrupted. Ends with 0 if everything was taken and is here as it was there, and with 1 if not.
    #[command(name = IMPORT_SONG_DB, after_help = ABOUT_SETTINGS)]
    ImportSongDb(SongDbArguments),
    /// Puts everything that a server keeps into one file, of a stopped server or of a running one
    #[command(after_help = ABOUT_SETTINGS)]
    Backup(BackupArguments),
    /// Makes a data folder out of a backup; the folder must be empty or not there
    #[command(after_help = ABOUT_SETTINGS)]
    Restore(RestoreArguments),
    /// Looks after the indexes of the search service, of a stopped server or through a running one
    #[command(after_help = ABOUT_SETTINGS)]
    Index(IndexArguments),
    #[command(flatten)]
    Client(ClientCommand),
    /// Makes, lists and revokes the keys by which clients are known, beside a running server or without one
    #[command(after_help = ABOUT_SETTINGS)]
    Key(KeyArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    #[command(flatten)]
    config: ConfigArgument,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    #[command(flatten)]
    pub(crate) sample: SampleArguments,
    #[command(flatten)]
    config: ConfigArgument,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

/// What `cantata demo` is told beside the settings.
#[derive(Debug, Args)]
pub(crate) struct SampleArguments {
    /// Deletes what the server keeps in the data folder and starts over; any other file there stays
    #[arg(long)]
    pub(crate) fresh: bool,
    /// How much sample data there is: about 220 analyses with 1,000 files for each
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) scale: usize,
}

#[derive(Debug, Args)]
pub(crate) struct ConfigArgument {
    /// A TOML file with settings [env: CANTATA_CONFIG]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Command {
    /// Refuses settings that do not go together.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        match self {
            Self::Serve(arguments) => arguments.settings.check(),
            Self::Demo(arguments) => arguments.settings.check(),
            Self::Import(_) | Self::ImportSongDb(_) | Self::Index(_) | Self::Key(_) | Self::Client(_) => Ok(()),
            Self::Backup(_) | Self::Restore(_) => Ok(()),
        }
    }

    /// Returns what the log should be like, if there is one.
    pub(crate) fn logging(&self) -> Option<&LoggingSettings> {
        Some(match self {
            Self::Serve(arguments) => &arguments.settings.logging,
            Self::Demo(arguments) => &arguments.settings.logging,
            Self::Import(arguments) => &arguments.indexes.logging,
            Self::Index(arguments) => &arguments.indexes.logging,
            Self::Key(arguments) => &arguments.logging,
            Self::ImportSongDb(arguments) => &arguments.logging,
            Self::Backup(arguments) => &arguments.indexes.logging,
            Self::Restore(arguments) => &arguments.logging,
            Self::Client(command) => return command.logging(),
        })
    }
}

impl Cli {
    /// Returns all commands as shells see them, for whom each word is a command of its own.
    pub(crate) fn for_shells() -> clap::Command {
        let documented = Self::documented();
        let (two_words, others): (Vec<_>, Vec<_>) =
            documented.get_subcommands().cloned().partition(|command| command.get_name() == IMPORT_SONG_DB);
        let second_words = two_words.into_iter().map(|command| command.name("song-db"));
        let commands = clap::Command::new("cantata").version(env!("CARGO_PKG_VERSION")).subcommands(others);
        commands.mut_subcommand("import", |import| import.subcommands(second_words))
    }

    /// Returns all commands, with the environment variables in their help.
    pub(crate) fn documented() -> clap::Command {
        document(Self::command())
    }

    /// Reads the command line, and the settings it leaves out from the environment and the file.
    pub(crate) fn read(mut arguments: Vec<OsString>) -> Result<Self, Failure> {
        // Two words for one command, because `import` takes the names of files where others have commands.
        if arguments.get(1..3).is_some_and(|words| words.join(OsStr::new(" ")) == IMPORT_SONG_DB) {
            arguments.splice(1..3, [OsString::from(IMPORT_SONG_DB)]);
        }
        // The settings may stand before and after what is to be done with an index or a key.
        let everywhere = |command: clap::Command| command.mut_args(|argument| argument.global(true));
        let command = Self::documented().mut_subcommand("index", everywhere).mut_subcommand("key", everywhere);
        let matches = complete(&command, arguments)?;
        Ok(Self::from_arg_matches(&matches)?)
    }
}
