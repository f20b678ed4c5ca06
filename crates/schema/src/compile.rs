//! Turning a schema into a validator: draft 7, formats checked, nothing fetched, patterns bounded.

use cantata_core::{Error, ErrorId, ErrorOrigin, Result};
use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::Value;

use crate::outline::Outline;
use crate::wording::word;
use crate::{Violation, join};

/// How often a pattern may back up on one text before the text counts as not matching.
const BACKTRACK_LIMIT: usize = 20_000;

/// Checks a schema as it was registered, before anything is laid under it.
pub(crate) fn check_alone(schema: &Value) -> Result<()> {
    Outline::read(schema).map_err(|violation| malformed(&[violation]))?;
    jsonschema::draft7::meta::validate(schema).map_err(|error| malformed(&word(schema, [error])))
}

/// Compiles a whole schema; returns it in the form that was compiled, too.
pub(crate) fn compile(mut schema: Value) -> Result<(Validator, Value, Outline)> {
    let outline = Outline::read(&schema).map_err(|violation| malformed(&[violation]))?;
    outline.unify(&mut schema);
    let validator = build(&schema).map_err(|error| malformed(&word(&schema, [error])))?;
    Ok((validator, schema, outline))
}

/// Builds the validator of a schema whose outline is in order.
pub(crate) fn build(schema: &Value) -> Result<Validator, ValidationError<'static>> {
    jsonschema::options()
        .with_draft(Draft::Draft7)
        .should_validate_formats(true)
        .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT))
        .offline()
        .build(schema)
}

fn malformed(violations: &[Violation]) -> Error {
    Error::new(ErrorOrigin::AnalysisTypeService, ErrorId::MalformedJsonSchema, join(violations))
}
