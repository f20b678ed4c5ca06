//! Reading the `content` of a leaf: the parts that operators share.

use serde_json::{Map, Value, json};

use crate::error::SqonError;
use crate::json_path::JsonPath;
use crate::limits::Budget;
use crate::value::{Scalar, ValueTest};

pub(crate) const SCALAR_FORM: &str = "a text, number or boolean";
pub(crate) const SCALARS_FORM: &str = "a text, number or boolean, or a list of them";
pub(crate) const FIELD_NAME_FORM: &str = "the dotted name of a field";
pub(crate) const FIELD_NAMES_FORM: &str = "a list of one or more dotted names of fields";

/// The content of a leaf that is being read.
#[derive(Debug)]
pub(crate) struct LeafContent<'a> {
    members: &'a Map<String, Value>,
    path: &'a JsonPath<'a>,
    budget: &'a mut Budget,
}

impl<'a> LeafContent<'a> {
    pub(crate) fn new(members: &'a Map<String, Value>, path: &'a JsonPath<'a>, budget: &'a mut Budget) -> Self {
        Self { members, path, budget }
    }

    /// Reads the one field; older clients call it `field`.
    pub(crate) fn field_name(&self) -> Result<String, SqonError> {
        let (key, value) = self.either("fieldName", "field", FIELD_NAME_FORM)?;
        name(value, &self.path.key(key))
    }

    /// Reads the list of fields; older clients call it `fields`.
    pub(crate) fn field_names(&mut self) -> Result<Vec<String>, SqonError> {
        let (key, value) = self.either("fieldNames", "fields", FIELD_NAMES_FORM)?;
        let path = self.path.key(key);
        let Value::Array(list) = value else { return Err(path.found(value, FIELD_NAMES_FORM)) };
        if list.is_empty() {
            return Err(path.found(value, FIELD_NAMES_FORM));
        }
        self.budget.take_values(list.len(), &path)?;
        list.iter().enumerate().map(|(index, value)| name(value, &path.index(index))).collect()
    }

    /// Reads a value that is a scalar, which counts as a list of one, or a list of scalars.
    pub(crate) fn scalars(&mut self) -> Result<Vec<Scalar>, SqonError> {
        let path = self.path.key("value");
        match self.required("value", SCALARS_FORM)? {
            Value::Array(list) => self.list(list, &path),
            value => {
                self.budget.take_values(1, &path)?;
                scalar(value, &path, SCALARS_FORM).map(|only| vec![only])
            }
        }
    }

    /// Reads a value that must be a list of at least one scalar.
    pub(crate) fn scalar_list(&mut self, form: &str) -> Result<Vec<Scalar>, SqonError> {
        let path = self.path.key("value");
        match self.required("value", form)? {
            Value::Array(list) if !list.is_empty() => self.list(list, &path),
            value => Err(path.found(value, form)),
        }
    }

    /// Reads a value that must be a list of exactly two scalars.
    pub(crate) fn scalar_pair(&mut self, form: &str) -> Result<[Scalar; 2], SqonError> {
        let path = self.path.key("value");
        let value = self.required("value", form)?;
        let Some([first, second]) = value.as_array().map(Vec::as_slice) else { return Err(path.found(value, form)) };
        self.budget.take_values(2, &path)?;
        Ok([scalar(first, &path.index(0), SCALAR_FORM)?, scalar(second, &path.index(1), SCALAR_FORM)?])
    }

    /// Reads a value that must be a text.
    pub(crate) fn text(&mut self, form: &str) -> Result<String, SqonError> {
        let path = self.path.key("value");
        self.budget.take_values(1, &path)?;
        match self.required("value", form)? {
            Value::String(text) => Ok(text.clone()),
            value => Err(path.found(value, form)),
        }
    }

    /// Reads a member that may be absent.
    pub(crate) fn optional<T>(
        &self,
        key: &str,
        form: &str,
        read: fn(&Value) -> Option<T>,
    ) -> Result<Option<T>, SqonError> {
        let Some(value) = self.members.get(key) else { return Ok(None) };
        read(value).map(Some).ok_or_else(|| self.path.key(key).found(value, form))
    }

    fn list(&mut self, list: &[Value], path: &JsonPath<'_>) -> Result<Vec<Scalar>, SqonError> {
        self.budget.take_values(list.len(), path)?;
        list.iter().enumerate().map(|(index, value)| scalar(value, &path.index(index), SCALAR_FORM)).collect()
    }

    fn required(&self, key: &str, form: &str) -> Result<&'a Value, SqonError> {
        self.members.get(key).ok_or_else(|| self.path.lacks(key, form))
    }

    fn either<'k>(&self, key: &'k str, legacy: &'k str, form: &str) -> Result<(&'k str, &'a Value), SqonError> {
        match (self.members.get(key), self.members.get(legacy)) {
            (Some(value), _) => Ok((key, value)),
            (None, Some(value)) => Ok((legacy, value)),
            (None, None) => Err(self.path.lacks(key, form)),
        }
    }
}

/// Recognises the special values in a list of scalars.
pub(crate) fn value_tests(scalars: Vec<Scalar>) -> Vec<ValueTest> {
    scalars.into_iter().map(ValueTest::from_scalar).collect()
}

fn name(value: &Value, path: &JsonPath<'_>) -> Result<String, SqonError> {
    match value {
        Value::String(name) if !name.is_empty() => Ok(name.clone()),
        _ => Err(path.found(value, FIELD_NAME_FORM)),
    }
}

fn scalar(value: &Value, path: &JsonPath<'_>, form: &str) -> Result<Scalar, SqonError> {
    Scalar::from_json(value).ok_or_else(|| path.found(value, form))
}

/// Returns the schema of content that names one field and has a value.
pub(crate) fn one_field_schema(value: &Value) -> Value {
    json!({
        "type": "object",
        "required": ["fieldName", "value"],
        "properties": { "fieldName": field_name_schema(), "value": value },
        "additionalProperties": true,
    })
}

/// Returns the schema of content that names several fields and has a text.
pub(crate) fn several_fields_schema() -> Value {
    let names = json!({ "type": "array", "minItems": 1, "items": field_name_schema() });
    json!({
        "type": "object",
        "required": ["fieldNames", "value"],
        "properties": { "fieldNames": names, "value": { "type": "string" } },
        "additionalProperties": true,
    })
}

/// Returns the schema of the name of a field.
fn field_name_schema() -> Value {
    json!({ "type": "string", "minLength": 1, "description": "The dotted name of a field, such as donors.gender." })
}

/// Returns the schema of a scalar or a list of scalars.
pub(crate) fn scalars_schema() -> Value {
    json!({ "anyOf": [scalar_schema(), { "type": "array", "items": scalar_schema() }] })
}

/// Returns the schema of one scalar.
pub(crate) fn scalar_schema() -> Value {
    json!({ "$ref": "#/$defs/Scalar" })
}
