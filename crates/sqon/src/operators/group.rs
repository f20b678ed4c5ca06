//! `and`, `or` and `not`: the combinations. A group without content matches every record, whatever its operator.

/// How a group combines its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GroupOp {
    /// Every part matches.
    And,
    /// At least one part matches.
    Or,
    /// No part matches.
    Not,
}

impl GroupOp {
    /// Every combination, in the order in which they are published.
    pub const ALL: [Self; 3] = [Self::And, Self::Or, Self::Not];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::And => "and",
            Self::Or => "or",
            Self::Not => "not",
        }
    }

    /// Returns the combination of a name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|op| op.name() == name)
    }
}
