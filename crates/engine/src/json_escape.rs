//! Texts that need no escapes in a JSON string.
//!
//! Most texts of documents need none, and checking for it takes most of the time of writing a page, so eight bytes are
//! checked together.

/// A one in each of eight bytes.
const LOW_BITS: u64 = 0x0101_0101_0101_0101;

/// The highest bit of each of eight bytes.
const HIGH_BITS: u64 = 0x8080_8080_8080_8080;

/// Returns whether a text needs no escapes between the quotes of a JSON string.
pub fn is_escape_free(text: &[u8]) -> bool {
    let (words, rest) = text.as_chunks::<8>();
    !words.iter().any(|word| has_special(u64::from_le_bytes(*word)))
        && !rest.iter().any(|&byte| byte < b' ' || byte == b'"' || byte == b'\\')
}

/// Returns whether one of eight bytes is a quote, a backslash or a control character. Bytes
/// beyond ASCII have the highest bit and are none of these.
fn has_special(word: u64) -> bool {
    let is_zero = |word: u64| word.wrapping_sub(LOW_BITS) & !word;
    let below_space = word.wrapping_sub(LOW_BITS * u64::from(b' ')) & !word;
    let quote = is_zero(word ^ (LOW_BITS * u64::from(b'"')));
    let backslash = is_zero(word ^ (LOW_BITS * u64::from(b'\\')));
    (below_space | quote | backslash) & HIGH_BITS != 0
}
