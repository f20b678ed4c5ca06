//! What the cells of a column are, and how the text of one becomes a value.

use serde_json::{Number, Value};

use crate::is_cell_error;

/// What is between the values of a list in one cell.
const LIST_SEPARATOR: char = ';';

/// How many allowed values a message lists.
const MAX_LISTED_VALUES: usize = 20;

/// What a cell is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CellKind {
    Text,
    Integer,
    Number,
    Boolean,
    /// Values between separators, or a JSON array.
    List(Box<CellType>),
    /// JSON; also text that is none, where the schema allows texts.
    Json {
        allows_text: bool,
    },
}

/// What a cell is, and which values it may have.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CellType {
    pub(crate) kind: CellKind,
    /// The values of an enumeration, with their texts.
    pub(crate) allowed: Option<Vec<(String, Value)>>,
}

/// Why a text is no value of its column.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found} is not valid: {expected}")]
pub(crate) struct CellError {
    found: String,
    expected: String,
}

impl CellKind {
    /// Returns the name in answers.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::List(_) => "list",
            Self::Json { .. } => "json",
        }
    }
}

impl CellType {
    /// Returns the texts that a cell, or each value of a list in it, may have.
    pub(crate) fn allowed_texts(&self) -> Option<Vec<String>> {
        let allowed = match &self.kind {
            CellKind::List(element) => element.allowed.as_ref(),
            _ => self.allowed.as_ref(),
        };
        allowed.map(|values| values.iter().map(|(text, _)| text.clone()).collect())
    }

    /// Reads the text of a cell that is not blank.
    pub(crate) fn read(&self, text: &str) -> Result<Value, CellError> {
        let trimmed = text.trim();
        let invalid = |expected: &str| CellError { found: trimmed.to_owned(), expected: expected.to_owned() };
        if let Some(allowed) = &self.allowed {
            let found = allowed.iter().find(|(known, _)| known == text || known.trim() == trimmed);
            return found.map(|(_, value)| value.clone()).ok_or_else(|| invalid(&one_of(allowed)));
        }
        if is_cell_error(trimmed) {
            return Err(invalid("it is the error of a formula; correct it, or leave the cell empty"));
        }
        match &self.kind {
            CellKind::Text => Ok(Value::from(text)),
            CellKind::Integer => {
                integer(trimmed).map(Value::Number).ok_or_else(|| invalid("a whole number is expected"))
            }
            CellKind::Number => number(trimmed).map(Value::Number).ok_or_else(|| invalid("a number is expected")),
            CellKind::Boolean => match trimmed.to_ascii_lowercase().as_str() {
                "true" => Ok(Value::Bool(true)),
                "false" => Ok(Value::Bool(false)),
                _ => Err(invalid("one of true, false")),
            },
            CellKind::List(_) if trimmed.starts_with('[') => match serde_json::from_str(trimmed) {
                Ok(value @ Value::Array(_)) => Ok(value),
                _ => Err(invalid("values separated by ; or a JSON array are expected")),
            },
            CellKind::List(element) => {
                let values = trimmed.split(LIST_SEPARATOR).map(str::trim).filter(|value| !value.is_empty());
                values.map(|value| element.read(value)).collect()
            }
            CellKind::Json { allows_text } => match serde_json::from_str(trimmed) {
                Ok(value) => Ok(value),
                Err(_) if *allows_text => Ok(Value::from(text)),
                Err(_) => Err(invalid("JSON is expected")),
            },
        }
    }
}

fn integer(text: &str) -> Option<Number> {
    text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from)).ok()
}

fn number(text: &str) -> Option<Number> {
    let is_number = text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '-' | '.'));
    let parsed = integer(text).or_else(|| Number::from_f64(text.parse().ok()?));
    parsed.filter(|_| is_number)
}

fn one_of(allowed: &[(String, Value)]) -> String {
    let texts: Vec<&str> = allowed.iter().take(MAX_LISTED_VALUES).map(|(text, _)| text.as_str()).collect();
    let more = if allowed.len() > MAX_LISTED_VALUES { ", …" } else { "" };
    format!("one of {}{more}", texts.join(", "))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_cell_is_read_as_what_its_column_is() {
        let of = |kind| CellType { kind, allowed: None };
        assert_eq!(of(CellKind::Text).read("007"), Ok(json!("007")));
        assert_eq!(of(CellKind::Integer).read(" 18446744073709551615 "), Ok(json!(u64::MAX)));
        assert!(of(CellKind::Integer).read("1.5").is_err());
        assert_eq!(of(CellKind::Number).read("-1.5e3"), Ok(json!(-1500.0)));
        assert!(of(CellKind::Number).read("inf").is_err());
        assert_eq!(of(CellKind::Boolean).read("TRUE"), Ok(json!(true)));
        let list = of(CellKind::List(Box::new(of(CellKind::Integer))));
        assert_eq!(list.read("1; 2;"), Ok(json!([1, 2])));
        assert_eq!(list.read("[]"), Ok(json!([])));
        assert!(list.read("1;x").is_err());
        assert_eq!(of(CellKind::Json { allows_text: true }).read("{\"a\": 1}"), Ok(json!({"a": 1})));
        assert_eq!(of(CellKind::Json { allows_text: true }).read("plain"), Ok(json!("plain")));
        assert!(of(CellKind::Json { allows_text: false }).read("plain").is_err());
        let access = ["open", "controlled"].map(|text| (text.to_owned(), json!(text))).to_vec();
        let access = CellType { kind: CellKind::Text, allowed: Some(access) };
        assert_eq!(access.read(" open"), Ok(json!("open")));
        let error = access.read("secret").unwrap_err();
        assert_eq!(error.to_string(), "secret is not valid: one of open, controlled");
    }
}
