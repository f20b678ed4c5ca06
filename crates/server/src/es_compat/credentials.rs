//! Credentials in the forms that clients of Elasticsearch send.
//!
//! Such a client has a user and a password, or a key of two parts. The password, or the second part, is an API key of
//! this server; what comes before it is not looked at.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use http::{HeaderMap, HeaderValue, header};

/// Turns a credential into the form of this server. One that cannot be read stays what it is, and is rejected later.
pub(crate) fn translate_credentials(headers: &mut HeaderMap) {
    let mut given = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(only), None) = (given.next(), given.next()) else { return };
    if let Some(bearer) = only.to_str().ok().and_then(bearer) {
        headers.insert(header::AUTHORIZATION, bearer);
    }
}

fn bearer(given: &str) -> Option<HeaderValue> {
    let (scheme, encoded) = given.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("basic") && !scheme.eq_ignore_ascii_case("apikey") {
        return None;
    }
    let encoded = encoded.trim();
    let decoded = STANDARD.decode(encoded).or_else(|_| STANDARD_NO_PAD.decode(encoded)).ok()?;
    let decoded = String::from_utf8(decoded).ok()?;
    let (_, key) = decoded.split_once(':')?;
    let mut value = HeaderValue::from_str(&format!("Bearer {key}")).ok()?;
    value.set_sensitive(true);
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(values: &[&str]) -> Vec<String> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::AUTHORIZATION, value.parse().unwrap());
        }
        translate_credentials(&mut headers);
        let all = headers.get_all(header::AUTHORIZATION).iter();
        all.map(|value| value.to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn passwords_and_keys_of_two_parts_are_credentials() {
        // elastic:secret, id:secret
        for value in ["Basic ZWxhc3RpYzpzZWNyZXQ=", "basic  ZWxhc3RpYzpzZWNyZXQ", "ApiKey aWQ6c2VjcmV0"] {
            assert_eq!(translated(&[value]), ["Bearer secret"], "{value}");
        }
    }

    #[test]
    fn everything_else_stays_what_it_is() {
        for value in
            ["Bearer x", "x", "Basic", "Basic !", "Basic YQ==", "Basic /////w==", "ApiKey YTpiCg==", "Basic YTri"]
        {
            assert_eq!(translated(&[value]), [value]);
        }
        let two = ["Basic ZWxhc3RpYzpzZWNyZXQ=", "Bearer x"];
        assert_eq!(translated(&two), two);
    }
}
