//! Events: one for every change of an analysis, numbered in the order in which the changes were stored.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{AnalysisId, AnalysisState};

/// What happened to an analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum EventAction {
    /// It was submitted.
    Create,
    /// It was published.
    Publish,
    /// It was unpublished.
    Unpublish,
    /// It was suppressed.
    Suppress,
    /// Its data or its files were changed.
    Update,
}

impl EventAction {
    /// Every action.
    pub const ALL: [EventAction; 5] = [Self::Create, Self::Publish, Self::Unpublish, Self::Suppress, Self::Update];

    /// Returns the action that brings an analysis into a state.
    pub fn for_state(state: AnalysisState) -> Self {
        match state {
            AnalysisState::Unpublished => Self::Unpublish,
            AnalysisState::Published => Self::Publish,
            AnalysisState::Suppressed => Self::Suppress,
        }
    }
}

/// A stored change of an analysis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The event's number; later events have larger numbers.
    pub seq: u64,
    /// The analysis that changed.
    pub analysis_id: AnalysisId,
    /// The study it belongs to.
    pub study_id: String,
    /// Its state after the change.
    pub state: AnalysisState,
    /// What happened.
    pub action: EventAction,
    /// The complete analysis after the change, as JSON text.
    pub document: String,
}

/// The wire form of an event; members and their order are those of SONG.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EventMessage<'a> {
    analysis_id: AnalysisId,
    study_id: &'a str,
    state: AnalysisState,
    action: EventAction,
    song_server_id: &'a str,
    analysis: &'a RawValue,
}

impl Event {
    /// Serializes the event as consumers see it on every transport; fails if its document is not JSON.
    pub fn message(&self, server_id: &str) -> serde_json::Result<String> {
        serde_json::to_string(&EventMessage {
            analysis_id: self.analysis_id,
            study_id: &self.study_id,
            state: self.state,
            action: self.action,
            song_server_id: server_id,
            analysis: serde_json::from_str(&self.document)?,
        })
    }
}
