//! The checks of one analysis type version, compiled once and shared.

use std::sync::OnceLock;

use cantata_core::{Error, ErrorId, ErrorOrigin, Result};
use jsonschema::Validator;
use serde_json::Value;

use crate::Violation;
use crate::base::{submission_schema, update_schema};
use crate::compile::{check_alone, compile};
use crate::effort::EffortLimit;
use crate::wording::{explain, found_type};

/// Checks submissions and updates of one analysis type version.
///
/// Updates are rare, so their validator is made when the first one comes.
#[derive(Debug)]
pub struct PayloadValidator {
    dynamic: Value,
    submission: Validator,
    update: OnceLock<Result<Validator>>,
    effort: Option<EffortLimit>,
}

impl PayloadValidator {
    /// Makes the checks of the type with this dynamic schema, or says why the schema cannot be used.
    pub fn compile(dynamic: &Value) -> Result<Self> {
        if !dynamic.is_object() {
            return Err(Error::new(
                ErrorOrigin::AnalysisTypeService,
                ErrorId::MalformedJsonSchema,
                format!("#: expected type: JSONObject, found: {}", found_type(dynamic)),
            ));
        }
        check_alone(dynamic)?;
        let (submission, schema, outline) = compile(submission_schema(dynamic))?;
        let effort = (!outline.stays_small()).then(|| {
            let names = dynamic["properties"].as_object().into_iter().flat_map(|properties| properties.keys());
            EffortLimit::new(schema, outline, names.cloned().collect())
        });
        Ok(Self { dynamic: dynamic.clone(), submission, update: OnceLock::new(), effort })
    }

    /// Returns everything that is wrong with a submitted payload, depth first; nothing if it may be stored.
    pub fn check_submission(&self, payload: &Value) -> Vec<Violation> {
        self.check(&self.submission, payload)
    }

    /// Returns everything that is wrong with the body that replaces an analysis' data; nothing if it may be stored.
    pub fn check_update(&self, body: &Value) -> Vec<Violation> {
        match self.update_validator() {
            Ok(validator) => self.check(validator, body),
            Err(error) => vec![Violation::at("", error.text.clone())],
        }
    }

    /// Makes the checks of updates now, or says why they cannot be made.
    pub(crate) fn prepare_updates(&self) -> Result<()> {
        self.update_validator().as_ref().map(|_| ()).map_err(Error::clone)
    }

    fn update_validator(&self) -> &Result<Validator> {
        self.update.get_or_init(|| compile(update_schema(&self.dynamic)).map(|(validator, ..)| validator))
    }

    fn check(&self, validator: &Validator, value: &Value) -> Vec<Violation> {
        if let Some(violation) = self.effort.as_ref().and_then(|effort| effort.exceeded_by(value)) {
            return vec![violation];
        }
        explain(validator, value)
    }
}
