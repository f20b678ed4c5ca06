//! The analysis types of the sample data, beside the two that every server knows.

use serde_json::{Value, json};

/// Returns the types as they are registered, in the order of their registration; `rnaExpression` comes in two versions.
pub fn analysis_types() -> Vec<Value> {
    vec![
        json!({
            "name": "somaticVariants",
            "schema": schema(include_str!("types/somaticVariants.json")),
            "options": {"fileTypes": ["vcf", "tbi", "maf"]},
        }),
        json!({"name": "rnaExpression", "schema": schema(include_str!("types/rnaExpression-1.json"))}),
        json!({"name": "longReadGenome", "schema": schema(include_str!("types/longReadGenome.json"))}),
        json!({"name": "rnaExpression", "schema": schema(include_str!("types/rnaExpression-2.json"))}),
    ]
}

fn schema(text: &str) -> Value {
    serde_json::from_str(text).expect("the embedded schema is JSON")
}
