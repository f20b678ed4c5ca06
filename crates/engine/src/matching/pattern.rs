//! Patterns with `*` and `?`.
//!
//! The stars divide a pattern into parts of a fixed number of characters. The first must stand at the beginning of the
//! text, the last at its end, and of those between each is sought from the left in what the ones before have left over:
//! the leftmost position is always as good as any other, so nothing is ever tried twice. A part without `?` is sought with
//! a linear search for a substring; one with `?` takes the length of the text times its own at worst.
//!
//! Where case does not matter, pattern and text are compared in lower case, letter by letter.

use memchr::memmem;

use super::{Matcher, contains_ignoring_case};

/// Texts up to this length are lowercased on the stack.
const MAX_STACK_BYTES: usize = 256;

/// A wildcard pattern.
#[derive(Debug, Clone)]
pub struct WildcardPattern {
    ignores_case: bool,
    /// What the text begins with; without a star, all of it.
    first: PatternPiece,
    /// What follows the first star, if there is one.
    after_star: Option<AfterStar>,
    /// The least number of characters, and therefore of bytes, of a text that matches.
    least_length: usize,
    /// The longest text that every text that matches contains.
    literal: String,
}

#[derive(Debug, Clone)]
struct AfterStar {
    between: Vec<PatternPiece>,
    last: PatternPiece,
}

/// What stands between two stars.
#[derive(Debug, Clone)]
enum PatternPiece {
    /// These characters.
    Literal { text: String, finder: Box<memmem::Finder<'static>> },
    /// These characters; `None` matches any one.
    Letters(Vec<Option<char>>),
}

impl WildcardPattern {
    /// Returns the case-sensitive pattern in which only `*` is special.
    pub fn case_sensitive(pattern: &str) -> Self {
        Self::new(pattern, false, |part| part.chars().map(Some).collect())
    }

    /// Returns the case-insensitive pattern with `*` and `?`.
    pub fn wildcard(pattern: &str) -> Self {
        Self::new(pattern, true, |part| part.chars().map(|letter| (letter != '?').then(|| lower(letter))).collect())
    }

    fn new(pattern: &str, ignores_case: bool, letters: fn(&str) -> Vec<Option<char>>) -> Self {
        let mut parts: Vec<Vec<Option<char>>> = pattern.split('*').map(letters).collect();
        let least_length = parts.iter().map(Vec::len).sum();
        let last = if parts.len() > 1 { parts.pop() } else { None };
        let mut parts = parts.into_iter();
        let first = PatternPiece::new(parts.next().unwrap_or_default());
        let after_star = last.map(|last| AfterStar {
            between: parts.filter(|part| !part.is_empty()).map(PatternPiece::new).collect(),
            last: PatternPiece::new(last),
        });
        let mut pattern = Self { ignores_case, first, after_star, least_length, literal: String::new() };
        pattern.literal = pattern.longest_literal().to_owned();
        pattern
    }

    /// Returns whether upper and lower case are alike.
    pub fn ignores_case(&self) -> bool {
        self.ignores_case
    }

    /// Returns what every text that matches begins with, in lower case where case does not matter; empty if that is not
    /// known.
    pub fn literal_prefix(&self) -> &str {
        match &self.first {
            PatternPiece::Literal { text, .. } => text,
            PatternPiece::Letters(_) => "",
        }
    }

    /// Returns whether every text matches that begins with the literal prefix.
    pub fn is_prefix(&self) -> bool {
        let is_open_after = |after: &AfterStar| after.between.is_empty() && after.last.is_empty();
        matches!(self.first, PatternPiece::Literal { .. }) && self.after_star.as_ref().is_some_and(is_open_after)
    }

    /// Returns whether every text matches that contains the only literal.
    pub fn is_substring(&self) -> bool {
        let is_literal = |piece: &PatternPiece| matches!(piece, PatternPiece::Literal { .. });
        self.is_open()
            && self.after_star.as_ref().is_some_and(|after| matches!(&after.between[..], [only] if is_literal(only)))
    }

    /// Returns the texts that every text that matches contains, in lower case where case does not matter.
    pub fn literals(&self) -> Vec<String> {
        self.pieces().flat_map(PatternPiece::literals).filter(|literal| !literal.is_empty()).collect()
    }

    fn pieces(&self) -> impl Iterator<Item = &PatternPiece> {
        let after = self.after_star.iter().flat_map(|after| after.between.iter().chain([&after.last]));
        std::iter::once(&self.first).chain(after)
    }

    fn longest_literal(&self) -> &str {
        let literals = self.pieces().filter_map(|piece| match piece {
            PatternPiece::Literal { text, .. } => Some(text.as_str()),
            PatternPiece::Letters(_) => None,
        });
        literals.max_by_key(|literal| literal.len()).unwrap_or_default()
    }

    /// Returns whether the pattern begins and ends with a star.
    fn is_open(&self) -> bool {
        self.first.is_empty() && self.after_star.as_ref().is_some_and(|after| after.last.is_empty())
    }

    fn matches_as_is(&self, text: &str) -> bool {
        let Some(rest) = self.first.strip_from_start(text) else { return false };
        let Some(after_star) = &self.after_star else { return rest.is_empty() };
        let Some(rest) = after_star.last.strip_from_end(rest) else { return false };
        after_star.between.iter().try_fold(rest, |rest, part| part.strip_through(rest)).is_some()
    }
}

impl Matcher for WildcardPattern {
    fn matches(&self, text: &str) -> bool {
        if text.len() < self.least_length {
            return false;
        }
        if !self.ignores_case {
            return self.matches_as_is(text);
        }
        if !text.is_ascii() {
            return self.matches_as_is(&text.chars().map(lower).collect::<String>());
        }
        let mut short = [0; MAX_STACK_BYTES];
        let lowered = short.get_mut(..text.len()).and_then(|lowered| {
            lowered.copy_from_slice(text.as_bytes());
            lowered.make_ascii_lowercase();
            std::str::from_utf8(lowered).ok()
        });
        match lowered {
            Some(lowered) => self.matches_as_is(lowered),
            None => self.matches_as_is(&text.to_ascii_lowercase()),
        }
    }

    fn may_match_word_of(&self, text: &str) -> bool {
        if self.passes_with_ascii_words() && text.is_ascii() {
            return false;
        }
        // Words are in lower case; some letters have none.
        self.literal.chars().all(|letter| lower(letter) == letter) && contains_ignoring_case(text, &self.literal)
    }

    fn word_prefix(&self) -> &str {
        // Words are in lower case, as a pattern is that ignores case.
        self.literal_prefix()
    }

    fn passes_with_ascii_words(&self) -> bool {
        // Whatever is found anywhere in a word, whatever its case, is found in the text too. Other letters than those of
        // ASCII may become several in a word.
        self.ignores_case && self.is_open()
    }
}

impl PatternPiece {
    fn new(letters: Vec<Option<char>>) -> Self {
        match letters.iter().copied().collect::<Option<String>>() {
            Some(text) => Self::Literal { finder: Box::new(memmem::Finder::new(&text).into_owned()), text },
            None => Self::Letters(letters),
        }
    }

    fn is_empty(&self) -> bool {
        matches!(self, Self::Literal { text, .. } if text.is_empty())
    }

    /// Returns the characters that are fixed, in runs.
    fn literals(&self) -> Vec<String> {
        match self {
            Self::Literal { text, .. } => vec![text.clone()],
            Self::Letters(letters) => {
                letters.split(Option::is_none).map(|run| run.iter().flatten().collect()).collect()
            }
        }
    }

    /// Returns what follows the part at the beginning of a text.
    fn strip_from_start<'t>(&self, text: &'t str) -> Option<&'t str> {
        match self {
            Self::Literal { text: literal, .. } => text.strip_prefix(literal.as_str()),
            Self::Letters(letters) => {
                let mut rest = text.chars();
                are_letters(letters.iter(), || rest.next()).then_some(rest.as_str())
            }
        }
    }

    /// Returns what precedes the part at the end of a text.
    fn strip_from_end<'t>(&self, text: &'t str) -> Option<&'t str> {
        match self {
            Self::Literal { text: literal, .. } => text.strip_suffix(literal.as_str()),
            Self::Letters(letters) => {
                let mut rest = text.chars();
                are_letters(letters.iter().rev(), || rest.next_back()).then_some(rest.as_str())
            }
        }
    }

    /// Returns what follows the leftmost occurrence of the part.
    fn strip_through<'t>(&self, text: &'t str) -> Option<&'t str> {
        match self {
            Self::Literal { text: literal, finder } => {
                finder.find(text.as_bytes()).map(|start| &text[start + literal.len()..])
            }
            Self::Letters(_) => text.char_indices().find_map(|(start, _)| self.strip_from_start(&text[start..])),
        }
    }
}

/// Returns whether characters are these letters, one after the other; nothing stands for any letter.
fn are_letters<'l>(
    mut letters: impl Iterator<Item = &'l Option<char>>,
    mut next: impl FnMut() -> Option<char>,
) -> bool {
    letters.all(|letter| next().is_some_and(|found| letter.is_none_or(|letter| letter == found)))
}

/// Returns the letter in lower case, always one letter.
pub(super) fn lower(letter: char) -> char {
    letter.to_lowercase().next().unwrap_or(letter)
}
