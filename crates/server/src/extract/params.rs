//! The query of an address, read one parameter at a time so that each error names its parameter.

use std::borrow::Cow;

use axum::extract::FromRequestParts;
use cantata_core::{Error, ErrorOrigin, Result};
use http::Uri;
use http::request::Parts;

use crate::error_body::ApiError;

/// The decoded parameters, in the order of the query.
pub(crate) struct Params(Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for Params {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        Ok(Self::of(&parts.uri))
    }
}

impl Params {
    /// Reads the parameters of an address.
    pub(crate) fn of(uri: &Uri) -> Self {
        let decoded = form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes());
        Self(decoded.map(|(name, value)| (name.into_owned(), value.into_owned())).collect())
    }

    /// Returns the first value of a parameter.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// Returns every value of a parameter that was given several times.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(given, _)| given == name).map(|(_, value)| value.as_str())
    }

    /// Returns the names of the parameters.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Returns a value, taking an empty one as not given.
    fn given(&self, name: &str) -> Option<&str> {
        self.get(name).filter(|value| !value.is_empty())
    }

    /// Reads a boolean.
    pub(crate) fn boolean(&self, origin: ErrorOrigin, name: &str, default: bool) -> Result<bool> {
        let Some(value) = self.given(name) else { return Ok(default) };
        match value.to_ascii_lowercase().as_str() {
            "true" | "on" | "yes" | "1" => Ok(true),
            "false" | "off" | "no" | "0" => Ok(false),
            _ => Err(malformed(origin, name, value, "true or false")),
        }
    }

    /// Reads an integer that is at least `least`.
    pub(crate) fn integer(&self, origin: ErrorOrigin, name: &str, least: u64) -> Result<Option<u64>> {
        let Some(value) = self.given(name) else { return Ok(None) };
        parse_integer(value, least)
            .map(Some)
            .ok_or_else(|| malformed(origin, name, value, format!("an integer of {least} or more")))
    }

    /// Reads a list, whose elements are separated by commas or given one by one.
    pub(crate) fn list<'a>(&'a self, name: &'a str) -> Vec<&'a str> {
        let given = self.all(name).filter(|list| !list.is_empty());
        given.flat_map(|list| list.split(',')).map(str::trim).collect()
    }
}

/// Reads an integer of at least `least`; those too large to count anything here become the largest there is.
pub(crate) fn parse_integer(text: &str, least: u64) -> Option<u64> {
    let digits = text.strip_prefix('+').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(digits.parse().unwrap_or(u64::MAX)).filter(|value| *value >= least)
}

/// Makes the error for a parameter with a value that is not allowed.
pub(crate) fn malformed(origin: ErrorOrigin, name: &str, found: &str, expected: impl Into<Cow<'static, str>>) -> Error {
    let expected: Cow<'static, str> = expected.into();
    Error::malformed_parameter(origin, format!("The parameter '{name}' is '{found}', but must be {expected}"))
}
