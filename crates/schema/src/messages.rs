//! The messages of schema violations, as clients of the original server know them.
//!
//! Each violation names one location and one rule. Where alternatives failed, the violations of each alternative are
//! listed. Values are shown, but only the beginning of a long one.

mod format;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError, Validator};
use serde_json::Value;

use crate::SchemaViolation;
use crate::patterns::TranslatedPatterns;

/// How many characters of a value or a name a message shows.
const MAX_SHOWN_CHARS: usize = 200;

/// How many violations are listed; the others are only counted.
const MAX_LISTED_VIOLATIONS: usize = 1000;

/// Returns all violations of a value; none if it is valid.
pub(crate) fn describe_violations(
    validator: &Validator,
    value: &Value,
    patterns: &TranslatedPatterns,
) -> Vec<SchemaViolation> {
    if validator.is_valid(value) {
        return Vec::new();
    }
    let mut violations = to_violations(value, validator.iter_errors(value), patterns);
    if violations.len() > MAX_LISTED_VIOLATIONS {
        let omitted = violations.len() - MAX_LISTED_VIOLATIONS;
        violations.truncate(MAX_LISTED_VIOLATIONS);
        violations.push(SchemaViolation::at("", format!("{omitted} more violations are not listed")));
    }
    if violations.is_empty() {
        // An invalid value must never pass as valid, even without a message.
        violations.push(SchemaViolation::at("", "the value does not match the schema"));
    }
    violations
}

/// Converts the errors of a value to violations.
pub(crate) fn to_violations<'e>(
    value: &Value,
    errors: impl IntoIterator<Item = ValidationError<'e>>,
    patterns: &TranslatedPatterns,
) -> Vec<SchemaViolation> {
    let mut collector = ViolationCollector { root: value, patterns, violations: Vec::new() };
    for error in errors {
        collector.collect(None, &error);
    }
    collector.violations
}

/// Collects the violations of errors and of their alternatives.
struct ViolationCollector<'a> {
    root: &'a Value,
    patterns: &'a TranslatedPatterns,
    violations: Vec<SchemaViolation>,
}

impl ViolationCollector<'_> {
    /// Collects the violations of an error, at `pointer` if the error does not know its location.
    fn collect(&mut self, location: Option<&str>, error: &ValidationError<'_>) {
        let value = error.instance();
        let pointer = location.unwrap_or(error.instance_path().as_str());
        let mut push = |text: String| self.violations.push(SchemaViolation::at(pointer, text));
        match error.kind() {
            ValidationErrorKind::AnyOf { context } => {
                if !self.collect_alternatives(location, context) {
                    let total = context.len();
                    let text = format!("#: no subschema matched out of the total {total} subschemas");
                    self.violations.push(SchemaViolation::at(pointer, text));
                }
            }
            ValidationErrorKind::OneOfNotValid { context } => {
                if !self.collect_alternatives(location, context) {
                    self.violations.push(SchemaViolation::at(pointer, "#: 0 subschemas matched instead of one"));
                }
            }
            ValidationErrorKind::OneOfMultipleValid { context } => {
                let matched = context.iter().filter(|errors| errors.is_empty()).count();
                push(format!("{matched} subschemas matched instead of one"));
            }
            ValidationErrorKind::PropertyNames { error } => {
                let name = error.instance().as_str().unwrap_or_default();
                self.collect(Some(&format!("{pointer}/{}", escape(name))), error);
            }
            ValidationErrorKind::Type { kind: TypeKind::Single(expected) } => push(wrong_type(*expected, value)),
            ValidationErrorKind::Type { kind: TypeKind::Multiple(expected) } => {
                expected.iter().for_each(|expected| push(wrong_type(expected, value)));
            }
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                unexpected.iter().for_each(|name| push(extraneous(name)));
            }
            ValidationErrorKind::FalseSchema => match self.root.pointer(error.instance_path().as_str()) {
                // Where no member at all is permitted, the error has the object's pointer but a member's value.
                Some(Value::Object(members)) if location.is_none() && value.as_object() != Some(members) => {
                    members.keys().for_each(|name| push(extraneous(name)));
                }
                _ => push("false schema always fails".to_owned()),
            },
            ValidationErrorKind::Pattern { pattern } => {
                let pattern = self.patterns.original(pattern);
                push(format!("string [{}] does not match pattern {pattern}", display_value(value)));
            }
            kind => push(message_for(kind, value, error)),
        }
    }

    /// Collects the violations of each alternative; returns whether there were any.
    fn collect_alternatives(&mut self, location: Option<&str>, alternatives: &[Vec<ValidationError<'static>>]) -> bool {
        let count_before = self.violations.len();
        for error in alternatives.iter().flatten() {
            self.collect(location, error);
        }
        self.violations.len() > count_before
    }
}

fn extraneous(name: &str) -> String {
    format!("extraneous key [{}] is not permitted", truncate(name))
}

/// Returns the message of an error that has one location.
fn message_for(kind: &ValidationErrorKind, value: &Value, error: &ValidationError<'_>) -> String {
    let text = || display_value(value);
    match kind {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().map(truncate).unwrap_or_default();
            if error.schema_path().as_str().ends_with("/required") {
                format!("required key [{name}] not found")
            } else {
                format!("property [{name}] is required")
            }
        }
        ValidationErrorKind::Enum { .. } => format!("{} is not a valid enum value", text()),
        ValidationErrorKind::Constant { .. } => String::new(),
        ValidationErrorKind::Not { schema } => {
            format!("subject must not be valid against schema {}", truncate(&schema.to_string()))
        }
        ValidationErrorKind::BacktrackLimitExceeded { .. } | ValidationErrorKind::RegexEngineFailure { .. } => {
            format!("string [{}] takes too long to be compared with a pattern; shorten it", text())
        }
        ValidationErrorKind::Format { format } => format::invalid(format, &text()),
        ValidationErrorKind::MinLength { limit } => format!("expected minLength: {limit}, actual: {}", length(value)),
        ValidationErrorKind::MaxLength { limit } => format!("expected maxLength: {limit}, actual: {}", length(value)),
        ValidationErrorKind::Minimum { limit } => format!("{} is not greater or equal to {limit}", text()),
        ValidationErrorKind::ExclusiveMinimum { limit } => format!("{} is not greater than {limit}", text()),
        ValidationErrorKind::Maximum { limit } => format!("{} is not less or equal to {limit}", text()),
        ValidationErrorKind::ExclusiveMaximum { limit } => format!("{} is not less than {limit}", text()),
        ValidationErrorKind::MultipleOf { multiple_of } => format!("{} is not a multiple of {multiple_of}", text()),
        ValidationErrorKind::MinItems { limit } => {
            format!("expected minimum item count: {limit}, found: {}", length(value))
        }
        ValidationErrorKind::MaxItems { limit } => {
            format!("expected maximum item count: {limit}, found: {}", length(value))
        }
        ValidationErrorKind::AdditionalItems { limit } => {
            format!("expected: [{limit}] array items, found: [{}]", length(value))
        }
        ValidationErrorKind::UniqueItems => "array items are not unique".to_owned(),
        ValidationErrorKind::Contains => "expected at least one array item to match 'contains' schema".to_owned(),
        ValidationErrorKind::MinProperties { limit } => format!("minimum size: [{limit}], found: [{}]", length(value)),
        ValidationErrorKind::MaxProperties { limit } => format!("maximum size: [{limit}], found: [{}]", length(value)),
        _ => truncate(&error.to_string()),
    }
}

fn wrong_type(expected: JsonType, value: &Value) -> String {
    let found = json_type_name(value);
    let expected = match expected {
        JsonType::Array => "JSONArray",
        JsonType::Boolean => "Boolean",
        JsonType::Integer => "Integer",
        JsonType::Null => return format!("expected: null, found: {found}"),
        JsonType::Number => "Number",
        JsonType::Object => "JSONObject",
        JsonType::String => "String",
    };
    format!("expected type: {expected}, found: {found}")
}

/// Returns the name of a value's type.
pub fn json_type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "Null",
        Value::Bool(_) => "Boolean",
        Value::Number(number) if number.is_f64() => "Double",
        Value::Number(_) => "Integer",
        Value::String(_) => "String",
        Value::Array(_) => "JSONArray",
        Value::Object(_) => "JSONObject",
    }
}

/// Returns the number of characters, items or members.
fn length(value: &Value) -> usize {
    match value {
        Value::String(text) => text.chars().count(),
        Value::Array(items) => items.len(),
        Value::Object(members) => members.len(),
        _ => 0,
    }
}

/// Returns a value as messages show it: a text without quotes, all else as JSON.
fn display_value(value: &Value) -> String {
    match value {
        Value::String(text) => truncate(text),
        other => truncate(&other.to_string()),
    }
}

/// Returns the beginning of a long text.
pub(crate) fn truncate(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Escapes a name for a JSON pointer.
pub(crate) fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
