//! Which filters are allowed below a suppression threshold.
//!
//! Every count is then a multiple of the threshold, so that no sum or difference of responses is a small number either.
//! Conditions whose bounds could be moved in small steps are rejected: a filter is a conjunction of value lists on
//! distinct fields. There are no ranges, histograms, statistics, records of a bucket or bucket filters.

use std::collections::HashSet;

use cantata_sqon::{Condition, GroupOp, Sqon, ValueTest, ValuesOp};

use super::PlanError;

/// The error for a filter that could single out few records.
const FILTER_ERROR: &str = "Invalid filter: only counts are shown to you, so that a filter can only be a list of `in` \
                       conditions in an `and`, each on another field, without `*` and without saved sets";

/// The error where saved sets are used.
pub(super) const NO_SETS_ERROR: &str = "only counts are shown to you, so that there are no saved sets for you";

/// Rejects a filter that could single out few records.
pub(super) fn check(sqon: &Sqon) -> Result<(), PlanError> {
    let mut fields = HashSet::new();
    if is_plain(sqon, &mut fields) { Ok(()) } else { Err(FILTER_ERROR.into()) }
}

/// Adds the dotted names of the fields that are tested: nodes of a network know a field by its flat name, too.
fn is_plain(sqon: &Sqon, fields: &mut HashSet<String>) -> bool {
    match sqon {
        Sqon::Group { op: GroupOp::And, content, pivot: None } => content.iter().all(|part| is_plain(part, fields)),
        Sqon::Group { .. } => false,
        Sqon::Leaf(leaf) => match &leaf.condition {
            Condition::Values { op: ValuesOp::In, field, values } => {
                let is_value = |value: &ValueTest| matches!(value, ValueTest::Equals(_) | ValueTest::Missing);
                values.iter().all(is_value) && fields.insert(field.replace("__", "."))
            }
            _ => false,
        },
    }
}
