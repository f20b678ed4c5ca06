//! Documents that could not be indexed, with the reason: shown to operators, and in nobody's way.
//!
//! Of each catalogue the latest ones are kept. They go when a later revision of their analysis is taken in.

use std::collections::VecDeque;

use cantata_core::Timestamp;
use hashbrown::HashSet;
use serde::{Deserialize, Serialize};

/// How many are kept of a catalogue.
const KEPT: usize = 1_000;

/// The longest reason, in characters.
const LONGEST_REASON: usize = 1_000;

/// A document that could not be indexed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SetAsideDocument {
    /// Its analysis.
    pub analysis_id: String,
    /// Its id; nothing if the analysis as a whole could not become documents.
    pub document_id: Option<String>,
    /// Why.
    pub reason: String,
    /// When that was found out.
    pub at: Timestamp,
}

impl SetAsideDocument {
    pub(crate) fn new(analysis_id: String, document_id: Option<String>, reason: String) -> Self {
        let reason = match reason.char_indices().nth(LONGEST_REASON) {
            Some((end, _)) => format!("{} …", &reason[..end]),
            None => reason,
        };
        Self { analysis_id, document_id, reason, at: Timestamp::now() }
    }
}

/// The documents of one catalogue that could not be indexed, the oldest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SetAside {
    pub(crate) documents: VecDeque<SetAsideDocument>,
    /// How many there were for which there is no room.
    pub(crate) dropped: u64,
}

impl SetAside {
    /// Notes what became of a batch; says whether anything changed.
    pub(crate) fn note(&mut self, taken: &HashSet<String>, refused: Vec<SetAsideDocument>) -> bool {
        let before = self.documents.len();
        self.documents.retain(|document| !taken.contains(&document.analysis_id));
        let changed = self.documents.len() != before || !refused.is_empty();
        self.documents.extend(refused);
        while self.documents.len() > KEPT {
            self.documents.pop_front();
            self.dropped += 1;
        }
        changed
    }
}
