//! What it means for a text to be like a pattern, so that every engine and every model of one means the same.
//!
//! All of this is pure and takes a time that no pattern can blow up: what follows a `*` is sought once, from the left,
//! and never again.

mod fuzzy;
mod pattern;
mod words;

pub use self::fuzzy::Fuzzy;
pub use self::pattern::Pattern;
pub use self::words::words;

/// A test of a text.
pub trait Matcher {
    /// Tells whether a text passes.
    fn matches(&self, text: &str) -> bool;

    /// Tells whether a word of a text that does not pass itself may pass; false saves looking at the words.
    fn may_match_a_word_of(&self, text: &str) -> bool {
        let _ = text;
        true
    }
}

/// A text passes that is the same.
impl Matcher for str {
    fn matches(&self, text: &str) -> bool {
        self == text
    }
}

/// Tells whether a value of a text field passes: as a whole, or one of its words.
pub fn text_matches<M: Matcher + ?Sized>(value: &str, matcher: &M) -> bool {
    matcher.matches(value) || (matcher.may_match_a_word_of(value) && words(value).any(|word| matcher.matches(&word)))
}

/// Tells whether a text, put into lower case, contains another that is in lower case already.
pub fn contains_lowered(text: &str, lower: &str) -> bool {
    let (first, rest) = match lower.as_bytes().split_first() {
        Some((first, rest)) if lower.is_ascii() && text.is_ascii() => (*first, rest),
        // Letters beyond ASCII may change their length; such texts are rare enough to look at their words.
        _ => return true,
    };
    let text = text.as_bytes();
    memchr::memchr2_iter(first, first.to_ascii_uppercase(), text)
        .any(|place| text.get(place + 1..place + 1 + rest.len()).is_some_and(|part| part.eq_ignore_ascii_case(rest)))
}
