//! The TOML file: read whole, every problem in it collected.

use std::any::TypeId;
use std::path::{Path, PathBuf};

use cantata_catalogue::Secret;
use clap::Arg;
use toml::{Table, Value};

/// A file with settings.
pub(super) struct ConfigFile {
    path: PathBuf,
    table: Table,
}

/// The types a setting can have in the file.
#[derive(Clone, Copy)]
enum Kind {
    Boolean,
    Integer,
    Text,
}

impl ConfigFile {
    /// Reads a file, or says why it cannot be read. The words never show a line of it: it may hold a token.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let text = fs_err::read_to_string(path).map_err(|error| {
            format!("the configuration file cannot be read: {error}; --config or CANTATA_CONFIG names it")
        })?;
        let table = text.parse().map_err(|error: toml::de::Error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            format!("{}, line {line}: {}", path.display(), error.message().trim_end().replace('\n', ", "))
        })?;
        Ok(Self { path: path.to_owned(), table })
    }

    /// Says which keys are no settings, if there are such keys.
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

    /// Returns the value of a setting as text, if the file has it, or what is wrong with its type.
    pub(super) fn text_of(&self, setting: &Arg) -> Option<Result<String, String>> {
        let key = setting.get_id().as_str();
        let text = match (kind(setting), self.table.get(key)?) {
            (Kind::Boolean, Value::Boolean(boolean)) => boolean.to_string(),
            (Kind::Integer, Value::Integer(integer)) => integer.to_string(),
            (Kind::Text, Value::String(text)) => text.clone(),
            (kind, other) => {
                let expected = match kind {
                    Kind::Boolean => "true or false",
                    Kind::Integer => "an integer",
                    Kind::Text => "a string",
                };
                let found =
                    if is_secret(setting) { format!("a value of type {}", other.type_str()) } else { describe(other) };
                return Some(Err(format!("{}: found {found}, expected {expected}", self.place(key))));
            }
        };
        Some(Ok(text))
    }

    /// Names the place of a key.
    pub(super) fn place(&self, key: &str) -> String {
        format!("{}, key {key}", self.path.display())
    }
}

/// Says whether the value of a setting must not be shown.
pub(super) fn is_secret(setting: &Arg) -> bool {
    setting.get_value_parser().type_id() == TypeId::of::<Secret>()
}

fn kind(setting: &Arg) -> Kind {
    let parsed = setting.get_value_parser().type_id();
    let is_integer = [TypeId::of::<u16>(), TypeId::of::<u64>(), TypeId::of::<usize>()].iter().any(|id| parsed == *id);
    if parsed == TypeId::of::<bool>() {
        Kind::Boolean
    } else if is_integer {
        Kind::Integer
    } else {
        Kind::Text
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
