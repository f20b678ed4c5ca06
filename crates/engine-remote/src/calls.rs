//! Making requests: names become parts of a path and nothing else.

use bytes::Bytes;
use cantata_engine::EngineError;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::Method;
use serde_json::Value;

use crate::connection::Call;

/// What a name in a path may have as it is.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// What no name of an index has; most of it would name several indexes, or something else.
const FORBIDDEN: [char; 14] = ['\\', '/', '*', '?', '"', '<', '>', '|', ' ', ',', '#', ':', '%', '&'];

/// The longest name of an index, in bytes.
const LONGEST_NAME: usize = 255;

/// Returns the path of an index, such as `/files`.
///
/// # Errors
///
/// If no index can have the name.
pub(crate) fn index_path(index: &str) -> Result<String, EngineError> {
    let is_fine = !index.is_empty()
        && index.len() <= LONGEST_NAME
        && !index.starts_with(['_', '-', '+'])
        && !matches!(index, "." | "..")
        && !index.contains(|letter: char| FORBIDDEN.contains(&letter) || letter.is_control());
    if is_fine {
        return Ok(format!("/{}", utf8_percent_encode(index, PLAIN)));
    }
    Err(EngineError::Refused(format!(
        "{index:?} cannot be the name of an index; expected 1 to {LONGEST_NAME} bytes without spaces and without any of \
         \\ / * ? \" < > | , # : % &, the first of them none of _ - +"
    )))
}

/// Returns a part of a path.
pub(crate) fn segment(text: &str) -> String {
    utf8_percent_encode(text, PLAIN).to_string()
}

/// Asks for something.
pub(crate) fn get(path: impl Into<String>) -> Call {
    call(Method::GET, path, None, true)
}

/// Asks whether something is there.
pub(crate) fn head(path: impl Into<String>) -> Call {
    call(Method::HEAD, path, None, true)
}

/// Asks a question that has a body.
pub(crate) fn ask(path: impl Into<String>, body: &Value) -> Call {
    call(Method::POST, path, Some(json(body)), true)
}

/// Asks for more of what was asked before; asked twice, a part would be passed over.
pub(crate) fn ask_more(path: impl Into<String>, body: &Value) -> Call {
    call(Method::POST, path, Some(json(body)), false)
}

/// Asks several questions, each of two lines.
pub(crate) fn ask_lines(path: impl Into<String>, lines: Vec<u8>) -> Call {
    Call { is_lines: true, ..call(Method::POST, path, Some(lines.into()), true) }
}

/// Makes something that can only be made once.
pub(crate) fn put(path: impl Into<String>, body: &Value) -> Call {
    call(Method::PUT, path, Some(json(body)), false)
}

/// Puts something in its place; done twice, it is the same.
pub(crate) fn replace(path: impl Into<String>, body: &Value) -> Call {
    Call { is_reading: false, ..call(Method::PUT, path, Some(json(body)), true) }
}

/// Changes something to what the body says; done twice, it is the same.
pub(crate) fn replace_by(path: impl Into<String>, body: &Value) -> Call {
    Call { is_reading: false, ..call(Method::POST, path, Some(json(body)), true) }
}

/// Begins something that takes space on the cluster until it is ended.
pub(crate) fn begin(path: impl Into<String>) -> Call {
    call(Method::POST, path, None, false)
}

/// Removes something.
pub(crate) fn delete(path: impl Into<String>, body: Option<&Value>) -> Call {
    call(Method::DELETE, path, body.map(json), false)
}

/// Writes documents; sent twice, they are the same documents.
pub(crate) fn write(path: impl Into<String>, lines: Vec<u8>) -> Call {
    Call { is_lines: true, is_reading: false, ..call(Method::POST, path, Some(lines.into()), true) }
}

fn call(method: Method, path: impl Into<String>, body: Option<Bytes>, is_repeatable: bool) -> Call {
    Call { method, path: path.into(), body, is_lines: false, is_repeatable, is_reading: is_repeatable }
}

fn json(value: &Value) -> Bytes {
    Bytes::from(value.to_string())
}
