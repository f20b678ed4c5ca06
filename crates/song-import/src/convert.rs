//! Converts rows of the SONG database to studies and analyses.

use cantata_core::analysis::SERVER_OWNED_FIELDS;
use cantata_core::file::parse_md5;
use cantata_core::{
    Analysis, AnalysisId, AnalysisState, AnalysisTypeId, File, FileAccess, ObjectId, StateChange, Study, Timestamp,
};
use serde_json::{Map, Value};

use crate::error::RowError;
use crate::exact_json;
use crate::rows::{AnalysisRow, AnalysisRows, SongFileRow, StateRow, StudyRow};
use crate::samples::samples;

/// The names of members that are not part of the data of an analysis.
const RESERVED_MEMBERS: [&str; 3] = ["studyId", "files", "analysisType"];

/// The last time that can be written with four digits for the year.
const MAX_TIMESTAMP_MICROS: i64 = 253_402_300_799_999_999;

/// The member that holds samples.
const SAMPLES: &str = "samples";

/// Converts the row of a study.
pub(crate) fn study(row: StudyRow) -> Result<Study, RowError> {
    Study::check_id(&row.id).map_err(|error| error.text)?;
    let info = exact_json::parse_object(row.info.as_deref()).map_err(|reason| format!("its info record {reason}"))?;
    Ok(Study { info, study_id: row.id, name: row.name, organization: row.organization, description: row.description })
}

/// An analysis that was converted from its rows.
#[derive(Debug)]
pub(crate) struct ConvertedAnalysis {
    pub(crate) analysis: Analysis,
    /// Whether its samples come from tables of their own.
    pub(crate) has_folded_samples: bool,
}

/// Converts the rows of an analysis.
///
/// `type_of` says which type version a row of types became.
pub(crate) fn analysis(
    rows: AnalysisRows,
    type_of: impl Fn(i64) -> Option<AnalysisTypeId>,
) -> Result<ConvertedAnalysis, RowError> {
    let AnalysisRows { analysis: row, files, states, samples: sample_rows } = rows;
    let analysis_id = AnalysisId::parse(&row.id).ok_or("its id is no UUID in lower case")?;
    let study_id = row.study_id.clone().ok_or("it belongs to no study")?;
    let type_id = row.type_id.ok_or("it has no analysis type")?;
    let analysis_type = type_of(type_id).ok_or_else(|| format!("its analysis type, row {type_id}, is not imported"))?;
    let mut data = data(&row)?;
    let has_folded_samples = !data.contains_key(SAMPLES) && !sample_rows.is_empty();
    if has_folded_samples {
        data.insert(SAMPLES.to_owned(), samples(&sample_rows)?);
    }
    let file = |file: SongFileRow| {
        let id = file.id.clone();
        self::file(file, analysis_id, &study_id).map_err(|reason| format!("its file '{id}' {reason}"))
    };
    let change = |change: StateRow| {
        let id = change.id;
        state_change(&change).ok_or_else(|| format!("its state change {id} lacks a state or a moment"))
    };
    let analysis = Analysis {
        analysis_id,
        state: state(row.state.as_deref()).ok_or("it has no state")?,
        created_at: timestamp(row.created_at).ok_or("its created_at is no moment")?,
        updated_at: timestamp(row.updated_at).ok_or("its updated_at is no moment")?,
        history: states.into_iter().map(change).collect::<Result<_, _>>()?,
        files: files.into_iter().map(file).collect::<Result<_, _>>()?,
        study_id,
        analysis_type,
        data,
    };
    Ok(ConvertedAnalysis { analysis, has_folded_samples })
}

fn data(row: &AnalysisRow) -> Result<Map<String, Value>, RowError> {
    let data = exact_json::parse_object(row.data.as_deref()).map_err(|reason| format!("its data: {reason}"))?;
    let is_reserved =
        |name: &&String| SERVER_OWNED_FIELDS.contains(&name.as_str()) || RESERVED_MEMBERS.contains(&name.as_str());
    match data.keys().find(is_reserved) {
        Some(name) => Err(format!("its data has a member '{name}', which only the server writes").into()),
        None => Ok(data),
    }
}

fn file(row: SongFileRow, analysis_id: AnalysisId, study_id: &str) -> Result<File, RowError> {
    let object_id = ObjectId::parse(&row.id).ok_or("has an id that is no UUID in lower case")?;
    if row.study_id.as_deref() != Some(study_id) {
        return Err(
            format!("belongs to study '{}' and not to that of its analysis", row.study_id.unwrap_or_default()).into()
        );
    }
    let md5 = row.md5.unwrap_or_default();
    if parse_md5(&md5).is_none() {
        return Err(format!("has no MD5 checksum, but '{md5}'").into());
    }
    let info =
        exact_json::parse_object(row.info.as_deref()).map_err(|reason| format!("has an info record: {reason}"))?;
    Ok(File {
        info,
        object_id,
        study_id: study_id.to_owned(),
        analysis_id,
        file_name: row.name.ok_or("has no name")?,
        file_size: row.size.ok_or("has no size")?,
        file_type: row.file_type.ok_or("has no type")?,
        file_md5sum: md5,
        file_access: row.access.as_deref().and_then(FileAccess::parse).ok_or("has no access level")?,
        // Databases that are older than this column leave it out; there is no other way to say so here.
        data_type: row.data_type.unwrap_or_default(),
    })
}

fn state_change(row: &StateRow) -> Option<StateChange> {
    Some(StateChange {
        initial_state: state(row.initial_state.as_deref())?,
        updated_state: state(row.updated_state.as_deref())?,
        updated_at: timestamp(row.updated_at)?,
    })
}

fn state(text: Option<&str>) -> Option<AnalysisState> {
    text.and_then(AnalysisState::parse)
}

/// Converts a time, if it can be written with four digits for the year.
pub(crate) fn timestamp(micros: Option<i64>) -> Option<Timestamp> {
    micros.filter(|micros| (-MAX_TIMESTAMP_MICROS..=MAX_TIMESTAMP_MICROS).contains(micros)).map(Timestamp::from_micros)
}
