//! Reads a payload: its analysis type, its files, and the dynamic data.
//!
//! Everything here accepts any JSON and fails with an error of the table; what the base schema leaves open (sizes beyond
//! 64 bits, duplicate names) is rejected here.

use std::collections::HashMap;

use cantata_core::{AnalysisId, Error, ErrorOrigin, File, FileAccess, Result};
use cantata_schema::SchemaViolation;
use serde_json::{Map, Value};

use crate::plain_payload::{PlainFile, PlainPayload};

/// The analysis type that a payload names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TypeReference<'a> {
    pub(crate) name: &'a str,
    pub(crate) version: Option<i64>,
}

/// Reads the analysis type before any schema is known.
pub(crate) fn read_type_reference(payload: &Value) -> Result<TypeReference<'_>> {
    let unusable = |text: &str| Error::malformed_parameter(ErrorOrigin::ValidationService, text);
    let wrong = |pointer: &str, expected: &str, found: &Value| {
        let text = format!("{pointer}: expected type: {expected}, found: {}", cantata_schema::json_type_name(found));
        Error::schema_violation(ErrorOrigin::SubmitService, text)
    };
    let members = match payload.get("analysisType") {
        None | Some(Value::Null) => return Err(unusable("The analysisType field cannot be null")),
        Some(Value::Object(members)) => members,
        Some(other) => {
            let found = cantata_schema::json_type_name(other);
            return Err(unusable(&format!("#/analysisType: expected type: JSONObject, found: {found}")));
        }
    };
    let name = match members.get("name") {
        None => return Err(unusable("The analysisType name field cannot be null")),
        Some(Value::Null) => return Err(unusable("The analysisType name cannot be null")),
        Some(Value::String(name)) if name.trim().is_empty() => {
            return Err(unusable("The analysisType name cannot be null"));
        }
        Some(Value::String(name)) => name,
        Some(other) => return Err(wrong("#/analysisType/name", "String", other)),
    };
    let version = match members.get("version") {
        None | Some(Value::Null) => None,
        Some(version) => Some(integer(version).ok_or_else(|| wrong("#/analysisType/version", "Integer", version))?),
    };
    if let Some(version) = version.filter(|version| *version < 1) {
        return Err(unusable(&format!("The analysisType version is '{version}', but must be an integer of 1 or more")));
    }
    Ok(TypeReference { name, version })
}

/// Returns a JSON number that is a whole one of 64 bits, however it is written (`3`, `3.0`, `3e0`).
pub(crate) fn integer(value: &Value) -> Option<i64> {
    let whole = |number: f64| {
        // Beyond 2^53 a double does not name one integer any more.
        let limit = 9_007_199_254_740_992.0;
        (number.fract() == 0.0 && number.abs() <= limit).then(|| format!("{number:.0}").parse().ok()).flatten()
    };
    value.as_i64().or_else(|| value.as_f64().and_then(whole))
}

/// The parts of a payload that has passed its schema.
pub(crate) struct PayloadParts {
    pub(crate) files: Vec<File>,
    pub(crate) data: Map<String, Value>,
}

/// Splits the payload of a new analysis into files and data, or returns all violations that its schema cannot express.
pub(crate) fn split_payload(
    payload: Value,
    study_id: &str,
    analysis_id: AnalysisId,
) -> Result<PayloadParts, Vec<SchemaViolation>> {
    let Value::Object(mut data) = payload else {
        return Err(vec![violation("#".to_owned(), "expected type: JSONObject")]);
    };
    data.shift_remove("studyId");
    data.shift_remove("analysisType");
    let Some(Value::Array(submitted)) = data.shift_remove("files") else {
        return Err(vec![violation("#".to_owned(), "required key [files] not found")]);
    };
    let mut violations = Vec::new();
    let mut files = Vec::with_capacity(submitted.len());
    for (index, file) in submitted.into_iter().enumerate() {
        match read_file(index, file, study_id, analysis_id) {
            Ok(file) => files.push(file),
            Err(violation) => violations.push(violation),
        }
    }
    violations.extend(repeated_names(&files));
    if violations.is_empty() { Ok(PayloadParts { files, data }) } else { Err(violations) }
}

/// Does the same with a plain payload.
pub(crate) fn split_plain(
    payload: PlainPayload,
    study_id: &str,
    analysis_id: AnalysisId,
) -> Result<PayloadParts, Vec<SchemaViolation>> {
    let PlainPayload { with_first_file, files } = payload;
    let Value::Object(mut data) = with_first_file else {
        return Err(vec![violation("#".to_owned(), "expected type: JSONObject")]);
    };
    data.retain(|name, _| !matches!(name.as_str(), "studyId" | "analysisType" | "files"));
    let files: Vec<File> = files.into_iter().map(|file| file.into_file(study_id, analysis_id)).collect();
    let violations = repeated_names(&files);
    if violations.is_empty() { Ok(PayloadParts { files, data }) } else { Err(violations) }
}

fn read_file(index: usize, file: Value, study_id: &str, analysis_id: AnalysisId) -> Result<File, SchemaViolation> {
    let at = |member: &str| format!("#/files/{index}/{member}");
    let Value::Object(members) = file else {
        return Err(violation(format!("#/files/{index}"), "expected type: JSONObject"));
    };
    // In one pass: an analysis has many files, and removing a member by its name moves all others.
    let (mut size, mut access, mut info, mut others) = (Value::Null, Value::Null, Map::new(), Vec::new());
    let (mut file_name, mut file_type, mut file_md5sum, mut data_type) = Default::default();
    for (name, value) in members {
        match name.as_str() {
            "fileSize" => size = value,
            "fileAccess" => access = value,
            "fileName" => file_name = into_text(value),
            "fileType" => file_type = into_text(value),
            "fileMd5sum" => file_md5sum = into_text(value),
            "dataType" => data_type = into_text(value),
            "info" => info = into_members(value),
            owned if File::SERVER_FIELDS.contains(&owned) => {}
            _ => others.push((name, value)),
        }
    }
    let file_size = integer(&size).filter(|size| *size >= 0).ok_or_else(|| {
        violation(at("fileSize"), &format!("{size} is not a size in bytes between 0 and {}", i64::MAX))
    })?;
    let file_access = access
        .as_str()
        .and_then(FileAccess::parse)
        .ok_or_else(|| violation(at("fileAccess"), &format!("{access} is not a valid enum value")))?;
    let text = |text: Option<String>, member: &str| text.ok_or_else(|| violation(at(member), "expected type: String"));
    let (file_name, file_type) = (text(file_name, "fileName")?, text(file_type, "fileType")?);
    let (file_md5sum, data_type) = (text(file_md5sum, "fileMd5sum")?, text(data_type, "dataType")?);
    info.extend(others);
    let file = PlainFile { file_name, file_size, file_type, file_md5sum, file_access, data_type, info };
    Ok(file.into_file(study_id, analysis_id))
}

fn into_text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

fn into_members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        _ => Map::new(),
    }
}

/// Object ids derive from file names, so a duplicate name would make two files one.
fn repeated_names(files: &[File]) -> Vec<SchemaViolation> {
    let mut first_use = HashMap::new();
    let mut violations = Vec::new();
    for (index, file) in files.iter().enumerate() {
        if let Some(first) = first_use.get(file.file_name.as_str()) {
            let text = format!(
                "the name [{}] is used by #/files/{first} already, file names must be unique in an analysis",
                file.file_name
            );
            violations.push(violation(format!("#/files/{index}/fileName"), &text));
        } else {
            first_use.insert(file.file_name.as_str(), index);
        }
    }
    violations
}

fn violation(pointer: String, text: &str) -> SchemaViolation {
    SchemaViolation { pointer, text: text.to_owned() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn whole_numbers_are_integers_however_they_are_written() {
        for (text, expected) in [
            ("3", Some(3)),
            ("3.0", Some(3)),
            ("3e2", Some(300)),
            ("-1", Some(-1)),
            ("3.5", None),
            ("1e300", None),
            ("18446744073709551615", None),
            ("9223372036854775807", Some(i64::MAX)),
            ("\"3\"", None),
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(integer(&value), expected, "{text}");
        }
    }

    #[test]
    fn unknown_members_of_a_file_go_into_its_info() {
        let file = json!({
            "fileName": "a", "fileSize": 1, "fileType": "bam", "fileAccess": "open", "dataType": "d",
            "fileMd5sum": "595f44fec1e92a71d3e9e77456ba80d1", "info": {"k": 1}, "comp": "gzip", "objectId": "mine",
        });
        let payload = json!({"studyId": "S", "analysisType": {}, "files": [file], "experiment": {}});
        let parts = split_payload(payload, "S", AnalysisId::generate());
        let Ok(PayloadParts { files, data }) = parts else { panic!("rejected") };
        assert_eq!(Value::Object(files[0].info.clone()), json!({"k": 1, "comp": "gzip"}));
        assert_eq!(Value::Object(data), json!({"experiment": {}}));
    }

    #[test]
    fn members_of_a_file_are_read_in_any_order_and_the_first_fault_is_named() {
        let analysis_id = AnalysisId::generate();
        let whole = json!({
            "comp": "gzip", "dataType": "d", "fileMd5sum": "595f44fec1e92a71d3e9e77456ba80d1", "fileAccess": "open",
            "info": {"k": 1, "comp": "none", "z": 2}, "studyId": "mine", "a": null, "fileType": "bam", "fileSize": 1,
            "fileName": "a",
        });
        let file = read_file(0, whole.clone(), "S", analysis_id).unwrap();
        assert_eq!(serde_json::to_string(&file.info).unwrap(), r#"{"k":1,"comp":"gzip","z":2,"a":null}"#);
        assert_eq!((file.file_name.as_str(), file.file_type.as_str(), file.file_size), ("a", "bam", 1));
        for (member, value) in [("fileName", json!(1)), ("fileType", Value::Null), ("dataType", json!({}))] {
            let mut faulty = whole.clone();
            faulty[member] = value;
            let found = read_file(7, faulty, "S", analysis_id).unwrap_err();
            assert_eq!((found.pointer, found.text.as_str()), (format!("#/files/7/{member}"), "expected type: String"));
        }
        let found = read_file(0, json!({"info": 3}), "S", analysis_id).unwrap_err();
        assert_eq!(found.pointer, "#/files/0/fileSize");
    }
}
