//! Matching the terms of a string field against patterns, fuzzy texts and analysed values.
//!
//! Each different value is compared at most once, however many documents have it, and a value is compared only where
//! nothing cheaper excludes it. From the cheapest on:
//!
//! * the order of the dictionary: values that begin like a pattern are a few ranges of ordinals, also where case does not
//!   matter ([`super::prefix_ranges`]); values within an edit distance lie on a few paths through it ([`super::fuzzy_walk`]).
//!   A text field is found by its words too, which its dictionary is not in the order of;
//! * the trigrams of the dictionary ([`crate::segment::TrigramIndex`]): of all literals of a pattern, wherever they stand, so
//!   for text fields too;
//! * the longest literal, which is sought in the folded forms of many values at once ([`super::dictionary_scan`]). This is
//!   all that helps where a pattern has no three letters in a row, and in dictionaries without trigrams.
//!
//! What is left is compared with the pattern itself, which alone decides. So results are the same with and without trigrams,
//! and a value that is in no live document costs time, nothing else.
//!
//! All of this happens in the ordinals of each segment; global ordinals matter only to what is counted afterwards. A nested
//! field has a dictionary like any other, and its rows are lifted from the ordinals that match. Everything that may take
//! long ends soon after the search was cancelled.

use std::collections::BTreeMap;
use std::ops::Range;

use cantata_engine::Filter;
use cantata_engine::matching::{FuzzyMatcher, Matcher, WildcardPattern, contains_ignoring_case, fold_into};
use cantata_mapping::TypedValue;

use super::dictionary_scan::DictionaryScan;
use super::fuzzy_walk::within_distance;
use super::prefix_ranges::PrefixRanges;
use crate::bitset::Bitset;
use crate::cancellation::CancellationToken;
use crate::segment::SegmentField;
use crate::value_encoding::ValueClass;

/// Fewer values are looked at without reading lists of trigrams.
const MIN_TRIGRAM_VALUES: usize = 1_024;

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
        let ordinals = match_compiled(field, pattern, cancellation);
        ordinals.into_iter().for_each(|ordinal| found.insert(ordinal as usize));
    }
    found.iter().map(|ordinal| ordinal as u32).collect()
}

/// Returns the ordinals of the values that match a pattern: a case-sensitive one with `*`, or a case-insensitive one with
/// `*` and `?`.
pub(crate) fn match_pattern(
    field: &SegmentField<'_>,
    pattern: &str,
    case_sensitive: bool,
    cancellation: &CancellationToken,
) -> Vec<u32> {
    let pattern =
        if case_sensitive { WildcardPattern::case_sensitive(pattern) } else { WildcardPattern::wildcard(pattern) };
    match_compiled(field, &pattern, cancellation)
}

fn match_compiled(field: &SegmentField<'_>, pattern: &WildcardPattern, cancellation: &CancellationToken) -> Vec<u32> {
    let mut candidates = vec![all_values(field)];
    if field.class == ValueClass::Keyword {
        let beginning = PrefixRanges::new(&field.dictionary, pattern.literal_prefix(), pattern.ignores_case());
        if beginning.is_exact && pattern.is_prefix() {
            return beginning.ranges.into_iter().flatten().collect();
        }
        candidates = beginning.ranges;
    }
    matching_ordinals(field, pattern, &pattern.literals(), candidates, cancellation)
}

/// Returns the ordinals of the values within an edit distance of a text.
pub(crate) fn match_fuzzy(
    field: &SegmentField<'_>,
    text: &str,
    distance: u8,
    cancellation: &CancellationToken,
) -> Vec<u32> {
    if field.class == ValueClass::Keyword {
        return within_distance(&field.dictionary, text, distance, cancellation);
    }
    let literals = if distance == 0 { vec![text.to_owned()] } else { Vec::new() };
    let matcher = FuzzyMatcher::new(text, distance);
    matching_ordinals(field, &matcher, &literals, vec![all_values(field)], cancellation)
}

/// Returns the ordinals of the values of a text field that equal one of these, or have one of these as a word.
pub(crate) fn match_words(
    field: &SegmentField<'_>,
    values: &[TypedValue],
    cancellation: &CancellationToken,
) -> Vec<u32> {
    matching_ordinals(field, &AnyOf(values), &[], vec![all_values(field)], cancellation)
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

/// Returns the ordinals of the candidates that match, of a field of strings. Every value that matches contains the
/// literals in its folded form.
fn matching_ordinals(
    field: &SegmentField<'_>,
    matcher: &(impl Matcher + Sync),
    literals: &[String],
    mut candidates: Vec<Range<u32>>,
    cancellation: &CancellationToken,
) -> Vec<u32> {
    if !field.class.is_text() {
        return Vec::new();
    }
    let folded = literals.iter().map(|literal| {
        let mut folded = Vec::new();
        fold_into(literal, &mut folded);
        folded
    });
    let literals: Vec<Vec<u8>> = folded.collect();
    if let Some(trigrams) = field.trigrams
        && candidates.iter().map(|range| range.len()).sum::<usize>() >= MIN_TRIGRAM_VALUES
        && let Some(with_trigrams) = trigrams.candidates(&field.dictionary, &literals)
    {
        candidates = common_ranges(&candidates, &with_trigrams);
    }
    let longest = literals.iter().max_by_key(|literal| literal.len()).map(Vec::as_slice).unwrap_or_default();
    DictionaryScan::new(field, matcher, longest, cancellation).run(&candidates)
}

/// Returns what is in ranges of both lists, which are in order.
fn common_ranges(one: &[Range<u32>], two: &[Range<u32>]) -> Vec<Range<u32>> {
    let mut common = Vec::new();
    let (mut left, mut right) = (one.iter().peekable(), two.iter().peekable());
    while let (Some(first), Some(second)) = (left.peek(), right.peek()) {
        let both = first.start.max(second.start)..first.end.min(second.end);
        if first.end < second.end {
            left.next();
        } else {
            right.next();
        }
        if !both.is_empty() {
            common.push(both);
        }
    }
    common
}

#[cfg(test)]
mod tests {
    use cantata_engine::matching::text_matches;
    use cantata_engine::{IndexWriter, WriteOperation};
    use serde_json::json;

    use super::*;
    use crate::EmbeddedEngine;
    use crate::cancellation::CancelOnDrop;

    #[tokio::test]
    async fn patterns_of_one_field_are_sought_together_until_their_search_ends() {
        let folder = tempfile::tempdir().unwrap();
        let engine = EmbeddedEngine::open(folder.path()).unwrap();
        engine.create("things", Some(&json!({"properties": {"a": {"type": "keyword"}}}))).unwrap();
        let put = |number: u32| WriteOperation::Put {
            id: number.to_string(),
            source: json!({"a": number.to_string()}).to_string().into_bytes(),
        };
        // So many that they are shared over the processors.
        engine.write("things", (0..20_000).map(put).collect()).await.unwrap();
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
        let wanted = (0..20_000).map(|number: u32| number.to_string()).filter(is_wanted).count();
        assert_eq!(match_any_pattern(&field, patterns, &token).len(), wanted);
        drop(request);
        assert_eq!(match_any_pattern(&field, patterns, &token), Vec::<u32>::new());
    }

    /// The values of two fields of strings, one of them of texts: so many that their dictionaries have trigrams.
    async fn with_trigrams(folder: &std::path::Path) -> EmbeddedEngine {
        let engine = EmbeddedEngine::open(folder).unwrap();
        let mapping = json!({"properties": {"name": {"type": "keyword"}, "note": {"type": "text"}}});
        engine.create("things", Some(&mapping)).unwrap();
        let put = |number: u32| {
            let scattered = number.wrapping_mul(2_654_435_761) % 1_000_000;
            let kind = ["Snv", "SNV", "snv", "Änd", "änd", "İ", "ΟΔΟΣ"][number as usize % 7];
            let source = json!({
                "name": format!("Do{:05}-fl{scattered:06}-a-whole-genome-of-2024.{kind}", number / 3),
                "note": format!("{kind} of donor {scattered:06}, Specimen-{:05}, deep frozen", number / 2),
            });
            WriteOperation::Put { id: number.to_string(), source: source.to_string().into_bytes() }
        };
        engine.write("things", (0..8_000).map(put).collect()).await.unwrap();
        engine
    }

    const PATTERNS: &str = "*1234*|*34*|*4*|*||*?*|do000*|DO0*snv|Do0*Snv|*9?9*|*donor*specimen-0001*|*ΔΟΣ|*änd*|*ÄND|i*|\
        *i*012*|specimen|012345|0123*|*not there*|Do01?3*|*.?nv";

    #[tokio::test]
    async fn trigrams_change_no_result() {
        let folder = tempfile::tempdir().unwrap();
        let engine = with_trigrams(folder.path()).await;
        let snapshot = engine.index("things").unwrap().snapshot();
        let request = CancelOnDrop::default();
        for name in ["name", "note"] {
            let indexed = snapshot.segments[0].segment.field(name).unwrap();
            assert!(indexed.trigrams.is_some(), "{name}");
            let mut without = indexed;
            without.trigrams = None;
            for pattern in PATTERNS.split('|') {
                for (case_sensitive, matcher) in
                    [(true, WildcardPattern::case_sensitive(pattern)), (false, WildcardPattern::wildcard(pattern))]
                {
                    let passes = |&ordinal: &u32| match indexed.class {
                        ValueClass::Text => text_matches(indexed.dictionary.text(ordinal), &matcher),
                        _ => matcher.matches(indexed.dictionary.text(ordinal)),
                    };
                    let expected: Vec<u32> = all_values(&indexed).filter(passes).collect();
                    for field in [indexed, without] {
                        let found = match_pattern(&field, pattern, case_sensitive, &request.token());
                        assert_eq!(found, expected, "{pattern} in {name}, by case: {case_sensitive}");
                    }
                }
            }
            for (text, distance) in
                [("Do00012-fl086136-a-whole-genome-of-2024.snv", 2), ("specmien", 2), ("of", 0), ("donr", 1), ("", 1)]
            {
                let matcher = FuzzyMatcher::new(text, distance);
                let passes = |&ordinal: &u32| match indexed.class {
                    ValueClass::Text => text_matches(indexed.dictionary.text(ordinal), &matcher),
                    _ => matcher.matches(indexed.dictionary.text(ordinal)),
                };
                let expected: Vec<u32> = all_values(&indexed).filter(passes).collect();
                assert_eq!(match_fuzzy(&indexed, text, distance, &request.token()), expected, "{text} in {name}");
            }
        }
    }

    #[test]
    fn common_ranges_are_what_both_have() {
        let one = [0..4, 6..7, 9..20];
        let two = [2..6, 6..10, 11..12, 13..30];
        assert_eq!(common_ranges(&one, &two), [2..4, 6..7, 9..10, 11..12, 13..20]);
        assert_eq!(common_ranges(&two, &one), [2..4, 6..7, 9..10, 11..12, 13..20]);
        assert_eq!(common_ranges(&one, &[]), Vec::<Range<u32>>::new());
    }
}
