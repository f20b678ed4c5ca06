//! Studies, payloads and the answers to them.

use cantata_core::{AnalysisId, Result};
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::{IntoResponses, ToSchema};

use crate::error_body::ErrorBody;

/// Whether the server can work.
#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    /// `UP`.
    pub(crate) status: String,
}

/// The answer to a submission of several analyses that failed as a whole.
#[derive(IntoResponses)]
#[response(status = "default", description = "An error; nothing was stored")]
pub(crate) struct NothingStored(ErrorBody);

/// What was done, in words.
#[derive(Serialize, ToSchema)]
pub(crate) struct Message {
    message: String,
}

impl Message {
    pub(crate) fn new(message: String) -> Self {
        Self { message }
    }
}

/// A study to register.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct StudyRequest {
    /// The id; the same as in the path.
    study_id: String,
    /// What people call it.
    name: Option<String>,
    /// Who runs it.
    organization: Option<String>,
    /// What it is about.
    description: Option<String>,
    /// Anything else.
    #[schema(value_type = Option<Object>)]
    info: Option<Map<String, Value>>,
}

/// A study; members that hold nothing are left out.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct Study {
    /// Anything else it was registered with.
    #[schema(value_type = Option<Object>, nullable = false)]
    info: Option<Map<String, Value>>,
    /// The id.
    study_id: String,
    /// What people call it.
    #[schema(nullable = false)]
    name: Option<String>,
    /// Who runs it.
    #[schema(nullable = false)]
    organization: Option<String>,
    /// What it is about.
    #[schema(nullable = false)]
    description: Option<String>,
}

/// The analysis type of a payload.
#[derive(ToSchema)]
pub(crate) struct NamedType {
    /// The name of a registered type.
    name: String,
    /// One of its versions; the latest if left out.
    version: Option<u32>,
}

/// A file of a payload.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct PayloadFile {
    /// Anything else of the file.
    #[schema(value_type = Option<Object>, nullable = false)]
    info: Option<Map<String, Value>>,
    /// The name, unique within the analysis.
    #[schema(pattern = r"^[A-Za-z0-9_\.\-\[\]\(\)]+$")]
    file_name: String,
    /// The size in bytes.
    #[schema(minimum = 0)]
    file_size: i64,
    /// The type, a file extension.
    file_type: String,
    /// The checksum.
    #[schema(pattern = "^[a-fA-F0-9]{32}$")]
    file_md5sum: String,
    /// `open` or `controlled`.
    file_access: String,
    /// What kind of data it holds.
    data_type: String,
}

/// A new analysis. Further members are as the schema of the analysis type says.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct AnalysisPayload {
    /// The study; the same as in the path.
    study_id: String,
    /// What the payload is checked against.
    analysis_type: NamedType,
    /// The files, at least one.
    #[schema(min_items = 1)]
    files: Vec<PayloadFile>,
    /// What the analysis type asks for.
    #[schema(value_type = Option<Object>, nullable = false)]
    experiment: Option<Map<String, Value>>,
}

/// A submission that was not refused.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Submitted {
    /// The id of the new analysis; absent with `validateOnly`, which stores none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<uuid::Uuid>, nullable = false)]
    analysis_id: Option<AnalysisId>,
    /// `OK`.
    status: &'static str,
}

impl Submitted {
    pub(crate) fn new(analysis_id: Option<AnalysisId>) -> Self {
        Self { analysis_id, status: "OK" }
    }
}

/// What became of one payload of a batch.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BatchResult {
    /// The place of the payload in the batch, from 0.
    index: usize,
    /// `OK` or `ERROR`.
    status: &'static str,
    /// The id of the new analysis, if one was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<uuid::Uuid>, nullable = false)]
    analysis_id: Option<AnalysisId>,
    /// What kind of error it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    error_id: Option<&'static str>,
    /// The status the payload would have been answered with alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    http_status_code: Option<u16>,
    /// What was found, what was expected, what to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    message: Option<String>,
}

impl BatchResult {
    pub(crate) fn new(index: usize, outcome: Result<Option<AnalysisId>>) -> Self {
        let error = outcome.as_ref().err();
        Self {
            index,
            status: if error.is_none() { "OK" } else { "ERROR" },
            error_id: error.map(|error| error.id.as_str()),
            http_status_code: error.map(|error| error.id.status()),
            message: error.map(ToString::to_string),
            analysis_id: outcome.ok().flatten(),
        }
    }
}
