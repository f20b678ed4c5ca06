//! Building the word index of a text field. It is made of the final dictionary, so each different text is cut into words
//! once for each segment that it is written to, by a merge too, and ordinals are those that the segment has.

use super::dictionaries::DictionaryValues;
use super::word_parts::{WordBuffer, merge_parts};
use crate::segment::{SectionWriter, WordIndexMetadata, WordIndexWriter};

/// Words are collected in this many bytes at a time.
const MAX_BUFFER_BYTES: usize = if cfg!(test) { 4 << 10 } else { 32 << 20 };

/// Writes the word index of the values of a text field; nothing if they are no texts.
pub(crate) fn write_word_index(values: &DictionaryValues<'_>, out: &mut SectionWriter) -> Option<WordIndexMetadata> {
    let DictionaryValues::Bytes(values) = values else { return None };
    let mut buffer = WordBuffer::default();
    let mut parts = Vec::new();
    for (ordinal, value) in values.iter().enumerate() {
        buffer.add(ordinal as u32, std::str::from_utf8(value).unwrap_or_default());
        if buffer.bytes() >= MAX_BUFFER_BYTES {
            parts.push(std::mem::take(&mut buffer).into_part());
        }
    }
    let mut index = WordIndexWriter::default();
    if parts.is_empty() {
        buffer.for_each(|word, values| index.add(word, values.encoded().1));
    } else {
        parts.push(buffer.into_part());
        merge_parts(&parts, &mut index);
    }
    Some(index.write(out))
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::collections::{BTreeMap, BTreeSet};
    use std::ops::ControlFlow;

    use cantata_engine::matching::words;
    use rand::rngs::StdRng;
    use rand::seq::IndexedRandom;
    use rand::{Rng, SeedableRng};

    use super::*;
    use crate::platform::SegmentStorage;

    /// The first are words or parts of them, the others stand between words. The case of some changes their length.
    const PIECES: [&str; 14] = ["a", "ab", "abc", "b", "Ab", "é", "É", "İ", "7", "Σ", " ", "-", ", ", "🦀"];

    /// Returns the words of texts, each with the texts that have it and more than it.
    fn words_of<'t>(texts: impl IntoIterator<Item = &'t String>) -> BTreeMap<String, Vec<u32>> {
        let mut expected: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        for (ordinal, text) in texts.into_iter().enumerate() {
            let words: BTreeSet<String> = words(text).map(Cow::into_owned).collect();
            for word in words.into_iter().filter(|word| word != text) {
                expected.entry(word).or_default().push(ordinal as u32);
            }
        }
        expected
    }

    fn assert_index_of(texts: &BTreeSet<String>) {
        let values = DictionaryValues::Bytes(texts.iter().map(|text| Cow::Borrowed(text.as_bytes())).collect());
        let mut out = SectionWriter::default();
        let metadata = write_word_index(&values, &mut out).unwrap();
        let storage = SegmentStorage::memory(out.into_bytes());
        let index = metadata.open(texts.len(), &storage);
        let expected = words_of(texts);
        assert_eq!(index.is_ascii, expected.keys().all(|word| word.is_ascii()));
        for sought in expected.keys().map(String::as_str).chain(["", "aba", "c", "zzz", "Ab", "\u{10ffff}"]) {
            let wanted = expected.get(sought).cloned().unwrap_or_default();
            assert_eq!(index.values_with(sought).collect::<Vec<u32>>(), wanted, "{sought:?} in {texts:?}");
        }
        for prefix in ["", "a", "ab", "abab", "b", "é", "7", "x", "i"] {
            let mut found = Vec::new();
            index.for_each_word(prefix, |word, values| {
                found.push((word.to_owned(), values.collect::<Vec<u32>>()));
                ControlFlow::Continue(())
            });
            let wanted: Vec<(String, Vec<u32>)> =
                expected.clone().into_iter().filter(|(word, _)| word.starts_with(prefix)).collect();
            assert_eq!(found, wanted, "{prefix:?} in {texts:?}");
        }
    }

    #[test]
    fn every_word_has_the_texts_that_have_it() {
        for seed in 0..300 {
            let mut rng = StdRng::seed_from_u64(seed);
            let count = rng.random_range(0..60);
            let text = |rng: &mut StdRng| {
                let pieces = rng.random_range(0..12);
                (0..pieces).filter_map(|_| PIECES.choose(rng).copied()).collect::<String>()
            };
            assert_index_of(&(0..count).map(|_| text(&mut rng)).collect());
        }
    }

    #[test]
    fn words_of_many_blocks_are_found() {
        let numbers = (0..5_000_u32).map(|number| number.wrapping_mul(2_654_435_761));
        assert_index_of(&numbers.map(|number| format!("{number:x}-{} of the same", number % 97)).collect());
    }

    #[test]
    fn single_words_in_lower_case_take_no_space() {
        let mut out = SectionWriter::default();
        let texts = ["female", "male"].map(|text| Cow::Borrowed(text.as_bytes()));
        let values = DictionaryValues::Bytes(texts.to_vec());
        assert!(write_word_index(&values, &mut out).is_some());
        assert!(out.into_bytes().is_empty());
    }
}
