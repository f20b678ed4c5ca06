//! What may be asked where only counts are shown, and small ones are not.
//!
//! Every count is then a multiple of the least one, so that no sum or difference of answers is a small number either.
//! What could be moved in small steps is not answered: filters are lists of values for different fields, all of which
//! hold, and there are no ranges, histograms, figures, records of a bucket and bucket filters.

use std::collections::HashSet;

use cantata_sqon::{Condition, GroupOp, Sqon, ValueTest, ValuesOp};

/// What is said of a filter that could single out few records.
const REFUSED: &str = "Invalid filter: only counts are shown to you, so that a filter can only be a list of `in` \
                       conditions in an `and`, each on another field, without `*` and without saved sets";

/// What is said where records are asked for.
pub(super) const NO_SETS: &str = "only counts are shown to you, so that there are no saved sets for you";

/// Holds a filter against what may be asked.
pub(super) fn check(sqon: &Sqon) -> Result<(), String> {
    let mut fields = HashSet::new();
    if is_plain(sqon, &mut fields) { Ok(()) } else { Err(REFUSED.to_owned()) }
}

fn is_plain<'s>(sqon: &'s Sqon, fields: &mut HashSet<&'s str>) -> bool {
    match sqon {
        Sqon::Group { op: GroupOp::And, content, pivot: None } => content.iter().all(|part| is_plain(part, fields)),
        Sqon::Group { .. } => false,
        Sqon::Leaf(leaf) => match &leaf.condition {
            Condition::Values { op: ValuesOp::In, field, values } => {
                let is_value = |value: &ValueTest| matches!(value, ValueTest::Equals(_) | ValueTest::Missing);
                values.iter().all(is_value) && fields.insert(field)
            }
            _ => false,
        },
    }
}
