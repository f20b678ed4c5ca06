//! The values of a dictionary that begin with a prefix, as ranges of ordinals.
//!
//! Where case does not matter, the values with a prefix are not neighbours: `ab`, `aB`, `Ab` and `AB` begin four ranges. They
//! are found letter by letter: each range is narrowed to the values that go on with one spelling of the letter or another.
//! Few of these ranges have values, so nothing needs to be stored for it.

use std::ops::Range;

use crate::segment::Dictionary;

/// Ranges are not narrowed further where there would be more of them.
const MAX_RANGES: usize = 64;

/// Nor by more letters than this, which hardly ever leaves many values.
const MAX_LETTERS: usize = 64;

/// The ranges of the values with a prefix, in order.
pub(super) struct PrefixRanges {
    pub(super) ranges: Vec<Range<u32>>,
    /// Whether all values in the ranges have the prefix; otherwise some only begin like it.
    pub(super) is_exact: bool,
}

impl PrefixRanges {
    /// Returns the ranges of a prefix, which is in lower case if case does not matter.
    pub(super) fn new(dictionary: &Dictionary<'_>, prefix: &str, ignores_case: bool) -> Self {
        let all = 0..dictionary.len() as u32;
        if !ignores_case {
            return Self { ranges: vec![dictionary.with_prefix(all, prefix.as_bytes())], is_exact: true };
        }
        let letters: Vec<char> = prefix.chars().take(MAX_LETTERS).take_while(char::is_ascii).collect();
        let mut is_exact = letters.len() == prefix.len();
        // With how the values of the range begin. A letter with one spelling narrows together with the next one.
        let mut branches: Vec<(Range<u32>, String)> = vec![(all, String::new())];
        for (index, &letter) in letters.iter().enumerate() {
            if spellings(letter).nth(1).is_none() && index + 1 < letters.len() {
                branches.iter_mut().for_each(|(_, beginning)| beginning.push(letter));
                continue;
            }
            let narrowed: Vec<(Range<u32>, String)> = branches
                .iter()
                .flat_map(|(range, beginning)| {
                    spellings(letter).map(move |spelling| {
                        let beginning = format!("{beginning}{spelling}");
                        (dictionary.with_prefix(range.clone(), beginning.as_bytes()), beginning)
                    })
                })
                .filter(|(range, _)| !range.is_empty())
                .collect();
            if narrowed.len() > MAX_RANGES {
                is_exact = false;
                break;
            }
            branches = narrowed;
        }
        Self { ranges: branches.into_iter().map(|(range, _)| range).collect(), is_exact }
    }
}

/// Returns the letters whose lower case begins with a lower case letter of ASCII, in the order of their bytes.
fn spellings(letter: char) -> impl Iterator<Item = char> {
    let upper = Some(letter.to_ascii_uppercase()).filter(|upper| *upper != letter);
    let beyond_ascii = match letter {
        'i' => Some('İ'),
        'k' => Some('\u{212a}'),
        _ => None,
    };
    upper.into_iter().chain([letter]).chain(beyond_ascii)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::SegmentStorage;
    use crate::segment::{DictionaryMetadata, SectionWriter};
    use crate::value_encoding::ValueClass;

    fn check(values: &[&str], prefix: &str, ignores_case: bool, expected: &[&str], is_exact: bool) {
        let mut out = SectionWriter::default();
        let metadata = DictionaryMetadata::of_bytes(values.iter().map(|value| value.as_bytes()), &mut out);
        let storage = SegmentStorage::memory(out.into_bytes());
        let dictionary = metadata.open(ValueClass::Keyword, &storage);
        let found = PrefixRanges::new(&dictionary, prefix, ignores_case);
        let texts: Vec<&str> = found.ranges.into_iter().flatten().map(|ordinal| dictionary.text(ordinal)).collect();
        assert_eq!((texts.as_slice(), found.is_exact), (expected, is_exact), "{prefix}");
    }

    #[test]
    fn a_prefix_is_found_in_every_spelling() {
        let values = ["", "AB", "Ab1", "Ax", "aB", "ab", "ac", "bc", "i", "k1", "ä", "İx", "\u{212a}2"];
        check(&values, "ab", false, &["ab"], true);
        check(&values, "ab", true, &["AB", "Ab1", "aB", "ab"], true);
        check(&values, "i", true, &["i", "İx"], true);
        check(&values, "k", true, &["k1", "\u{212a}2"], true);
        check(&values, "zz", true, &[], true);
        check(&values, "", true, &values, true);
        // Only letters of ASCII narrow.
        check(&values, "ä", true, &values, false);
        check(&values, "aä", true, &["AB", "Ab1", "Ax", "aB", "ab", "ac"], false);
        let numbers = ["1", "12", "12A", "12a3", "12Ä", "13", "2"];
        check(&numbers, "12", true, &["12", "12A", "12a3", "12Ä"], true);
        check(&numbers, "12a3", true, &["12a3"], true);
        check(&numbers, "12ä", true, &["12", "12A", "12a3", "12Ä"], false);
    }

    #[test]
    fn many_spellings_and_long_prefixes_are_no_trouble() {
        let spelled = |number: u32| -> String {
            (0..8).map(|letter| if number >> letter & 1 == 0 { 'a' } else { 'A' }).collect()
        };
        let mut values: Vec<String> = (0..256).map(spelled).collect();
        values.sort();
        let values: Vec<&str> = values.iter().map(String::as_str).collect();
        check(&values, "aaaaaaaa", true, &values, false);
        let long = "x".repeat(5_000);
        check(&["x", &long], &long, true, &[&long], false);
    }

    #[test]
    fn no_other_letter_has_a_lower_case_in_ascii() {
        for letter in '\0'..=char::MAX {
            if let Some(lower) = letter.to_lowercase().next()
                && lower.is_ascii()
            {
                assert!(spellings(lower).any(|spelling| spelling == letter), "{letter:?}");
            }
        }
    }
}
