//! The TOML file with settings.

use std::any::TypeId;
use std::io;
use std::path::{Path, PathBuf};

use cantata_core::Secret;
use clap::{Arg, Args};
use toml::{Table, Value};

#[derive(Debug, Args)]
pub(crate) struct ConfigArgument {
    /// A TOML file with settings [env: CANTATA_CONFIG]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

/// A file with settings.
pub(super) struct ConfigFile {
    path: PathBuf,
    table: Table,
}

/// The TOML types of settings, in the words of messages.
const BOOLEAN: &str = "true or false";
const INTEGER: &str = "an integer";
const TEXT: &str = "a string";

/// Why a file, or a value in it, cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum ConfigFileError {
    #[error("the configuration file cannot be read: {0}; --config or CANTATA_CONFIG names it")]
    Unreadable(#[from] io::Error),
    #[error("{}, line {line}: {message}", path.display())]
    Syntax { path: PathBuf, line: usize, message: String },
    #[error("{location}: found {found}, expected {expected}")]
    WrongType { location: String, found: String, expected: &'static str },
}

impl ConfigFile {
    /// Reads a file. Errors never show a line of it, which may contain a secret.
    pub(super) fn read(path: &Path) -> Result<Self, ConfigFileError> {
        let text = fs_err::read_to_string(path)?;
        let table = text.parse().map_err(|error: toml::de::Error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            let message = error.message().trim_end().replace('\n', ", ");
            ConfigFileError::Syntax { path: path.to_owned(), line, message }
        })?;
        Ok(Self { path: path.to_owned(), table })
    }

    /// Returns the problem of unknown keys, if there are any.
    pub(super) fn unknown_keys(&self, settings: &[&Arg]) -> Option<String> {
        let known: Vec<&str> = settings.iter().map(|setting| setting.get_id().as_str()).collect();
        let unknown: Vec<&str> = self.table.keys().map(String::as_str).filter(|key| !known.contains(key)).collect();
        (!unknown.is_empty()).then(|| {
            format!(
                "{}: unknown key {}; the known keys are {}",
                self.path.display(),
                unknown.join(", "),
                known.join(", ")
            )
        })
    }

    /// Returns the value of a setting as text, if the file has it.
    pub(super) fn text_of(&self, setting: &Arg) -> Option<Result<String, ConfigFileError>> {
        let key = setting.get_id().as_str();
        Some(match (expected_type(setting), self.table.get(key)?) {
            (BOOLEAN, Value::Boolean(boolean)) => Ok(boolean.to_string()),
            (INTEGER, Value::Integer(integer)) => Ok(integer.to_string()),
            (TEXT, Value::String(text)) => Ok(text.clone()),
            (expected, other) => {
                let found =
                    if is_secret(setting) { format!("a value of type {}", other.type_str()) } else { describe(other) };
                Err(ConfigFileError::WrongType { location: self.location(key), found, expected })
            }
        })
    }

    /// Returns the location of a key, for messages.
    pub(super) fn location(&self, key: &str) -> String {
        format!("{}, key {key}", self.path.display())
    }
}

/// Returns whether a setting is a secret.
pub(super) fn is_secret(setting: &Arg) -> bool {
    setting.get_value_parser().type_id() == TypeId::of::<Secret>()
}

fn expected_type(setting: &Arg) -> &'static str {
    let parsed = setting.get_value_parser().type_id();
    let is_integer = [TypeId::of::<u16>(), TypeId::of::<u64>(), TypeId::of::<usize>()].iter().any(|id| parsed == *id);
    if parsed == TypeId::of::<bool>() {
        BOOLEAN
    } else if is_integer {
        INTEGER
    } else {
        TEXT
    }
}

fn describe(value: &Value) -> String {
    match value {
        Value::String(text) => format!("the string '{text}'"),
        Value::Integer(integer) => format!("the integer {integer}"),
        Value::Float(float) => format!("the float {float}"),
        Value::Boolean(boolean) => format!("the boolean {boolean}"),
        Value::Datetime(datetime) => format!("the datetime {datetime}"),
        Value::Array(_) => "an array".to_owned(),
        Value::Table(_) => "a table".to_owned(),
    }
}
