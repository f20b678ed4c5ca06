//! Checks schemas at registration: against the meta-schema, then by compiling them.

use std::collections::HashSet;
use std::sync::LazyLock;

use cantata_core::{Error, ErrorOrigin, Result};
use jsonschema::Validator;
use serde_json::Value;

use crate::base::is_base_definition;
use crate::messages::{describe_violations, json_type_name};
use crate::patterns::TranslatedPatterns;
use crate::schema_graph::SchemaGraph;
use crate::{PayloadValidator, SchemaViolation, compile, join_violations, subschemas};

/// The schema of `experiment` in a registered schema.
const EXPERIMENT: &str = "/properties/experiment";

const RESERVED_DEFINITION: &str = "this name is reserved (analysisType, common, file); choose another";

static META_SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    serde_json::from_str(include_str!("registration.json")).expect("the embedded meta-schema is JSON")
});

static META_VALIDATOR: LazyLock<Validator> =
    LazyLock::new(|| compile::build(&META_SCHEMA).expect("the embedded meta-schema is a schema"));

/// Returns the schema that the dynamic part of an analysis type must follow.
pub fn meta_schema() -> &'static Value {
    &META_SCHEMA
}

/// Rejects what cannot be the dynamic schema of an analysis type.
///
/// What breaks the meta-schema is a schema violation; what follows it but cannot be used as a JSON Schema, alone or
/// together with the base schema, is malformed.
pub fn check_registration(schema: &Value) -> Result<()> {
    let mut violations = match schema {
        Value::Null => return Err(violation_error("Schema field cannot be null".to_owned())),
        Value::Object(_) => describe_violations(&META_VALIDATOR, schema, &TranslatedPatterns::default()),
        // The meta-schema allows booleans, but nothing can be rendered from one.
        _ => vec![SchemaViolation::at("", format!("expected type: JSONObject, found: {}", json_type_name(schema)))],
    };
    if !violations.is_empty() {
        for violation in &mut violations {
            // The meta-schema says nothing else of a definition than that its name is not one of the base schema.
            if violation.pointer.strip_prefix("#/definitions/").is_some_and(is_base_definition) {
                RESERVED_DEFINITION.clone_into(&mut violation.text);
            }
        }
        return Err(violation_error(join_violations(&violations)));
    }
    PayloadValidator::compile(schema)?.prepare_updates()?;
    if SchemaGraph::build(schema).is_ok_and(|graph| describes_object(schema, &graph)) {
        return Ok(());
    }
    let text = "it describes other values than objects, but experiment is an object; add \"type\": \"object\"";
    Err(violation_error(SchemaViolation::at(EXPERIMENT, text).to_string()))
}

/// Returns what to know of a schema that another server registered by its own rules: why no payload can be checked with it,
/// or which of its definitions have no effect, and that it describes an `experiment` that is no object.
pub fn describe_foreign_schema(schema: &Value) -> Vec<String> {
    if let Err(error) = PayloadValidator::compile(schema).and_then(|validator| validator.prepare_updates()) {
        return vec![format!("nothing can be submitted under it or updated: {}", error.text)];
    }
    let mut notes = Vec::new();
    let replaced: Vec<&str> = schema["definitions"]
        .as_object()
        .into_iter()
        .flat_map(|own| own.keys())
        .map(String::as_str)
        .filter(|name| is_base_definition(name))
        .collect();
    if !replaced.is_empty() {
        notes.push(format!(
            "its definitions {} are replaced by those of the base schema; register a version with other names",
            replaced.join(", ")
        ));
    }
    let is_described = schema.pointer(EXPERIMENT).is_some();
    if is_described && !SchemaGraph::build(schema).is_ok_and(|graph| describes_object(schema, &graph)) {
        notes.push("it allows an experiment that is no object, but only objects are accepted here".to_owned());
    }
    notes
}

/// Says whether `experiment` can be nothing but an object: one of the schemas that apply to it unconditionally says so.
fn describes_object(schema: &Value, graph: &SchemaGraph) -> bool {
    let mut waiting = vec![EXPERIMENT.to_owned()];
    let mut seen = HashSet::new();
    while let Some(pointer) = waiting.pop() {
        let Some(Value::Object(keywords)) = schema.pointer(&pointer) else { continue };
        if let Some(reference) = subschemas::reference(keywords) {
            waiting.extend(graph.targets.get(reference).filter(|target| seen.insert(*target)).cloned());
            continue;
        }
        let names = match keywords.get("type") {
            Some(Value::Array(names)) => names.as_slice(),
            Some(name) => std::slice::from_ref(name),
            None => &[],
        };
        if matches!(names, [name] if name == "object") {
            return true;
        }
        let parts = keywords.get("allOf").and_then(Value::as_array).map_or(0, Vec::len);
        waiting.extend((0..parts).map(|index| format!("{pointer}/allOf/{index}")));
    }
    false
}

fn violation_error(text: String) -> Error {
    Error::schema_violation(ErrorOrigin::AnalysisTypeService, text)
}
