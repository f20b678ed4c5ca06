//! Reduction of a filter that was put together from parts: groups of one part are unwrapped, groups within groups of
//! the same operator written out, and clauses on one field joined.
//!
//! | Clauses on one field | under `and` | under `or` | under `not` |
//! |---|---|---|---|
//! | `in` | values joined (widens; noted) | values joined | values joined |
//! | `not-in`, `some-not-in`, `all` | values joined | kept apart | values joined (noted) |
//! | `gt`, `gte`, `lt`, `lte` | the tighter bound | the looser bound | kept apart |
//! | `between`, `wildcard`, `fuzzy` | kept apart | kept apart | kept apart |
//!
//! A join that can change what matches leaves a note. `not-in` and `some-not-in` with special values are kept apart,
//! and so are bounds under `or` that only the moment of the search can compare.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use serde_json::Number;

use crate::normalise::flatten;
use crate::operators::group::GroupOp;
use crate::operators::range::RangeOp;
use crate::sqon::{Condition, Leaf, Sqon, ValuesOp};
use crate::validate::is_absolute_date;
use crate::value::{Scalar, ValueTest};

/// Reduces a filter; every join that can change what matches adds a note.
pub(crate) fn reduce(sqon: Sqon, notes: &mut Vec<String>) -> Sqon {
    let Sqon::Group { op, content, pivot } = sqon else { return sqon };
    let parts = content.into_iter().map(|part| reduce(part, notes)).collect();
    let mut content = join_leaves(op, flatten(op, pivot.as_deref(), parts), notes);
    match content.pop() {
        Some(only) if content.is_empty() && op != GroupOp::Not && pivot.is_none() => only,
        last => {
            content.extend(last);
            Sqon::Group { op, content, pivot }
        }
    }
}

fn join_leaves(op: GroupOp, parts: Vec<Sqon>, notes: &mut Vec<String>) -> Vec<Sqon> {
    let mut joined: Vec<Sqon> = Vec::with_capacity(parts.len());
    let mut first_of: HashMap<(&'static str, String, Option<String>), usize> = HashMap::new();
    let mut grown: Vec<usize> = Vec::new();
    for part in parts {
        let Sqon::Leaf(leaf) = part else {
            joined.push(part);
            continue;
        };
        let key = (leaf.condition.operator().name, leaf.condition.fields().join(" "), leaf.pivot.clone());
        let first = *first_of.entry(key).or_insert(joined.len());
        match joined.get_mut(first) {
            Some(Sqon::Leaf(earlier)) => match join(op, earlier, leaf) {
                None => grown.push(first),
                Some(apart) => joined.push(Sqon::Leaf(apart)),
            },
            _ => joined.push(Sqon::Leaf(leaf)),
        }
    }
    grown.sort_unstable();
    grown.dedup();
    for index in grown {
        if let Sqon::Leaf(Leaf { condition: Condition::Values { op: values_op, field, values }, .. }) =
            &mut joined[index]
        {
            let mut seen = HashSet::new();
            values.retain(|value| seen.insert(value.clone()));
            notes.extend(note(op, *values_op, field));
        }
    }
    joined
}

/// Joins a clause to an earlier one of the same operator and field; gives it back when they must stay apart.
fn join(op: GroupOp, earlier: &mut Leaf, later: Leaf) -> Option<Leaf> {
    match (&mut earlier.condition, later.condition) {
        (Condition::Values { values, .. }, Condition::Values { op: values_op, field, values: more }) => {
            if joins_values(op, values_op, values, &more) {
                values.extend(more);
                return None;
            }
            Some(Leaf { condition: Condition::Values { op: values_op, field, values: more }, ..later })
        }
        (Condition::Range { bounds, .. }, Condition::Range { op: range_op, field, bounds: more }) => {
            match joined_bounds(op, range_op, bounds, &more) {
                Some(both) => {
                    *bounds = both;
                    None
                }
                None => Some(Leaf { condition: Condition::Range { op: range_op, field, bounds: more }, ..later }),
            }
        }
        (_, condition) => Some(Leaf { condition, ..later }),
    }
}

fn joins_values(op: GroupOp, values_op: ValuesOp, values: &[ValueTest], more: &[ValueTest]) -> bool {
    match values_op {
        ValuesOp::In => true,
        ValuesOp::All => op != GroupOp::Or,
        ValuesOp::NotIn | ValuesOp::SomeNotIn => {
            op != GroupOp::Or && !values.iter().chain(more).any(ValueTest::is_special)
        }
    }
}

fn note(op: GroupOp, values_op: ValuesOp, field: &str) -> Option<String> {
    let name = values_op.operator().name;
    match (op, values_op) {
        (GroupOp::And, ValuesOp::In) => Some(format!(
            "{field}: `in` clauses under `and` were joined into one list, and one of its values is enough to match; \
             use `all` to ask for every value"
        )),
        (GroupOp::Not, ValuesOp::NotIn | ValuesOp::SomeNotIn | ValuesOp::All) => Some(format!(
            "{field}: `{name}` clauses under `not` were joined into one list, which is negated as a whole"
        )),
        _ => None,
    }
}

/// Returns the bounds that say what both lists say together, if one list can.
fn joined_bounds(op: GroupOp, range_op: RangeOp, bounds: &[Scalar], more: &[Scalar]) -> Option<Vec<Scalar>> {
    match op {
        GroupOp::And if !bounds.is_empty() && !more.is_empty() => {
            Some(tightest(range_op, bounds.iter().chain(more).cloned()))
        }
        GroupOp::Or => {
            let [ours] = &tightest(range_op, bounds.iter().cloned())[..] else { return None };
            let [theirs] = &tightest(range_op, more.iter().cloned())[..] else { return None };
            let looser = if tighter(range_op, ours, theirs)? { theirs } else { ours };
            Some(vec![looser.clone()])
        }
        GroupOp::And | GroupOp::Not => None,
    }
}

/// Keeps the tightest of neighbouring bounds that can be compared. All that remain must be kept to.
fn tightest(range_op: RangeOp, bounds: impl Iterator<Item = Scalar>) -> Vec<Scalar> {
    let mut kept: Vec<Scalar> = Vec::new();
    for bound in bounds {
        match kept.last_mut() {
            Some(last) => match tighter(range_op, &bound, last) {
                Some(true) => *last = bound,
                Some(false) => {}
                None => kept.push(bound),
            },
            None => kept.push(bound),
        }
    }
    kept
}

/// Returns whether a bound lets less through than another, if that is known without the moment of the search.
fn tighter(range_op: RangeOp, bound: &Scalar, than: &Scalar) -> Option<bool> {
    let order = compare(bound, than)?;
    Some(if range_op.is_lower_bound() { order == Ordering::Greater } else { order == Ordering::Less })
}

fn compare(left: &Scalar, right: &Scalar) -> Option<Ordering> {
    match (left, right) {
        _ if left == right => Some(Ordering::Equal),
        (Scalar::Number(left), Scalar::Number(right)) => compare_numbers(left, right),
        (Scalar::String(left), Scalar::String(right)) if same_form(left) == same_form(right) => {
            Some(left.cmp(right)).filter(|_| same_form(left).is_some())
        }
        _ => None,
    }
}

/// Compares numbers exactly; numbers that differ only beyond what a double can tell are not compared.
fn compare_numbers(left: &Number, right: &Number) -> Option<Ordering> {
    let integer = |number: &Number| number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    match (integer(left), integer(right)) {
        (Some(left), Some(right)) => Some(left.cmp(&right)),
        _ => left.as_f64()?.partial_cmp(&right.as_f64()?).filter(|order| *order != Ordering::Equal),
    }
}

/// Returns the form of an absolute date without an offset; dates of one form sort as texts.
fn same_form(text: &str) -> Option<(usize, bool)> {
    let has_sign = text.starts_with('-') || text.get(10..).unwrap_or("").contains(['+', '-']);
    (is_absolute_date(text) && !has_sign).then(|| (text.len(), text.ends_with('Z')))
}
