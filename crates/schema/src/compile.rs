//! Compiles schemas to validators: draft 7, formats checked, nothing fetched, patterns bounded.

use cantata_core::{Error, ErrorId, ErrorOrigin, Result};
use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::Value;

use crate::messages::to_violations;
use crate::patterns::TranslatedPatterns;
use crate::schema_graph::SchemaGraph;
use crate::{SchemaViolation, join_violations};

/// How many backtracking steps a pattern may take on one string before the string counts as not matching.
const BACKTRACK_LIMIT: usize = 20_000;

/// Checks a schema as it was registered, without the base schema.
pub(crate) fn check_standalone(schema: &Value) -> Result<()> {
    let graph = SchemaGraph::build(schema).map_err(|violation| malformed(&[violation]))?;
    let mut schema = schema.clone();
    let patterns = TranslatedPatterns::apply(&graph, &mut schema).map_err(|violation| malformed(&[violation]))?;
    jsonschema::draft7::meta::validate(&schema).map_err(|error| malformed(&to_violations(&schema, [error], &patterns)))
}

/// A schema that was compiled.
pub(crate) struct BuiltSchema {
    pub(crate) validator: Validator,
    /// The schema in the form that was compiled.
    pub(crate) schema: Value,
    pub(crate) graph: SchemaGraph,
    pub(crate) patterns: TranslatedPatterns,
}

/// Compiles a whole schema.
pub(crate) fn compile(mut schema: Value) -> Result<BuiltSchema> {
    let graph = SchemaGraph::build(&schema).map_err(|violation| malformed(&[violation]))?;
    graph.normalize(&mut schema);
    let patterns = TranslatedPatterns::apply(&graph, &mut schema).map_err(|violation| malformed(&[violation]))?;
    let validator = build(&schema).map_err(|error| malformed(&to_violations(&schema, [error], &patterns)))?;
    Ok(BuiltSchema { validator, schema, graph, patterns })
}

/// Builds the validator of a schema whose graph was checked.
pub(crate) fn build(schema: &Value) -> Result<Validator, ValidationError<'static>> {
    jsonschema::options()
        .with_draft(Draft::Draft7)
        .should_validate_formats(true)
        .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT))
        .offline()
        .build(schema)
}

fn malformed(violations: &[SchemaViolation]) -> Error {
    Error::new(ErrorOrigin::AnalysisTypeService, ErrorId::MalformedJsonSchema, join_violations(violations))
}
