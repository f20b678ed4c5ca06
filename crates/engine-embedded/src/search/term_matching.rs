//! Matching the terms of a string field against patterns, fuzzy texts and analysed values.
//!
//! Each different value is tested once, however many documents have it. Where a pattern begins with a literal prefix, only
//! the values with that prefix are tested; all other patterns of one field are tested in one pass over its values. A pass
//! ends soon after the search was cancelled.

use std::collections::BTreeMap;
use std::ops::Range;

use cantata_engine::Filter;
use cantata_engine::matching::{FuzzyMatcher, Matcher, WildcardPattern, contains_ignoring_case, text_matches};
use cantata_mapping::TypedValue;

use crate::cancellation::CancellationToken;
use crate::segment::SegmentField;
use crate::value_encoding::ValueClass;

/// After so many values a pass checks whether the search was cancelled.
const VALUES_PER_CHECK: u32 = 256;

/// The parts of a disjunction: patterns without a prefix by field, and all others.
pub(crate) struct Alternatives<'f> {
    pub(crate) patterns: BTreeMap<&'f str, Vec<WildcardPattern>>,
    pub(crate) others: Vec<&'f Filter>,
}

impl<'f> Alternatives<'f> {
    pub(crate) fn new(parts: &'f [Filter]) -> Self {
        let (mut patterns, mut others) = (BTreeMap::<&str, Vec<WildcardPattern>>::new(), Vec::new());
        for part in parts {
            let (field, pattern) = match part {
                Filter::Wildcard { field, pattern } => (field, WildcardPattern::wildcard(pattern)),
                Filter::Pattern { field, pattern } if pattern.starts_with('*') => {
                    (field, WildcardPattern::case_sensitive(pattern))
                }
                other => {
                    others.push(other);
                    continue;
                }
            };
            patterns.entry(field).or_default().push(pattern);
        }
        Self { patterns, others }
    }
}

/// Patterns of which a text must match one.
struct AnyPattern<'a>(&'a [WildcardPattern]);

impl Matcher for AnyPattern<'_> {
    fn matches(&self, text: &str) -> bool {
        self.0.iter().any(|pattern| pattern.matches(text))
    }

    fn may_match_word_of(&self, text: &str) -> bool {
        self.0.iter().any(|pattern| pattern.may_match_word_of(text))
    }
}

/// Returns the ordinals of the values that match one of the patterns.
pub(crate) fn match_any_pattern(
    field: &SegmentField<'_>,
    patterns: &[WildcardPattern],
    cancellation: &CancellationToken,
) -> Vec<u32> {
    matching_ordinals(field, &AnyPattern(patterns), all_values(field), cancellation)
}

/// Returns the ordinals of the values that match a pattern: a case-sensitive one with `*`, or a case-insensitive one with
/// `*` and `?`.
pub(crate) fn match_pattern(
    field: &SegmentField<'_>,
    pattern: &str,
    case_sensitive: bool,
    cancellation: &CancellationToken,
) -> Vec<u32> {
    if !case_sensitive {
        return matching_ordinals(field, &WildcardPattern::wildcard(pattern), all_values(field), cancellation);
    }
    let pattern = WildcardPattern::case_sensitive(pattern);
    let ordinals = match field.class {
        ValueClass::Keyword => prefix_range(field, pattern.literal_prefix()),
        _ => all_values(field),
    };
    matching_ordinals(field, &pattern, ordinals, cancellation)
}

/// Returns the ordinals of the values within an edit distance of a text.
pub(crate) fn match_fuzzy(
    field: &SegmentField<'_>,
    text: &str,
    distance: u8,
    cancellation: &CancellationToken,
) -> Vec<u32> {
    matching_ordinals(field, &FuzzyMatcher::new(text, distance), all_values(field), cancellation)
}

/// Returns the ordinals of the values of a text field that equal one of these, or have one of these as a word.
pub(crate) fn match_words(
    field: &SegmentField<'_>,
    values: &[TypedValue],
    cancellation: &CancellationToken,
) -> Vec<u32> {
    matching_ordinals(field, &AnyOf(values), all_values(field), cancellation)
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

fn all_values(field: &SegmentField<'_>) -> Range<u32> {
    0..field.dictionary.len() as u32
}

fn matching_ordinals(
    field: &SegmentField<'_>,
    matcher: &impl Matcher,
    ordinals: Range<u32>,
    cancellation: &CancellationToken,
) -> Vec<u32> {
    let is_text = match field.class {
        ValueClass::Keyword => false,
        ValueClass::Text => true,
        _ => return Vec::new(),
    };
    let mut found = Vec::new();
    for ordinal in ordinals {
        if ordinal.is_multiple_of(VALUES_PER_CHECK) && cancellation.is_cancelled() {
            break;
        }
        let value = field.dictionary.text(ordinal);
        let matches = if is_text { text_matches(value, matcher) } else { matcher.matches(value) };
        if matches {
            found.push(ordinal);
        }
    }
    found
}

/// Returns the ordinals of the values with a prefix.
fn prefix_range(field: &SegmentField<'_>, prefix: &str) -> Range<u32> {
    let from = field.dictionary.find_bytes(prefix.as_bytes()).unwrap_or_else(|next| next);
    let mut after = prefix.as_bytes().to_vec();
    // UTF-8 never has the byte 255, so incrementing the last byte gives the end of the range.
    match after.last_mut() {
        Some(last) => *last += 1,
        None => return all_values(field),
    }
    from..field.dictionary.find_bytes(&after).unwrap_or_else(|next| next)
}

#[cfg(test)]
mod tests {
    use cantata_engine::{IndexWriter, WriteOperation};
    use serde_json::json;

    use super::*;
    use crate::EmbeddedEngine;
    use crate::cancellation::CancelOnDrop;

    #[tokio::test]
    async fn patterns_are_tested_in_one_pass_that_ends_with_its_search() {
        let folder = tempfile::tempdir().unwrap();
        let engine = EmbeddedEngine::open(folder.path()).unwrap();
        engine.create("things", Some(&json!({"properties": {"a": {"type": "keyword"}}}))).unwrap();
        let put = |number: u32| WriteOperation::Put {
            id: number.to_string(),
            source: json!({"a": number.to_string()}).to_string().into_bytes(),
        };
        engine.write("things", (0..1000).map(put).collect()).await.unwrap();
        let snapshot = engine.index("things").unwrap().snapshot();
        let field = snapshot.segments[0].segment.field("a").unwrap();
        let pattern = |pattern: &str| Filter::Wildcard { field: "a".to_owned(), pattern: pattern.to_owned() };
        let parts = [pattern("*1*"), Filter::All, pattern("*?2")];
        let alternatives = Alternatives::new(&parts);
        assert_eq!(alternatives.others, [&Filter::All]);
        let patterns = &alternatives.patterns["a"];
        let request = CancelOnDrop::default();
        let token = request.token();
        let is_wanted = |text: &String| text.contains('1') || (text.len() > 1 && text.ends_with('2'));
        let wanted = (0..1000).map(|number: u32| number.to_string()).filter(is_wanted).count();
        assert_eq!(match_any_pattern(&field, patterns, &token).len(), wanted);
        drop(request);
        assert_eq!(match_any_pattern(&field, patterns, &token), Vec::<u32>::new());
    }
}
