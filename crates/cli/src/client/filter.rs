//! Filters on the command line: `field=value`, `field!=value`, `field>=n`, `field=a,b`, or SQON.

use clap::Args;
use serde_json::{Value, json};

use super::catalogue::Catalogue;
use super::input::json_argument;
use crate::error::CliError;

/// The operators, longer ones first, each with its name in SQON.
const OPERATORS: [(&str, &str); 6] =
    [("!=", "not-in"), (">=", "gte"), ("<=", "lte"), (">", "gt"), ("<", "lt"), ("=", "in")];

/// The filter of a search.
#[derive(Debug, Args)]
pub(super) struct FilterArguments {
    /// Conditions that must all match: field=value, field!=value, field>=n, field>n, field<=n, field<n; field=a,b matches
    /// either value, `*` any characters, `__missing__` no value; `\,` is a literal comma
    #[arg(value_name = "CONDITIONS")]
    conditions: Vec<String>,
    /// A filter in SQON, or @FILE, in addition to the conditions
    #[arg(long, value_name = "JSON")]
    sqon: Option<String>,
}

/// A condition with untyped values.
#[derive(Debug, PartialEq, Eq)]
struct Condition {
    field: String,
    operator: &'static str,
    values: Vec<String>,
}

impl FilterArguments {
    /// Returns the filter; null matches everything.
    pub(super) fn filter(&self, catalogue: &Catalogue) -> Result<Value, CliError> {
        let mut parts = Vec::new();
        for text in &self.conditions {
            let condition = read(text).map_err(CliError::setting)?;
            parts.push(condition.sqon(catalogue.type_of(&condition.field)));
        }
        if let Some(sqon) = &self.sqon {
            parts.push(json_argument("--sqon", sqon)?);
        }
        Ok(match parts.len() {
            0 => Value::Null,
            1 => parts.remove(0),
            _ => json!({"op": "and", "content": parts}),
        })
    }
}

impl Condition {
    fn sqon(&self, type_name: Option<&str>) -> Value {
        let typed: Vec<Value> = self.values.iter().map(|value| typed(type_name, value)).collect();
        let value = match (self.operator, typed.as_slice()) {
            ("in" | "not-in", _) => Value::Array(typed),
            (_, [only]) => only.clone(),
            _ => Value::Array(typed),
        };
        json!({"op": self.operator, "content": {"fieldName": self.field, "value": value}})
    }
}

fn read(text: &str) -> Result<Condition, String> {
    let expected = "expected a condition such as field=value, field!=value, field>=5 or field=a,b";
    let start = text.find(['!', '<', '>', '=']).filter(|start| *start > 0);
    let start = start.ok_or_else(|| format!("found '{text}', {expected}"))?;
    let (field, rest) = text.split_at(start);
    let found = OPERATORS.iter().find_map(|(symbol, operator)| Some((*operator, rest.strip_prefix(symbol)?)));
    let (operator, value) = found.ok_or_else(|| format!("found '{text}', {expected}"))?;
    let is_range = !matches!(operator, "in" | "not-in");
    let values = if is_range { vec![value.to_owned()] } else { split(value) };
    Ok(Condition { field: field.trim().to_owned(), operator, values })
}

/// Splits values at commas; a backslash escapes.
fn split(text: &str) -> Vec<String> {
    let mut values = vec![String::new()];
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        let is_end = letter == ',';
        if is_end {
            values.push(String::new());
        } else if let Some(value) = values.last_mut() {
            value.push(if letter == '\\' { letters.next().unwrap_or(letter) } else { letter });
        }
    }
    values
}

/// Returns a value in the type of its field; one that does not fit stays a string, which the server rejects.
fn typed(type_name: Option<&str>, value: &str) -> Value {
    let number = || {
        let whole = value.parse::<i64>().map(Value::from).or_else(|_| value.parse::<u64>().map(Value::from)).ok();
        whole.or_else(|| value.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from))
    };
    let typed = match type_name {
        Some("boolean") => value.parse::<bool>().ok().map(Value::from),
        Some(
            "byte" | "short" | "integer" | "long" | "unsigned_long" | "half_float" | "float" | "double"
            | "scaled_float",
        ) => number(),
        _ => None,
    };
    typed.unwrap_or_else(|| value.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn condition(text: &str) -> (String, &'static str, Vec<String>) {
        let Condition { field, operator, values } = read(text).unwrap();
        (field, operator, values)
    }

    #[test]
    fn operators_and_values_are_told_apart() {
        for (text, operator, values) in [
            ("a.b=x", "in", vec!["x"]),
            ("a.b=x,y", "in", vec!["x", "y"]),
            ("a.b!=x", "not-in", vec!["x"]),
            ("a.b=x\\,y,z\\\\", "in", vec!["x,y", "z\\"]),
            ("a.b=", "in", vec![""]),
            ("a.b=c=d>e", "in", vec!["c=d>e"]),
            ("a.b>=2024-05-31||-1M/M", "gte", vec!["2024-05-31||-1M/M"]),
            ("a.b<5,5", "lt", vec!["5,5"]),
            ("a.b>-5", "gt", vec!["-5"]),
            ("a.b<=5", "lte", vec!["5"]),
        ] {
            let values = values.into_iter().map(str::to_owned).collect();
            assert_eq!(condition(text), ("a.b".to_owned(), operator, values), "{text}");
        }
        for text in ["", "a", "=x", "a!x", "!=x"] {
            assert!(read(text).unwrap_err().contains("expected a condition"), "{text}");
        }
    }

    #[test]
    fn values_are_of_the_type_of_their_field() {
        let value = |type_name, text| typed(Some(type_name), text);
        assert_eq!(value("long", "9007199254740993"), json!(9_007_199_254_740_993_i64));
        assert_eq!(value("unsigned_long", "18446744073709551615"), json!(u64::MAX));
        assert_eq!(value("double", "1.5"), json!(1.5));
        assert_eq!(value("boolean", "true"), json!(true));
        assert_eq!(value("keyword", "5"), json!("5"));
        assert_eq!(value("date", "2024"), json!("2024"));
        assert_eq!(value("long", "__missing__"), json!("__missing__"));
        assert_eq!(typed(None, "5"), json!("5"));
    }
}
