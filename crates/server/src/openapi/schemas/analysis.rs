//! Analyses and files.

use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::submission::{AnalysisPayload, NamedType};

/// The states of an analysis.
#[derive(ToSchema)]
#[schema(rename_all = "UPPERCASE")]
pub(crate) enum AnalysisState {
    Unpublished,
    Published,
    Suppressed,
}

/// One state change.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct StateChange {
    /// The state before.
    initial_state: AnalysisState,
    /// The state after.
    updated_state: AnalysisState,
    /// When, in UTC.
    updated_at: String,
}

/// A version of an analysis type.
#[derive(ToSchema)]
pub(crate) struct AnalysisTypeId {
    /// The name.
    name: String,
    /// The version.
    #[schema(minimum = 1)]
    version: u32,
}

/// Who may download a file.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
pub(crate) enum FileAccess {
    Open,
    Controlled,
}

/// A file.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct File {
    /// Anything else of the file; left out when empty.
    #[schema(value_type = Option<Object>, nullable = false)]
    info: Option<Map<String, Value>>,
    /// The id of the file, here and in object storage.
    object_id: uuid::Uuid,
    /// The study it belongs to.
    study_id: String,
    /// The analysis it belongs to.
    analysis_id: uuid::Uuid,
    /// The name, unique within the analysis.
    file_name: String,
    /// The size in bytes.
    #[schema(minimum = 0)]
    file_size: i64,
    /// The type, a file extension.
    file_type: String,
    /// The checksum.
    #[schema(pattern = "^[a-fA-F0-9]{32}$")]
    file_md5sum: String,
    /// Who may download it.
    file_access: FileAccess,
    /// What kind of data it holds.
    data_type: String,
}

/// An analysis. Further members are as the schema of the analysis type says.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct Analysis {
    /// The id.
    analysis_id: uuid::Uuid,
    /// The study it belongs to.
    study_id: String,
    /// Where it stands.
    analysis_state: AnalysisState,
    /// When it was submitted, in UTC.
    created_at: String,
    /// When its state or data changed last, in UTC.
    updated_at: String,
    /// When it was published first, in UTC.
    #[schema(required = true)]
    first_published_at: Option<String>,
    /// When it was published last, in UTC.
    #[schema(required = true)]
    published_at: Option<String>,
    /// Every state change, oldest first.
    analysis_state_history: Vec<StateChange>,
    /// The files.
    #[schema(min_items = 1)]
    files: Vec<File>,
    /// The type version it was checked against.
    analysis_type: AnalysisTypeId,
}

/// One page of analyses.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct AnalysisPage {
    /// The analyses of the page.
    analyses: Vec<Analysis>,
    /// How many match in all.
    total_analyses: u64,
    /// How many the page has.
    current_total_analyses: u64,
}

/// The new dynamic data of an analysis. Further members are as the schema of the analysis type says.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct AnalysisUpdate {
    /// What the data is checked against.
    analysis_type: NamedType,
}

/// Which files to search for.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct FileSearch {
    /// A regular expression, case ignored, found anywhere in the object id.
    object_id: Option<String>,
    /// The same.
    file_id: Option<String>,
}

/// The new values of a file; those left out stay.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct FileUpdateRequest {
    /// The size in bytes.
    #[schema(minimum = 1)]
    file_size: Option<i64>,
    /// The checksum.
    #[schema(pattern = "^[a-fA-F0-9]{32}$")]
    file_md5sum: Option<String>,
    /// Who may download it.
    file_access: Option<FileAccess>,
    /// What kind of data it holds.
    data_type: Option<String>,
    /// Merged into what is there, one level deep.
    #[schema(value_type = Option<Object>)]
    info: Option<Map<String, Value>>,
}

/// The kinds of file updates.
#[derive(ToSchema)]
#[schema(rename_all = "SCREAMING_SNAKE_CASE")]
#[expect(clippy::enum_variant_names, reason = "the names are those of the wire")]
pub(crate) enum FileUpdateType {
    ContentUpdate,
    MetadataUpdate,
    NoUpdate,
}

/// What a file update did.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct FileUpdateResponse {
    /// What kind of change it was.
    file_update_type: FileUpdateType,
    /// The state of the analysis.
    original_analysis_state: AnalysisState,
    /// Always false.
    unpublished_analysis: bool,
    /// What was done, in words.
    message: String,
    /// The file before the change.
    original_file: File,
}

/// The exported analyses of a study.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
pub(crate) struct ExportedStudy {
    /// The study.
    study_id: String,
    /// The analyses as they can be submitted again.
    payloads: Vec<AnalysisPayload>,
}
