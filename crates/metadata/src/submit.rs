//! Submission: all checks in the order clients rely on, then one write.

use bytes::Bytes;
use cantata_core::json::parse_exact_json;
use cantata_core::{Analysis, AnalysisId, AnalysisState, Error, ErrorId, ErrorOrigin, Result, Timestamp};
use cantata_schema::{SchemaViolation, join_violations};
use cantata_store::{DuplicateRule, FileLocation, FileRow, InsertOutcome, NewAnalysis};
use serde_json::Value;

use crate::MetadataService;
use crate::payload::{PayloadParts, read_type_reference, split_payload, split_plain};
use crate::plain_payload::PlainPayload;
use crate::studies::{study_mismatch, unknown_study};
use crate::types::CompiledType;

/// Payloads larger than this are parsed and validated on the blocking pool.
const LARGE_PAYLOAD_BYTES: usize = 256 * 1024;

/// How many characters of a malformed payload an error shows.
const MAX_EXCERPT_CHARS: usize = 200;

/// Options of a submission.
#[derive(Debug, Clone, Copy, Default)]
pub struct SubmitOptions {
    /// Whether files may have checksums that are stored already.
    pub allow_duplicates: bool,
    /// Whether the analysis is published as it is stored; one that may not be published is not stored either.
    pub publish: bool,
}

impl MetadataService {
    /// Checks a payload and stores it as a new analysis.
    pub async fn submit(&self, study_id: &str, payload: Bytes, options: SubmitOptions) -> Result<AnalysisId> {
        let analysis = self.checked_analysis(study_id, payload, options).await?;
        self.insert(&analysis, options).await
    }

    /// Checks a payload as [`MetadataService::submit`] does, and stores nothing.
    pub async fn validate(&self, study_id: &str, payload: Bytes, options: SubmitOptions) -> Result<()> {
        self.validated_analysis(study_id, payload, options).await.map(|_| ())
    }

    /// Checks a payload and whether its files are stored already; returns the analysis that it would make.
    pub(crate) async fn validated_analysis(
        &self,
        study_id: &str,
        payload: Bytes,
        options: SubmitOptions,
    ) -> Result<Analysis> {
        let analysis = self.checked_analysis(study_id, payload, options).await?;
        let files = analysis.files.iter().map(FileRow::of).collect::<Result<Vec<_>, _>>()?;
        if let Some(insertion) = self.store.find_duplicate(&files, self.duplicate_rule(options)).await? {
            self.require_stored(&analysis, insertion).await?;
        }
        Ok(analysis)
    }

    /// Checks a payload and returns the analysis that it makes, not stored yet.
    pub(crate) async fn checked_analysis(
        &self,
        study_id: &str,
        payload: Bytes,
        options: SubmitOptions,
    ) -> Result<Analysis> {
        self.require_study(study_id).await?;
        if options.publish && self.storage.is_some() {
            return Err(not_uploaded());
        }
        let mut analysis = match self.analysis_of_plain(study_id, &payload).await? {
            Some(analysis) => analysis,
            None => self.analysis_of_any(study_id, payload).await?,
        };
        if options.publish {
            analysis.change_state(AnalysisState::Published, analysis.created_at)?;
        }
        Ok(analysis)
    }

    /// Checks a plain payload and returns the analysis that it makes; nothing if it is not plain, or has violations,
    /// all of which are then found in it as any JSON.
    async fn analysis_of_plain(&self, study_id: &str, payload: &Bytes) -> Result<Option<Analysis>> {
        let (size, text) = (payload.len(), payload.clone());
        let plain = run_blocking_if_large(size, move || Ok(PlainPayload::parse(&text))).await?;
        let Some(plain) = plain else { return Ok(None) };
        let named = read_type_reference(&plain.with_first_file)?;
        let compiled = self.compiled_type(named.name, named.version, ErrorOrigin::SubmitService).await?;
        let has_external_validations = !compiled.options.external_validations.is_empty();
        if has_external_validations || !compiled.validator.has_base_files() {
            return Ok(None);
        }
        let checking = std::sync::Arc::clone(&compiled);
        let validate = move || {
            let violations = checking.validator.validate_submission(&plain.with_first_file);
            Ok(violations.is_empty().then_some(plain))
        };
        let Some(plain) = run_blocking_if_large(size, validate).await? else { return Ok(None) };
        let files = plain.files.iter().map(|file| (file.file_name.as_str(), file.file_type.as_str()));
        compiled.check_file_types(ErrorOrigin::SubmitService, files)?;
        require_same_study(study_id, &plain.with_first_file)?;
        new_analysis(study_id, &compiled, |analysis_id| split_plain(plain, study_id, analysis_id)).map(Some)
    }

    /// Checks a payload that may be any JSON and returns the analysis that it makes.
    async fn analysis_of_any(&self, study_id: &str, payload: Bytes) -> Result<Analysis> {
        let size = payload.len();
        let payload = run_blocking_if_large(size, move || parse(&payload)).await?;
        let named = read_type_reference(&payload)?;
        let compiled = self.compiled_type(named.name, named.version, ErrorOrigin::SubmitService).await?;
        let checking = std::sync::Arc::clone(&compiled);
        let payload = run_blocking_if_large(size, move || check_schema(&checking, payload)).await?;
        require_same_study(study_id, &payload)?;
        self.external.check(study_id, &payload, &compiled.options.external_validations).await?;
        new_analysis(study_id, &compiled, |analysis_id| split_payload(payload, study_id, analysis_id))
    }

    /// Stores a new analysis unless one of its files is stored already.
    pub(crate) async fn insert(&self, analysis: &Analysis, options: SubmitOptions) -> Result<AnalysisId> {
        let rule = self.duplicate_rule(options);
        let insertion = self.store.insert_analysis(NewAnalysis::of(analysis)?, rule).await?;
        self.require_stored(analysis, insertion).await
    }

    async fn require_stored(&self, analysis: &Analysis, insertion: InsertOutcome) -> Result<AnalysisId> {
        match insertion {
            InsertOutcome::Stored(_) => Ok(analysis.analysis_id),
            InsertOutcome::UnknownStudy => Err(unknown_study(&analysis.study_id)),
            InsertOutcome::Duplicate { file_name, object_id, analysis_id } => {
                let is_of_study = |file: FileLocation| file.study_id == analysis.study_id;
                let is_named =
                    !self.settings.hide_other_studies || self.store.file(object_id).await?.is_some_and(is_of_study);
                let other = match is_named {
                    true => format!("the stored file with objectId '{object_id}' and analysisId '{analysis_id}'"),
                    false => "a stored file".to_owned(),
                };
                Err(duplicate(&file_name, &other))
            }
        }
    }

    /// Returns which files make a submission a duplicate.
    pub(crate) fn duplicate_rule(&self, options: SubmitOptions) -> DuplicateRule {
        match (options.allow_duplicates, self.settings.duplicates_in_published_only) {
            (true, _) => DuplicateRule::Allow,
            (false, true) => DuplicateRule::PublishedAnalysis,
            (false, false) => DuplicateRule::AnyAnalysis,
        }
    }
}

/// Makes the error for a file that has the checksum of another one.
pub(crate) fn duplicate(file_name: &str, other: &str) -> Error {
    let text = format!(
        "File already exist: '{file_name}' has the MD5 checksum of {other}; to store it again, submit with \
         allowDuplicates=true"
    );
    Error::new(ErrorOrigin::SubmitService, ErrorId::InfoAlreadyExists, text)
}

/// Makes the error for publishing at once what has to be in storage first.
fn not_uploaded() -> Error {
    let text = "publish=true is not possible on a server that looks for the files in storage first: their object ids \
                are known once the analysis is stored. Submit without it, upload the files, then publish";
    Error::new(ErrorOrigin::SubmitService, ErrorId::MissingStorageObjects, text)
}

fn schema_error(text: &str) -> Error {
    Error::schema_violation(ErrorOrigin::SubmitService, text)
}

pub(crate) async fn run_blocking_if_large<T: Send + 'static>(
    size: usize,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    if size <= LARGE_PAYLOAD_BYTES {
        return work();
    }
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        tracing::error!(%error, "checking a payload failed");
        let text = "The payload could not be checked; the log has the cause";
        Error::new(ErrorOrigin::SubmitService, ErrorId::UnknownError, text)
    })?
}

fn parse(payload: &[u8]) -> Result<Value> {
    if payload.iter().all(u8::is_ascii_whitespace) {
        let text = "The body is empty; send the analysis as a JSON object";
        return Err(Error::new(ErrorOrigin::SubmitService, ErrorId::MalformedRequestBody, text));
    }
    parse_exact_json(payload).map_err(|error| {
        let excerpt: String = String::from_utf8_lossy(payload).chars().take(MAX_EXCERPT_CHARS).collect();
        let ellipsis = if excerpt.len() < payload.len() { "…" } else { "" };
        let text = format!("Unable to read the input payload: {error}; the payload begins: {excerpt}{ellipsis}");
        Error::new(ErrorOrigin::SubmitService, ErrorId::PayloadParsing, text)
    })
}

fn check_schema(compiled: &CompiledType, payload: Value) -> Result<Value> {
    let violations = compiled.validator.validate_submission(&payload);
    if !violations.is_empty() {
        return Err(schema_error(&join_violations(&violations)));
    }
    let files = payload["files"].as_array().into_iter().flatten();
    let files = files.map(|file| (text_of(&file["fileName"]), text_of(&file["fileType"])));
    compiled.check_file_types(ErrorOrigin::SubmitService, files)?;
    Ok(payload)
}

fn text_of(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn require_same_study(study_id: &str, payload: &Value) -> Result<()> {
    match payload["studyId"].as_str() {
        Some(named) if named == study_id => Ok(()),
        named => Err(study_mismatch(ErrorOrigin::SubmitService, study_id, named.unwrap_or_default())),
    }
}

fn new_analysis(
    study_id: &str,
    compiled: &CompiledType,
    split: impl FnOnce(AnalysisId) -> Result<PayloadParts, Vec<SchemaViolation>>,
) -> Result<Analysis> {
    let (analysis_id, now) = (AnalysisId::generate(), Timestamp::now());
    let PayloadParts { files, data } =
        split(analysis_id).map_err(|violations| schema_error(&join_violations(&violations)))?;
    Ok(Analysis::new(analysis_id, study_id, compiled.id.clone(), files, data, now))
}
