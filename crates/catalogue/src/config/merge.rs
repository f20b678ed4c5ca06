//! All files of a folder as one object, since any key may stand in any file.
//!
//! Objects are merged key by key, in the order of the files. A list belongs to one file: two lists under one key are
//! a problem, never merged element by element. A null counts as no value. For every key it is remembered which file
//! gave it, so that what is found wrong later can name the file.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::engine::HIDDEN;
use super::source::SOURCE;
use crate::problem::{ConfigProblem, describe, kind};

/// One configuration file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ConfigFile {
    /// The name that problems are reported with.
    pub(crate) name: String,
    /// The JSON in it.
    pub(crate) value: Value,
}

/// Which file gave which key.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Origins {
    /// By the keys at which files differ; what lies below has the same file.
    files: HashMap<String, String>,
    /// The file for what no file gives.
    fallback: String,
}

impl Origins {
    /// Returns the origins of what stands in one file.
    pub(super) fn of(file: &str) -> Self {
        Self { files: HashMap::new(), fallback: file.to_owned() }
    }

    /// Notes where a key stands.
    pub(super) fn note(&mut self, key: &str, file: &str) {
        self.files.insert(key.to_owned(), file.to_owned());
    }

    /// Returns the file of a key such as `table.columns[0].show`.
    pub(crate) fn file_of(&self, key: &str) -> &str {
        let mut around = key;
        loop {
            if let Some(file) = self.files.get(around) {
                return file;
            }
            match around.rfind(['.', '[']) {
                Some(end) => around = &around[..end],
                None => return &self.fallback,
            }
        }
    }
}

/// Everything that the files say.
#[derive(Debug, Default)]
pub(super) struct Merged {
    pub(super) object: Map<String, Value>,
    pub(super) origins: Origins,
    pub(super) problems: Vec<ConfigProblem>,
}

/// Merges files; the fallback is what problems name where no file gives a key.
pub(super) fn merge(files: Vec<ConfigFile>, fallback: &str) -> Merged {
    let mut merged = Merged::default();
    merged.origins.fallback = fallback.to_owned();
    let mut object = Map::new();
    for ConfigFile { name, value } in files {
        match value {
            Value::Object(new) => merged.add(&mut object, "", new, &name),
            other => merged.problems.push(ConfigProblem::error(name, "", describe(&other), "a JSON object")),
        }
    }
    merged.object = object;
    merged
}

impl Merged {
    fn add(&mut self, present: &mut Map<String, Value>, around: &str, new: Map<String, Value>, file: &str) {
        for (name, value) in new {
            let key = if around.is_empty() { name.clone() } else { format!("{around}.{name}") };
            match (present.get_mut(&name), value) {
                (_, Value::Null) => {}
                (None, value) => {
                    present.insert(name, value);
                    self.origins.files.insert(key, file.to_owned());
                }
                (Some(Value::Object(inner)), Value::Object(new)) => self.add(inner, &key, new, file),
                (Some(old), value) if *old == value => {}
                (Some(old), value) => self.conflict(old, value, &key, file),
            }
        }
    }

    fn conflict(&mut self, old: &mut Value, value: Value, key: &str, file: &str) {
        let other = self.origins.file_of(key).to_owned();
        let is_hidden = HIDDEN.contains(&key) || key.starts_with(SOURCE);
        let shown = |value: &Value| if is_hidden { kind(value).to_owned() } else { describe(value) };
        let found = format!("{} here and {} in {other}", shown(&value), shown(old));
        let has_parts = |value: &Value| value.is_array() || value.is_object();
        if has_parts(old) || has_parts(&value) {
            self.problems.push(ConfigProblem::error(file, key, found, "the key in one of the files only"));
            return;
        }
        let expected = format!("the key in one of the files only; the value in {file} counts");
        self.problems.push(ConfigProblem::warning(file, key, found, expected));
        *old = value;
        self.origins.files.insert(key.to_owned(), file.to_owned());
    }
}
