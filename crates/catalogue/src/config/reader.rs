//! Reads typed values from the merged files, and collects their problems.
//!
//! Every method returns `None` if the value is absent, null or invalid; an invalid one is reported with its file and
//! key, and reading continues.

use cantata_core::Secret;
use cantata_mapping::{describe, describe_type, join_path};
use serde_json::{Map, Number, Value};
use strsim::jaro_winkler;

use super::merge::KeyOrigins;
use super::{FIELD_NAME, FIELD_PATH};
use crate::problem::ConfigProblem;

/// The Jaro-Winkler similarity from which an unknown key counts as a misspelling.
const MIN_SIMILARITY: f64 = 0.8;

/// Returns whether one name may be a misspelling of another.
pub(super) fn are_similar(one: &str, other: &str) -> bool {
    similarity(one, other) >= MIN_SIMILARITY
}

fn similarity(one: &str, other: &str) -> f64 {
    jaro_winkler(&one.to_lowercase(), &other.to_lowercase())
}

/// An object in the files.
#[derive(Debug, Clone)]
pub(super) struct ConfigSection<'a> {
    pub(super) object: &'a Map<String, Value>,
    /// The key of the object; empty for the root.
    pub(super) key: String,
}

impl ConfigSection<'_> {
    /// Returns the full key of a member.
    pub(super) fn key_of(&self, name: &str) -> String {
        join_path(&self.key, name)
    }
}

/// Reads values and collects problems.
#[derive(Debug)]
pub(super) struct ConfigReader<'a> {
    pub(super) origins: &'a KeyOrigins,
    pub(super) problems: Vec<ConfigProblem>,
}

impl<'a> ConfigReader<'a> {
    /// Warns of every unknown key of a section.
    pub(super) fn warn_unknown(&mut self, section: &ConfigSection<'_>, known: &[&str]) {
        for name in section.object.keys().filter(|name| !known.contains(&name.as_str())) {
            let nearest = known
                .iter()
                .map(|candidate| (similarity(name, candidate), *candidate))
                .filter(|(similarity, _)| *similarity >= MIN_SIMILARITY)
                .max_by(|(one, _), (other, _)| one.total_cmp(other));
            let expected = match nearest {
                Some((_, nearest)) => format!("a known key, such as `{nearest}`"),
                None => format!("one of the known keys: {}", known.join(", ")),
            };
            self.warn(section.key_of(name), "an unknown key, which is ignored", expected);
        }
    }

    /// Reports every unknown key of a section as an error.
    pub(super) fn reject_unknown(&mut self, section: &ConfigSection<'_>, known: &[&str]) {
        for name in section.object.keys().filter(|name| !known.contains(&name.as_str())) {
            self.fail(section.key_of(name), "an unknown key", format!("one of {}", known.join(", ")));
        }
    }

    /// Returns a string.
    pub(super) fn text(&mut self, section: &ConfigSection<'_>, name: &str) -> Option<String> {
        self.read(section, name, "a string", |value| value.as_str().map(str::to_owned))
    }

    /// Returns a string that is not blank.
    pub(super) fn filled_text(&mut self, section: &ConfigSection<'_>, name: &str) -> Option<String> {
        self.read(section, name, "a string that is not empty", |value| {
            value.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
        })
    }

    /// Returns a string that no message shows; a blank one counts as absent.
    pub(super) fn secret_text(&mut self, section: &ConfigSection<'_>, name: &str, expected: &str) -> Option<Secret> {
        match section.object.get(name)? {
            Value::Null => None,
            Value::String(text) => Some(Secret::new(text)).filter(|_| !text.trim().is_empty()),
            other => {
                self.fail(section.key_of(name), describe_type(other), expected);
                None
            }
        }
    }

    /// Returns a secret: a string, or the value of the environment variable that `{"env": "NAME"}` names, so that the
    /// files need not hold it.
    pub(super) fn secret(&mut self, section: &ConfigSection<'_>, name: &str) -> Option<Secret> {
        let expected = "a string, or an object such as {\"env\": \"NAME\"} with the name of an environment variable";
        let Some(Value::Object(object)) = section.object.get(name) else {
            return self.secret_text(section, name, expected);
        };
        let Some((Value::String(variable), 1)) = object.get("env").map(|variable| (variable, object.len())) else {
            self.fail(section.key_of(name), "another object", expected);
            return None;
        };
        let value = std::env::var(variable).ok().filter(|value| !value.is_empty());
        if value.is_none() {
            let found = format!("the environment variable {variable:?}, which is not set");
            self.fail(section.key_of(name), found, "one that is set where the server runs");
        }
        value.map(Secret::new)
    }

    /// Returns a required string.
    pub(super) fn required_text(&mut self, section: &ConfigSection<'_>, name: &str, expected: &str) -> Option<String> {
        self.require(section, name, expected);
        self.filled_text(section, name)
    }

    /// Returns the field that an entry is about, and warns of keys that such entries do not have.
    pub(super) fn entry_field(&mut self, entry: &ConfigSection<'_>, known: &[&str]) -> Option<String> {
        self.warn_unknown(entry, known);
        self.required_text(entry, FIELD_NAME, FIELD_PATH)
    }

    /// Reports a key that is absent or null.
    pub(super) fn require(&mut self, section: &ConfigSection<'_>, name: &str, expected: &str) {
        if section.object.get(name).is_none_or(Value::is_null) {
            self.fail(section.key_of(name), "nothing", expected);
        }
    }

    /// Returns true or false.
    pub(super) fn flag(&mut self, section: &ConfigSection<'_>, name: &str) -> Option<bool> {
        self.read(section, name, "true or false", Value::as_bool)
    }

    /// Returns an integer from `least` to the largest GraphQL `Int`.
    pub(super) fn count(&mut self, section: &ConfigSection<'_>, name: &str, least: u32) -> Option<u32> {
        let most = i32::MAX.unsigned_abs();
        let expected = format!("a whole number from {least} to {most}");
        self.read(section, name, &expected, |value| {
            // `7.0` is a whole number too.
            let whole = value.as_f64().filter(|number| number.fract() == 0.0 && *number >= 0.0);
            let count = value.as_u64().or_else(|| whole.map(|number| number as u64))?;
            u32::try_from(count).ok().filter(|count| (least..=most).contains(count))
        })
    }

    /// Returns a number.
    pub(super) fn number(&mut self, section: &ConfigSection<'_>, name: &str) -> Option<Number> {
        self.read(section, name, "a number", |value| value.as_number().cloned())
    }

    /// Returns an object as it is.
    pub(super) fn object(&mut self, section: &ConfigSection<'_>, name: &str) -> Option<Map<String, Value>> {
        self.read(section, name, "an object", |value| value.as_object().cloned())
    }

    /// Returns a list of strings.
    pub(super) fn texts(&mut self, section: &ConfigSection<'_>, name: &str) -> Option<Vec<String>> {
        self.read(section, name, "a list of strings", |value| {
            value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
        })
    }

    /// Returns a required list of strings that are not blank, at least one.
    pub(super) fn filled_texts(
        &mut self,
        section: &ConfigSection<'_>,
        name: &str,
        expected: &str,
    ) -> Option<Vec<String>> {
        let value = section.object.get(name).unwrap_or(&Value::Null);
        let texts: Option<Vec<String>> = value.as_array().and_then(|items| {
            items.iter().map(|item| item.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)).collect()
        });
        let texts = texts.filter(|texts| !texts.is_empty());
        if texts.is_none() {
            let is_list = value.is_array();
            let found = if is_list { "an empty list, or one of other things".to_owned() } else { describe(value) };
            self.fail(section.key_of(name), found, expected);
        }
        texts
    }

    /// Returns an object to read members from.
    pub(super) fn section(&mut self, section: &ConfigSection<'a>, name: &str) -> Option<ConfigSection<'a>> {
        let object = self.read(section, name, "an object", Value::as_object)?;
        Some(ConfigSection { object, key: section.key_of(name) })
    }

    /// Returns the objects of a list to read members from.
    pub(super) fn sections(&mut self, section: &ConfigSection<'a>, name: &str) -> Option<Vec<ConfigSection<'a>>> {
        let items = self.read(section, name, "a list of objects", Value::as_array)?;
        let mut sections = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let key = format!("{}[{index}]", section.key_of(name));
            match item {
                Value::Object(object) => sections.push(ConfigSection { object, key }),
                other => self.fail(key, describe(other), "an object"),
            }
        }
        Some(sections)
    }

    /// Reads the objects of a list.
    pub(super) fn entries<T>(
        &mut self,
        section: &ConfigSection<'a>,
        name: &str,
        read_entry: impl Fn(&mut Self, &ConfigSection<'a>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let sections = self.sections(section, name)?;
        Some(sections.iter().filter_map(|section| read_entry(self, section)).collect())
    }

    /// Reports an error.
    pub(super) fn fail(&mut self, key: String, found: impl Into<String>, expected: impl Into<String>) {
        let file = self.origins.file_of(&key).to_owned();
        self.problems.push(ConfigProblem::error(file, key, found, expected));
    }

    /// Reports a warning.
    pub(super) fn warn(&mut self, key: String, found: impl Into<String>, expected: impl Into<String>) {
        let file = self.origins.file_of(&key).to_owned();
        self.problems.push(ConfigProblem::warning(file, key, found, expected));
    }

    fn read<'v, T>(
        &mut self,
        section: &ConfigSection<'v>,
        name: &str,
        expected: &str,
        read: impl FnOnce(&'v Value) -> Option<T>,
    ) -> Option<T> {
        let value = section.object.get(name).filter(|value| !value.is_null())?;
        let found = read(value);
        if found.is_none() {
            self.fail(section.key_of(name), describe(value), expected);
        }
        found
    }
}
