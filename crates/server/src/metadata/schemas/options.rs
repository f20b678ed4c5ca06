//! The options of a registration, read member by member: each error names its place, and a misspelt option is an error
//! rather than a check that never happens.

use cantata_core::{Error, ErrorId, ExternalValidation, PartialTypeOptions, Result};
use cantata_schema::json_type_name;
use serde_json::{Map, Value};

use super::ORIGIN;

/// Reads the options; those left out or null are inherited.
pub(super) fn read_options(options: Option<Value>) -> Result<PartialTypeOptions> {
    let Some(options) = options.filter(|options| !options.is_null()) else {
        return Ok(PartialTypeOptions::default());
    };
    read(options).map_err(|problem| {
        let text = format!(
            "#/options{problem}; expected an object with fileTypes, a list of strings, and externalValidations, a list \
             of objects with url and jsonPath"
        );
        Error::new(ORIGIN, ErrorId::MalformedRequestBody, text)
    })
}

fn read(options: Value) -> Result<PartialTypeOptions, String> {
    let mut members = object("", options)?;
    let file_types = list("/fileTypes", members.shift_remove("fileTypes"), text)?;
    let external_validations = list("/externalValidations", members.shift_remove("externalValidations"), validation)?;
    refuse_unknown("", &members)?;
    Ok(PartialTypeOptions { file_types, external_validations })
}

fn validation(place: &str, value: Value) -> Result<ExternalValidation, String> {
    let mut members = object(place, value)?;
    let mut member = |name: &str| text(&format!("{place}/{name}"), members.shift_remove(name).unwrap_or_default());
    let (url, json_path) = (member("url")?, member("jsonPath")?);
    refuse_unknown(place, &members)?;
    Ok(ExternalValidation { url, json_path })
}

fn list<T>(
    place: &str,
    value: Option<Value>,
    read: impl Fn(&str, Value) -> Result<T, String>,
) -> Result<Option<Vec<T>>, String> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Array(elements)) => {
            let elements = elements.into_iter().enumerate();
            elements
                .map(|(index, element)| read(&format!("{place}/{index}"), element))
                .collect::<Result<_, _>>()
                .map(Some)
        }
        Some(other) => Err(wrong_type(place, "JSONArray", &other)),
    }
}

fn object(place: &str, value: Value) -> Result<Map<String, Value>, String> {
    match value {
        Value::Object(members) => Ok(members),
        other => Err(wrong_type(place, "JSONObject", &other)),
    }
}

fn text(place: &str, value: Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(wrong_type(place, "String", &other)),
    }
}

fn refuse_unknown(place: &str, left: &Map<String, Value>) -> Result<(), String> {
    left.keys().next().map_or(Ok(()), |name| Err(format!("{place}/{name}: this option does not exist")))
}

fn wrong_type(place: &str, expected: &str, found: &Value) -> String {
    format!("{place}: expected type: {expected}, found: {}", json_type_name(found))
}
