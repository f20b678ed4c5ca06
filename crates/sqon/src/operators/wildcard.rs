//! `wildcard`: one of several fields has a text like the pattern, upper and lower case alike.

use super::leaf_content::{self, LeafContent};
use super::{Applicability, ContentShape, FieldRef, Operator};
use crate::error::SqonError;
use crate::sqon::Condition;
use crate::validate::FieldClass;

/// The fields that hold texts.
pub(super) const TEXTUAL: Applicability = Applicability::Classes(&[FieldClass::Keyword, FieldClass::Text]);

/// The operator `wildcard`.
pub static WILDCARD: Operator = Operator {
    name: "wildcard",
    aliases: &["filter"],
    description: "One of the fields has a text like the value, in which * matches any characters and ? any \
                  one. Upper and lower case are alike.",
    field_ref: FieldRef::FieldNames,
    applicable_to: TEXTUAL,
    value_type: "string",
    shape: &SHAPE,
    parse,
};

static SHAPE: ContentShape = ContentShape {
    name: "Wildcard",
    form: "an object with `fieldNames`, a list, and `value`, a text",
    content_schema: leaf_content::several_fields_schema,
};

fn parse(content: &mut LeafContent<'_>) -> Result<Condition, SqonError> {
    Ok(Condition::Wildcard {
        fields: content.field_names()?,
        pattern: content.text("a text in which * matches any characters")?,
    })
}
