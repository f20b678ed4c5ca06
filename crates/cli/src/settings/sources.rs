//! Where settings come from: the command line, else the environment, else the file, else the default.
//!
//! What the command line leaves out is looked up in the other sources and added to it, so that one parser reads every
//! value. Each value is tried alone first: that way all problems are told at once, each with the place it came from.

use std::error::Error as _;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::error::{ContextKind, ErrorKind};
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command};

use super::Settings;
use super::config_file::{ConfigFile, is_secret};
use crate::failure::Failure;

/// Names the file in the environment.
const CONFIG_VARIABLE: &str = "CANTATA_CONFIG";

/// Variables of other servers that an operator may expect to work, and what to use instead.
const RENAMED: [(&str, &str); 4] = [
    ("PORT", "SERVER_PORT"),
    ("SEARCH_CLIENT_TYPE", "SEARCH_ENGINE"),
    ("SPRING_KAFKA_BOOTSTRAP_SERVERS", "KAFKA_BOOTSTRAP_SERVERS"),
    ("SPRING_KAFKA_TEMPLATE_DEFAULT_TOPIC", "KAFKA_TOPIC"),
];

/// A value found outside of the command line, and where.
struct Found {
    text: OsString,
    place: String,
}

/// Returns the settings as arguments, without the commands that have them.
pub(super) fn setting_arguments() -> Command {
    Settings::augment_args(Command::new("settings"))
}

/// Returns the environment variable of a setting.
pub(super) fn variable(setting: &Arg) -> String {
    setting.get_id().as_str().to_uppercase()
}

/// Adds the names of the environment variables to the help of every command.
pub(crate) fn document(command: Command) -> Command {
    let settings = setting_arguments();
    let is_setting = |argument: &Arg| settings.get_arguments().any(|setting| setting.get_id() == argument.get_id());
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

/// Reads the command line and completes it from the other sources.
pub(crate) fn complete(command: &Command, mut arguments: Vec<OsString>) -> Result<ArgMatches, Failure> {
    let given = command.clone().try_get_matches_from(&arguments)?;
    let Some((name, given_settings)) = given.subcommand() else { return Ok(given) };
    let Some(asked) = command.find_subcommand(name) else { return Ok(given) };
    // A command that takes no settings has no file of them either.
    if !asked.get_arguments().any(|argument| argument.get_id() == "config") {
        return Ok(given);
    }
    // A command has the settings it needs; those that the command line gives it need no other source.
    let is_open = |setting: &Arg| {
        asked.get_arguments().any(|argument| argument.get_id() == setting.get_id())
            && given_settings.value_source(setting.get_id().as_str()) != Some(ValueSource::CommandLine)
    };
    let config = given_settings.get_one::<PathBuf>("config").cloned();
    let file = config.or_else(|| environment(CONFIG_VARIABLE).map(PathBuf::from));
    let file = file.map(|path| ConfigFile::read(&path)).transpose().map_err(Failure::setting)?;

    let command_settings = setting_arguments();
    let settings: Vec<&Arg> = command_settings.get_arguments().collect();
    let mut problems: Vec<String> = file.iter().filter_map(|file| file.unknown_keys(&settings)).collect();
    let mut added = Vec::new();
    for setting in settings {
        // The file is checked whole; a variable only where it counts.
        let mut values = vec![in_file(setting, file.as_ref()).and_then(|found| tried(setting, found))];
        if is_open(setting) {
            values.push(tried(setting, in_environment(setting)));
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
        return Err(Failure::Settings(problems));
    }
    // The program's name and the command come first; everything after them belongs to the command.
    arguments.splice(2..2, added);
    Ok(command.clone().try_get_matches_from(arguments)?)
}

/// Warns of variables that are set and have another name here.
pub(crate) fn warn_of_renamed_variables() {
    for (name, instead) in RENAMED {
        if environment(name).is_some() {
            tracing::warn!("the environment variable {name} is not used; use {instead} instead");
        }
    }
}

/// Reads a variable; one without content counts as not set.
pub(crate) fn environment(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

fn in_environment(setting: &Arg) -> Option<Found> {
    let variable = variable(setting);
    let text = environment(&variable)?;
    Some(Found { text, place: format!("environment variable {variable}") })
}

fn in_file(setting: &Arg, file: Option<&ConfigFile>) -> Result<Option<Found>, String> {
    let Some((file, text)) = file.and_then(|file| Some((file, file.text_of(setting)?))) else { return Ok(None) };
    Ok(Some(Found { text: text?.into(), place: file.place(setting.get_id().as_str()) }))
}

/// Returns the argument that gives a setting the value that was found, or what is wrong with the value.
fn tried(setting: &Arg, found: Option<Found>) -> Result<Option<OsString>, String> {
    let Some(found) = found else { return Ok(None) };
    let mut argument = OsString::from("--");
    argument.push(setting.get_long().unwrap_or_default());
    argument.push("=");
    argument.push(&found.text);
    let alone = Command::new("setting").no_binary_name(true).arg(setting.clone());
    match alone.try_get_matches_from([&argument]) {
        Ok(_) => Ok(Some(argument)),
        Err(error) => Err(format!("{}: found {}, {}", found.place, shown(setting, &found.text), expected(&error))),
    }
}

fn shown(setting: &Arg, text: &OsStr) -> String {
    if is_secret(setting) { "a text that is not shown".to_owned() } else { format!("'{}'", text.to_string_lossy()) }
}

fn expected(error: &clap::Error) -> String {
    match (error.kind(), error.get(ContextKind::ValidValue), error.source()) {
        (ErrorKind::InvalidValue, Some(valid), _) => format!("expected one of: {valid}"),
        (ErrorKind::ValueValidation, _, Some(reason)) => reason.to_string(),
        (kind, ..) => format!("which cannot be used: {kind}"),
    }
}
