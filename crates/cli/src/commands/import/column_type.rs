//! The types of columns: which one a cell has, which one has the values of two, and what a cell is by it.

use cantata_core::Timestamp;
use serde_json::{Number, Value, json};

/// Texts up to this length, in bytes, are found by their whole value alone.
const MAX_KEYWORD_BYTES: usize = 256;

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnType {
    Boolean,
    Long,
    Double,
    Date,
    Keyword,
    Text,
}

impl ColumnType {
    const NAMES: [(&'static str, ColumnType); 6] = [
        ("boolean", Self::Boolean),
        ("long", Self::Long),
        ("double", Self::Double),
        ("date", Self::Date),
        ("keyword", Self::Keyword),
        ("text", Self::Text),
    ];

    pub(super) fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(_, kind)| *kind == self).map_or("keyword", |(name, _)| name)
    }

    /// Returns the narrowest type of a cell.
    pub(super) fn of_cell(cell: &str) -> Self {
        if cell.eq_ignore_ascii_case("true") || cell.eq_ignore_ascii_case("false") {
            Self::Boolean
        } else if long(cell).is_some() {
            Self::Long
        } else if double(cell).is_some() && !is_whole(cell) {
            Self::Double
        } else {
            Self::of_text(cell)
        }
    }

    /// Returns the type of a text that is known to be one, whatever it looks like.
    pub(super) fn of_text(text: &str) -> Self {
        if is_date(text) {
            Self::Date
        } else if text.len() <= MAX_KEYWORD_BYTES {
            Self::Keyword
        } else {
            Self::Text
        }
    }

    /// Returns the type that has the values of both.
    pub(super) fn join(self, other: Self) -> Self {
        match (self, other) {
            (one, two) if one == two => one,
            (Self::Long, Self::Double) | (Self::Double, Self::Long) => Self::Double,
            (Self::Text, _) | (_, Self::Text) => Self::Text,
            _ => Self::Keyword,
        }
    }

    pub(super) fn mapping(self) -> Value {
        match self {
            Self::Text => json!({"type": "text", "fields": {"keyword": {"type": "keyword", "ignore_above": 256}}}),
            other => json!({ "type": other.name() }),
        }
    }

    /// Returns a cell as a value; what is not of the type stays a text, which the index rejects with its reason.
    pub(super) fn value(self, cell: &str) -> Value {
        let typed = match self {
            Self::Boolean if cell.eq_ignore_ascii_case("true") => Some(Value::Bool(true)),
            Self::Boolean if cell.eq_ignore_ascii_case("false") => Some(Value::Bool(false)),
            Self::Long => long(cell).map(Value::from),
            Self::Double => double(cell).map(Value::Number),
            _ => None,
        };
        typed.unwrap_or_else(|| Value::from(cell))
    }
}

/// Reads a whole number; one with zeros in front, such as `007`, is a name.
fn long(cell: &str) -> Option<i64> {
    let digits = cell.strip_prefix('-').unwrap_or(cell);
    let is_plain = digits == "0" || (!digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit()));
    cell.parse::<i64>().ok().filter(|_| is_plain)
}

fn double(cell: &str) -> Option<Number> {
    let digits = cell.strip_prefix('-').unwrap_or(cell);
    let is_padded = digits.len() > 1 && digits.starts_with('0') && digits.as_bytes()[1].is_ascii_digit();
    let is_number = digits.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && digits.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'));
    cell.parse::<f64>().ok().filter(|_| is_number && !is_padded).and_then(Number::from_f64)
}

/// Returns whether a cell has nothing but digits. Where they are too many for a whole number they are a name: a double
/// would round it.
fn is_whole(cell: &str) -> bool {
    cell.strip_prefix('-').unwrap_or(cell).bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a cell is a date such as `2024-05-31`, or a moment such as `2024-05-31T12:00:00Z`.
fn is_date(cell: &str) -> bool {
    let bytes = cell.as_bytes();
    bytes.get(4) == Some(&b'-')
        && bytes.get(7) == Some(&b'-')
        && bytes.get(10).is_none_or(|separator| *separator == b'T')
        && cell.strip_suffix('Z').unwrap_or(cell).parse::<Timestamp>().is_ok()
}

/// Why a text is not the type of a column.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ColumnTypeError {
    #[error("expected a column and its type, such as age=long")]
    NoType,
    #[error("found the type '{}', expected one of {}", .0, ColumnType::NAMES.map(|(name, _)| name).join(", "))]
    Unknown(String),
}

/// Parses the type of a column on the command line, such as `age=long`.
pub(crate) fn column_type(text: &str) -> Result<(String, ColumnType), ColumnTypeError> {
    let (column, name) = text.rsplit_once('=').ok_or(ColumnTypeError::NoType)?;
    match ColumnType::NAMES.iter().find(|(known, _)| *known == name) {
        Some((_, kind)) => Ok((column.to_owned(), *kind)),
        None => Err(ColumnTypeError::Unknown(name.to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_the_narrowest_type() {
        for (cell, kind) in [
            ("True", ColumnType::Boolean),
            ("0", ColumnType::Long),
            ("-12", ColumnType::Long),
            ("007", ColumnType::Keyword),
            ("0.50", ColumnType::Double),
            ("1e-3", ColumnType::Double),
            ("-.5", ColumnType::Double),
            ("00.5", ColumnType::Keyword),
            ("inf", ColumnType::Keyword),
            ("1-2", ColumnType::Keyword),
            ("99999999999999999999", ColumnType::Keyword),
            ("2024-02-29", ColumnType::Date),
            ("2024-02-30", ColumnType::Keyword),
            ("2024-02-29T12:00:00Z", ColumnType::Date),
            ("2024-02-29 12:00", ColumnType::Keyword),
            ("Lung", ColumnType::Keyword),
        ] {
            assert_eq!(ColumnType::of_cell(cell), kind, "{cell}");
        }
        assert_eq!(ColumnType::of_cell(&"x".repeat(300)), ColumnType::Text);
    }

    #[test]
    fn a_column_has_the_type_of_all_its_cells() {
        assert_eq!(ColumnType::Long.join(ColumnType::Double), ColumnType::Double);
        assert_eq!(ColumnType::Long.join(ColumnType::Date), ColumnType::Keyword);
        assert_eq!(ColumnType::Date.join(ColumnType::Text), ColumnType::Text);
        assert_eq!(ColumnType::Long.value("x"), json!("x"));
        assert_eq!(column_type("a=b=long"), Ok(("a=b".to_owned(), ColumnType::Long)));
        assert!(column_type("age").is_err() && column_type("age=int").is_err());
    }
}
