//! Reading typed values out of the merged files, and collecting what is wrong with them.
//!
//! Every method returns nothing where the value is absent, null or wrong; a wrong one is reported with its file and
//! key, and reading goes on.

use serde_json::{Map, Number, Value};
use strsim::jaro_winkler;

use super::merge::Origins;
use crate::problem::{ConfigProblem, describe, kind};
use crate::secret::Secret;

/// How alike a key must be to one that is known to be meant, from 0 to 1.
const ALIKE: f64 = 0.8;

/// Returns whether one name may have been meant by another.
pub(super) fn are_alike(one: &str, other: &str) -> bool {
    likeness(one, other) >= ALIKE
}

fn likeness(one: &str, other: &str) -> f64 {
    jaro_winkler(&one.to_lowercase(), &other.to_lowercase())
}

/// An object in the files.
#[derive(Debug, Clone)]
pub(super) struct Section<'a> {
    pub(super) object: &'a Map<String, Value>,
    /// The key of the object; empty for the whole.
    pub(super) key: String,
}

impl Section<'_> {
    /// Returns the full key of a member.
    pub(super) fn key_of(&self, name: &str) -> String {
        if self.key.is_empty() { name.to_owned() } else { format!("{}.{name}", self.key) }
    }
}

/// Reads values and collects problems.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    pub(super) origins: &'a Origins,
    pub(super) problems: Vec<ConfigProblem>,
}

impl<'a> Reader<'a> {
    /// Reports every key of a section that is not among the known ones.
    pub(super) fn refuse_unknown(&mut self, section: &Section<'_>, known: &[&str]) {
        for name in section.object.keys().filter(|name| !known.contains(&name.as_str())) {
            let nearest = known
                .iter()
                .map(|candidate| (likeness(name, candidate), *candidate))
                .filter(|(likeness, _)| *likeness >= ALIKE)
                .max_by(|(one, _), (other, _)| one.total_cmp(other));
            let expected = match nearest {
                Some((_, nearest)) => format!("a known key, such as `{nearest}`"),
                None => format!("one of the known keys: {}", known.join(", ")),
            };
            self.warn(section.key_of(name), "an unknown key, which is ignored", expected);
        }
    }

    /// Reports every key of a section that is not among the known ones as what keeps the catalogue from being served.
    pub(super) fn only(&mut self, section: &Section<'_>, known: &[&str]) {
        for name in section.object.keys().filter(|name| !known.contains(&name.as_str())) {
            self.fail(section.key_of(name), "an unknown key", format!("one of {}", known.join(", ")));
        }
    }

    /// Returns a string.
    pub(super) fn text(&mut self, section: &Section<'_>, name: &str) -> Option<String> {
        self.read(section, name, "a string", |value| value.as_str().map(str::to_owned))
    }

    /// Returns a string that says something.
    pub(super) fn filled_text(&mut self, section: &Section<'_>, name: &str) -> Option<String> {
        self.read(section, name, "a string that is not empty", |value| {
            value.as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned)
        })
    }

    /// Returns a string that no message shows; an empty one is as good as nothing.
    pub(super) fn hidden_text(&mut self, section: &Section<'_>, name: &str, expected: &str) -> Option<Secret> {
        match section.object.get(name)? {
            Value::Null => None,
            Value::String(text) => Some(Secret::new(text)).filter(|_| !text.trim().is_empty()),
            other => {
                self.fail(section.key_of(name), kind(other), expected);
                None
            }
        }
    }

    /// Returns a secret: a string, or the value of the environment variable that `{"env": "NAME"}` names, so that the
    /// files need not hold it.
    pub(super) fn secret(&mut self, section: &Section<'_>, name: &str) -> Option<Secret> {
        let expected = "a string, or an object such as {\"env\": \"NAME\"} with the name of an environment variable";
        let Some(Value::Object(object)) = section.object.get(name) else {
            return self.hidden_text(section, name, expected);
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

    /// Returns a string that must be there.
    pub(super) fn required_text(&mut self, section: &Section<'_>, name: &str, expected: &str) -> Option<String> {
        if section.object.get(name).is_none_or(Value::is_null) {
            self.fail(section.key_of(name), "nothing", expected);
            return None;
        }
        self.filled_text(section, name)
    }

    /// Returns true or false.
    pub(super) fn flag(&mut self, section: &Section<'_>, name: &str) -> Option<bool> {
        self.read(section, name, "true or false", Value::as_bool)
    }

    /// Returns a whole number from `least` on, as far as GraphQL can write it as an `Int`.
    pub(super) fn count(&mut self, section: &Section<'_>, name: &str, least: u32) -> Option<u32> {
        let most = i32::MAX.unsigned_abs();
        let expected = format!("a whole number from {least} to {most}");
        self.read(section, name, &expected, |value| {
            value.as_u64().and_then(|count| u32::try_from(count).ok()).filter(|count| (least..=most).contains(count))
        })
    }

    /// Returns a number.
    pub(super) fn number(&mut self, section: &Section<'_>, name: &str) -> Option<Number> {
        self.read(section, name, "a number", |value| value.as_number().cloned())
    }

    /// Returns an object as it is.
    pub(super) fn object(&mut self, section: &Section<'_>, name: &str) -> Option<Map<String, Value>> {
        self.read(section, name, "an object", |value| value.as_object().cloned())
    }

    /// Returns a list of strings.
    pub(super) fn texts(&mut self, section: &Section<'_>, name: &str) -> Option<Vec<String>> {
        self.read(section, name, "a list of strings", |value| {
            value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
        })
    }

    /// Returns a list of strings that say something, at least one; reports it if there is none.
    pub(super) fn filled_texts(&mut self, section: &Section<'_>, name: &str, expected: &str) -> Option<Vec<String>> {
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

    /// Returns an object whose members are to be read.
    pub(super) fn section(&mut self, section: &Section<'a>, name: &str) -> Option<Section<'a>> {
        let key = section.key_of(name);
        match section.object.get(name)? {
            Value::Null => None,
            Value::Object(object) => Some(Section { object, key }),
            other => {
                self.fail(key, describe(other), "an object");
                None
            }
        }
    }

    /// Returns the objects of a list.
    pub(super) fn entries(&mut self, section: &Section<'a>, name: &str) -> Option<Vec<Section<'a>>> {
        let key = section.key_of(name);
        let items = match section.object.get(name)? {
            Value::Null => return None,
            Value::Array(items) => items,
            other => {
                self.fail(key, describe(other), "a list of objects");
                return None;
            }
        };
        let mut entries = Vec::with_capacity(items.len());
        for (place, item) in items.iter().enumerate() {
            let key = format!("{key}[{place}]");
            match item {
                Value::Object(object) => entries.push(Section { object, key }),
                other => self.fail(key, describe(other), "an object"),
            }
        }
        Some(entries)
    }

    /// Reports what keeps the catalogue from being served.
    pub(super) fn fail(&mut self, key: String, found: impl Into<String>, expected: impl Into<String>) {
        let file = self.origins.file_of(&key).to_owned();
        self.problems.push(ConfigProblem::error(file, key, found, expected));
    }

    /// Reports what the catalogue can be served with.
    pub(super) fn warn(&mut self, key: String, found: impl Into<String>, expected: impl Into<String>) {
        let file = self.origins.file_of(&key).to_owned();
        self.problems.push(ConfigProblem::warning(file, key, found, expected));
    }

    fn read<T>(
        &mut self,
        section: &Section<'_>,
        name: &str,
        expected: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Option<T> {
        let value = section.object.get(name).filter(|value| !value.is_null())?;
        let found = read(value);
        if found.is_none() {
            self.fail(section.key_of(name), describe(value), expected);
        }
        found
    }
}
