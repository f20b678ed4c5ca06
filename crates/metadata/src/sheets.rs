//! Submission sheets: the layout of an analysis type, and filled sheets, which are submitted together or not at all.
//!
//! Everything is checked before anything is stored: cells, the schema, and what a submission checks beside it. Only what
//! changes in between, such as a file that another client submits at the same time, can still be refused for a single
//! analysis.

use std::sync::Arc;

use bytes::Bytes;
use cantata_core::{AnalysisId, AnalysisTypeId, Error, ErrorId, ErrorOrigin, Result};
use cantata_tabular::{FilledSheets, Sheet, SheetError, SheetLayout};
use futures_util::{Stream, StreamExt, stream};
use serde_json::{Map, Value, json};

use crate::submit::run_blocking_if_large;
use crate::types::CompiledType;
use crate::{MetadataService, RegisteredType, SchemaView, SubmitOptions};

/// The members of a payload that are not in its sheet.
const WITHOUT: [&str; 2] = ["studyId", "analysisType"];

/// The column whose values the options of a type may limit.
const FILE_TYPE_COLUMN: &str = "files[].fileType";

/// Which sheets are read, and what is done with them.
#[derive(Debug, Clone)]
pub struct SheetsOfType {
    /// The name of the analysis type.
    pub name: String,
    /// Its version; the latest if there is none.
    pub version: Option<u64>,
    /// Whether everything is checked and nothing stored.
    pub validate_only: bool,
    /// How analyses are stored.
    pub options: SubmitOptions,
}

/// What became of filled sheets.
#[derive(Debug)]
pub struct SheetSubmission {
    /// The version that the sheets were read by.
    pub analysis_type: AnalysisTypeId,
    /// What is in the sheets, with all violations.
    pub filled: FilledSheets,
    /// The result of each analysis; nothing if none was to be stored.
    pub results: Vec<Result<AnalysisId>>,
}

impl MetadataService {
    /// Returns the layout of the sheets of a type, in a version or the latest one.
    pub async fn sheet_layout(&self, name: &str, version: Option<u64>) -> Result<(AnalysisTypeId, SheetLayout)> {
        let registered = match version {
            Some(version) => self.analysis_type(name, version, SchemaView::Rendered).await?,
            None => self.type_versions(name, SchemaView::Rendered, 1).await?.result_set.swap_remove(0),
        };
        let RegisteredType { name, version, options, schema, .. } = registered;
        let id = AnalysisTypeId { name, version };
        let schema = schema.unwrap_or_default();
        let type_name = id.name.clone();
        let layout = run_blocking_if_large(usize::MAX, move || {
            SheetLayout::of_schema(&schema, &WITHOUT, (FILE_TYPE_COLUMN, &options.file_types)).map_err(|reason| {
                let text = format!("The analysisType with name '{type_name}' cannot be a sheet: {reason}");
                Error::malformed_parameter(ErrorOrigin::AnalysisTypeService, text)
            })
        });
        Ok((id, layout.await?))
    }

    /// Checks filled sheets, and stores all their analyses if there is no violation.
    pub async fn submit_sheets(
        &self,
        study_id: &str,
        request: SheetsOfType,
        read: impl FnOnce() -> Result<Vec<Sheet>, SheetError> + Send + 'static,
    ) -> Result<SheetSubmission> {
        let SheetsOfType { name, version, validate_only, options } = request;
        self.require_study(study_id).await?;
        let version = version.map(|version| i64::try_from(version).unwrap_or(i64::MAX));
        let compiled = self.compiled_type(&name, version, ErrorOrigin::SubmitService).await?;
        let (analysis_type, layout) = self.sheet_layout(&name, Some(compiled.id.version.into())).await?;
        let mut head = Map::new();
        head.insert("studyId".to_owned(), study_id.into());
        let named = json!({"name": analysis_type.name, "version": analysis_type.version});
        head.insert("analysisType".to_owned(), named);
        let checked = run_blocking_if_large(usize::MAX, move || {
            let sheets = read().map_err(|error| unusable(&error.to_string()))?;
            Ok(check_sheets(&compiled, &Arc::new(layout), sheets, &head))
        });
        let (mut filled, payloads) = checked.await?;
        if payloads.is_empty() && filled.violation_count() == 0 {
            return Err(unusable("it has no row with an analysis; fill the sheet 'analyses'"));
        }
        if filled.violation_count() == 0 {
            let outcomes: Vec<Result<()>> =
                self.validate_batch(study_id, options, stream_of(&payloads)).collect().await;
            for (index, outcome) in outcomes.into_iter().enumerate() {
                if let Err(error) = outcome {
                    filled.add_document_violation(index, error.text);
                }
            }
        }
        let results = match validate_only || filled.violation_count() > 0 {
            true => Vec::new(),
            false => self.submit_batch(study_id, options, stream_of(&payloads)).collect().await,
        };
        Ok(SheetSubmission { analysis_type, filled, results })
    }
}

fn stream_of(payloads: &[Bytes]) -> impl Stream<Item = Result<Bytes>> + use<> {
    let payloads: Vec<Result<Bytes>> = payloads.iter().cloned().map(Ok).collect();
    stream::iter(payloads)
}

/// Reads sheets and checks their documents against the schema; returns the payloads, too.
fn check_sheets(
    compiled: &CompiledType,
    layout: &Arc<SheetLayout>,
    sheets: Vec<Sheet>,
    head: &Map<String, Value>,
) -> (FilledSheets, Vec<Bytes>) {
    let mut filled = layout.read(sheets);
    let mut payloads = Vec::with_capacity(filled.documents().len());
    for index in 0..filled.documents().len() {
        let mut payload = head.clone();
        if let Value::Object(members) = &filled.documents()[index] {
            payload.extend(members.clone());
        }
        let payload = Value::Object(payload);
        for violation in compiled.validator.validate_submission(&payload) {
            filled.add_schema_violation(index, &violation.pointer, &violation.text);
        }
        payloads.push(Bytes::from(payload.to_string()));
    }
    (filled, payloads)
}

fn unusable(reason: &str) -> Error {
    let text = format!("The sheet cannot be used: {reason}");
    Error::new(ErrorOrigin::SubmitService, ErrorId::MalformedRequestBody, text)
}
