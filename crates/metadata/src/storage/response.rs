//! Parses the responses of a storage server, and quotes them in errors.

use cantata_core::file::parse_md5;
use serde::Deserialize;
use serde_json::Value;

/// How many characters of a response an error shows.
const MAX_EXCERPT_CHARS: usize = 200;

/// An object in storage.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StoredObject {
    /// Its size in bytes.
    pub(super) size: i64,
    /// Its checksum, if the storage server has one.
    pub(super) md5: Option<[u8; 16]>,
}

/// Why the description of an object cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum DescriptionError {
    #[error("it is not a JSON object of the known form: {0}")]
    Json(#[from] serde_json::Error),
    #[error("{member} must be {expected}, but is {found}")]
    Member { member: &'static str, expected: &'static str, found: Value },
}

/// The members of an object's description that are used; an absent one is null.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ObjectDescription {
    #[serde(default)]
    object_id: Value,
    #[serde(default)]
    object_size: Value,
    #[serde(default)]
    object_md5: Value,
}

impl StoredObject {
    /// Parses a description.
    pub(super) fn parse(body: &[u8]) -> Result<Self, DescriptionError> {
        let wrong =
            |member, expected, found: &Value| DescriptionError::Member { member, expected, found: found.clone() };
        let ObjectDescription { object_id, object_size, object_md5 } = serde_json::from_slice(body)?;
        if !object_id.as_str().is_some_and(is_object_id) {
            let expected = "a string of 3 to 36 letters, digits, hyphens and underscores";
            return Err(wrong("objectId", expected, &object_id));
        }
        let size = object_size.as_i64().filter(|&size| size >= 0);
        let size = size.ok_or_else(|| wrong("objectSize", "an integer of 0 or more", &object_size))?;
        let md5 = object_md5.as_str().and_then(parse_md5);
        if md5.is_none() && !object_md5.is_null() {
            return Err(wrong("objectMd5", "32 hexadecimal digits or null", &object_md5));
        }
        Ok(Self { size, md5 })
    }
}

/// Any id of the storage server's own form, which begins and ends with a letter or a digit.
fn is_object_id(text: &str) -> bool {
    let outer = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = text.as_bytes();
    (3..=36).contains(&bytes.len())
        && outer(bytes.first())
        && outer(bytes.last())
        && bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

/// Returns the beginning of a text on one line, with every occurrence of `secret` left out.
pub(super) fn excerpt(text: &[u8], secret: Option<&str>) -> String {
    let mut text = String::from_utf8_lossy(text).into_owned();
    if let Some(secret) = secret {
        text = text.replace(secret, "***");
    }
    let mut characters = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut excerpt: String = characters.by_ref().take(MAX_EXCERPT_CHARS).collect();
    if characters.next().is_some() {
        excerpt.push('…');
    }
    excerpt
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const MD5: &str = "595f44fec1e92a71d3e9e77456ba80d1";

    fn read(description: &Value) -> Result<StoredObject, String> {
        StoredObject::parse(description.to_string().as_bytes()).map_err(|error| error.to_string())
    }

    #[test]
    fn descriptions_with_and_without_a_checksum_are_read() {
        let full = json!({"objectId": "a-1", "objectSize": 7, "objectMd5": MD5, "parts": [{"partNumber": 1}]});
        assert_eq!(read(&full), Ok(StoredObject { size: 7, md5: parse_md5(MD5) }));
        for unknown in [
            json!({"objectId": "a_1", "objectSize": 7}),
            json!({"objectId": "a_1", "objectSize": 7, "objectMd5": null}),
        ] {
            assert_eq!(read(&unknown), Ok(StoredObject { size: 7, md5: None }));
        }
    }

    #[test]
    fn unusable_members_are_named() {
        for (member, values) in [
            (
                "objectId",
                vec![json!(null), json!(3), json!(""), json!("ab"), json!("-ab"), json!("a/b"), json!("a".repeat(37))],
            ),
            ("objectSize", vec![json!(null), json!(-1), json!(1.5), json!("7"), json!(u64::MAX)]),
            ("objectMd5", vec![json!(""), json!(1), json!(format!("{MD5}0")), json!("z".repeat(32))]),
        ] {
            for value in values {
                let mut description = json!({"objectId": "a-1", "objectSize": 7, "objectMd5": MD5});
                description[member] = value;
                let reason = read(&description).unwrap_err();
                assert!(reason.starts_with(member), "{description}: {reason}");
            }
        }
        for body in ["", "true", "[]", "{", "null", "not json"] {
            assert!(StoredObject::parse(body.as_bytes()).is_err(), "{body}");
        }
    }

    #[test]
    fn excerpts_are_short_and_keep_the_secret() {
        assert_eq!(excerpt(b"a\nb token c", Some("token")), "a b *** c");
        assert_eq!(excerpt("é".repeat(201).as_bytes(), None), format!("{}…", "é".repeat(200)));
        assert_eq!(excerpt(b"\xff", None), "\u{fffd}");
    }
}
