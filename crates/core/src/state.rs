//! The states of an analysis and the transitions between them.
//!
//! `UNPUBLISHED` is where every analysis starts; it and `PUBLISHED` change into each other freely; `SUPPRESSED` is
//! final. A request for the present state is a transition too, and is recorded like any other.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// The publication state of an analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum AnalysisState {
    /// Submitted, not released.
    Unpublished,
    /// Released.
    Published,
    /// Withdrawn for good.
    Suppressed,
}

impl AnalysisState {
    /// Every state.
    pub const ALL: [AnalysisState; 3] = [Self::Unpublished, Self::Published, Self::Suppressed];

    /// Returns the wire form.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unpublished => "UNPUBLISHED",
            Self::Published => "PUBLISHED",
            Self::Suppressed => "SUPPRESSED",
        }
    }

    /// Parses the wire form, which is case-sensitive.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }

    /// Returns whether the transition to `next` is allowed.
    pub fn can_become(self, next: AnalysisState) -> bool {
        self != Self::Suppressed || next == Self::Suppressed
    }
}

impl fmt::Display for AnalysisState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One entry of an analysis' state history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StateChange {
    /// The state before.
    pub initial_state: AnalysisState,
    /// The state after.
    pub updated_state: AnalysisState,
    /// When.
    pub updated_at: Timestamp,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suppressed_is_final() {
        for next in AnalysisState::ALL {
            assert!(AnalysisState::Unpublished.can_become(next));
            assert!(AnalysisState::Published.can_become(next));
            assert_eq!(AnalysisState::Suppressed.can_become(next), next == AnalysisState::Suppressed);
        }
    }

    #[test]
    fn states_are_read_to_the_letter() {
        assert_eq!(AnalysisState::parse("PUBLISHED"), Some(AnalysisState::Published));
        assert_eq!(AnalysisState::parse("published"), None);
        assert_eq!(AnalysisState::parse(" PUBLISHED"), None);
    }
}
