//! Which values of a field of strings are like a pattern, near a text, or the same: their codes.
//!
//! Each different value is looked at once, however many documents have it. Where a pattern begins with plain letters,
//! only the values that begin with them are looked at.

use cantata_engine::matching::{Fuzzy, Matcher, Pattern, contains_lowered, text_matches};
use cantata_mapping::TypedValue;

use crate::key::Class;
use crate::segment::SegmentField;

/// Returns the codes of the values that are like a pattern: a case-sensitive one with `*`, or one with `*` and `?` for
/// which upper and lower case are alike.
pub(crate) fn like(field: &SegmentField<'_>, pattern: &str, case_sensitive: bool) -> Vec<u32> {
    if !case_sensitive {
        return passing(field, &Pattern::wildcard(pattern), 0, field.dictionary.len() as u32);
    }
    let pattern = Pattern::case_sensitive(pattern);
    let (from, to) = match field.class {
        Class::Exact => prefixed(field, pattern.literal_prefix()),
        _ => (0, field.dictionary.len() as u32),
    };
    passing(field, &pattern, from, to)
}

/// Returns the codes of the values that are near a text.
pub(crate) fn near(field: &SegmentField<'_>, text: &str, distance: u8) -> Vec<u32> {
    passing(field, &Fuzzy::new(text, distance), 0, field.dictionary.len() as u32)
}

/// Returns the codes of the values of a text field that are one of these, or have one of these as a word.
pub(crate) fn equal(field: &SegmentField<'_>, values: &[TypedValue]) -> Vec<u32> {
    passing(field, &OneOf(values), 0, field.dictionary.len() as u32)
}

/// Sorted values, one of which a text must be.
struct OneOf<'a>(&'a [TypedValue]);

impl Matcher for OneOf<'_> {
    fn matches(&self, text: &str) -> bool {
        let place = self.0.binary_search_by(|value| match value {
            TypedValue::Text(value) => value.as_str().cmp(text),
            _ => std::cmp::Ordering::Less,
        });
        place.is_ok()
    }

    fn may_match_a_word_of(&self, text: &str) -> bool {
        let may_be_word = |value: &str| value.chars().all(|letter| letter.is_alphanumeric() && !letter.is_uppercase());
        self.0.iter().any(|value| match value {
            TypedValue::Text(value) => may_be_word(value) && contains_lowered(text, value),
            _ => false,
        })
    }
}

fn passing(field: &SegmentField<'_>, matcher: &impl Matcher, from: u32, to: u32) -> Vec<u32> {
    let codes = from..to;
    match field.class {
        Class::Exact => codes.filter(|&code| matcher.matches(field.dictionary.text(code))).collect(),
        Class::Words => codes.filter(|&code| text_matches(field.dictionary.text(code), matcher)).collect(),
        _ => Vec::new(),
    }
}

/// Returns the codes of the values that begin with some letters, from the first to the one after the last.
fn prefixed(field: &SegmentField<'_>, prefix: &str) -> (u32, u32) {
    let end = field.dictionary.len() as u32;
    let from = field.dictionary.find_bytes(prefix.as_bytes()).unwrap_or_else(|next| next);
    let mut after = prefix.as_bytes().to_vec();
    // UTF-8 never has the byte 255, so the next text that does not begin like this is found by adding one.
    match after.last_mut() {
        Some(last) => *last += 1,
        None => return (0, end),
    }
    (from, field.dictionary.find_bytes(&after).unwrap_or_else(|next| next))
}
