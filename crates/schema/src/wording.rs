//! The words for what is wrong with a value, as clients of the original server know them.
//!
//! Each violation names one place and one rule. Where alternatives failed, what is wrong with each alternative is
//! said instead of the mere fact. Values are shown, but never more than the beginning of a long one.

mod format;

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError, Validator};
use serde_json::Value;

use crate::Violation;

/// How much of a value or a name a message shows, in characters.
const LONGEST_SHOWN: usize = 200;

/// How many violations are told; the number of the others is.
const MOST_TOLD: usize = 1000;

/// Returns everything that is wrong with a value; nothing if it is valid.
pub(crate) fn explain(validator: &Validator, value: &Value) -> Vec<Violation> {
    if validator.is_valid(value) {
        return Vec::new();
    }
    let mut violations = word(value, validator.iter_errors(value));
    if violations.len() > MOST_TOLD {
        let untold = violations.len() - MOST_TOLD;
        violations.truncate(MOST_TOLD);
        violations.push(Violation::at("", format!("{untold} more violations are not listed")));
    }
    if violations.is_empty() {
        // Whatever the reason for the silence, an invalid value must not pass for a valid one.
        violations.push(Violation::at("", "the value does not match the schema"));
    }
    violations
}

/// Returns the violations that make up the errors found in a value.
pub(crate) fn word<'e>(value: &Value, errors: impl IntoIterator<Item = ValidationError<'e>>) -> Vec<Violation> {
    let mut teller = Teller { root: value, told: Vec::new() };
    for error in errors {
        teller.tell(None, &error);
    }
    teller.told
}

struct Teller<'a> {
    root: &'a Value,
    told: Vec<Violation>,
}

impl Teller<'_> {
    /// Tells the violations of an error, at `place` if the error does not know where it belongs.
    fn tell(&mut self, place: Option<&str>, error: &ValidationError<'_>) {
        let value = error.instance();
        let pointer = place.unwrap_or(error.instance_path().as_str());
        let mut tell = |text: String| self.told.push(Violation::at(pointer, text));
        match error.kind() {
            ValidationErrorKind::AnyOf { context } => {
                if !self.tell_alternatives(place, context) {
                    let total = context.len();
                    let text = format!("#: no subschema matched out of the total {total} subschemas");
                    self.told.push(Violation::at(pointer, text));
                }
            }
            ValidationErrorKind::OneOfNotValid { context } => {
                if !self.tell_alternatives(place, context) {
                    self.told.push(Violation::at(pointer, "#: 0 subschemas matched instead of one"));
                }
            }
            ValidationErrorKind::OneOfMultipleValid { context } => {
                let matched = context.iter().filter(|errors| errors.is_empty()).count();
                tell(format!("{matched} subschemas matched instead of one"));
            }
            ValidationErrorKind::PropertyNames { error } => {
                let name = error.instance().as_str().unwrap_or_default();
                self.tell(Some(&format!("{pointer}/{}", escape(name))), error);
            }
            ValidationErrorKind::Type { kind: TypeKind::Single(expected) } => tell(wrong_type(*expected, value)),
            ValidationErrorKind::Type { kind: TypeKind::Multiple(expected) } => {
                expected.iter().for_each(|expected| tell(wrong_type(expected, value)));
            }
            ValidationErrorKind::AdditionalProperties { unexpected } => {
                unexpected.iter().for_each(|name| tell(extraneous(name)));
            }
            ValidationErrorKind::FalseSchema => match self.root.pointer(error.instance_path().as_str()) {
                // Where no member at all is permitted, the error has the object's place but a member's value.
                Some(Value::Object(members)) if place.is_none() && value.as_object() != Some(members) => {
                    members.keys().for_each(|name| tell(extraneous(name)));
                }
                _ => tell("false schema always fails".to_owned()),
            },
            kind => tell(word_simple(kind, value, error)),
        }
    }

    /// Tells what is wrong with each alternative; returns whether there was anything to tell.
    fn tell_alternatives(&mut self, place: Option<&str>, alternatives: &[Vec<ValidationError<'static>>]) -> bool {
        let told_before = self.told.len();
        for error in alternatives.iter().flatten() {
            self.tell(place, error);
        }
        self.told.len() > told_before
    }
}

fn extraneous(name: &str) -> String {
    format!("extraneous key [{}] is not permitted", cut(name))
}

/// Words the rules that are broken in one place and in one way.
fn word_simple(kind: &ValidationErrorKind, value: &Value, error: &ValidationError<'_>) -> String {
    let shown = || shown(value);
    match kind {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().map(cut).unwrap_or_default();
            if error.schema_path().as_str().ends_with("/required") {
                format!("required key [{name}] not found")
            } else {
                format!("property [{name}] is required")
            }
        }
        ValidationErrorKind::Enum { .. } => format!("{} is not a valid enum value", shown()),
        ValidationErrorKind::Constant { .. } => String::new(),
        ValidationErrorKind::Not { schema } => {
            format!("subject must not be valid against schema {}", cut(&schema.to_string()))
        }
        ValidationErrorKind::Pattern { pattern } => format!("string [{}] does not match pattern {pattern}", shown()),
        ValidationErrorKind::BacktrackLimitExceeded { .. } | ValidationErrorKind::RegexEngineFailure { .. } => {
            format!("string [{}] takes too long to be compared with a pattern; shorten it", shown())
        }
        ValidationErrorKind::Format { format } => format::invalid(format, &shown()),
        ValidationErrorKind::MinLength { limit } => {
            format!("expected minLength: {limit}, actual: {}", length(value))
        }
        ValidationErrorKind::MaxLength { limit } => {
            format!("expected maxLength: {limit}, actual: {}", length(value))
        }
        ValidationErrorKind::Minimum { limit } => format!("{} is not greater or equal to {limit}", shown()),
        ValidationErrorKind::ExclusiveMinimum { limit } => format!("{} is not greater than {limit}", shown()),
        ValidationErrorKind::Maximum { limit } => format!("{} is not less or equal to {limit}", shown()),
        ValidationErrorKind::ExclusiveMaximum { limit } => format!("{} is not less than {limit}", shown()),
        ValidationErrorKind::MultipleOf { multiple_of } => format!("{} is not a multiple of {multiple_of}", shown()),
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
        _ => cut(&error.to_string()),
    }
}

fn wrong_type(expected: JsonType, value: &Value) -> String {
    let found = found_type(value);
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

/// Names the type of a value.
pub fn found_type(value: &Value) -> &'static str {
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
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => cut(text),
        other => cut(&other.to_string()),
    }
}

/// Returns the beginning of a text.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST_SHOWN) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns a name as a JSON pointer has it.
pub(crate) fn escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}
