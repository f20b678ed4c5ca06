//! The folded form of texts, by which an index finds what a pattern may match, whatever its case.
//!
//! Invariant: if a text matches a pattern, as a whole or by one of its words, its folded form contains the folded form of
//! each of the pattern's literals. So folding must forget all differences that any way of matching ignores:
//!
//! * patterns that ignore case compare letters by the first letter of their lower case;
//! * words are in the lower case of Unicode, in which `İ` becomes two letters, and `Σ` one or the other of `σ` and `ς`.
//!
//! Letters are folded one by one, each to one letter or to none. The folded form of a part of a text is therefore a part of
//! its folded form, in bytes too.

use super::pattern::lower;

/// The dot that the lower case of `İ` has as a letter of its own.
const COMBINING_DOT: char = '\u{307}';

/// Appends the folded form of a text.
pub fn fold_into(text: &str, folded: &mut Vec<u8>) {
    if text.is_ascii() {
        let start = folded.len();
        folded.extend_from_slice(text.as_bytes());
        folded[start..].make_ascii_lowercase();
        return;
    }
    let mut encoded = [0; 4];
    for letter in text.chars().filter_map(fold) {
        folded.extend_from_slice(letter.encode_utf8(&mut encoded).as_bytes());
    }
}

fn fold(letter: char) -> Option<char> {
    match lower(letter) {
        COMBINING_DOT => None,
        'ς' => Some('σ'),
        letter => Some(letter),
    }
}
