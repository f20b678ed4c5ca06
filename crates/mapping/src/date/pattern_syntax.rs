//! The syntax of Java date patterns such as `uuuu-MM-dd'T'HH:mm`, which formats of fields and of displays share.

/// A token of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PatternToken {
    /// A letter, repeated `count` times.
    Letters { letter: char, count: usize },
    /// Quoted text, without the quotes.
    Quoted(String),
    /// Any other character.
    Other(char),
}

/// A pattern whose rest, from here on, lacks a closing quote.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct UnclosedQuote<'p>(pub(super) &'p str);

/// Splits a pattern into tokens.
pub(super) fn tokens(pattern: &str) -> Result<Vec<PatternToken>, UnclosedQuote<'_>> {
    let mut tokens = Vec::new();
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        let (token, length) = match first {
            '\'' => quoted(rest).ok_or(UnclosedQuote(rest))?,
            letter if letter.is_ascii_alphabetic() => {
                let count = rest.len() - rest.trim_start_matches(letter).len();
                (PatternToken::Letters { letter, count }, count)
            }
            other => (PatternToken::Other(other), other.len_utf8()),
        };
        tokens.push(token);
        rest = &rest[length..];
    }
    Ok(tokens)
}

/// Returns the quoted text at the start, and its length with quotes; two quotes are an escaped quote.
fn quoted(rest: &str) -> Option<(PatternToken, usize)> {
    if rest.starts_with("''") {
        return Some((PatternToken::Quoted("'".to_owned()), 2));
    }
    let mut text = String::new();
    let mut letters = rest.char_indices().skip(1).peekable();
    while let Some((start, letter)) = letters.next() {
        if letter == '\'' && letters.next_if(|(_, next)| *next == '\'').is_none() {
            return Some((PatternToken::Quoted(text), start + 1));
        }
        text.push(letter);
    }
    None
}
