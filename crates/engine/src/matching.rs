//! Matching texts against patterns, with the same meaning for every engine and every model of one.
//!
//! No pattern needs backtracking: what follows a `*` is searched once, from the left.

mod folding;
mod fuzzy;
mod pattern;
mod words;

pub use self::folding::fold_into;
pub use self::fuzzy::FuzzyMatcher;
pub use self::pattern::WildcardPattern;
pub use self::words::words;

/// A test of a text.
pub trait Matcher {
    /// Returns whether a text passes.
    fn matches(&self, text: &str) -> bool;

    /// Returns whether a word of a text may pass that does not pass itself; false saves splitting it into words.
    fn may_match_word_of(&self, text: &str) -> bool {
        let _ = text;
        true
    }

    /// Returns what every word that passes begins with; empty if that is not known.
    fn word_prefix(&self) -> &str {
        ""
    }

    /// Returns whether every text passes that has a word in ASCII which passes; such words need not be tested.
    fn passes_with_ascii_words(&self) -> bool {
        false
    }
}

/// A text passes that is the same.
impl Matcher for str {
    fn matches(&self, text: &str) -> bool {
        self == text
    }
}

/// Returns whether a value of a text field passes: as a whole, or one of its words.
pub fn text_matches<M: Matcher + ?Sized>(value: &str, matcher: &M) -> bool {
    matcher.matches(value) || (matcher.may_match_word_of(value) && words(value).any(|word| matcher.matches(&word)))
}

/// Returns whether a text contains another, which is in lower case, ignoring case.
pub fn contains_ignoring_case(text: &str, lower: &str) -> bool {
    let (first, rest) = match lower.as_bytes().split_first() {
        Some((first, rest)) if lower.is_ascii() && text.is_ascii() => (*first, rest),
        // Characters beyond ASCII may change their length; such texts are rare enough to check their words.
        _ => return true,
    };
    let text = text.as_bytes();
    memchr::memchr2_iter(first, first.to_ascii_uppercase(), text).any(|position| {
        text.get(position + 1..position + 1 + rest.len()).is_some_and(|part| part.eq_ignore_ascii_case(rest))
    })
}
