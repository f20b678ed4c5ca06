//! `not-in`: in a nested field, some element has a value outside the list; elsewhere, no value is in the list.

use super::is_in::{self, IN_LIKE};
use super::{Applicability, FieldRef, Operator};
use crate::sqon::ValuesOp;

/// The operator `not-in`.
pub static NOT_IN: Operator = Operator {
    name: "not-in",
    aliases: &["!=", "!=="],
    description: "The field's value is not in the list; in a nested field, some element has a value outside the \
                  list. With __missing__, the field has a value.",
    field_ref: FieldRef::FieldName,
    applicable_to: Applicability::All,
    value_type: is_in::VALUE_TYPE,
    shape: &IN_LIKE,
    parse: |content| is_in::parse(content, ValuesOp::NotIn),
};
