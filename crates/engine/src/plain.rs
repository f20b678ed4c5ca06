//! Texts that may stand in JSON as they are.
//!
//! Most texts of documents need no escapes, and most of the time of a page goes into finding that out, so eight bytes
//! are looked at together.

/// A byte in every place.
const ONES: u64 = 0x0101_0101_0101_0101;

/// The highest bit in every place.
const HIGHS: u64 = 0x8080_8080_8080_8080;

/// Returns whether a text may stand between the quotes of a JSON string as it is.
pub fn is_plain(text: &[u8]) -> bool {
    let (words, rest) = text.as_chunks::<8>();
    !words.iter().any(|word| has_special(u64::from_le_bytes(*word)))
        && !rest.iter().any(|&byte| byte < b' ' || byte == b'"' || byte == b'\\')
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
