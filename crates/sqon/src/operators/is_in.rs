//! `in`: one of the field's values is in the list. Its shape is that of every in-like operator.

use super::leaf_content::{self, LeafContent, value_tests};
use super::{Applicability, ContentShape, FieldRef, Operator};
use crate::error::SqonError;
use crate::sqon::{Condition, ValuesOp};

/// What in-like operators take as a value.
pub(super) const VALUE_TYPE: &str = "string | number | boolean | Array<string | number | boolean>";

/// The operator `in`.
pub static IN: Operator = Operator {
    name: "in",
    aliases: &["=", "==", "==="],
    description: "One of the field's values is in the list. A text with * matches any characters there, __missing__ \
                  matches records without a value, and set_id:<id> matches the values of a saved set.",
    field_ref: FieldRef::FieldName,
    applicable_to: Applicability::All,
    value_type: VALUE_TYPE,
    shape: &IN_LIKE,
    parse: |content| parse(content, ValuesOp::In),
};

/// A field, and a scalar or a list of scalars.
pub static IN_LIKE: ContentShape = ContentShape {
    name: "InLike",
    form: "an object with `fieldName` and `value`, a text, number or boolean, or a list of them",
    content_schema: || leaf_content::one_field_schema(&leaf_content::scalars_schema()),
};

/// Reads the content of an in-like operator.
pub(super) fn parse(content: &mut LeafContent<'_>, op: ValuesOp) -> Result<Condition, SqonError> {
    Ok(Condition::Values { op, field: content.field_name()?, values: value_tests(content.scalars()?) })
}
