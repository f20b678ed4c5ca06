//! The words of a text.

use std::borrow::Cow;

/// Returns the words of a text in order and in lower case: whatever stands between characters that are neither letters
/// nor digits.
pub fn words(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).map(|word| {
        let is_lower = word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase());
        if is_lower { Cow::Borrowed(word) } else { Cow::Owned(word.to_lowercase()) }
    })
}
