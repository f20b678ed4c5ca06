//! Verification: digests of what SONG has and of what the store has, computed independently.
//!
//! Those of SONG are computed from rows as they were read, those of the store from documents as they are read back.

use cantata_core::{Analysis, AnalysisId, AnalysisType, Study};
use cantata_store::{Store, StoreError};
use futures_util::future::try_join_all;
use serde_json::{Value, json};

use crate::exact_json::{self, canonical};
use crate::report::{DigestsByKind, RecordKind};
use crate::rows::{AnalysisRows, SongFileRow, StateRow};

/// How many analyses are read at once.
const MAX_CONCURRENT_READS: usize = 64;

/// Adds a study.
pub(crate) fn digest_study(digests: &mut DigestsByKind, study: &Study) {
    digests.of(RecordKind::Study).add(&[&study.study_id, &canonical(&json!(study))]);
}

/// Adds a version of an analysis type.
pub(crate) fn digest_type(digests: &mut DigestsByKind, analysis_type: &AnalysisType) {
    let AnalysisType { id, options, schema, .. } = analysis_type;
    digests.of(RecordKind::AnalysisType).add(&[&id.to_string(), &canonical(&json!(options)), &canonical(schema)]);
}

/// What SONG has of an analysis, taken before its rows are converted. The first part of each is its id.
pub(crate) struct SongRecord {
    pub(crate) analysis: [String; 5],
    pub(crate) files: Vec<[String; 10]>,
    pub(crate) states: Vec<[String; 5]>,
}

impl SongRecord {
    /// Takes the parts of an analysis' rows that are compared.
    pub(crate) fn of(rows: &AnalysisRows) -> Self {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let number = |number: Option<i64>| number.map(|number| number.to_string()).unwrap_or_default();
        let json = |text: &Option<String>| match exact_json::parse_object(text.as_deref()) {
            Ok(members) => canonical(&Value::Object(members)),
            Err(reason) => reason.to_string(),
        };
        let row = &rows.analysis;
        let file = |file: &SongFileRow| {
            [
                file.id.clone(),
                file.analysis_id.clone(),
                text(&file.study_id),
                text(&file.name),
                number(file.size),
                text(&file.md5),
                text(&file.file_type),
                text(&file.access),
                text(&file.data_type),
                json(&file.info),
            ]
        };
        let state = |state: &StateRow| {
            [
                state.id.to_string(),
                state.analysis_id.clone(),
                text(&state.initial_state),
                text(&state.updated_state),
                number(state.updated_at),
            ]
        };
        Self {
            analysis: [
                row.id.clone(),
                text(&row.study_id),
                text(&row.state),
                number(row.created_at),
                number(row.updated_at),
            ],
            files: rows.files.iter().map(file).collect(),
            states: rows.states.iter().map(state).collect(),
        }
    }

    /// Adds the record, with the type and the data of the converted analysis.
    pub(crate) fn count(&self, digests: &mut DigestsByKind, analysis: &Analysis) {
        let (analysis_type, data) = type_and_data(analysis);
        let mut parts: Vec<&str> = self.analysis.iter().map(String::as_str).collect();
        parts.extend([analysis_type.as_str(), &data]);
        digests.of(RecordKind::Analysis).add(&parts);
        for file in &self.files {
            digests.of(RecordKind::File).add(&file.each_ref().map(String::as_str));
        }
        for state in &self.states {
            // The ids of state changes exist in SONG only.
            let [_, parts @ ..] = state.each_ref().map(String::as_str);
            digests.of(RecordKind::StateChange).add(&parts);
        }
    }
}

fn type_and_data(analysis: &Analysis) -> (String, String) {
    (analysis.analysis_type.to_string(), canonical(&Value::Object(analysis.data.clone())))
}

/// Adds what the store has of these analyses.
pub(crate) async fn digest_stored(
    store: &dyn Store,
    digests: &mut DigestsByKind,
    ids: &[AnalysisId],
) -> Result<(), StoreError> {
    for ids in ids.chunks(MAX_CONCURRENT_READS) {
        for stored in try_join_all(ids.iter().map(|id| store.analysis(*id))).await?.into_iter().flatten() {
            let analysis: Analysis = serde_json::from_str(&stored.document)
                .map_err(|error| StoreError::corrupt(format!("revision {}", stored.revision.0), error))?;
            digest_analysis(digests, &analysis);
        }
    }
    Ok(())
}

fn digest_analysis(digests: &mut DigestsByKind, analysis: &Analysis) {
    let (analysis_type, data) = type_and_data(analysis);
    let id = analysis.analysis_id.to_string();
    digests.of(RecordKind::Analysis).add(&[
        &id,
        &analysis.study_id,
        analysis.state.as_str(),
        &analysis.created_at.as_micros().to_string(),
        &analysis.updated_at.as_micros().to_string(),
        &analysis_type,
        &data,
    ]);
    for file in &analysis.files {
        digests.of(RecordKind::File).add(&[
            &file.object_id.to_string(),
            &file.analysis_id.to_string(),
            &file.study_id,
            &file.file_name,
            &file.file_size.to_string(),
            &file.file_md5sum,
            &file.file_type,
            file.file_access.as_str(),
            &file.data_type,
            &canonical(&Value::Object(file.info.clone())),
        ]);
    }
    for change in &analysis.history {
        digests.of(RecordKind::StateChange).add(&[
            &id,
            change.initial_state.as_str(),
            change.updated_state.as_str(),
            &change.updated_at.as_micros().to_string(),
        ]);
    }
}
