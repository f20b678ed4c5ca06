//! The analysis types of the sample data, beside the two that every server knows.
//!
//! All of them have title, experiment, donors, workflow and tags in common, which makes them one catalogue, and each
//! has something of its own.

use serde_json::{Value, json};

/// Returns the types as they are registered, in the order of their registration; `rnaExpression` comes in two versions.
pub fn analysis_types() -> Vec<Value> {
    vec![
        json!({"name": "alignedReads", "schema": schema(include_str!("types/alignedReads.json"))}),
        json!({
            "name": "somaticVariants",
            "schema": schema(include_str!("types/somaticVariants.json")),
            "options": {"fileTypes": ["VCF", "MAF", "TSV"]},
        }),
        json!({"name": "rnaExpression", "schema": schema(include_str!("types/rnaExpression-1.json"))}),
        json!({"name": "methylationProfile", "schema": schema(include_str!("types/methylationProfile.json"))}),
        json!({"name": "rnaExpression", "schema": schema(include_str!("types/rnaExpression-2.json"))}),
    ]
}

/// Returns the schema of a type: what all have in common, and what is its own.
fn schema(own: &str) -> Value {
    let mut schema = parsed(include_str!("types/shared.json"));
    let own = parsed(own);
    schema["type"] = "object".into();
    for keyword in ["required", "properties"] {
        match (&mut schema[keyword], &own[keyword]) {
            (Value::Array(shared), Value::Array(own)) => shared.extend(own.iter().cloned()),
            (Value::Object(shared), Value::Object(own)) => shared.extend(own.clone()),
            _ => unreachable!("the embedded schemas have both"),
        }
    }
    schema
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).expect("the embedded schema is JSON")
}
