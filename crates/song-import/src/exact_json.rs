//! Parses JSON without loss, or rejects it.
//!
//! The database keeps numbers of any length. A number that cannot be represented exactly is rejected, never rounded.

use crate::error::RowError;
use cantata_core::json::{numbers, parse_exact_json};
use serde_json::{Map, Number, Value};

/// Parses JSON, or says why it cannot be represented exactly.
pub(crate) fn parse(text: &str) -> Result<Value, RowError> {
    let value = parse_exact_json(text.as_bytes()).map_err(|error| error.to_string())?;
    match numbers(text).find(|number| !is_kept(number)) {
        Some(number) => Err(format!("the number {number} cannot be kept to its last digit").into()),
        None => Ok(value),
    }
}

/// Parses a JSON object; nothing and null are an empty one.
pub(crate) fn parse_object(text: Option<&str>) -> Result<Map<String, Value>, RowError> {
    match text.map(parse).transpose()? {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(members)) => Ok(members),
        Some(_) => Err("is JSON, but no object".into()),
    }
}

fn is_kept(number: &str) -> bool {
    let kept: Option<Number> = serde_json::from_str(number).ok();
    kept.is_some_and(|kept| decimal(&kept.to_string()) == decimal(number))
}

/// Takes a number apart: whether it is negative, its digits, and the power of ten that they are multiplied by.
fn decimal(number: &str) -> (bool, String, i64) {
    let (is_negative, number) = number.strip_prefix('-').map_or((false, number), |number| (true, number));
    let (number, power) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_end_matches('0');
    let power = power.parse::<i64>().unwrap_or(i64::MAX);
    let power = power.saturating_sub(fraction.len() as i64).saturating_add((digits.len() - significant.len()) as i64);
    match significant.trim_start_matches('0') {
        "" => (false, String::new(), 0),
        significant => (is_negative, significant.to_owned(), power),
    }
}

/// Serializes JSON in a canonical form, independent of the order of members.
pub(crate) fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            text.push('{');
            for (name, member) in members {
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write(member, text);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for item in items {
                write(item, text);
                text.push(',');
            }
            text.push(']');
        }
        scalar => text.push_str(&scalar.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_kept_or_refused() {
        for kept in [
            "0",
            "-0",
            "0.10",
            "1e3",
            "1.50E-7",
            "9007199254740993",
            "18446744073709551615",
            "-9223372036854775808",
            "0.1",
            "123456.789",
            "1E+2",
            "1e300",
            "[1,2.5]",
            r#"{"a-1":"99999999999999999999999","b":"\"1e999"}"#,
        ] {
            assert!(parse(kept).is_ok(), "{kept}: {:?}", parse(kept));
        }
        for refused in [
            "18446744073709551616",
            "-9223372036854775809",
            "0.12345678901234567890",
            "1e400",
            r#"{"a": ["\\", 99999999999999999999999]}"#,
            "1e-400",
        ] {
            assert!(parse(refused).is_err(), "{refused}: {:?}", parse(refused));
        }
    }

    #[test]
    fn the_order_of_members_does_not_matter_in_the_canonical_form() {
        let (one, other) =
            (json!({"b": [1, {"d": 1, "c": null}], "a": "x"}), json!({"a": "x", "b": [1, {"c": null, "d": 1}]}));
        assert_eq!(canonical(&one), canonical(&other));
        for (one, other) in [
            (json!([1, 2]), json!([2, 1])),
            (json!([]), json!({})),
            (json!([[1], 2]), json!([[1, 2]])),
            (json!("1"), json!(1)),
            (json!({"a": null}), json!({})),
        ] {
            assert_ne!(canonical(&one), canonical(&other));
        }
    }
}
