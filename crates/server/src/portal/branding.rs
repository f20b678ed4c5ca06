//! The logo and the colours that the operator chose.
//!
//! A colour is taken only if text in it can be read on the pages: a contrast of 4.5, as WCAG asks for.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::{HeaderValue, Uri, header};
use serde::{Deserialize, Serialize};

use crate::app::unknown_path;
use crate::response::with_content_type;
use crate::state::AppState;
use crate::static_file::NO_CACHE;

/// Where the pages find the logo.
pub(super) const LOGO_PATH: &str = "/portal/logo";

/// A picture may load and run nothing, even if its address is opened as a page.
const POLICY: HeaderValue = HeaderValue::from_static("default-src 'none'; style-src 'unsafe-inline'; sandbox");

const MAX_LOGO_BYTES: usize = 256 * 1024;

/// The darkest background of the light pages, and the lightest of the dark ones.
const LIGHT_BACKGROUND: [u8; 3] = [0xee, 0xf2, 0xf4];
const DARK_BACKGROUND: [u8; 3] = [0x1f, 0x29, 0x31];
const MIN_CONTRAST: f64 = 4.5;

/// A picture beside the name of the portal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PortalLogo {
    content_type: &'static str,
    bytes: Bytes,
}

/// Why a file is no logo.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogoError {
    /// It is too large.
    #[error("found {0} bytes, expected at most {MAX_LOGO_BYTES}")]
    TooLarge(usize),
    /// It is no picture of a known kind.
    #[error("found neither an SVG nor a PNG picture")]
    UnknownFormat,
}

impl PortalLogo {
    /// Takes the content of a file with an SVG or PNG picture.
    ///
    /// # Errors
    ///
    /// If it is none, or too large.
    pub fn new(bytes: Vec<u8>) -> Result<Self, LogoError> {
        if bytes.len() > MAX_LOGO_BYTES {
            return Err(LogoError::TooLarge(bytes.len()));
        }
        let content_type = if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
            "image/png"
        } else if str::from_utf8(&bytes).is_ok_and(|text| text.contains("<svg")) {
            "image/svg+xml"
        } else {
            return Err(LogoError::UnknownFormat);
        };
        Ok(Self { content_type, bytes: bytes.into() })
    }
}

/// The colour of links and buttons, as `#rrggbb`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedColours")]
pub struct PortalColours {
    #[serde(skip_serializing_if = "Option::is_none")]
    light: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dark: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UncheckedColours {
    light: Option<String>,
    dark: Option<String>,
}

impl TryFrom<UncheckedColours> for PortalColours {
    type Error = String;

    fn try_from(UncheckedColours { light, dark }: UncheckedColours) -> Result<Self, String> {
        check("light", "a darker", light.as_deref(), LIGHT_BACKGROUND)?;
        check("dark", "a lighter", dark.as_deref(), DARK_BACKGROUND)?;
        Ok(Self { light, dark })
    }
}

fn check(theme: &str, better: &str, colour: Option<&str>, background: [u8; 3]) -> Result<(), String> {
    let Some(colour) = colour else { return Ok(()) };
    let Some(channels) = channels(colour) else {
        return Err(format!("`colours.{theme}`: found '{colour}', expected a colour such as #0b6570"));
    };
    let contrast = contrast(channels, background);
    if contrast < MIN_CONTRAST {
        return Err(format!(
            "`colours.{theme}`: found {colour} with a contrast of {contrast:.1} on the {theme} pages, expected at \
             least {MIN_CONTRAST}, so that it can be read; choose {better} colour"
        ));
    }
    Ok(())
}

fn channels(colour: &str) -> Option<[u8; 3]> {
    let digits = colour.strip_prefix('#').filter(|digits| digits.len() == 6)?;
    // A sign would be taken for a digit.
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let [_, red, green, blue] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
    Some([red, green, blue])
}

/// Returns the contrast of two colours, from 1 to 21.
fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let (one, other) = (luminance(one) + 0.05, luminance(other) + 0.05);
    one.max(other) / one.min(other)
}

/// Returns the relative luminance of a colour, from 0 to 1.
fn luminance([red, green, blue]: [u8; 3]) -> f64 {
    let linear = |channel: u8| {
        let channel = f64::from(channel) / 255.0;
        if channel <= 0.04045 { channel / 12.92 } else { ((channel + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

/// Answers with the logo, if there is one.
pub(super) async fn logo(State(state): State<AppState>, uri: Uri) -> Response {
    let Some(PortalLogo { content_type, bytes }) = state.settings.portal.picture.clone() else {
        return unknown_path(uri).await.into_response();
    };
    let mut response = with_content_type(bytes, HeaderValue::from_static(content_type));
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, POLICY);
    response.headers_mut().insert(header::CACHE_CONTROL, NO_CACHE);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colours(text: &str) -> Result<PortalColours, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn colours_that_cannot_be_read_are_refused() {
        assert!(colours(r##"{"light": "#7a1f3d", "dark": "#F2A7BD"}"##).is_ok());
        for (given, reason) in [
            (r##"{"light": "#ffcc00"}"##, "a contrast of 1.3 on the light pages"),
            (r##"{"dark": "#333333"}"##, "choose a lighter colour"),
            (r#"{"light": "red"}"#, "found 'red', expected a colour such as #0b6570"),
            (r##"{"light": "#+12345"}"##, "expected a colour"),
            (r##"{"light": "#12345é"}"##, "expected a colour"),
            (r##"{"accent": "#123456"}"##, "unknown field `accent`"),
        ] {
            let error = colours(given).unwrap_err();
            assert!(error.contains(reason), "{error}");
        }
    }

    #[test]
    fn the_contrast_is_that_of_wcag() {
        assert!((contrast([0; 3], [255; 3]) - 21.0).abs() < 1e-9);
        assert!((contrast([0x77; 3], [255; 3]) - 4.478).abs() < 1e-3);
    }

    #[test]
    fn a_logo_is_a_picture_of_bounded_size() {
        assert_eq!(PortalLogo::new(b"<?xml?><svg/>".to_vec()).unwrap().content_type, "image/svg+xml");
        assert_eq!(PortalLogo::new(b"\x89PNG\r\n\x1a\n...".to_vec()).unwrap().content_type, "image/png");
        assert!(PortalLogo::new(b"<html>".to_vec()).is_err());
        assert_eq!(PortalLogo::new(vec![b' '; MAX_LOGO_BYTES + 1]), Err(LogoError::TooLarge(262_145)));
    }
}
