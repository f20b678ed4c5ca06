//! One update: how it is read, and what it would do to an analysis.

use cantata_core::SERVER_OWNED_FIELDS;
use cantata_core::json::{JsonError, parse_exact_json};
use cantata_metadata::merge_patch;
use cantata_schema::{PayloadValidator, join_violations};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::client::api_error::ApiError;
use crate::client::diff::{Difference, ordered_differences};

/// The members of an analysis that are no data and have no name of the server's own.
const NO_DATA: [&str; 2] = ["studyId", "files"];

/// The member that a patch cannot change.
const ANALYSIS_TYPE: &str = "analysisType";

/// A patch for an analysis.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct AnalysisUpdate {
    pub(super) analysis_id: String,
    /// Its study; the server is asked for it unless it is given.
    pub(super) study_id: Option<String>,
    pub(super) patch: Map<String, Value>,
}

/// Why something is no update.
#[derive(Debug, thiserror::Error)]
pub(super) enum UpdateError {
    #[error("--patch: expected a JSON object, found {0}")]
    Patch(Value),
    #[error("not JSON: {0}")]
    NotJson(#[source] JsonError),
    #[error("no update: {0}; expected analysisId, patch, and perhaps studyId")]
    Members(#[source] serde_json::Error),
    #[error("it is too long for an update")]
    TooLong,
}

impl AnalysisUpdate {
    /// Makes the update of one analysis.
    pub(super) fn new(analysis_id: &str, patch: Value) -> Result<Self, UpdateError> {
        match patch {
            Value::Object(patch) => Ok(Self { analysis_id: analysis_id.to_owned(), study_id: None, patch }),
            other => Err(UpdateError::Patch(other)),
        }
    }

    /// Reads an update of a file.
    pub(super) fn parse(document: &[u8]) -> Result<Self, UpdateError> {
        let value = parse_exact_json(document).map_err(UpdateError::NotJson)?;
        serde_json::from_value(value).map_err(UpdateError::Members)
    }
}

/// What an update would make of an analysis.
pub(super) struct PlannedUpdate {
    before: Map<String, Value>,
    after: Map<String, Value>,
}

impl PlannedUpdate {
    /// Merges a patch into the data of an analysis as the server does.
    pub(super) fn new(analysis: Value, mut patch: Map<String, Value>) -> Self {
        let mut before = match analysis {
            Value::Object(members) => members,
            _ => Map::new(),
        };
        before.retain(|name, _| !SERVER_OWNED_FIELDS.contains(&name.as_str()) && !NO_DATA.contains(&name.as_str()));
        patch.shift_remove(ANALYSIS_TYPE);
        let mut after = before.clone();
        merge_patch(&mut after, patch);
        Self { before, after }
    }

    /// Returns the name and the version of the analysis type.
    pub(super) fn analysis_type(&self) -> (String, String) {
        let reference = self.before.get(ANALYSIS_TYPE).cloned().unwrap_or_default();
        (reference["name"].as_str().unwrap_or_default().to_owned(), reference["version"].to_string())
    }

    /// Returns what changes, or what the schema of the type says against it.
    pub(super) fn check(self, schema: &Value) -> Result<Vec<Difference>, ApiError> {
        let validator = PayloadValidator::compile(schema).map_err(|error| ApiError::local(error.text))?;
        let (before, after) = (Value::Object(self.before), Value::Object(self.after));
        let violations = validator.validate_update(&after);
        if violations.is_empty() {
            return Ok(ordered_differences(&before, &after));
        }
        let error_id = Some("schema.violation".to_owned());
        Err(ApiError { error_id, http_status_code: None, message: join_violations(&violations) })
    }
}
