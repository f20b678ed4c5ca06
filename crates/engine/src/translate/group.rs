//! Groups: which conditions hold together in one nested element, and which of them facets look at.
//!
//! A node is translated at a level and everything in it relative to that level. A pivot takes the parts of an `and` or
//! `not` whose fields all lie at or below it down to its own level, into one test of one element; inside, a pivot at
//! or above the level has nothing more to say.

use cantata_sqon::{Condition, GroupOp, Leaf, Sqon, ValuesOp};

use super::target::{is_below, lift};
use super::{FilterTranslator, TranslationError};
use crate::Filter;

/// Which clauses are about the elements of a container.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ClauseScope {
    /// Those on fields in it at any depth.
    AllFields,
    /// Those on its own fields, and what a pivot on it holds together.
    OwnFields,
}

impl FilterTranslator<'_> {
    /// Translates a filter or a part of one at a level. All its fields lie at or below that level.
    pub(super) fn node(&self, node: &Sqon, level: &str) -> Result<Filter, TranslationError> {
        match node {
            Sqon::Leaf(leaf) => self.condition(&leaf.condition, level),
            Sqon::Group { content, .. } if content.is_empty() => Ok(Filter::All),
            Sqon::Group { op: GroupOp::Or, content, .. } => Ok(Filter::or(self.nodes(content, level)?)),
            Sqon::Group { op: GroupOp::And, content, pivot } => {
                Ok(Filter::and(self.parts(content, pivot.as_deref(), level)?))
            }
            Sqon::Group { op: GroupOp::Not, content, pivot } => {
                let parts = self.parts(content, pivot.as_deref(), level)?;
                Ok(Filter::and(parts.into_iter().map(Filter::negated)))
            }
        }
    }

    /// Adds the clauses of a root-level `and` that speak of elements at a path, translated at that level.
    pub(super) fn element_clauses(
        &self,
        node: &Sqon,
        path: &str,
        scope: ClauseScope,
        clauses: &mut Vec<Filter>,
    ) -> Result<(), TranslationError> {
        let is_own = scope == ClauseScope::OwnFields;
        match node {
            Sqon::Leaf(leaf) => {
                let mut deeper = self.mapping.nested_paths().filter(|deeper| is_own && is_below(deeper, path));
                if speaks_of_elements(leaf)
                    && self.lies_within(node, path)
                    && !deeper.any(|deeper| self.lies_within(node, deeper))
                {
                    clauses.push(self.condition(&leaf.condition, path)?);
                }
            }
            Sqon::Group { op: GroupOp::And, content, pivot } => {
                let pivot = pivot.as_deref().filter(|pivot| !is_own || *pivot == path);
                let (joint, apart) = self.split(content, pivot, path);
                if let Some(joint) = joint {
                    clauses.push(self.joint(&joint, path)?);
                }
                for part in apart {
                    self.element_clauses(part, path, scope, clauses)?;
                }
            }
            Sqon::Group { op: GroupOp::Or | GroupOp::Not, .. } => {}
        }
        Ok(())
    }

    fn nodes<'n>(
        &self,
        nodes: impl IntoIterator<Item = &'n Sqon>,
        level: &str,
    ) -> Result<Vec<Filter>, TranslationError> {
        nodes.into_iter().map(|node| self.node(node, level)).collect()
    }

    /// Translates the content of an `and` or `not`: what the pivot holds together is one part.
    fn parts(&self, content: &[Sqon], pivot: Option<&str>, level: &str) -> Result<Vec<Filter>, TranslationError> {
        let (joint, apart) = self.split(content, pivot, level);
        let mut parts = Vec::with_capacity(apart.len() + 1);
        if let Some(joint) = joint {
            parts.push(self.joint(&joint, level)?);
        }
        parts.extend(self.nodes(apart, level)?);
        Ok(parts)
    }

    fn joint(&self, joint: &JointConditions<'_>, level: &str) -> Result<Filter, TranslationError> {
        let conditions = self.nodes(joint.parts.iter().copied(), joint.pivot)?;
        Ok(lift(Filter::and(conditions), joint.pivot, level))
    }

    /// Divides the content of an `and` or `not` into what its pivot takes down from the level and what stays there.
    /// Groups without fields go with the others, so that `not` with a pivot is the opposite of `and` with it.
    fn split<'n>(
        &self,
        content: &'n [Sqon],
        pivot: Option<&'n str>,
        level: &str,
    ) -> (Option<JointConditions<'n>>, Vec<&'n Sqon>) {
        let pivot = pivot.filter(|pivot| {
            (*pivot == level || is_below(pivot, level)) && self.mapping.nested_paths().any(|p| p == *pivot)
        });
        let Some(pivot) = pivot else { return (None, content.iter().collect()) };
        if !content.iter().any(|part| self.lies_within(part, pivot)) {
            return (None, content.iter().collect());
        }
        let (parts, apart) =
            content.iter().partition(|part| part.fields_used().is_empty() || self.lies_within(part, pivot));
        (Some(JointConditions { pivot, parts }), apart)
    }

    /// Returns whether a filter tests fields and all of them lie at or below a path.
    fn lies_within(&self, node: &Sqon, path: &str) -> bool {
        let fields = node.fields_used();
        !fields.is_empty()
            && fields.into_iter().all(|field| {
                let row_path = self.target(field).row_path;
                row_path == path || is_below(row_path, path)
            })
    }
}

/// The parts of a group that must hold in one element at a pivot.
struct JointConditions<'n> {
    pivot: &'n str,
    parts: Vec<&'n Sqon>,
}

/// Returns whether a condition can hold in one element alone.
fn speaks_of_elements(leaf: &Leaf) -> bool {
    match &leaf.condition {
        Condition::Values { op: ValuesOp::SomeNotIn, .. } => false,
        Condition::Values { op: ValuesOp::All, values, .. } => values.len() == 1,
        _ => true,
    }
}
