//! The validators of one analysis type version, compiled once and shared.

use std::sync::OnceLock;

use cantata_core::{Error, ErrorId, ErrorOrigin, Result};
use jsonschema::Validator;
use serde_json::Value;

use crate::SchemaViolation;
use crate::base::{submission_schema, update_schema};
use crate::compile::{BuiltSchema, check_standalone, compile};
use crate::messages::{describe_violations, json_type_name};
use crate::patterns::TranslatedPatterns;
use crate::validation_budget::ValidationBudget;

/// Validates submissions and updates of one analysis type version.
///
/// `experiment` is an object, also under a type that another server registered and that describes something else.
/// Updates are rare, so their validator is compiled at the first one.
#[derive(Debug)]
pub struct PayloadValidator {
    dynamic: Value,
    submission: Validator,
    update: OnceLock<Result<Validator>>,
    budget: Option<ValidationBudget>,
    patterns: TranslatedPatterns,
}

impl PayloadValidator {
    /// Compiles the validator of the type with this dynamic schema, or says why the schema cannot be used.
    pub fn compile(dynamic: &Value) -> Result<Self> {
        if !dynamic.is_object() {
            let text = format!("#: expected type: JSONObject, found: {}", json_type_name(dynamic));
            return Err(Error::new(ErrorOrigin::AnalysisTypeService, ErrorId::MalformedJsonSchema, text));
        }
        check_standalone(dynamic)?;
        let BuiltSchema { validator: submission, schema, graph, patterns } = compile(submission_schema(dynamic))?;
        let budget = (!graph.has_small_expansion()).then(|| {
            let names = dynamic["properties"].as_object().into_iter().flat_map(|properties| properties.keys());
            ValidationBudget::new(schema, graph, names.cloned().collect())
        });
        Ok(Self { dynamic: dynamic.clone(), submission, update: OnceLock::new(), budget, patterns })
    }

    /// Says whether the base schema alone describes the files of a payload.
    pub fn has_base_files(&self) -> bool {
        self.dynamic["properties"].get("files").is_none()
    }

    /// Returns all violations of a submitted payload, depth first; none if it may be stored.
    pub fn validate_submission(&self, payload: &Value) -> Vec<SchemaViolation> {
        self.check(&self.submission, payload)
    }

    /// Returns all violations of a body that replaces the data of an analysis; none if it may be stored.
    pub fn validate_update(&self, body: &Value) -> Vec<SchemaViolation> {
        match self.update_validator() {
            Ok(validator) => self.check(validator, body),
            Err(error) => vec![SchemaViolation::at("", error.text.clone())],
        }
    }

    /// Compiles the validator of updates now, or says why that is not possible.
    pub(crate) fn prepare_updates(&self) -> Result<()> {
        self.update_validator().as_ref().map(|_| ()).map_err(Error::clone)
    }

    fn update_validator(&self) -> &Result<Validator> {
        self.update.get_or_init(|| compile(update_schema(&self.dynamic)).map(|compiled| compiled.validator))
    }

    fn check(&self, validator: &Validator, value: &Value) -> Vec<SchemaViolation> {
        if let Some(violation) = self.budget.as_ref().and_then(|budget| budget.exceeded_by(value)) {
            return vec![violation];
        }
        let violations = describe_violations(validator, value, &self.patterns);
        match value.get("experiment") {
            Some(experiment) if violations.is_empty() && !experiment.is_object() => {
                let text = format!("expected type: JSONObject, found: {}", json_type_name(experiment));
                vec![SchemaViolation::at("/experiment", text)]
            }
            _ => violations,
        }
    }
}
