//! Ranges over the values of a field, made of bounds that need not be values of it.
//!
//! A limit is all that a bound says on its side. Limits of one side are ordered by how much they let through; keeping
//! to several bounds is keeping to the strictest, and the two bounds of `between`, which stand in either order, give
//! the loosest of each side.

use std::cmp::Ordering;

use cantata_mapping::TypedValue;
use cantata_sqon::RangeOp;

use super::domain::Reading;
use crate::{Edges, Filter};

/// What lies within a bound.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Limit {
    /// Every value.
    Open,
    /// The values from or up to this one, and whether it is among them.
    At(TypedValue, bool),
    /// No value.
    Shut,
}

/// Which end of a range a limit is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Side {
    /// Where it begins.
    Lower,
    /// Where it ends.
    Upper,
}

impl Side {
    /// Returns the side that a comparison limits.
    pub(super) fn of(op: RangeOp) -> Self {
        if op.is_lower_bound() { Self::Lower } else { Self::Upper }
    }

    /// Orders limits of this side from the loosest to the strictest.
    pub(super) fn strictness(self, one: &Limit, two: &Limit) -> Ordering {
        let rank = |limit: &Limit| match limit {
            Limit::Open => 0,
            Limit::At(..) => 1,
            Limit::Shut => 2,
        };
        let (Limit::At(one_value, one_is_in), Limit::At(two_value, two_is_in)) = (one, two) else {
            return rank(one).cmp(&rank(two));
        };
        let by_value = match self {
            Self::Lower => one_value.cmp(two_value),
            Self::Upper => two_value.cmp(one_value),
        };
        by_value.then(two_is_in.cmp(one_is_in))
    }
}

impl Limit {
    /// Returns the limit that a comparison with a bound sets. A bound that denotes several values is passed as a whole:
    /// greater is greater than the last of them, less is less than the first.
    pub(super) fn new(op: RangeOp, bound: Reading) -> Self {
        match (op, bound) {
            (RangeOp::Gt, Reading::Span(_, last)) => Self::At(last, false),
            (RangeOp::Gte, Reading::Span(first, _)) => Self::At(first, true),
            (RangeOp::Lt, Reading::Span(first, _)) => Self::At(first, false),
            (RangeOp::Lte, Reading::Span(_, last)) => Self::At(last, true),
            (RangeOp::Gt | RangeOp::Gte, Reading::Gap(_, above)) => Self::At(above, true),
            (RangeOp::Lt | RangeOp::Lte, Reading::Gap(below, _)) => Self::At(below, true),
            (RangeOp::Gt | RangeOp::Gte, Reading::Under) | (RangeOp::Lt | RangeOp::Lte, Reading::Over) => Self::Open,
            (RangeOp::Gt | RangeOp::Gte, Reading::Over) | (RangeOp::Lt | RangeOp::Lte, Reading::Under) => Self::Shut,
        }
    }
}

/// Returns the test for a value within both limits.
pub(super) fn range(field: &str, lower: Limit, upper: Limit) -> Filter {
    if lower == Limit::Shut || upper == Limit::Shut {
        return Filter::None;
    }
    let edge = |limit| match limit {
        Limit::At(value, is_in) => Some((value, is_in)),
        Limit::Open | Limit::Shut => None,
    };
    let field = field.to_owned();
    match (edge(lower), edge(upper)) {
        (None, None) => Filter::Exists { field },
        (Some((from, from_is_in)), Some((to, to_is_in))) if from > to || from == to && !(from_is_in && to_is_in) => {
            Filter::None
        }
        (from, to) => Filter::Range { field, edges: Edges { from, to } },
    }
}
