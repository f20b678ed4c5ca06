//! The attributes of one field definition, each read with the leniency of the engines: `"true"` is a flag and `"256"`
//! is a number. Whatever else is found is an error and reads as absent.

use serde_json::{Map, Value};

use crate::MappingError;
use crate::error::describe;
use crate::field::DynamicMapping;

pub(super) struct DefinitionReader<'a, 'e> {
    path: &'e str,
    pub(super) attributes: &'a Map<String, Value>,
    errors: &'e mut Vec<MappingError>,
}

impl<'a, 'e> DefinitionReader<'a, 'e> {
    pub(super) fn new(path: &'e str, attributes: &'a Map<String, Value>, errors: &'e mut Vec<MappingError>) -> Self {
        Self { path, attributes, errors }
    }

    /// Reports a problem of the field.
    pub(super) fn report(&mut self, found: impl Into<String>, expected: impl Into<String>) {
        self.errors.push(MappingError::new(self.path, found, expected));
    }

    /// Returns an attribute that is there and not null, read by `read`; reports it if `read` cannot make sense of it.
    fn attribute<T>(&mut self, key: &str, expected: &str, read: impl Fn(&'a Value) -> Option<T>) -> Option<T> {
        let value = self.attributes.get(key).filter(|value| !value.is_null())?;
        let read = read(value);
        if read.is_none() {
            self.report(format!("`{key}`: {}", describe(value)), expected);
        }
        read
    }

    pub(super) fn flag(&mut self, key: &str) -> Option<bool> {
        self.attribute(key, "true or false", |value| match value {
            Value::Bool(flag) => Some(*flag),
            Value::String(text) => text.parse().ok(),
            _ => None,
        })
    }

    pub(super) fn count(&mut self, key: &str) -> Option<u64> {
        self.attribute(key, "a whole number, 0 or more", |value| match value {
            Value::Number(number) => number.as_u64(),
            Value::String(text) => text.parse().ok(),
            _ => None,
        })
    }

    pub(super) fn positive_number(&mut self, key: &str) -> Option<f64> {
        self.attribute(key, "a number above 0", |value| {
            let number = match value {
                Value::Number(number) => number.as_f64(),
                Value::String(text) => text.parse().ok(),
                _ => None,
            };
            number.filter(|number: &f64| number.is_finite() && *number > 0.0)
        })
    }

    pub(super) fn text(&mut self, key: &str) -> Option<&'a str> {
        self.attribute(key, "a string that is not empty", |value| value.as_str().filter(|text| !text.is_empty()))
    }

    /// Returns a list of strings; one string is read as a list of one.
    pub(super) fn texts(&mut self, key: &str) -> Vec<String> {
        let filled = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        self.attribute(key, "a path or a list of paths", |value| match value {
            Value::Array(items) => items.iter().map(filled).collect(),
            other => filled(other).map(|text| vec![text]),
        })
        .unwrap_or_default()
    }

    pub(super) fn object(&mut self, key: &str) -> Option<&'a Map<String, Value>> {
        self.attribute(key, "an object", Value::as_object)
    }

    pub(super) fn dynamic(&mut self) -> Option<DynamicMapping> {
        self.attribute("dynamic", "true, false, \"strict\" or \"runtime\"", |value| match value {
            Value::Bool(true) => Some(DynamicMapping::Add),
            Value::Bool(false) => Some(DynamicMapping::Ignore),
            Value::String(text) => match text.as_str() {
                "true" | "runtime" => Some(DynamicMapping::Add),
                "false" | "false_allow_templates" => Some(DynamicMapping::Ignore),
                "strict" | "strict_allow_templates" => Some(DynamicMapping::Strict),
                _ => None,
            },
            _ => None,
        })
    }
}
