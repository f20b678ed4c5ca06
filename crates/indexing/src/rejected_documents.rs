//! Rejected documents: those that could not be indexed, with the reason, for operators.
//!
//! Of each catalogue the latest ones are kept, each until a later revision of its analysis is indexed.

use std::collections::VecDeque;

use cantata_core::Timestamp;
use hashbrown::HashSet;
use serde::{Deserialize, Serialize};

/// How many are kept of a catalogue.
const MAX_REJECTED: usize = 1_000;

/// The longest reason, in characters.
const MAX_REASON_CHARS: usize = 1_000;

/// The rejection of a document that could not be indexed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DocumentRejection {
    /// Its analysis.
    pub analysis_id: String,
    /// Its id; nothing if the whole analysis was rejected.
    pub document_id: Option<String>,
    /// Why.
    pub reason: String,
    /// When.
    pub at: Timestamp,
}

impl DocumentRejection {
    pub(crate) fn new(analysis_id: String, document_id: Option<String>, reason: String) -> Self {
        let reason = match reason.char_indices().nth(MAX_REASON_CHARS) {
            Some((end, _)) => format!("{} …", &reason[..end]),
            None => reason,
        };
        Self { analysis_id, document_id, reason, at: Timestamp::now() }
    }
}

/// The rejected documents of one catalogue, the oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RejectedDocuments {
    pub(crate) documents: VecDeque<DocumentRejection>,
    /// How many older ones were dropped.
    pub(crate) dropped: u64,
}

impl RejectedDocuments {
    /// Records the result of a batch; returns whether anything changed.
    pub(crate) fn record(&mut self, analyses: &HashSet<String>, rejected: Vec<DocumentRejection>) -> bool {
        let before = self.documents.len();
        self.documents.retain(|document| !analyses.contains(&document.analysis_id));
        let changed = self.documents.len() != before || !rejected.is_empty();
        self.documents.extend(rejected);
        while self.documents.len() > MAX_REJECTED {
            self.documents.pop_front();
            self.dropped += 1;
        }
        changed
    }
}
