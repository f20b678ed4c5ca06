//! The patterns of a schema: those that only Java understands are compiled in translation, and shown as they were registered.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::messages::{escape, truncate};
use crate::schema_graph::SchemaGraph;
use crate::{SchemaViolation, compile, java_pattern};

/// The patterns that were translated, each with its original.
#[derive(Debug, Default)]
pub(crate) struct TranslatedPatterns(HashMap<String, String>);

impl TranslatedPatterns {
    /// Translates the patterns of a document in place, or says which of them has no counterpart.
    pub(crate) fn apply(graph: &SchemaGraph, document: &mut Value) -> Result<Self, SchemaViolation> {
        let mut patterns = Self::default();
        // The deepest schemas come first, because the names of members change.
        for pointer in graph.pointers().rev() {
            let Some(Value::Object(schema)) = document.pointer_mut(pointer) else { continue };
            if let Some(Value::String(pattern)) = schema.get_mut("pattern") {
                *pattern = patterns.translated(&format!("{pointer}/pattern"), pattern)?;
            }
            if let Some(Value::Object(members)) = schema.get_mut("patternProperties") {
                let mut renamed = Map::new();
                for (pattern, member) in std::mem::take(members) {
                    let place = format!("{pointer}/patternProperties/{}", escape(&pattern));
                    renamed.insert(patterns.translated(&place, &pattern)?, member);
                }
                *members = renamed;
            }
        }
        Ok(patterns)
    }

    /// Returns a pattern as it was registered.
    pub(crate) fn original<'a>(&'a self, pattern: &'a str) -> &'a str {
        self.0.get(pattern).map_or(pattern, String::as_str)
    }

    fn translated(&mut self, pointer: &str, pattern: &str) -> Result<String, SchemaViolation> {
        if is_standard(pattern) {
            return Ok(pattern.to_owned());
        }
        match java_pattern::translate(pattern) {
            Ok(translated) if is_standard(&translated) && compile::build(&json!({"pattern": translated})).is_ok() => {
                self.0.insert(translated.clone(), pattern.to_owned());
                Ok(translated)
            }
            // It is no pattern of Java either, which the check of the whole schema says.
            Ok(_) => Ok(pattern.to_owned()),
            Err(error) => {
                let text = format!("[{}] is not a valid regular expression: {error}", truncate(pattern));
                Err(SchemaViolation::at(pointer, text))
            }
        }
    }
}

/// Says whether a pattern follows ECMA-262, as JSON Schema prescribes.
fn is_standard(pattern: &str) -> bool {
    jsonschema::draft7::meta::validate(&json!({"pattern": pattern})).is_ok()
}
