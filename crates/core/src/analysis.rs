//! The analysis: some files and one metadata record that describes them.
//!
//! Its document, the JSON text that every read and every event shows, is written once per change and stored as it
//! is. The members the server owns come first, the dynamic data of the analysis type follows inline; because the
//! names of the former are rejected in the latter, no name occurs twice.

mod document;

use std::borrow::Cow;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::{
    AnalysisId, AnalysisState, AnalysisTypeId, Error, ErrorId, ErrorOrigin, File, Result, StateChange, Timestamp,
};

/// The names of top-level members that only the server writes; a payload that has one is rejected.
pub const SERVER_OWNED_FIELDS: [&str; 8] = [
    "analysisId",
    "analysisState",
    "analysisTypeId",
    "createdAt",
    "updatedAt",
    "firstPublishedAt",
    "publishedAt",
    "analysisStateHistory",
];

/// An analysis, by default with its files and data deserialized.
#[derive(Debug, Clone, PartialEq)]
pub struct Analysis<Files = Vec<File>, Data = Map<String, Value>> {
    /// The id.
    pub analysis_id: AnalysisId,
    /// The study it belongs to.
    pub study_id: String,
    /// Its publication state.
    pub state: AnalysisState,
    /// When it was submitted.
    pub created_at: Timestamp,
    /// When its state or its data changed last.
    pub updated_at: Timestamp,
    /// Every state change, oldest first.
    pub history: Vec<StateChange>,
    /// Its files.
    pub files: Files,
    /// The type version it was validated against.
    pub analysis_type: AnalysisTypeId,
    /// The members that the analysis type's own schema describes.
    pub data: Data,
}

/// An analysis whose files and data stay raw JSON, for changes that touch neither.
pub type RawAnalysis<'a> = Analysis<&'a RawValue, Vec<(Cow<'a, str>, &'a RawValue)>>;

impl<Files, Data> Analysis<Files, Data> {
    /// Returns an analysis that was submitted now: unpublished, and never in another state.
    pub fn new(
        analysis_id: AnalysisId,
        study_id: &str,
        analysis_type: AnalysisTypeId,
        files: Files,
        data: Data,
        now: Timestamp,
    ) -> Self {
        Self {
            analysis_id,
            study_id: study_id.to_owned(),
            state: AnalysisState::Unpublished,
            created_at: now,
            updated_at: now,
            history: Vec::new(),
            files,
            analysis_type,
            data,
        }
    }

    /// Returns when it was published for the first time.
    pub fn first_published_at(&self) -> Option<Timestamp> {
        self.publications().min()
    }

    /// Returns when it was published last.
    pub fn published_at(&self) -> Option<Timestamp> {
        self.publications().max()
    }

    fn publications(&self) -> impl Iterator<Item = Timestamp> {
        self.history
            .iter()
            .filter(|change| change.updated_state == AnalysisState::Published)
            .map(|change| change.updated_at)
    }

    /// Changes the state and records the transition, or returns an error if it is not allowed.
    pub fn change_state(&mut self, next: AnalysisState, now: Timestamp) -> Result<()> {
        if !self.state.can_become(next) {
            let Self { analysis_id, state, .. } = self;
            let text =
                format!("Cannot change the analysis state for analysisId '{analysis_id}' from '{state}' to '{next}'");
            return Err(Error::new(ErrorOrigin::AnalysisService, ErrorId::SuppressedStateTransition, text));
        }
        self.history.push(StateChange { initial_state: self.state, updated_state: next, updated_at: now });
        if self.state != next {
            self.updated_at = now;
        }
        self.state = next;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn sample() -> Analysis {
        let analysis_type = AnalysisTypeId { name: "t".into(), version: 1 };
        let data = json!({"experiment": {"b": 1, "a": ""}}).as_object().cloned().unwrap();
        Analysis::new(AnalysisId::generate(), "S", analysis_type, vec![], data, Timestamp::from_micros(1_000_000))
    }

    #[test]
    fn document_reads_back_and_keeps_its_order() {
        let mut analysis = sample();
        analysis.change_state(AnalysisState::Published, Timestamp::from_micros(2_000_001)).unwrap();
        let document = serde_json::to_string(&analysis).unwrap();
        assert_eq!(serde_json::from_str::<Analysis>(&document).unwrap(), analysis);
        let experiment = document.find("experiment").unwrap();
        assert!(document.find("analysisId").unwrap() < experiment);
        assert!(document.ends_with(r#""experiment":{"b":1,"a":""}}"#), "{document}");
    }

    #[test]
    fn what_is_not_read_stays_as_it_is_written() {
        let mut analysis = sample();
        analysis.data.insert("size\n".into(), json!([1.0, "\u{1F600}", {"deep": null}]));
        let document = serde_json::to_string(&analysis).unwrap();
        let mut written: RawAnalysis<'_> = serde_json::from_str(&document).unwrap();
        assert_eq!(serde_json::to_string(&written).unwrap(), document);
        written.change_state(AnalysisState::Published, Timestamp::from_micros(2_000_001)).unwrap();
        analysis.change_state(AnalysisState::Published, Timestamp::from_micros(2_000_001)).unwrap();
        assert_eq!(serde_json::to_string(&written).unwrap(), serde_json::to_string(&analysis).unwrap());
        let missing = serde_json::from_str::<Analysis>(&document.replacen("studyId", "study", 1)).unwrap_err();
        assert!(missing.to_string().contains("studyId"), "{missing}");
    }

    #[test]
    fn publication_times_survive_unpublishing() {
        let mut analysis = sample();
        for (moment, state) in
            [(2, AnalysisState::Published), (3, AnalysisState::Unpublished), (4, AnalysisState::Published)]
        {
            analysis.change_state(state, Timestamp::from_micros(moment)).unwrap();
        }
        analysis.change_state(AnalysisState::Unpublished, Timestamp::from_micros(5)).unwrap();
        assert_eq!(analysis.first_published_at(), Some(Timestamp::from_micros(2)));
        assert_eq!(analysis.published_at(), Some(Timestamp::from_micros(4)));
        assert_eq!(analysis.history.len(), 4);
    }
}
