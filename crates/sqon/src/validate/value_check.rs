//! Which values a field can be compared with. A value that can never be one of the field's is an error in the filter,
//! not a filter without matches.

use std::net::IpAddr;

use super::{FieldClass, FieldInfo, FieldLookup};
use crate::json_path::{describe, quote};
use crate::value::{MISSING_VALUE, Scalar, ValueTest};

/// Checks values against a field.
pub(super) struct FieldChecker<'a> {
    pub(super) fields: &'a dyn FieldLookup,
    pub(super) dotted: &'a str,
    pub(super) info: FieldInfo,
}

impl FieldChecker<'_> {
    /// Returns what is wrong with a value of an in-like operator, if anything is.
    pub(super) fn value_problem(&self, value: &ValueTest) -> Option<String> {
        match value {
            ValueTest::Missing => None,
            _ if matches!(self.info.class, FieldClass::Object | FieldClass::Nested) => Some(format!(
                "{} is of type {} and has no values of its own; expected \"{MISSING_VALUE}\", or one of its fields instead",
                quote(self.dotted),
                self.info.type_name,
            )),
            ValueTest::Set(id) if id.is_empty() => {
                Some("found \"set_id:\"; expected the id of a set after it".to_owned())
            }
            ValueTest::Set(_) => None,
            ValueTest::Pattern(pattern) => match self.info.class {
                FieldClass::Text | FieldClass::Keyword | FieldClass::Other => None,
                _ => Some(self.unsuitable(&format!("the pattern {}", quote(pattern)))),
            },
            ValueTest::Equals(scalar) => self.scalar_problem(scalar),
        }
    }

    /// Returns what is wrong with a plain value or a bound, if anything is.
    pub(super) fn scalar_problem(&self, scalar: &Scalar) -> Option<String> {
        let suits = match self.info.class {
            FieldClass::Integer | FieldClass::Float => scalar.as_number().is_some(),
            FieldClass::Boolean => scalar.as_boolean().is_some(),
            FieldClass::Date => match scalar {
                Scalar::String(text) => self.fields.is_date(self.dotted, text),
                Scalar::Number(_) => true,
                Scalar::Boolean(_) => false,
            },
            FieldClass::Ip => matches!(scalar, Scalar::String(text) if is_address(text)),
            FieldClass::Text | FieldClass::Keyword | FieldClass::Id | FieldClass::Other => true,
            FieldClass::Object | FieldClass::Nested => false,
        };
        (!suits).then(|| self.unsuitable(&describe(&scalar.to_json())))
    }

    fn unsuitable(&self, found: &str) -> String {
        let expected = match self.info.class {
            FieldClass::Integer | FieldClass::Float => "a number",
            FieldClass::Boolean => "true or false",
            FieldClass::Date => {
                "a date such as 2024-05-31, 2024-05-31T12:00:00Z or now-30d, or milliseconds since 1970"
            }
            FieldClass::Ip => "an address such as 192.0.2.1, or a range of them such as 192.0.2.0/24",
            FieldClass::Text | FieldClass::Keyword | FieldClass::Other => "a text",
            FieldClass::Id => "an id",
            FieldClass::Object | FieldClass::Nested => "one of its fields",
        };
        format!("found {found}, but {} is of type {}; expected {expected}", quote(self.dotted), self.info.type_name)
    }
}

fn is_address(text: &str) -> bool {
    let (address, prefix) = match text.split_once('/') {
        Some((address, prefix)) => (address, Some(prefix)),
        None => (text, None),
    };
    let Ok(address) = address.parse::<IpAddr>() else { return false };
    let bits = if address.is_ipv4() { 32 } else { 128 };
    prefix.is_none_or(|prefix| prefix.parse::<u8>().is_ok_and(|length| length <= bits))
}
