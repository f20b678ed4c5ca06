//! Matching the terms of a string field against patterns, fuzzy texts and analysed values.
//!
//! Each different value is tested once, however many documents have it. Where a pattern begins with a literal prefix, only
//! the values with that prefix are tested; all other patterns of one field are tested in one pass over its values. A pass
//! ends soon after the search was cancelled.
//!
//! A text field matches by whole values and by words. The values of words come from the word index of the segment
//! ([`WordIndex`]), in which each different word is tested once; only where a segment has none are texts cut into words.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};

use cantata_engine::Filter;
use cantata_engine::matching::{FuzzyMatcher, Matcher, WildcardPattern, contains_ignoring_case, text_matches};
use cantata_mapping::TypedValue;

use crate::bitset::Bitset;
use crate::cancellation::CancellationToken;
use crate::segment::{SegmentField, WordIndex};
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

    fn word_prefix(&self) -> &str {
        match self.0 {
            [only] => only.word_prefix(),
            _ => "",
        }
    }

    fn passes_with_ascii_words(&self) -> bool {
        self.0.iter().all(Matcher::passes_with_ascii_words)
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
    let ordinals = if field.class == ValueClass::Keyword || field.words.is_some() {
        prefix_range(field, pattern.literal_prefix())
    } else {
        all_values(field)
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
    let Some(words) = field.words else {
        return matching_ordinals(field, &AnyOf(values), all_values(field), cancellation);
    };
    let mut found = Bitset::empty(field.dictionary.len());
    for value in values {
        let TypedValue::Text(text) = value else { continue };
        let whole = field.dictionary.find_bytes(text.as_bytes()).ok();
        whole.into_iter().chain(words.values_with(text)).for_each(|ordinal| found.insert(ordinal as usize));
    }
    to_ordinals(&found)
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
        // In lower case a letter may become several, not all of them letters, and some letters stay in upper case.
        let may_be_in_word = |letter: char| {
            (letter.is_alphanumeric() || !letter.is_ascii()) && letter.to_lowercase().eq(std::iter::once(letter))
        };
        let may_be_word = |value: &str| value.chars().all(may_be_in_word);
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
    let is_cut = is_text && field.words.is_none();
    let mut found = Vec::new();
    for ordinal in ordinals {
        if ordinal.is_multiple_of(VALUES_PER_CHECK) && cancellation.is_cancelled() {
            break;
        }
        let value = field.dictionary.text(ordinal);
        let matches = if is_cut { text_matches(value, matcher) } else { matcher.matches(value) };
        if matches {
            found.push(ordinal);
        }
    }
    match field.words {
        Some(words) if !(words.is_ascii && matcher.passes_with_ascii_words()) => {
            add_values_with_words(field, &words, matcher, &found, cancellation)
        }
        _ => found,
    }
}

/// Adds the ordinals of the values that have a word that matches to those of the values that match as a whole. A bitmap
/// bounds the memory: a value may have thousands of words that match.
fn add_values_with_words(
    field: &SegmentField<'_>,
    words: &WordIndex<'_>,
    matcher: &impl Matcher,
    whole: &[u32],
    cancellation: &CancellationToken,
) -> Vec<u32> {
    let mut found = Bitset::empty(field.dictionary.len());
    whole.iter().for_each(|&ordinal| found.insert(ordinal as usize));
    let mut tested = 0_u32;
    words.for_each_word(matcher.word_prefix(), |word, values| {
        if tested.is_multiple_of(VALUES_PER_CHECK) && cancellation.is_cancelled() {
            return ControlFlow::Break(());
        }
        tested = tested.wrapping_add(1);
        if matcher.matches(word) {
            values.for_each(|ordinal| found.insert(ordinal as usize));
        }
        ControlFlow::Continue(())
    });
    to_ordinals(&found)
}

fn to_ordinals(set: &Bitset) -> Vec<u32> {
    set.iter().map(|ordinal| ordinal as u32).collect()
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
    use cantata_engine::{IndexMaintenance, IndexWriter, WriteOperation};
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

    /// Checks that the word index of a field finds what cutting its texts into words finds.
    fn assert_words_of(field: SegmentField<'_>, token: &CancellationToken) {
        assert!(field.words.is_some());
        let mut cut = field;
        cut.words = None;
        let sought = "quick Quick fox the äpfel i\u{307}stanbul İstanbul 7 𝐀x ας kelvin x-1_y x no ".split(' ');
        let mut sought: Vec<TypedValue> = sought.map(|text| TypedValue::Text(text.to_owned())).collect();
        sought.sort_unstable();
        for values in sought.chunks(1).chain(sought.chunks(3)) {
            assert_eq!(match_words(&field, values, token), match_words(&cut, values, token), "{values:?}");
        }
        let patterns = "* ? qu* Qu* *o* *OX t?e THE fo*t *k* Ä* *\u{307}* *i*n*u* ".split(' ').collect::<Vec<_>>();
        for (index, pattern) in patterns.iter().enumerate() {
            for is_case_sensitive in [false, true] {
                let found = match_pattern(&field, pattern, is_case_sensitive, token);
                assert_eq!(found, match_pattern(&cut, pattern, is_case_sensitive, token), "{pattern}");
            }
            for end in index + 1..=patterns.len().min(index + 2) {
                let several: Vec<_> = patterns[index..end].iter().copied().map(WildcardPattern::wildcard).collect();
                let found = match_any_pattern(&field, &several, token);
                assert_eq!(found, match_any_pattern(&cut, &several, token), "{several:?}");
            }
        }
        for (text, distance) in [("fxo", 1), ("quik", 2), ("the", 0), ("İstambul 7", 1), ("kelwin", 1), ("", 1)] {
            let found = match_fuzzy(&field, text, distance, token);
            assert_eq!(found, match_fuzzy(&cut, text, distance, token), "{text}");
        }
    }

    #[tokio::test]
    async fn the_word_index_finds_what_cutting_finds() {
        let folder = tempfile::tempdir().unwrap();
        let engine = EmbeddedEngine::open(folder.path()).unwrap();
        let note = json!({"type": "text", "fields": {"whole": {"type": "keyword"}}});
        let parts = json!({"type": "nested", "properties": {"note": note}});
        engine.create("things", Some(&json!({"properties": {"note": note, "parts": parts}}))).unwrap();
        let texts = [
            "Quick brown fox",
            "quick",
            "",
            "The the THE",
            "Äpfel und Birnen",
            "İstanbul 7",
            "ΑΣ \u{212a}elvin",
            "x-1_y 𝐀x",
            "fox fox-trot",
        ];
        let put = |(number, text): (usize, &&str)| WriteOperation::Put {
            id: number.to_string(),
            source: json!({"note": text, "parts": [{"note": [text, "a fox"]}]}).to_string().into_bytes(),
        };
        engine.write("things", texts.iter().enumerate().map(put).collect()).await.unwrap();
        let request = CancelOnDrop::default();
        for is_merged in [false, true] {
            if is_merged {
                engine.write("things", vec![WriteOperation::Delete { id: "0".to_owned() }]).await.unwrap();
                engine.compact("things").await.unwrap();
            }
            let snapshot = engine.index("things").unwrap().snapshot();
            for reader in &snapshot.segments {
                assert_words_of(reader.segment.field("note").unwrap(), &request.token());
                assert_words_of(reader.segment.field("parts.note").unwrap(), &request.token());
                assert!(reader.segment.field("note.whole").unwrap().words.is_none());
            }
        }
    }
}
