//! `fuzzy`: one of several fields has a text that differs from the given one by a few letters only.

use serde_json::{Value, json};

use super::leaf_content::{self, LeafContent};
use super::wildcard::TEXTUAL;
use super::{ContentShape, FieldRef, Operator};
use crate::error::SqonError;
use crate::sqon::Condition;

/// How many letters may differ.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Fuzziness {
    /// By the length of the text: none up to two letters, one up to five, two beyond.
    #[default]
    Auto,
    /// So many: 0, 1 or 2.
    Edits(u8),
}

/// The operator `fuzzy`.
pub static FUZZY: Operator = Operator {
    name: "fuzzy",
    aliases: &[],
    description: "One of the fields has a text that differs from the value by a few letters only: at most as many as \
                  fuzziness says, or by the length of the text with AUTO, the default.",
    field_ref: FieldRef::FieldNames,
    applicable_to: TEXTUAL,
    value_type: "string",
    shape: &SHAPE,
    parse,
};

static SHAPE: ContentShape = ContentShape {
    name: "Fuzzy",
    form: "an object with `fieldNames`, a list, and `value`, a text, and perhaps `fuzziness`",
    content_schema: || {
        let mut schema = leaf_content::several_fields_schema();
        schema["properties"]["fuzziness"] = json!({ "enum": ["AUTO", 0, 1, 2], "default": "AUTO" });
        schema
    },
};

fn parse(content: &mut LeafContent<'_>) -> Result<Condition, SqonError> {
    Ok(Condition::Fuzzy {
        fields: content.field_names()?,
        text: content.text("a text")?,
        fuzziness: content.optional("fuzziness", "\"AUTO\", 0, 1 or 2", fuzziness)?.unwrap_or_default(),
    })
}

fn fuzziness(value: &Value) -> Option<Fuzziness> {
    if value == "AUTO" {
        return Some(Fuzziness::Auto);
    }
    // 1.0 is 1 in JSON, and so it is in the published schema.
    let number = value.as_f64()?;
    [0, 1, 2].into_iter().find(|edits| f64::from(*edits) == number).map(Fuzziness::Edits)
}
