//! Files: reading, updating and deleting them. Each change is a change of the analysis the file belongs to.

use cantata_core::file::parse_md5;
use cantata_core::{
    Analysis, AnalysisState, Error, ErrorId, ErrorOrigin, EventAction, File, FileAccess, ObjectId, Result,
};
use cantata_store::{FileLocation, StateSet};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::MetadataService;
use crate::analyses::not_related;
use crate::payload::integer;

/// What kind of change a file update was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum FileUpdateType {
    /// Size or checksum: another file content.
    ContentUpdate,
    /// Access, data type or info.
    MetadataUpdate,
    /// Nothing.
    NoUpdate,
}

/// What a file update did.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileUpdate {
    /// What kind of change it was.
    pub file_update_type: FileUpdateType,
    /// The state of the analysis.
    pub original_analysis_state: AnalysisState,
    /// Whether the analysis was unpublished by it, which never happens.
    pub unpublished_analysis: bool,
    /// What was done, in words.
    pub message: String,
    /// The file before the change.
    pub original_file: File,
}

/// The values a file update asks for.
#[derive(Debug, Clone, Default)]
struct FileChanges {
    size: Option<i64>,
    md5sum: Option<String>,
    access: Option<FileAccess>,
    data_type: Option<String>,
    info: Option<Map<String, Value>>,
}

impl MetadataService {
    /// Returns a file of a study; one of an analysis in another state than these is unknown.
    pub async fn file(&self, study_id: &str, object_id: &str, visible: StateSet) -> Result<File> {
        let entry = self.file_entry(study_id, object_id).await?;
        let files = self.analysis_files(study_id, &entry.analysis_id.to_string(), visible).await;
        let files = files.map_err(|error| match error.id {
            ErrorId::AnalysisIdNotFound => unknown_file(object_id),
            _ => error,
        })?;
        let file = files.into_iter().find(|file| file.object_id == entry.object_id);
        file.ok_or_else(|| unknown_file(object_id))
    }

    /// Updates a file of a study.
    pub async fn update_file(&self, study_id: &str, object_id: &str, body: &Map<String, Value>) -> Result<FileUpdate> {
        let entry = self.file_entry(study_id, object_id).await?;
        let changes = read_changes(object_id, body)?;
        self.change(study_id, &entry.analysis_id.to_string(), |analysis| {
            let update = apply(analysis, entry.object_id, &changes)?;
            let action = (update.file_update_type != FileUpdateType::NoUpdate).then_some(EventAction::Update);
            Ok((action, update))
        })
        .await
    }

    /// Deletes files of a study; either all may be deleted or none is.
    pub async fn delete_files(&self, study_id: &str, object_ids: &[&str]) -> Result<()> {
        let mut by_analysis: Vec<(String, Vec<ObjectId>)> = Vec::new();
        for object_id in object_ids {
            let entry = self.file_entry(study_id, object_id).await?;
            let analysis_id = entry.analysis_id.to_string();
            match by_analysis.iter_mut().find(|(known, _)| *known == analysis_id) {
                Some((_, ids)) => ids.push(entry.object_id),
                None => by_analysis.push((analysis_id, vec![entry.object_id])),
            }
        }
        for (analysis_id, ids) in &by_analysis {
            let draft = self.draft(study_id, analysis_id).await?;
            remove(&mut draft.analysis().clone(), ids)?;
        }
        for (analysis_id, ids) in &by_analysis {
            self.change(study_id, analysis_id, |analysis| {
                remove(analysis, ids)?;
                Ok((Some(EventAction::Update), ()))
            })
            .await?;
        }
        Ok(())
    }

    async fn file_entry(&self, study_id: &str, object_id: &str) -> Result<FileLocation> {
        self.require_study(study_id).await?;
        let id = ObjectId::parse(object_id).ok_or_else(|| unknown_file(object_id))?;
        let entry = self.store.file(id).await?.ok_or_else(|| unknown_file(object_id))?;
        if entry.study_id == study_id {
            return Ok(entry);
        }
        if self.settings.hide_other_studies {
            return Err(unknown_file(object_id));
        }
        Err(not_related("objectId", object_id, study_id, &entry.study_id, ErrorOrigin::FileService))
    }
}

fn unknown_file(object_id: &str) -> Error {
    let text = format!("The file with objectId '{object_id}' does not exist");
    Error::new(ErrorOrigin::FileService, ErrorId::FileNotFound, text)
}

/// Reads the members of an update; those left out stay as they are, and so do all but `info` that are null, as in SONG.
/// Unknown ones are not used.
fn read_changes(object_id: &str, body: &Map<String, Value>) -> Result<FileChanges> {
    let mut errors = Vec::new();
    let mut changes = FileChanges::default();
    for (name, value) in body.iter().filter(|(name, value)| !value.is_null() || *name == "info") {
        let expected = match name.as_str() {
            "fileSize" => {
                changes.size = integer(value).filter(|size| *size > 0);
                changes.size.is_none().then_some("an integer greater than 0")
            }
            "fileMd5sum" => {
                changes.md5sum = value.as_str().filter(|text| parse_md5(text).is_some()).map(str::to_owned);
                changes.md5sum.is_none().then_some("an MD5 checksum of 32 hexadecimal digits")
            }
            "fileAccess" => {
                changes.access = value.as_str().and_then(FileAccess::parse);
                changes.access.is_none().then_some("one of open, controlled")
            }
            "dataType" => {
                changes.data_type = value.as_str().map(str::to_owned);
                changes.data_type.is_none().then_some("a string")
            }
            "info" => {
                changes.info = value.as_object().cloned();
                changes.info.is_none().then_some("an object")
            }
            _ => None,
        };
        errors.extend(expected.map(|expected| format!("#/{name}: {value} is not {expected}")));
    }
    if errors.is_empty() {
        return Ok(changes);
    }
    let errors = errors.join("|");
    let text = format!("The file update request for objectId '{object_id}' failed with the following errors: {errors}");
    Err(Error::new(ErrorOrigin::FileModificationService, ErrorId::InvalidFileUpdateRequest, text))
}

fn apply(analysis: &mut Analysis, object_id: ObjectId, changes: &FileChanges) -> Result<FileUpdate> {
    let (analysis_id, state) = (analysis.analysis_id, analysis.state);
    let reject = |reason: String| {
        let text = format!(
            "The file with objectId '{object_id}' and analysisId '{analysis_id}' cannot be updated since {reason}"
        );
        Err(Error::new(ErrorOrigin::FileModificationService, ErrorId::IllegalFileUpdateRequest, text))
    };
    if state == AnalysisState::Suppressed {
        return reject(format!("its analysisState is '{state}'"));
    }
    let file = analysis.files.iter_mut().find(|file| file.object_id == object_id);
    let file = file.ok_or_else(|| unknown_file(&object_id.to_string()))?;
    let original_file = file.clone();
    file.file_size = changes.size.unwrap_or(file.file_size);
    file.file_md5sum.clone_from(changes.md5sum.as_ref().unwrap_or(&original_file.file_md5sum));
    let content_differs = file.file_size != original_file.file_size || file.file_md5sum != original_file.file_md5sum;
    file.file_access = changes.access.unwrap_or(file.file_access);
    file.data_type.clone_from(changes.data_type.as_ref().unwrap_or(&original_file.data_type));
    file.info.extend(changes.info.clone().unwrap_or_default());
    let file_update_type = if content_differs {
        FileUpdateType::ContentUpdate
    } else if *file != original_file {
        FileUpdateType::MetadataUpdate
    } else {
        FileUpdateType::NoUpdate
    };
    if content_differs && state != AnalysisState::Unpublished {
        return reject(format!("its analysisState is '{state}' and 'UNPUBLISHED' is required"));
    }
    let verb = if file_update_type == FileUpdateType::NoUpdate { "No update for" } else { "Updated" };
    let message = format!("{verb} file with objectId '{object_id}' and analysisId '{analysis_id}'");
    Ok(FileUpdate {
        file_update_type,
        original_analysis_state: state,
        unpublished_analysis: false,
        message,
        original_file,
    })
}

fn remove(analysis: &mut Analysis, ids: &[ObjectId]) -> Result<()> {
    let reject = |reason: String| {
        let text = format!("The files of the analysisId '{}' cannot be deleted since {reason}", analysis.analysis_id);
        Err(Error::new(ErrorOrigin::FileService, ErrorId::IllegalFileUpdateRequest, text))
    };
    if analysis.state == AnalysisState::Suppressed {
        return reject(format!("its analysisState is '{}'", analysis.state));
    }
    if analysis.files.iter().all(|file| ids.contains(&file.object_id)) {
        return reject("an analysis must keep at least one file; suppress the analysis instead".to_owned());
    }
    analysis.files.retain(|file| !ids.contains(&file.object_id));
    Ok(())
}
