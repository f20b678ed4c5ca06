//! Merges all files of a folder into one object, since any key may be in any file.
//!
//! Objects are merged key by key, in the order of the files. A list belongs to one file: two lists under one key are
//! a problem, never merged element by element. A null counts as absent. The file of every key is recorded, so that
//! later problems can name it.

use std::collections::HashMap;

use cantata_mapping::{describe, describe_type, join_path};
use serde_json::{Map, Value};

use super::engine::SECRET_KEYS;
use super::source::SOURCE;
use crate::problem::ConfigProblem;

/// One configuration file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ConfigFile {
    /// The name in problems.
    pub(crate) name: String,
    /// Its content.
    pub(crate) value: Value,
}

/// Which file gave which key.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct KeyOrigins {
    /// By the keys at which files differ; keys below have the same file.
    files: HashMap<String, String>,
    /// The file of keys that no file has.
    fallback: String,
}

impl KeyOrigins {
    /// Returns the origins of the keys of a single file.
    pub(super) fn of(file: &str) -> Self {
        Self { files: HashMap::new(), fallback: file.to_owned() }
    }

    /// Records the file of a key.
    pub(super) fn record(&mut self, key: &str, file: &str) {
        self.files.insert(key.to_owned(), file.to_owned());
    }

    /// Returns the file of a key such as `table.columns[0].show`.
    pub(crate) fn file_of(&self, key: &str) -> &str {
        let mut prefix = key;
        loop {
            if let Some(file) = self.files.get(prefix) {
                return file;
            }
            match prefix.rfind(['.', '[']) {
                Some(end) => prefix = &prefix[..end],
                None => return &self.fallback,
            }
        }
    }
}

/// The merged files.
#[derive(Debug, Default)]
pub(super) struct MergedFiles {
    pub(super) object: Map<String, Value>,
    pub(super) origins: KeyOrigins,
    pub(super) problems: Vec<ConfigProblem>,
}

/// Merges files; `fallback` names the file of keys that no file has.
pub(super) fn merge(files: Vec<ConfigFile>, fallback: &str) -> MergedFiles {
    let mut merged = MergedFiles::default();
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

impl MergedFiles {
    fn add(&mut self, present: &mut Map<String, Value>, path: &str, new: Map<String, Value>, file: &str) {
        for (name, value) in new {
            let key = join_path(path, &name);
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
        let is_secret = SECRET_KEYS.contains(&key) || key.starts_with(SOURCE);
        let described = |value: &Value| if is_secret { describe_type(value).to_owned() } else { describe(value) };
        let found = format!("{} here and {} in {other}", described(&value), described(old));
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
