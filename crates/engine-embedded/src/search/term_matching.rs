//! Matching the terms of a string field against patterns, fuzzy texts and analysed values.
//!
//! Each different value is tested once, however many documents have it. Where a pattern begins with a literal prefix, only
//! the values with that prefix are tested.

use cantata_engine::matching::{FuzzyMatcher, Matcher, WildcardPattern, contains_ignoring_case, text_matches};
use cantata_mapping::TypedValue;

use crate::segment::SegmentField;
use crate::value_encoding::ValueClass;

/// Returns the ordinals of the values that match a pattern: a case-sensitive one with `*`, or a case-insensitive one with
/// `*` and `?`.
pub(crate) fn match_pattern(field: &SegmentField<'_>, pattern: &str, case_sensitive: bool) -> Vec<u32> {
    if !case_sensitive {
        return matching_ordinals(field, &WildcardPattern::wildcard(pattern), 0, field.dictionary.len() as u32);
    }
    let pattern = WildcardPattern::case_sensitive(pattern);
    let (from, to) = match field.class {
        ValueClass::Keyword => prefix_range(field, pattern.literal_prefix()),
        _ => (0, field.dictionary.len() as u32),
    };
    matching_ordinals(field, &pattern, from, to)
}

/// Returns the ordinals of the values within an edit distance of a text.
pub(crate) fn match_fuzzy(field: &SegmentField<'_>, text: &str, distance: u8) -> Vec<u32> {
    matching_ordinals(field, &FuzzyMatcher::new(text, distance), 0, field.dictionary.len() as u32)
}

/// Returns the ordinals of the values of a text field that equal one of these, or have one of these as a word.
pub(crate) fn match_words(field: &SegmentField<'_>, values: &[TypedValue]) -> Vec<u32> {
    matching_ordinals(field, &AnyOf(values), 0, field.dictionary.len() as u32)
}

/// Sorted values, one of which a text must equal.
struct AnyOf<'a>(&'a [TypedValue]);

impl Matcher for AnyOf<'_> {
    fn matches(&self, text: &str) -> bool {
        let found = self.0.binary_search_by(|value| match value {
            TypedValue::Text(value) => value.as_str().cmp(text),
            _ => std::cmp::Ordering::Less,
        });
        found.is_ok()
    }

    fn may_match_word_of(&self, text: &str) -> bool {
        let may_be_word = |value: &str| value.chars().all(|letter| letter.is_alphanumeric() && !letter.is_uppercase());
        self.0.iter().any(|value| match value {
            TypedValue::Text(value) => may_be_word(value) && contains_ignoring_case(text, value),
            _ => false,
        })
    }
}

fn matching_ordinals(field: &SegmentField<'_>, matcher: &impl Matcher, from: u32, to: u32) -> Vec<u32> {
    let ordinals = from..to;
    match field.class {
        ValueClass::Keyword => ordinals.filter(|&ordinal| matcher.matches(field.dictionary.text(ordinal))).collect(),
        ValueClass::Text => ordinals.filter(|&ordinal| text_matches(field.dictionary.text(ordinal), matcher)).collect(),
        _ => Vec::new(),
    }
}

/// Returns the ordinals of the values with a prefix, from the first to the one after the last.
fn prefix_range(field: &SegmentField<'_>, prefix: &str) -> (u32, u32) {
    let end = field.dictionary.len() as u32;
    let from = field.dictionary.find_bytes(prefix.as_bytes()).unwrap_or_else(|next| next);
    let mut after = prefix.as_bytes().to_vec();
    // UTF-8 never has the byte 255, so incrementing the last byte gives the end of the range.
    match after.last_mut() {
        Some(last) => *last += 1,
        None => return (0, end),
    }
    (from, field.dictionary.find_bytes(&after).unwrap_or_else(|next| next))
}
