//! Export: stored analyses as payloads that can be submitted again as they are.

use cantata_core::{Analysis, File, FileAccess, Result};
use cantata_store::{Revision, StateSet, StoreError};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::optimistic_update::{parse_analysis_id, unknown_analysis};
use crate::{DocumentStream, MetadataService};

/// The analyses of one study in an export.
pub struct StudyExport {
    /// The study.
    pub study_id: String,
    /// The documents of the analyses; [`to_payload`] makes each a payload.
    pub documents: DocumentStream,
}

impl MetadataService {
    /// Exports every analysis of a study, in any state.
    pub async fn export_study(&self, study_id: &str) -> Result<StudyExport> {
        let documents = self.list_analyses(study_id, StateSet::ALL).await?;
        Ok(StudyExport { study_id: study_id.to_owned(), documents })
    }

    /// Exports analyses, grouped by study in the order in which the studies first appear. One of a study that may not be
    /// read is unknown.
    pub async fn export_analyses(
        &self,
        analysis_ids: &[&str],
        can_read: impl Fn(&str) -> bool,
    ) -> Result<Vec<StudyExport>> {
        let mut groups: Vec<(String, Vec<Revision>)> = Vec::new();
        for analysis_id in analysis_ids {
            let stored = self.store.analysis(parse_analysis_id(analysis_id)?).await?;
            let stored = stored.filter(|stored| can_read(&stored.study_id));
            let stored = stored.ok_or_else(|| unknown_analysis(analysis_id))?;
            match groups.iter_mut().find(|(study_id, _)| *study_id == stored.study_id) {
                Some((_, revisions)) => revisions.push(stored.revision),
                None => groups.push((stored.study_id, vec![stored.revision])),
            }
        }
        let to_group = |(study_id, revisions)| StudyExport {
            study_id,
            documents: DocumentStream::new(self.store.clone(), revisions),
        };
        Ok(groups.into_iter().map(to_group).collect())
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PayloadFile<'a> {
    #[serde(skip_serializing_if = "Map::is_empty")]
    info: &'a Map<String, Value>,
    file_name: &'a str,
    file_size: i64,
    file_type: &'a str,
    file_md5sum: &'a str,
    file_access: FileAccess,
    data_type: &'a str,
}

impl<'a> From<&'a File> for PayloadFile<'a> {
    fn from(file: &'a File) -> Self {
        Self {
            info: &file.info,
            file_name: &file.file_name,
            file_size: file.file_size,
            file_type: &file.file_type,
            file_md5sum: &file.file_md5sum,
            file_access: file.file_access,
            data_type: &file.data_type,
        }
    }
}

struct Payload<'a>(&'a Analysis);

impl Serialize for Payload<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let analysis = self.0;
        let files: Vec<PayloadFile<'_>> = analysis.files.iter().map(PayloadFile::from).collect();
        let mut payload = serializer.serialize_map(None)?;
        payload.serialize_entry("studyId", &analysis.study_id)?;
        payload.serialize_entry("analysisType", &analysis.analysis_type)?;
        payload.serialize_entry("files", &files)?;
        for (name, value) in &analysis.data {
            payload.serialize_entry(name, value)?;
        }
        payload.end()
    }
}

/// Makes an analysis document a payload: without ids, states and times.
pub fn to_payload(document: &str) -> Result<String> {
    let corrupt = |error: serde_json::Error| StoreError::corrupt("an analysis document", error);
    let analysis: Analysis = serde_json::from_str(document).map_err(corrupt)?;
    Ok(serde_json::to_string(&Payload(&analysis)).map_err(corrupt)?)
}
