//! Small JSON files that have a checksum as their last member, of all bytes before it.
//!
//! Files of earlier versions have none, and earlier versions ignore the member.

use serde::Serialize;

/// What is before the checksum.
const CHECKSUM_PREFIX: &[u8] = b"\"checksum\": \"";

/// What is behind the checksum.
const CHECKSUM_SUFFIX: &[u8] = b"\"\n}";

/// The length of a checksum.
const CHECKSUM_DIGITS: usize = 8;

/// An object with a checksum that is still to be computed.
#[derive(Serialize)]
struct Unchecked<'a, T> {
    #[serde(flatten)]
    content: &'a T,
    checksum: &'static str,
}

/// Returns the text of an object, with its checksum.
pub(crate) fn to_vec<T: Serialize>(content: &T) -> serde_json::Result<Vec<u8>> {
    let mut text = serde_json::to_vec_pretty(&Unchecked { content, checksum: "00000000" })?;
    let end = text.len() - CHECKSUM_SUFFIX.len();
    let (covered, digits) = text[..end].split_at_mut(end - CHECKSUM_DIGITS);
    digits.copy_from_slice(checksum(covered).as_bytes());
    Ok(text)
}

/// Returns whether a text is as it was written, or has no checksum.
pub(crate) fn is_intact(text: &[u8]) -> bool {
    let split = text.strip_suffix(CHECKSUM_SUFFIX).and_then(|text| text.split_last_chunk::<CHECKSUM_DIGITS>());
    split.is_none_or(|(covered, digits)| !covered.ends_with(CHECKSUM_PREFIX) || checksum(covered).as_bytes() == digits)
}

fn checksum(covered: &[u8]) -> String {
    format!("{:08x}", crc32fast::hash(covered))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn a_flip_of_any_bit_is_found_or_changes_nothing_but_the_name_of_the_checksum() {
        let content = BTreeMap::from([("log", json!(5)), ("position", json!("12"))]);
        let text = to_vec(&content).unwrap();
        assert!(is_intact(&text));
        let written: Value = serde_json::from_slice(&text).unwrap();
        assert_eq!((&written["log"], &written["position"]), (&json!(5), &json!("12")));
        for bit in 0..8 * text.len() {
            let mut flipped = text.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            if let Ok(found) = serde_json::from_slice::<Value>(&flipped)
                && is_intact(&flipped)
            {
                assert_eq!((&found["log"], &found["position"]), (&json!(5), &json!("12")), "bit {bit}");
            }
        }
    }

    #[test]
    fn a_text_without_a_checksum_is_accepted() {
        for text in ["", "{}", "{\n  \"position\": \"0123456789\"\n}", "{\n  \"log\": 5\n}"] {
            assert!(is_intact(text.as_bytes()), "{text}");
        }
    }
}
