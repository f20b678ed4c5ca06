//! Expands the URL template of a rule.
//!
//! `{value}` and `{study}` are replaced everywhere; any other word in braces is an error, and inserted text is never
//! expanded again. Inserted text always stays within one component of the URL, because all but the unreserved
//! characters are percent-encoded.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Url;

/// All but the unreserved characters of RFC 3986.
const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Why the URL template of a rule cannot be used with any value.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum UrlTemplateError {
    /// A word in braces is neither `value` nor `study`.
    #[error("it contains the unknown token '{0}', but only {{value}} and {{study}} can be filled in")]
    UnknownToken(String),
    /// It is no URL.
    #[error("it is not an address ({0}); expected one that begins with http:// or https://")]
    NotAnAddress(String),
    /// It is no URL of HTTP.
    #[error("its scheme is '{0}', but must be http or https")]
    Scheme(String),
    /// A submission would choose the server.
    #[error(
        "{{value}} or {{study}} is part of the server's name, which only the url itself may say; put it behind the server"
    )]
    TokenInServer,
    /// It has a user or a password.
    #[error("it has a user or a password, which everybody who lists the analysis types could read; remove them")]
    Credentials,
}

/// Rejects a template that no submission could use, that leads to a server that a submission chooses, or that shows a
/// credential to everybody who reads the type.
pub(super) fn check(template: &str) -> Result<(), UrlTemplateError> {
    match fill(template, "study", "value")? {
        Some(url) if !url.username().is_empty() || url.password().is_some() => Err(UrlTemplateError::Credentials),
        _ => Ok(()),
    }
}

/// Returns a template without its user and password; `None` if it has none.
///
/// Of a template that cannot be used, everything up to the last `@` may be a password, so it is removed.
pub(super) fn without_credentials(template: &str) -> Option<String> {
    match check(template) {
        Ok(()) => None,
        Err(UrlTemplateError::Credentials) => {
            // As the parser of addresses reads it: slashes and line breaks between scheme and server do not count.
            let scheme = template.find(':')? + 1;
            let server = template[scheme..].trim_start_matches(['/', '\\', '\t', '\n', '\r']);
            let end = server.find(['/', '\\', '?', '#']).unwrap_or(server.len());
            let host = server[..end].rfind('@')? + 1;
            let before = &template[..template.len() - server.len()];
            Some(format!("{before}{}", &server[host..]))
        }
        Err(_) => template.rsplit_once('@').map(|(_, rest)| rest.to_owned()),
    }
}

/// Returns the URL to call for a value.
///
/// `None` means that no URL can contain this value: `.` and `..` as a whole segment mean another path, even when they
/// are percent-encoded.
pub(super) fn fill(template: &str, study_id: &str, value: &str) -> Result<Option<Url>, UrlTemplateError> {
    // A submission must not choose the server that is called, so the server is the same for any two values and studies.
    let [one, other] = ["a", "b"].map(|any| parsed(&replace_tokens(template, any, any)?));
    let (one, other) = (one?, other?);
    if (one.scheme(), one.authority()) != (other.scheme(), other.authority()) {
        return Err(UrlTemplateError::TokenInServer);
    }
    let filled = replace_tokens(template, study_id, value)?;
    let url = parsed(&filled)?;
    Ok((!filling_made_a_dot_segment(template, &filled)).then_some(url))
}

fn replace_tokens(template: &str, study_id: &str, value: &str) -> Result<String, UrlTemplateError> {
    let mut filled = String::with_capacity(template.len() + value.len());
    let mut rest = template;
    while let Some(open) = rest.find('{') {
        let (literal, braces) = rest.split_at(open);
        filled.push_str(literal);
        let word_end = braces[1..].find(['{', '}']).map(|end| end + 1);
        let Some(close) = word_end.filter(|&end| end > 1 && braces[end..].starts_with('}')) else {
            filled.push('{');
            rest = &braces[1..];
            continue;
        };
        let token = &braces[..=close];
        let replacement = match token {
            "{value}" => value,
            "{study}" => study_id,
            _ => return Err(UrlTemplateError::UnknownToken(token.to_owned())),
        };
        filled.extend(utf8_percent_encode(replacement, COMPONENT));
        rest = &braces[close + 1..];
    }
    filled.push_str(rest);
    Ok(filled)
}

fn parsed(filled: &str) -> Result<Url, UrlTemplateError> {
    let url = Url::parse(filled).map_err(|error| UrlTemplateError::NotAnAddress(error.to_string()))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        other => Err(UrlTemplateError::Scheme(other.to_owned())),
    }
}

/// Segments of both correspond one to one, since no separator is ever filled in.
fn filling_made_a_dot_segment(template: &str, filled: &str) -> bool {
    segments(template).zip(segments(filled)).any(|(before, after)| before != after && is_dot_segment(after))
}

fn segments(url: &str) -> impl Iterator<Item = &str> {
    url.split(['?', '#']).take(1).flat_map(|before_query| before_query.split(['/', '\\']))
}

fn is_dot_segment(segment: &str) -> bool {
    matches!(segment.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(template: &str, value: &str) -> Option<String> {
        fill(template, "S 1", value).unwrap().map(String::from)
    }

    #[test]
    fn every_token_is_filled_with_one_component() {
        let template = "http://h/{study}/{value}/{value}?v={value}&s={study}";
        assert_eq!(filled(template, "a/b").unwrap(), "http://h/S%201/a%2Fb/a%2Fb?v=a%2Fb&s=S%201");
        assert_eq!(filled("http://h/{value}", "{study}{value}").unwrap(), "http://h/%7Bstudy%7D%7Bvalue%7D");
    }

    #[test]
    fn unreserved_characters_stay_and_all_others_are_encoded() {
        assert_eq!(filled("http://h/{value}", "aZ09-._~").unwrap(), "http://h/aZ09-._~");
        assert_eq!(
            filled("http://h/?q={value}", r" !$&'()*+,;=:@/?#[]\%é").unwrap(),
            "http://h/?q=%20%21%24%26%27%28%29%2A%2B%2C%3B%3D%3A%40%2F%3F%23%5B%5D%5C%25%C3%A9"
        );
    }

    #[test]
    fn unknown_words_are_named() {
        for token in ["{id}", "{Value}", "{ value }", "{value:.+}", "{a/b}"] {
            let template = format!("http://h/{{value}}/{token}");
            assert_eq!(fill(&template, "S", "v"), Err(UrlTemplateError::UnknownToken(token.to_owned())));
        }
    }

    #[test]
    fn a_template_loses_its_credentials_and_nothing_else() {
        for (template, clean) in [
            ("http://h/{value}?mail=a@b", None),
            ("http://u@h/{value}", Some("http://h/{value}")),
            ("https://u:p@h:80/a@b/{value}?c@d", Some("https://h:80/a@b/{value}?c@d")),
            (r"http:\\u:p@q@h\{value}", Some(r"http:\\h\{value}")),
            ("http:u:p@h", Some("http:h")),
            ("http://u:p@h/{id}", Some("h/{id}")),
            ("http://u:p/q@h/{value}", Some("h/{value}")),
            ("http://h/{id}", None),
        ] {
            assert_eq!(without_credentials(template).as_deref(), clean, "{template}");
        }
    }

    #[test]
    fn braces_without_a_word_are_ordinary_characters() {
        assert_eq!(filled("http://h/?a={}&b={{value}", "v").unwrap(), "http://h/?a={}&b={v");
        assert_eq!(filled("http://h/?a={value}}&b={", "v").unwrap(), "http://h/?a=v}&b={");
    }

    #[test]
    fn addresses_that_cannot_be_called_are_refused() {
        assert!(matches!(fill("no address", "S", "v"), Err(UrlTemplateError::NotAnAddress(_))));
        assert_eq!(fill("file:///{value}", "S", "v"), Err(UrlTemplateError::Scheme("file".into())));
    }

    #[test]
    fn a_value_never_chooses_the_server_that_is_called() {
        for template in [
            "http://{value}/",
            "http://{value}.example.org/",
            "http://example.org{value}/",
            "http://{value}@example.org/",
            "http:{value}",
            "http:/{value}",
            "http:///{value}",
            r"http:\{value}",
        ] {
            assert_eq!(fill(template, "S", "127.0.0.1"), Err(UrlTemplateError::TokenInServer), "{template}");
        }
        for template in ["http://example.org:{value}/v", "{value}://example.org/", "{value}"] {
            assert!(fill(template, "S", "80").is_err(), "{template}");
        }
        for template in ["http://{study}/", "http://{study}.example.org/{value}", "http://{study}@example.org/"] {
            assert_eq!(fill(template, "abc", "v"), Err(UrlTemplateError::TokenInServer), "{template}");
        }
        assert_eq!(filled("http://h/?u={value}", "//evil.example").unwrap(), "http://h/?u=%2F%2Fevil.example");
        assert_eq!(filled("http://h//{value}", "evil.example").unwrap(), "http://h//evil.example");
    }

    #[test]
    fn values_that_would_mean_another_path_have_no_address() {
        for (template, value) in [
            ("http://h/v/{value}", "."),
            ("http://h/v/{value}", ".."),
            ("http://h/v/.{value}", "."),
            ("http://h/v/%2E{value}", ""),
            (r"http://h/v\{value}?q=1", ".."),
        ] {
            assert_eq!(filled(template, value), None, "{template} {value}");
        }
        assert_eq!(filled("http://h/v/{value}", "...").unwrap(), "http://h/v/...");
        assert_eq!(filled("http://h/v/?q=/{value}", "..").unwrap(), "http://h/v/?q=/..");
        assert_eq!(filled("http://h/v/../{value}", "x").unwrap(), "http://h/x");
    }
}
