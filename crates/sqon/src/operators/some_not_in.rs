//! `some-not-in`: no element of a nested field has a value in the list.

use super::is_in::{self, IN_LIKE};
use super::{Applicability, FieldRef, Operator};
use crate::sqon::ValuesOp;

/// The operator `some-not-in`.
pub static SOME_NOT_IN: Operator = Operator {
    name: "some-not-in",
    aliases: &[],
    description: "No value of the field is in the list; in a nested field, no element at all has a value in the list.",
    field_ref: FieldRef::FieldName,
    applicable_to: Applicability::All,
    value_type: is_in::VALUE_TYPE,
    shape: &IN_LIKE,
    parse: |content| is_in::parse(content, ValuesOp::SomeNotIn),
};
