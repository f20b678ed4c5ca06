//! The values of one field that match a pattern.
//!
//! A value is compared with the pattern only where nothing cheaper excludes it. From the cheapest on:
//!
//! * the order of the dictionary: values that begin like the pattern are a few ranges of ordinals, also where case does not
//!   matter ([`super::prefix_ranges`]);
//! * its trigrams ([`crate::segment::TrigramIndex`]), of all literals of the pattern, wherever they stand;
//! * the longest literal, which is sought in the folded forms of many values at once ([`super::dictionary_scan`]). This is
//!   all that helps where a pattern has no three letters in a row, and in dictionaries without trigrams.
//!
//! What is left is compared with the pattern itself, which alone decides: results are the same without trigrams. Only where
//! the pattern is nothing but a literal between stars, what contains it need not be compared again.
//!
//! A text field is found by its words too, in one of three ways. Where a pattern begins and ends with a star, a value that
//! has a word which matches is itself found. Otherwise the words of the word index are tested, those with the prefix of the
//! pattern if it has one; or the texts that the trigrams leave are cut into words, if they are few. In files of versions
//! that had no word index they are cut in any case.

use std::ops::{ControlFlow, Range};

use cantata_engine::matching::{Matcher as _, WildcardPattern, fold_into};

use super::dictionary_scan::DictionaryScan;
use super::prefix_ranges::PrefixRanges;
use super::term_matching::{all_values, to_ordinals};
use crate::bitset::Bitset;
use crate::cancellation::CancellationToken;
use crate::segment::{SegmentField, WordIndex};
use crate::value_encoding::ValueClass;

/// Fewer values are looked at without reading lists of trigrams.
const MIN_TRIGRAM_VALUES: usize = 1_024;

/// So many bytes of texts are cut into words and tested in the time that a word of the word index takes.
const CUT_BYTES_PER_WORD: usize = 4;

/// After this many words it is checked whether the search was cancelled.
const WORDS_PER_CHECK: u32 = 256;

/// A search for the values of a field that match a pattern.
pub(super) struct PatternSearch<'a> {
    field: &'a SegmentField<'a>,
    pattern: &'a WildcardPattern,
    /// What the folded form of every value that matches contains.
    literals: Vec<Vec<u8>>,
    /// Whether a value in ASCII matches if its folded form contains the only literal.
    is_literal_enough: bool,
    cancellation: &'a CancellationToken,
}

impl<'a> PatternSearch<'a> {
    pub(super) fn new(
        field: &'a SegmentField<'a>,
        pattern: &'a WildcardPattern,
        cancellation: &'a CancellationToken,
    ) -> Self {
        let literals = pattern.literals();
        // The folded form of ASCII is its lower case, by which patterns that ignore case compare.
        let is_ascii = literals.iter().all(|literal| literal.is_ascii());
        let is_literal_enough = is_ascii && pattern.ignores_case() && pattern.is_substring();
        let folded = literals.iter().map(|literal| {
            let mut folded = Vec::new();
            fold_into(literal, &mut folded);
            folded
        });
        Self { field, pattern, literals: folded.collect(), is_literal_enough, cancellation }
    }

    /// Returns the ordinals of the values that match, as a whole or by one of their words.
    pub(super) fn run(&self) -> Vec<u32> {
        let words = match (self.field.class, self.field.word_index()) {
            (ValueClass::Keyword, _) => return self.whole_values(),
            (ValueClass::Text, None) => return self.scan(&self.narrow(vec![all_values(self.field)]), true),
            (ValueClass::Text, Some(words)) => words,
            _ => return Vec::new(),
        };
        if words.is_ascii && self.pattern.passes_with_ascii_words() {
            return self.whole_values();
        }
        if self.pattern.word_prefix().is_empty() {
            let (few, dictionary) = (self.narrow(vec![all_values(self.field)]), &self.field.dictionary);
            let bytes = value_count(&few) * dictionary.byte_count() / dictionary.len().max(1);
            if bytes / CUT_BYTES_PER_WORD < words.max_len() {
                return self.scan(&few, true);
            }
            // Values have no known prefix either, so these are all that may match as a whole.
            if !self.pattern.is_prefix() {
                return self.with_words(&words, &self.scan(&few, false));
            }
        }
        self.with_words(&words, &self.whole_values())
    }

    /// Returns the ordinals of the values that match as a whole.
    fn whole_values(&self) -> Vec<u32> {
        let Self { field, pattern, .. } = self;
        let beginning = PrefixRanges::new(&field.dictionary, pattern.literal_prefix(), pattern.ignores_case());
        if beginning.is_exact && pattern.is_prefix() {
            return beginning.ranges.into_iter().flatten().collect();
        }
        self.scan(&self.narrow(beginning.ranges), false)
    }

    /// Leaves out what has not the trigrams of the literals.
    fn narrow(&self, ranges: Vec<Range<u32>>) -> Vec<Range<u32>> {
        if value_count(&ranges) < MIN_TRIGRAM_VALUES {
            return ranges;
        }
        let trigrams = self.field.trigram_index();
        match trigrams.and_then(|trigrams| trigrams.candidates(&self.field.dictionary, &self.literals)) {
            Some(candidates) => common_ranges(&ranges, &candidates),
            None => ranges,
        }
    }

    fn scan(&self, ranges: &[Range<u32>], cuts_words: bool) -> Vec<u32> {
        let longest = self.literals.iter().max_by_key(|literal| literal.len());
        let longest = longest.map(Vec::as_slice).unwrap_or_default();
        let scan = DictionaryScan::new(self.field, self.pattern, cuts_words, self.cancellation);
        scan.with_literal(longest, self.is_literal_enough).run(ranges)
    }

    /// Adds the values that have a word that matches to those that match as a whole. A bitmap bounds the memory: a value
    /// may have thousands of words that match.
    fn with_words(&self, words: &WordIndex<'_>, whole: &[u32]) -> Vec<u32> {
        let mut found = Bitset::empty(self.field.dictionary.len());
        whole.iter().for_each(|&ordinal| found.insert(ordinal as usize));
        let mut tested = 0_u32;
        words.for_each_word(self.pattern.word_prefix(), |word, values| {
            if tested.is_multiple_of(WORDS_PER_CHECK) && self.cancellation.is_cancelled() {
                return ControlFlow::Break(());
            }
            tested = tested.wrapping_add(1);
            if self.pattern.matches(word) {
                values.for_each(|ordinal| found.insert(ordinal as usize));
            }
            ControlFlow::Continue(())
        });
        to_ordinals(&found)
    }
}

fn value_count(ranges: &[Range<u32>]) -> usize {
    ranges.iter().map(|range| range.len()).sum()
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
    use super::*;

    #[test]
    fn common_ranges_are_what_both_have() {
        let one = [0..4, 6..7, 9..20];
        let two = [2..6, 6..10, 11..12, 13..30];
        let common: Vec<Range<u32>> = vec![2..4, 6..7, 9..10, 11..12, 13..20];
        assert_eq!(common_ranges(&one, &two), common);
        assert_eq!(common_ranges(&two, &one), common);
        assert!(common_ranges(&one, &[]).is_empty());
    }
}
