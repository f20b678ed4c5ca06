//! `between`: one value of the field lies between two bounds, both included, whichever of them comes first.

use serde_json::json;

use super::leaf_content::{self, LeafContent};
use super::range::ORDERED;
use super::{ContentShape, FieldRef, Operator};
use crate::error::SqonError;
use crate::sqon::Condition;

const FORM: &str = "a list of exactly two numbers or dates";

/// The operator `between`.
pub static BETWEEN: Operator = Operator {
    name: "between",
    aliases: &[],
    description: "One of the field's values lies between the two values, both included. Dates may be relative, such \
                  as now-30d.",
    field_ref: FieldRef::FieldName,
    applicable_to: ORDERED,
    value_type: "Array<number | date | string>",
    shape: &SHAPE,
    parse,
};

static SHAPE: ContentShape = ContentShape {
    name: "Between",
    form: "an object with `fieldName` and `value`, a list of exactly two numbers or dates",
    content_schema: || {
        let value = json!({ "type": "array", "minItems": 2, "maxItems": 2, "items": leaf_content::scalar_schema() });
        leaf_content::one_field_schema(&value)
    },
};

fn parse(content: &mut LeafContent<'_>) -> Result<Condition, SqonError> {
    let field = content.field_name()?;
    let bounds = content.scalar_pair(FORM)?;
    Ok(Condition::Between { field, bounds })
}
