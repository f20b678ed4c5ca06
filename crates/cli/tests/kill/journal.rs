//! What a client knows of the analyses it has written.

use std::collections::HashMap;

/// A change of an analysis: the event it makes and the state after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) action: &'static str,
    pub(crate) state: &'static str,
}

impl Change {
    pub(crate) const CREATE: Change = Change { action: "CREATE", state: "UNPUBLISHED" };
    pub(crate) const PUBLISH: Change = Change { action: "PUBLISH", state: "PUBLISHED" };
    pub(crate) const UNPUBLISH: Change = Change { action: "UNPUBLISH", state: "UNPUBLISHED" };
    pub(crate) const SUPPRESS: Change = Change { action: "SUPPRESS", state: "SUPPRESSED" };

    /// Returns an update, which leaves the state as it is.
    pub(crate) fn update(state: &'static str) -> Change {
        Change { action: "UPDATE", state }
    }
}

/// An analysis and the acknowledged changes of it, the submission first.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    pub(crate) files: usize,
    pub(crate) changes: Vec<Change>,
}

impl Written {
    pub(crate) fn state(&self) -> &'static str {
        self.changes.last().map_or("", |change| change.state)
    }
}

/// What was under way when the server died.
#[derive(Debug, Clone)]
pub(crate) enum UnderWay {
    /// Submissions; the markers tell which analyses they would be.
    Submissions { markers: Vec<(String, usize)> },
    /// A change of an analysis.
    Change { analysis_id: String, change: Change },
}

#[derive(Debug, Default)]
pub(crate) struct Journal {
    pub(crate) acknowledged: HashMap<String, Written>,
    pub(crate) under_way: Option<UnderWay>,
}

impl Journal {
    /// Returns how many analyses and how many changes of them were acknowledged.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.acknowledged.len(), self.acknowledged.values().map(|written| written.changes.len()).sum())
    }
}
