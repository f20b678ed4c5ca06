//! Texts as JSON strings.
//!
//! Most texts of documents need no escapes, and most of the time of a page goes into finding that out, so eight bytes
//! are looked at together; the rare others are left to the JSON library.

use super::Writer;

/// A byte in every place.
const ONES: u64 = 0x0101_0101_0101_0101;

/// The highest bit in every place.
const HIGHS: u64 = 0x8080_8080_8080_8080;

impl Writer<'_> {
    /// Writes a text.
    pub(super) fn string_of(&mut self, text: &str) {
        if needs_escape(text.as_bytes()) {
            return self.json(&text);
        }
        self.out.reserve(text.len() + 2);
        self.out.push(b'"');
        self.out.extend_from_slice(text.as_bytes());
        self.out.push(b'"');
    }
}

fn needs_escape(bytes: &[u8]) -> bool {
    let (words, rest) = bytes.as_chunks::<8>();
    words.iter().any(|word| has_special(u64::from_le_bytes(*word)))
        || rest.iter().any(|&byte| byte < b' ' || byte == b'"' || byte == b'\\')
}

/// Returns whether one of eight bytes is a quote, a backslash or a control character. Bytes of other letters than
/// those of ASCII have the highest bit and are none of these.
fn has_special(word: u64) -> bool {
    let is_zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let below_space = word.wrapping_sub(ONES * u64::from(b' ')) & !word;
    let quote = is_zero(word ^ (ONES * u64::from(b'"')));
    let backslash = is_zero(word ^ (ONES * u64::from(b'\\')));
    (below_space | quote | backslash) & HIGHS != 0
}
