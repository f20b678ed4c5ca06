//! `all`: each value of the list is among the field's values, in one nested element or in several.

use serde_json::json;

use super::leaf_content::{self, LeafContent, value_tests};
use super::{Applicability, ContentShape, FieldRef, Operator};
use crate::error::SqonError;
use crate::sqon::{Condition, ValuesOp};

/// The operator `all`.
pub static ALL: Operator = Operator {
    name: "all",
    aliases: &[],
    description: "Each value of the list is among the field's values; in a nested field, different elements may have \
                  them.",
    field_ref: FieldRef::FieldName,
    applicable_to: Applicability::All,
    value_type: "Array<string | number | boolean>",
    shape: &SHAPE,
    parse,
};

static SHAPE: ContentShape = ContentShape {
    name: "All",
    form: "an object with `fieldName` and `value`, a list of one or more texts, numbers or booleans",
    content_schema: || {
        let value = json!({ "type": "array", "minItems": 1, "items": leaf_content::scalar_schema() });
        leaf_content::one_field_schema(&value)
    },
};

fn parse(content: &mut LeafContent<'_>) -> Result<Condition, SqonError> {
    let field = content.field_name()?;
    let values = content.scalar_list("a list of one or more texts, numbers or booleans")?;
    Ok(Condition::Values { op: ValuesOp::All, field, values: value_tests(values) })
}
