//! The command line: commands, arguments and settings.

#[cfg(test)]
mod reference;

use std::ffi::{OsStr, OsString};

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::client::ClientCommand;
use crate::commands::{backup, completions, demo, import, import_song_db, index, key, restore, verify};
use crate::error::CliError;
use crate::settings::{ConfigArgument, LoggingSettings, Settings, complete, document};

const ABOUT_SETTINGS: &str = "Every setting is a flag, an environment variable and a key of the TOML file, all with the \
    same name: --server-port, SERVER_PORT, server_port. A flag overrides the environment, the environment the file, the \
    file the default. An empty environment variable counts as not set.";

/// The command that imports the database of a SONG server.
const IMPORT_SONG_DB: &str = "import song-db";

/// A data catalogue in one program: metadata, search, indexing and portal
#[derive(Debug, Parser)]
#[command(name = "cantata", version)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs the server
    #[command(after_help = ABOUT_SETTINGS)]
    Serve(ServeArguments),
    /// Runs the server with sample data: studies, analysis types, analyses and two catalogues
    #[command(after_help = ABOUT_SETTINGS)]
    Demo(DemoArguments),
    /// Imports documents into a search index, of a stopped server or through a running one
    ///
    /// The exit code is 0 if every document was imported, and 1 if one was rejected or a file could not be read
    /// completely; all others are in the index. After an interruption the same command resumes.
    #[command(after_help = ABOUT_SETTINGS)]
    Import(import::ImportArguments),
    /// Imports the database of a SONG server: studies, analysis types, analyses with files and history
    ///
    /// SONG may keep running. A second run imports what is new or has changed, also after an interruption. The exit code
    /// is 0 if everything was imported and verified, and 1 if not.
    #[command(name = IMPORT_SONG_DB, after_help = ABOUT_SETTINGS)]
    ImportSongDb(import_song_db::SongDbArguments),
    /// Writes a backup of a data folder to one file, of a stopped server or a running one
    #[command(after_help = ABOUT_SETTINGS)]
    Backup(backup::BackupArguments),
    /// Restores a data folder from a backup; the folder must be empty or absent
    #[command(after_help = ABOUT_SETTINGS)]
    Restore(restore::RestoreArguments),
    /// Verifies a whole data folder, of a stopped server; the exit code is 1 if something is damaged
    #[command(after_help = ABOUT_SETTINGS)]
    Verify(verify::VerifyArguments),
    /// Administers search indexes, of a stopped server or through a running one
    #[command(after_help = ABOUT_SETTINGS)]
    Index(index::IndexArguments),
    #[command(flatten)]
    Client(ClientCommand),
    /// Writes the completion script of a shell
    Completions(completions::CompletionsArguments),
    /// Creates, lists and revokes API keys, with or without a running server
    #[command(after_help = ABOUT_SETTINGS)]
    Key(key::KeyArguments),
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
    pub(crate) sample: demo::SampleArguments,
    #[command(flatten)]
    config: ConfigArgument,
    #[command(flatten)]
    pub(crate) settings: Settings,
}

impl Command {
    /// Returns the settings of the server, if the command runs one.
    pub(crate) fn server_settings(&self) -> Option<&Settings> {
        match self {
            Self::Serve(arguments) => Some(&arguments.settings),
            Self::Demo(arguments) => Some(&arguments.settings),
            _ => None,
        }
    }

    /// Returns whether the command may write to a data folder, whose files are for their owner alone.
    pub(crate) fn writes_data(&self) -> bool {
        !matches!(self, Self::Client(_) | Self::Completions(_))
    }

    /// Returns the settings of the log, if the command has one.
    pub(crate) fn logging(&self) -> Option<&LoggingSettings> {
        Some(match self {
            Self::Serve(arguments) => &arguments.settings.logging,
            Self::Demo(arguments) => &arguments.settings.logging,
            Self::Import(arguments) => &arguments.indexes.logging,
            Self::Index(arguments) => &arguments.indexes.logging,
            Self::Key(arguments) => &arguments.access.logging,
            Self::ImportSongDb(arguments) => &arguments.access.logging,
            Self::Backup(arguments) => &arguments.indexes.logging,
            Self::Restore(arguments) => &arguments.logging,
            Self::Verify(arguments) => &arguments.access.logging,
            Self::Client(command) => return command.logging(),
            Self::Completions(_) => return None,
        })
    }
}

impl Cli {
    /// Returns all commands as shells see them: each word is a command.
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

    /// Parses the command line, completed by the settings of the environment and the file.
    pub(crate) fn read(mut arguments: Vec<OsString>) -> Result<Self, CliError> {
        // One command of two words, because `import` takes file names where others take commands.
        if arguments.get(1..3).is_some_and(|words| words.join(OsStr::new(" ")) == IMPORT_SONG_DB) {
            arguments.splice(1..3, [OsString::from(IMPORT_SONG_DB)]);
        }
        // Settings may come before and after the subcommand of `index` and `key`.
        let everywhere = |command: clap::Command| command.mut_args(|argument| argument.global(true));
        let command = Self::documented().mut_subcommand("index", everywhere).mut_subcommand("key", everywhere);
        let matches = complete(&command, arguments)?;
        Ok(Self::from_arg_matches(&matches)?)
    }
}
