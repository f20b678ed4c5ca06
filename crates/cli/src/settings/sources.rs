//! The sources of settings: the command line, else the environment, else the file, else the default.
//!
//! Settings that the command line lacks are added to it from the other sources, so that one parser reads every value. Each
//! value is parsed alone first, so that all problems are reported at once, each with its source.

use std::error::Error as _;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::LazyLock;

use clap::error::{ContextKind, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command};

use super::Settings;
use super::config_file::{ConfigFile, is_secret};
use super::foreign_variables::synonyms;
use crate::error::CliError;

/// The variable that names the file.
const CONFIG_VARIABLE: &str = "CANTATA_CONFIG";

/// A value from the environment or the file.
struct SourcedValue {
    text: OsString,
    /// Where it comes from, for messages.
    source: String,
}

/// Returns all settings as arguments.
pub(super) fn setting_arguments() -> Command {
    Settings::augment_args(Command::new("settings"))
}

/// Returns the environment variable of a setting.
pub(super) fn variable(setting: &Arg) -> String {
    setting.get_id().as_str().to_uppercase()
}

/// Returns whether an argument is a setting.
pub(crate) fn is_setting(argument: &Arg) -> bool {
    static SETTINGS: LazyLock<Command> = LazyLock::new(setting_arguments);
    SETTINGS.get_arguments().any(|setting| setting.get_id() == argument.get_id())
}

/// Adds the names of the environment variables to the help of every command.
pub(crate) fn document(command: Command) -> Command {
    command.mut_subcommands(|subcommand| {
        subcommand.mut_args(|argument| match argument.get_help().cloned() {
            Some(help) if is_setting(&argument) => {
                let variable = variable(&argument);
                argument.help(format!("{help} [env: {variable}]"))
            }
            _ => argument,
        })
    })
}

/// Parses the command line, completed from the other sources.
pub(crate) fn complete(command: &Command, mut arguments: Vec<OsString>) -> Result<ArgMatches, CliError> {
    let given = command.clone().try_get_matches_from(&arguments)?;
    let Some((name, given_settings)) = given.subcommand() else { return Ok(given) };
    let Some(asked) = command.find_subcommand(name) else { return Ok(given) };
    // A command without settings reads no file.
    if !asked.get_arguments().any(|argument| argument.get_id() == "config") {
        return Ok(given);
    }
    // The settings of this command that the command line does not give.
    let is_open = |setting: &Arg| {
        asked.get_arguments().any(|argument| argument.get_id() == setting.get_id())
            && given_settings.value_source(setting.get_id().as_str()) != Some(ValueSource::CommandLine)
    };
    let config = given_settings.get_one::<PathBuf>("config").cloned();
    let file = config.or_else(|| environment(CONFIG_VARIABLE).map(PathBuf::from));
    let file =
        file.map(|path| ConfigFile::read(&path)).transpose().map_err(|error| CliError::setting(error.to_string()))?;

    let command_settings = setting_arguments();
    let settings: Vec<&Arg> = command_settings.get_arguments().collect();
    let mut problems: Vec<String> = file.iter().filter_map(|file| file.unknown_keys(&settings)).collect();
    let mut added = Vec::new();
    for setting in settings {
        // The file is checked completely; a variable only if it is used.
        let mut values = vec![in_file(setting, file.as_ref()).and_then(|found| try_value(setting, found))];
        if is_open(setting) {
            values.push(try_value(setting, in_environment(setting)));
        }
        let mut chosen = None;
        for value in values {
            match value {
                Ok(argument) => chosen = argument.or(chosen),
                Err(problem) => problems.push(problem),
            }
        }
        added.extend(chosen.filter(|_| is_open(setting)));
    }
    if !problems.is_empty() {
        return Err(CliError::Settings(problems));
    }
    // The program's name and the command come first; everything after them belongs to the command.
    arguments.splice(2..2, added);
    Ok(command.clone().try_get_matches_from(arguments)?)
}

/// Reads a variable; an empty one counts as not set.
pub(crate) fn environment(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

fn in_environment(setting: &Arg) -> Option<SourcedValue> {
    let variable = variable(setting);
    let sourced =
        |name: &str| Some(SourcedValue { text: environment(name)?, source: format!("environment variable {name}") });
    sourced(&variable).or_else(|| synonyms(&variable).find_map(sourced))
}

fn in_file(setting: &Arg, file: Option<&ConfigFile>) -> Result<Option<SourcedValue>, String> {
    let Some((file, text)) = file.and_then(|file| Some((file, file.text_of(setting)?))) else { return Ok(None) };
    let text = text.map_err(|error| error.to_string())?;
    Ok(Some(SourcedValue { text: text.into(), source: file.location(setting.get_id().as_str()) }))
}

/// Returns the argument for a value, or the problem with it.
fn try_value(setting: &Arg, found: Option<SourcedValue>) -> Result<Option<OsString>, String> {
    let Some(found) = found else { return Ok(None) };
    let mut argument = OsString::from("--");
    argument.push(setting.get_long().unwrap_or_default());
    argument.push("=");
    argument.push(&found.text);
    let alone = Command::new("setting").no_binary_name(true).arg(setting.clone());
    match alone.try_get_matches_from([&argument]) {
        Ok(_) => Ok(Some(argument)),
        Err(error) => {
            Err(format!("{}: found {}, {}", found.source, display_value(setting, &found.text), expected(&error)))
        }
    }
}

fn display_value(setting: &Arg, text: &OsStr) -> String {
    if is_secret(setting) { "a text that is not shown".to_owned() } else { format!("'{}'", text.to_string_lossy()) }
}

fn expected(error: &clap::Error) -> String {
    match (error.kind(), error.get(ContextKind::ValidValue), error.source()) {
        (ErrorKind::InvalidValue, Some(valid), _) => format!("expected one of: {valid}"),
        (ErrorKind::ValueValidation, _, Some(reason)) => reason.to_string(),
        (kind, ..) => format!("which cannot be used: {kind}"),
    }
}
