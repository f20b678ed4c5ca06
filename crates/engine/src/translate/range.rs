//! Ranges over the values of a field, made of bounds that need not be values of it.
//!
//! A limit is all that a bound says on its side. Limits of one side are ordered by how much they let through; keeping
//! to several bounds is keeping to the strictest, and the two bounds of `between`, which stand in either order, give
//! the loosest of each side.

use std::cmp::Ordering;

use cantata_mapping::TypedValue;
use cantata_sqon::RangeOp;

use super::domain::ValueReading;
use crate::{Filter, ValueRange};

/// What lies within a bound.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum RangeLimit {
    /// Every value.
    Open,
    /// The values from or up to this one, and whether it is among them.
    At(TypedValue, bool),
    /// No value.
    Shut,
}

/// Which end of a range a limit is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum RangeSide {
    /// Where it begins.
    Lower,
    /// Where it ends.
    Upper,
}

impl RangeSide {
    /// Returns the side that a comparison limits.
    pub(super) fn of(op: RangeOp) -> Self {
        if op.is_lower_bound() { Self::Lower } else { Self::Upper }
    }

    /// Orders limits of this side from the loosest to the strictest.
    pub(super) fn strictness(self, one: &RangeLimit, two: &RangeLimit) -> Ordering {
        let rank = |limit: &RangeLimit| match limit {
            RangeLimit::Open => 0,
            RangeLimit::At(..) => 1,
            RangeLimit::Shut => 2,
        };
        let (RangeLimit::At(one_value, one_is_in), RangeLimit::At(two_value, two_is_in)) = (one, two) else {
            return rank(one).cmp(&rank(two));
        };
        let by_value = match self {
            Self::Lower => one_value.cmp(two_value),
            Self::Upper => two_value.cmp(one_value),
        };
        by_value.then(two_is_in.cmp(one_is_in))
    }
}

impl RangeLimit {
    /// Returns the limit that a comparison with a bound sets. A bound that denotes several values is passed as a whole:
    /// greater is greater than the last of them, less is less than the first.
    pub(super) fn new(op: RangeOp, bound: ValueReading) -> Self {
        match (op, bound) {
            (RangeOp::Gt, ValueReading::Span(_, last)) => Self::At(last, false),
            (RangeOp::Gte, ValueReading::Span(first, _)) => Self::At(first, true),
            (RangeOp::Lt, ValueReading::Span(first, _)) => Self::At(first, false),
            (RangeOp::Lte, ValueReading::Span(_, last)) => Self::At(last, true),
            (RangeOp::Gt | RangeOp::Gte, ValueReading::Gap(_, above)) => Self::At(above, true),
            (RangeOp::Lt | RangeOp::Lte, ValueReading::Gap(below, _)) => Self::At(below, true),
            (RangeOp::Gt | RangeOp::Gte, ValueReading::Under) | (RangeOp::Lt | RangeOp::Lte, ValueReading::Over) => {
                Self::Open
            }
            (RangeOp::Gt | RangeOp::Gte, ValueReading::Over) | (RangeOp::Lt | RangeOp::Lte, ValueReading::Under) => {
                Self::Shut
            }
        }
    }
}

/// Returns the test for a value within both limits.
pub(super) fn range(field: &str, lower: RangeLimit, upper: RangeLimit) -> Filter {
    if lower == RangeLimit::Shut || upper == RangeLimit::Shut {
        return Filter::None;
    }
    let edge = |limit| match limit {
        RangeLimit::At(value, is_in) => Some((value, is_in)),
        RangeLimit::Open | RangeLimit::Shut => None,
    };
    let field = field.to_owned();
    match (edge(lower), edge(upper)) {
        (None, None) => Filter::Exists { field },
        (Some((from, from_is_in)), Some((to, to_is_in))) if from > to || from == to && !(from_is_in && to_is_in) => {
            Filter::None
        }
        (from, to) => Filter::Range { field, range: ValueRange { from, to } },
    }
}
