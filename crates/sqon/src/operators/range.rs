//! `gt`, `gte`, `lt` and `lte`: one value of the field keeps to every bound.
//!
//! The four differ in their sign alone. With several bounds the tightest decides, which is the same as keeping to all
//! of them; relative dates such as `now-30d` stay texts, since only the moment of the search tells what they mean.

use super::leaf_content::{self, LeafContent};
use super::{Applicability, ContentShape, FieldRef, Operator};
use crate::error::SqonError;
use crate::sqon::Condition;
use crate::validate::FieldClass;

/// The fields that have an order to speak of; that of texts is the order of their characters.
pub(super) const ORDERED: Applicability =
    Applicability::Classes(&[FieldClass::Integer, FieldClass::Float, FieldClass::Date, FieldClass::Keyword]);

/// A comparison with a bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RangeOp {
    /// Greater than the bound.
    Gt,
    /// Greater than the bound, or equal to it.
    Gte,
    /// Less than the bound.
    Lt,
    /// Less than the bound, or equal to it.
    Lte,
}

impl RangeOp {
    /// Returns the operator's entry in the registry.
    pub fn operator(self) -> &'static Operator {
        match self {
            Self::Gt => &GT,
            Self::Gte => &GTE,
            Self::Lt => &LT,
            Self::Lte => &LTE,
        }
    }

    /// Returns the comparison's sign.
    pub fn sign(self) -> &'static str {
        match self {
            Self::Gt => ">",
            Self::Gte => ">=",
            Self::Lt => "<",
            Self::Lte => "<=",
        }
    }

    /// Returns whether the bound is the lower end of what matches.
    pub fn is_lower_bound(self) -> bool {
        matches!(self, Self::Gt | Self::Gte)
    }
}

/// The operator `gt`.
pub static GT: Operator = operator(
    "gt",
    &[">"],
    "One of the field's values is greater than the value. Dates may be relative, such as now-30d.",
    |content| parse(content, RangeOp::Gt),
);

/// The operator `gte`.
pub static GTE: Operator = operator(
    "gte",
    &[">="],
    "One of the field's values is the value or greater. Dates may be relative, such as now-30d.",
    |content| parse(content, RangeOp::Gte),
);

/// The operator `lt`.
pub static LT: Operator = operator(
    "lt",
    &["<"],
    "One of the field's values is less than the value. Dates may be relative, such as now-30d.",
    |content| parse(content, RangeOp::Lt),
);

/// The operator `lte`.
pub static LTE: Operator = operator(
    "lte",
    &["<="],
    "One of the field's values is the value or less. Dates may be relative, such as now-30d.",
    |content| parse(content, RangeOp::Lte),
);

const fn operator(
    name: &'static str,
    aliases: &'static [&'static str],
    description: &'static str,
    parse: fn(&mut LeafContent<'_>) -> Result<Condition, SqonError>,
) -> Operator {
    Operator {
        name,
        aliases,
        description,
        field_ref: FieldRef::FieldName,
        applicable_to: ORDERED,
        value_type: "number | date | string",
        shape: &RANGE_LIKE,
        parse,
    }
}

static RANGE_LIKE: ContentShape = ContentShape {
    name: "RangeLike",
    form: "an object with `fieldName` and `value`, a number, date or text, or a list of them",
    content_schema: || leaf_content::one_field_schema(&leaf_content::scalars_schema()),
};

fn parse(content: &mut LeafContent<'_>, op: RangeOp) -> Result<Condition, SqonError> {
    Ok(Condition::Range { op, field: content.field_name()?, bounds: content.scalars()? })
}
