//! Normalisation: a group inside a group of the same operator is written out in the outer one.
//!
//! Operators and values are canonical already when a filter has been read. Two kinds of groups stay where they are,
//! since writing them out would change what matches: a `not` within a `not`, and a group without content, which matches
//! everything.

use crate::operators::group::GroupOp;
use crate::sqon::Sqon;

impl Sqon {
    /// Returns the filter with every `and` within an `and` and every `or` within an `or` written out, where the inner
    /// one has the same pivot or none.
    #[must_use]
    pub fn normalise(self) -> Self {
        match self {
            Self::Leaf(_) => self,
            Self::Group { op, content, pivot } => {
                let content = content.into_iter().map(Self::normalise).collect();
                Self::Group { op, content: flatten(op, pivot.as_deref(), content), pivot }
            }
        }
    }
}

/// Writes out the groups among the parts of a group that say the same as the group itself.
pub(crate) fn flatten(op: GroupOp, pivot: Option<&str>, parts: Vec<Sqon>) -> Vec<Sqon> {
    let mut flat = Vec::with_capacity(parts.len());
    for part in parts {
        match part {
            Sqon::Group { op: inner, content, pivot: inner_pivot }
                if inner == op
                    && op != GroupOp::Not
                    && !content.is_empty()
                    && (inner_pivot.is_none() || inner_pivot.as_deref() == pivot) =>
            {
                // A group with the outer pivot may have been kept apart by one in between without any.
                flat.extend(flatten(op, pivot, content));
            }
            part => flat.push(part),
        }
    }
    flat
}
