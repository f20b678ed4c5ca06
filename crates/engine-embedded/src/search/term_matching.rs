//! Matching the terms of a string field against patterns, fuzzy texts and analysed values.
//!
//! Each different value is compared at most once with a pattern or a text, however many documents have it, and mostly not at
//! all: [`super::pattern_search`] and [`super::fuzzy_walk`] say how. Whether it matches is always decided by the rules of
//! [`cantata_engine::matching`].
//!
//! A text field matches by whole values and by words. The values of words come from the word index of the segment
//! ([`crate::segment::WordIndex`]); only where a segment has none are texts cut into words.
//!
//! All of this happens in the ordinals of each segment; global ordinals matter only to what is counted afterwards. A nested
//! field has a dictionary like any other, and its rows are lifted from the ordinals that match. Everything that may take
//! long ends soon after the search was cancelled.

use std::collections::BTreeMap;
use std::ops::Range;

use cantata_engine::Filter;
use cantata_engine::matching::{FuzzyMatcher, Matcher, WildcardPattern, contains_ignoring_case};
use cantata_mapping::TypedValue;

use super::dictionary_scan::DictionaryScan;
use super::fuzzy_walk::{values_within, words_within};
use super::pattern_search::PatternSearch;
use crate::bitset::Bitset;
use crate::cancellation::CancellationToken;
use crate::segment::SegmentField;
use crate::value_encoding::ValueClass;

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

/// Returns the ordinals of the values that match one of the patterns.
pub(crate) fn match_any_pattern(
    field: &SegmentField<'_>,
    patterns: &[WildcardPattern],
    cancellation: &CancellationToken,
) -> Vec<u32> {
    let mut found = Bitset::empty(field.dictionary.len());
    for pattern in patterns {
        // Each reads trigrams, or walks over words, before it looks at a value.
        if cancellation.is_cancelled() {
            break;
        }
        let ordinals = PatternSearch::new(field, pattern, cancellation).run();
        ordinals.into_iter().for_each(|ordinal| found.insert(ordinal as usize));
    }
    to_ordinals(&found)
}

/// Returns the ordinals of the values that match a pattern.
pub(crate) fn match_pattern(
    field: &SegmentField<'_>,
    pattern: &WildcardPattern,
    cancellation: &CancellationToken,
) -> Vec<u32> {
    PatternSearch::new(field, pattern, cancellation).run()
}

/// Returns the ordinals of the values within an edit distance of a text.
pub(crate) fn match_fuzzy(
    field: &SegmentField<'_>,
    text: &str,
    distance: u8,
    cancellation: &CancellationToken,
) -> Vec<u32> {
    let trigrams = field.trigram_index();
    match (field.class, field.word_index()) {
        (ValueClass::Keyword, _) => values_within(&field.dictionary, trigrams, text, distance, cancellation),
        (ValueClass::Text, Some(words)) => {
            let mut found = Bitset::empty(field.dictionary.len());
            let whole = values_within(&field.dictionary, trigrams, text, distance, cancellation);
            whole.into_iter().for_each(|ordinal| found.insert(ordinal as usize));
            words_within(&words, text, distance, cancellation, |ordinal| found.insert(ordinal as usize));
            to_ordinals(&found)
        }
        (ValueClass::Text, None) => {
            let matcher = FuzzyMatcher::new(text, distance);
            DictionaryScan::new(field, &matcher, true, cancellation).run(&[all_values(field)])
        }
        _ => Vec::new(),
    }
}

/// Returns the ordinals of the values of a text field that equal one of these, or have one of these as a word.
pub(crate) fn match_words(
    field: &SegmentField<'_>,
    values: &[TypedValue],
    cancellation: &CancellationToken,
) -> Vec<u32> {
    let Some(words) = field.word_index() else {
        return DictionaryScan::new(field, &AnyOf(values), true, cancellation).run(&[all_values(field)]);
    };
    let whole = |text: &str| field.dictionary.find_bytes(text.as_bytes()).ok();
    if let [TypedValue::Text(text)] = values {
        // Few values have most words, so they are not marked in a bitmap of all. The index does not have the whole value.
        let mut found: Vec<u32> = words.values_with(text).collect();
        if let Some(whole) = whole(text) {
            found.insert(found.partition_point(|ordinal| *ordinal < whole), whole);
        }
        return found;
    }
    let mut found = Bitset::empty(field.dictionary.len());
    for value in values {
        let TypedValue::Text(text) = value else { continue };
        whole(text).into_iter().chain(words.values_with(text)).for_each(|ordinal| found.insert(ordinal as usize));
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

pub(super) fn all_values(field: &SegmentField<'_>) -> Range<u32> {
    0..field.dictionary.len() as u32
}

pub(super) fn to_ordinals(set: &Bitset) -> Vec<u32> {
    set.iter().map(|ordinal| ordinal as u32).collect()
}

#[cfg(test)]
mod tests {
    use cantata_engine::matching::text_matches;
    use cantata_engine::{IndexMaintenance, IndexWriter, WriteOperation};
    use serde_json::json;

    use super::*;
    use crate::cancellation::CancelOnDrop;
    use crate::test_index::TestIndex;

    #[tokio::test]
    async fn patterns_of_one_field_are_sought_together_until_their_search_ends() {
        let index = TestIndex::new(&json!({"a": {"type": "keyword"}}));
        // So many that they are shared over the processors.
        index.write((0..20_000).map(|number: u32| json!({"a": number.to_string()}))).await;
        let snapshot = index.snapshot();
        let field = snapshot.segments[0].segment.field("a").unwrap();
        let pattern = |pattern: &str| Filter::Wildcard { field: "a".to_owned(), pattern: pattern.to_owned() };
        let parts = [pattern("*1*"), Filter::All, pattern("*?2")];
        let alternatives = Alternatives::new(&parts);
        assert_eq!(alternatives.others, [&Filter::All]);
        let patterns = &alternatives.patterns["a"];
        let request = CancelOnDrop::default();
        let token = request.token();
        let is_wanted = |text: &String| text.contains('1') || (text.len() > 1 && text.ends_with('2'));
        let wanted = (0..20_000).map(|number: u32| number.to_string()).filter(is_wanted).count();
        assert_eq!(match_any_pattern(&field, patterns, &token).len(), wanted);
        drop(request);
        assert_eq!(match_any_pattern(&field, patterns, &token), Vec::<u32>::new());
        // The order of the dictionary alone finds this one.
        let prefix = [WildcardPattern::wildcard("1*")];
        assert_eq!(match_any_pattern(&field, &prefix, &token), Vec::<u32>::new());
    }

    /// Returns an index of two fields, one of them of texts, with so many values that their dictionaries have trigrams.
    async fn with_trigrams() -> TestIndex {
        let index = TestIndex::new(&json!({"name": {"type": "keyword"}, "note": {"type": "text"}}));
        let document = |number: u32| {
            let scattered = number.wrapping_mul(2_654_435_761) % 1_000_000;
            let kind = ["Snv", "SNV", "snv", "Änd", "änd", "İ", "ΟΔΟΣ"][number as usize % 7];
            json!({
                "name": format!("Do{:05}-fl{scattered:06}-a-whole-genome-of-2024.{kind}", number / 3),
                "note": format!("{kind} of donor {scattered:06}, Specimen-{:05}, deep frozen", number / 2),
            })
        };
        index.write((0..8_000).map(document)).await;
        index
    }

    const PATTERNS: &str = "*1234*|*34*|*4*|*||*?*|do000*|DO0*snv|Do0*Snv|*9?9*|*donor*specimen-0001*|*ΔΟΣ|*änd*|*ÄND|i*|\
        *i*012*|*i\u{307}*|*\u{212a}*|specimen|012345|0123*|*not there*|Do01?3*|*.?nv";

    /// Returns a field with and without each of its indexes.
    fn variants(field: SegmentField<'_>) -> [SegmentField<'_>; 4] {
        [(true, true), (true, false), (false, true), (false, false)].map(|(has_trigrams, has_words)| {
            let mut variant = field;
            variant.trigrams = field.trigrams.filter(|_| has_trigrams);
            variant.words = field.words.filter(|_| has_words);
            variant
        })
    }

    /// Returns the values that pass a test, compared one by one.
    fn compared(field: &SegmentField<'_>, matcher: &impl Matcher) -> Vec<u32> {
        let passes = |&ordinal: &u32| match field.class {
            ValueClass::Text => text_matches(field.dictionary.text(ordinal), matcher),
            _ => matcher.matches(field.dictionary.text(ordinal)),
        };
        all_values(field).filter(passes).collect()
    }

    #[tokio::test]
    async fn indexes_change_no_result() {
        let index = with_trigrams().await;
        let snapshot = index.snapshot();
        let request = CancelOnDrop::default();
        for name in ["name", "note"] {
            let field = snapshot.segments[0].segment.field(name).unwrap();
            assert!(field.trigrams.is_some(), "{name}");
            assert_eq!(field.words.is_some(), name == "note");
            for pattern in PATTERNS.split('|') {
                for (case_sensitive, matcher) in
                    [(true, WildcardPattern::case_sensitive(pattern)), (false, WildcardPattern::wildcard(pattern))]
                {
                    let expected = compared(&field, &matcher);
                    for variant in variants(field) {
                        let found = match_pattern(&variant, &matcher, &request.token());
                        assert_eq!(found, expected, "{pattern} in {name}, by case: {case_sensitive}");
                    }
                }
            }
            let name_like = "Do00012-fl086136-a-whole-genome-of-2024.snv";
            for (text, distance) in [(name_like, 2), ("specmien", 2), ("of", 0), ("donr", 1), ("", 1)] {
                let expected = compared(&field, &FuzzyMatcher::new(text, distance));
                for variant in variants(field) {
                    assert_eq!(match_fuzzy(&variant, text, distance, &request.token()), expected, "{text} in {name}");
                }
            }
        }
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
            for matcher in [WildcardPattern::wildcard(pattern), WildcardPattern::case_sensitive(pattern)] {
                let found = match_pattern(&field, &matcher, token);
                assert_eq!(found, match_pattern(&cut, &matcher, token), "{pattern}");
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
        let note = json!({"type": "text", "fields": {"whole": {"type": "keyword"}}});
        let parts = json!({"type": "nested", "properties": {"note": note}});
        let index = TestIndex::new(&json!({"note": note, "parts": parts}));
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
        index.write(texts.map(|text| json!({"note": text, "parts": [{"note": [text, "a fox"]}]}))).await;
        let request = CancelOnDrop::default();
        for is_merged in [false, true] {
            if is_merged {
                index.engine.write("things", vec![WriteOperation::Delete { id: "0".to_owned() }]).await.unwrap();
                index.engine.compact("things").await.unwrap();
            }
            let snapshot = index.snapshot();
            for reader in &snapshot.segments {
                assert_words_of(reader.segment.field("note").unwrap(), &request.token());
                assert_words_of(reader.segment.field("parts.note").unwrap(), &request.token());
                assert!(reader.segment.field("note.whole").unwrap().words.is_none());
            }
        }
    }
}
