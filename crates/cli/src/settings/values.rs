//! Parsers of single values. Each error says what was expected.

use std::convert::Infallible;
use std::fmt::Display;
use std::net::IpAddr;
use std::str::FromStr;

use cantata_access::PublicStudies;
use cantata_core::Secret;
use cantata_server::{
    AllowedOrigins, HostNames, InvalidHostName, InvalidNetwork, InvalidOrigin, Origins, TrustedProxies,
};
use reqwest::Url;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;

/// The maximum timeout: an hour.
pub(super) const MAX_TIMEOUT_MS: u64 = 3_600_000;

/// A number that is not in its range.
#[derive(Debug, thiserror::Error)]
#[error("expected a whole number from {low} to {high}")]
pub(super) struct OutOfRange<T> {
    low: T,
    high: T,
}

/// A list with an invalid item.
#[derive(Debug, thiserror::Error)]
#[error("expected {expected}, but {problem}")]
pub(super) struct InvalidList<E> {
    expected: &'static str,
    #[source]
    problem: E,
}

/// Why a text is no log filter.
#[derive(Debug, thiserror::Error)]
pub(super) enum LogFilterError {
    #[error("{EXPECTED_FILTER}; '{}' is no level of {}", .0, LOG_LEVELS.join(", "))]
    Level(String),
    #[error("{EXPECTED_FILTER} ({0})")]
    Syntax(#[source] ParseError),
}

/// Parses a secret; it never fails, because an error would show the text.
pub(crate) fn secret(text: &str) -> Result<Secret, Infallible> {
    Ok(Secret::new(text))
}

/// Returns a parser of whole numbers from `low` to `high`.
pub(super) fn whole_number<T>(
    low: T,
    high: T,
) -> impl Fn(&str) -> Result<T, OutOfRange<T>> + Clone + Send + Sync + 'static
where
    T: FromStr + PartialOrd + Display + Copy + Send + Sync + 'static,
{
    move |text| {
        let number = text.parse().ok().filter(|number| (low..=high).contains(number));
        number.ok_or(OutOfRange { low, high })
    }
}

/// Parses a boolean.
pub(super) fn switch(text: &str) -> Result<bool, &'static str> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "1" => Ok(true),
        "false" | "no" | "off" | "0" => Ok(false),
        _ => Err("expected true or false"),
    }
}

/// Parses an IP address.
pub(super) fn ip_address(text: &str) -> Result<IpAddr, &'static str> {
    text.parse().map_err(|_| "expected an IP address such as 127.0.0.1 or ::1")
}

/// Parses addresses and networks.
pub(super) fn networks(text: &str) -> Result<TrustedProxies, InvalidList<InvalidNetwork>> {
    let expected = "networks such as 10.0.0.0/8,::1";
    text.parse().map_err(|problem| InvalidList { expected, problem })
}

/// Parses the studies that are public; every text is a list of them.
pub(super) fn public_studies(text: &str) -> Result<PublicStudies, Infallible> {
    text.parse()
}

/// Parses the origins whose pages may use the server.
pub(super) fn allowed_origins(text: &str) -> Result<AllowedOrigins, InvalidList<InvalidOrigin>> {
    let expected = "`*`, or origins such as https://portal.example, separated by commas";
    text.parse().map_err(|problem| InvalidList { expected, problem })
}

/// Parses the addresses of the server itself.
pub(super) fn public_origins(text: &str) -> Result<Origins, InvalidList<InvalidOrigin>> {
    let expected = "addresses such as https://cantata.example or https://www.example/catalogue, separated by commas";
    Origins::with_paths(text).map_err(|problem| InvalidList { expected, problem })
}

/// Parses names of the server.
pub(super) fn host_names(text: &str) -> Result<HostNames, InvalidList<InvalidHostName>> {
    let expected = "names such as cantata.default.svc, without ports and separated by commas";
    text.parse().map_err(|problem| InvalidList { expected, problem })
}

/// Parses a text that is not empty.
pub(super) fn some_text(text: &str) -> Result<String, &'static str> {
    if text.trim().is_empty() { Err("expected a text that is not empty") } else { Ok(text.to_owned()) }
}

/// Parses the path of a URL.
pub(super) fn url_path(text: &str) -> Result<String, &'static str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'-' | b'_' | b'.' | b'~');
    match text.strip_prefix('/').filter(|rest| !rest.is_empty() && text.bytes().all(is_plain)) {
        Some(_) => Ok(text.trim_end_matches('/').to_owned()),
        None => Err("expected a path such as /ping, of letters, digits, `-`, `_`, `.` and `~`"),
    }
}

const LOG_LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
const EXPECTED_FILTER: &str = "expected a filter such as info or warn,cantata_metadata=debug";

/// Parses a log filter. `warning` is `warn`; any other word alone that is no level would count as a module.
pub(super) fn log_filter(text: &str) -> Result<String, LogFilterError> {
    let mut directives = Vec::new();
    for directive in text.split(',') {
        let word = directive.trim().to_ascii_lowercase();
        let is_word = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphabetic());
        directives.push(match directive.trim().strip_suffix("=warning") {
            Some(module) => format!("{module}=warn"),
            None if word == "warning" => "warn".to_owned(),
            None if is_word && !LOG_LEVELS.contains(&word.as_str()) => {
                return Err(LogFilterError::Level(word));
            }
            None => directive.to_owned(),
        });
    }
    let filter = directives.join(",");
    match EnvFilter::try_new(&filter) {
        Ok(_) => Ok(filter),
        Err(error) => Err(LogFilterError::Syntax(error)),
    }
}

/// Parses the URL of an HTTP server.
pub(super) fn http_url(text: &str) -> Result<Url, &'static str> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    url.ok_or("expected a URL such as http://127.0.0.1:4318")
}

#[cfg(test)]
mod tests {
    use super::log_filter;

    #[test]
    fn levels_of_the_log_are_understood_or_refused() {
        let filter = log_filter("Warning,cantata_search=warning,cantata_engine,INFO").unwrap();
        assert_eq!(filter, "warn,cantata_search=warn,cantata_engine,INFO");
        for wrong in ["loud", "info,verbose", "a=b=c"] {
            assert!(log_filter(wrong).is_err(), "{wrong}");
        }
    }
}
