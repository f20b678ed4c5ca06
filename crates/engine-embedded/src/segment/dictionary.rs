//! The dictionary of a field in one segment: its values, sorted, each once. The index of a value is its ordinal.
//!
//! A sorted table rather than a finite-state transducer: every ordinal must be turned back into its value when documents
//! and buckets are written, which a table does in one step.

use std::ops::Range;

use cantata_engine::is_escape_free;
use cantata_mapping::TypedValue;
use serde::{Deserialize, Serialize};

use super::sections::{Section, SectionWriter};
use crate::value_encoding::{EncodedValue, ValueClass, encode};

/// The sections of a dictionary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum DictionaryMetadata {
    /// Numbers of 64 bits.
    Numbers(Section),
    /// Strings of bytes.
    Bytes {
        /// Where each begins, with one more for the end.
        starts: Section,
        bytes: Section,
        /// Whether all of them are texts without characters that JSON has to escape.
        are_plain: bool,
    },
}

impl DictionaryMetadata {
    pub(crate) fn of_numbers(numbers: &[u64], out: &mut SectionWriter) -> Self {
        Self::Numbers(out.numbers(numbers))
    }

    pub(crate) fn of_bytes<'a>(values: impl IntoIterator<Item = &'a [u8]>, out: &mut SectionWriter) -> Self {
        let mut starts = vec![0_u32];
        let mut bytes = Vec::new();
        for value in values {
            bytes.extend_from_slice(value);
            starts.push(out.offset(bytes.len()));
        }
        Self::Bytes { starts: out.numbers(&starts), bytes: out.bytes(&bytes), are_plain: is_escape_free(&bytes) }
    }

    pub(crate) fn open(self, class: ValueClass, all: &[u8]) -> Dictionary<'_> {
        let values = match self {
            Self::Numbers(numbers) => StoredValues::Numbers(numbers.numbers(all)),
            Self::Bytes { starts, bytes, .. } => {
                StoredValues::Bytes { starts: starts.numbers(all), bytes: bytes.bytes(all) }
            }
        };
        Dictionary { class, values }
    }
}

/// The values of a field.
#[derive(Clone, Copy)]
pub(crate) struct Dictionary<'a> {
    class: ValueClass,
    values: StoredValues<'a>,
}

#[derive(Clone, Copy)]
enum StoredValues<'a> {
    Numbers(&'a [u64]),
    Bytes { starts: &'a [u32], bytes: &'a [u8] },
}

impl<'a> Dictionary<'a> {
    pub(crate) fn len(&self) -> usize {
        match self.values {
            StoredValues::Numbers(numbers) => numbers.len(),
            StoredValues::Bytes { starts, .. } => starts.len().saturating_sub(1),
        }
    }

    /// Returns the encoded values, if they are numbers.
    pub(crate) fn numbers(&self) -> &'a [u64] {
        match self.values {
            StoredValues::Numbers(numbers) => numbers,
            StoredValues::Bytes { .. } => &[],
        }
    }

    /// Returns a value that is stored as bytes.
    #[inline]
    pub(crate) fn bytes(&self, ordinal: u32) -> &'a [u8] {
        match self.values {
            StoredValues::Bytes { starts, bytes } => {
                let ordinal = ordinal as usize;
                let range = starts.get(ordinal).zip(starts.get(ordinal + 1));
                range.and_then(|(&start, &end)| bytes.get(start as usize..end as usize)).unwrap_or_default()
            }
            StoredValues::Numbers(_) => &[],
        }
    }

    /// Returns a value that is a string.
    #[inline]
    pub(crate) fn text(&self, ordinal: u32) -> &'a str {
        std::str::from_utf8(self.bytes(ordinal)).unwrap_or_default()
    }

    pub(crate) fn value(&self, ordinal: u32) -> TypedValue {
        match self.values {
            StoredValues::Numbers(numbers) => {
                self.class.decode_number(numbers.get(ordinal as usize).copied().unwrap_or_default())
            }
            StoredValues::Bytes { .. } => self.class.decode_bytes(self.bytes(ordinal)),
        }
    }

    /// Returns a value in its stored form.
    pub(crate) fn encoded(&self, ordinal: u32) -> EncodedValue<'a> {
        match self.values {
            StoredValues::Numbers(numbers) => {
                EncodedValue::Number(numbers.get(ordinal as usize).copied().unwrap_or_default())
            }
            StoredValues::Bytes { .. } => EncodedValue::Bytes(self.bytes(ordinal).into()),
        }
    }

    /// Returns the ordinal of a value, or as an error the ordinal of the next greater one.
    pub(crate) fn find(&self, value: &TypedValue) -> Result<u32, u32> {
        let found = match (self.values, encode(value)) {
            (StoredValues::Numbers(numbers), EncodedValue::Number(number)) => numbers.binary_search(&number),
            (StoredValues::Bytes { .. }, EncodedValue::Bytes(bytes)) => return self.find_bytes(&bytes),
            _ => Err(0),
        };
        found.map(|ordinal| ordinal as u32).map_err(|ordinal| ordinal as u32)
    }

    /// Returns the ordinal of a value of bytes, or as an error the ordinal of the next greater one.
    pub(crate) fn find_bytes(&self, bytes: &[u8]) -> Result<u32, u32> {
        let (mut low, mut high) = (0, self.len() as u32);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.bytes(middle).cmp(bytes) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Ok(middle),
            }
        }
        Err(low)
    }

    /// Returns the ordinals of a range whose values, of bytes, begin with a prefix.
    pub(crate) fn with_prefix(&self, within: Range<u32>, prefix: &[u8]) -> Range<u32> {
        let from = self.first_from(within.clone(), prefix);
        from..gallop(from..within.end, |ordinal| self.bytes(ordinal).starts_with(prefix))
    }

    /// Returns the first ordinal of a range whose value, of bytes, is not before these.
    pub(crate) fn first_from(&self, within: Range<u32>, bytes: &[u8]) -> u32 {
        gallop(within, |ordinal| self.bytes(ordinal) < bytes)
    }

    /// The same, with a guess of the answer that is often right.
    pub(crate) fn first_from_guess(&self, within: Range<u32>, bytes: &[u8], guess: u32) -> u32 {
        let is_before = |ordinal: u32| self.bytes(ordinal) < bytes;
        if within.start < guess && guess < within.end && !is_before(guess) && is_before(guess - 1) {
            return guess;
        }
        gallop(within, is_before)
    }

    /// Returns how many bytes all values have.
    pub(crate) fn byte_count(&self) -> usize {
        match self.values {
            StoredValues::Numbers(numbers) => size_of_val(numbers),
            StoredValues::Bytes { bytes, .. } => bytes.len(),
        }
    }

    /// Returns the first ordinal of a range whose value begins at an offset of the bytes of all values, or after it.
    pub(crate) fn first_at(&self, within: Range<u32>, offset: usize) -> u32 {
        match self.values {
            StoredValues::Numbers(_) => within.end,
            StoredValues::Bytes { starts, .. } => {
                gallop(within, |ordinal| starts.get(ordinal as usize).is_some_and(|&start| (start as usize) < offset))
            }
        }
    }
}

/// Returns the first number of a range for which a test fails, if it passes for all before that one. Looks ahead in steps
/// that double: the answer is mostly near.
fn gallop(range: Range<u32>, passes: impl Fn(u32) -> bool) -> u32 {
    let Range { start: mut low, end } = range;
    let mut step = 1_u32;
    while low < end {
        let probe = low.saturating_add(step - 1).min(end - 1);
        if passes(probe) {
            low = probe + 1;
            step = step.saturating_mul(2);
            continue;
        }
        let mut high = probe;
        while low < high {
            let middle = low + (high - low) / 2;
            if passes(middle) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        break;
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::SegmentStorage;

    #[test]
    fn the_end_of_what_passes_is_found_from_anywhere() {
        for end in 0..40 {
            for start in 0..=end {
                for first in start..=end {
                    assert_eq!(gallop(start..end, |number| number < first), first, "{first} in {start}..{end}");
                }
            }
        }
        assert_eq!(gallop(0..u32::MAX, |_| true), u32::MAX);
    }

    #[test]
    fn values_with_a_prefix_are_a_range() {
        let values = ["", "a", "ab", "abc", "abd", "b", "ba"];
        let mut out = SectionWriter::default();
        let metadata = DictionaryMetadata::of_bytes(values.iter().map(|value| value.as_bytes()), &mut out);
        let storage = SegmentStorage::memory(out.into_bytes());
        let dictionary = metadata.open(ValueClass::Keyword, &storage);
        for (prefix, expected) in [("", 0..7), ("a", 1..5), ("ab", 2..5), ("abd", 4..5), ("ac", 5..5), ("c", 7..7)] {
            assert_eq!(dictionary.with_prefix(0..7, prefix.as_bytes()), expected, "{prefix}");
        }
        assert_eq!(dictionary.with_prefix(3..4, b"ab"), 3..4);
        for (start, guess) in (0..8).flat_map(|start| (0..9).map(move |guess| (start, guess))) {
            for bytes in ["", "a", "abc", "abcd", "b", "c"] {
                let found = dictionary.first_from_guess(start..7, bytes.as_bytes(), guess);
                assert_eq!(found, dictionary.first_from(start..7, bytes.as_bytes()), "{bytes:?} from {start}, {guess}");
            }
        }
        assert_eq!((dictionary.byte_count(), dictionary.first_at(0..7, 1)), (12, 2));
        assert_eq!((dictionary.first_at(0..7, 0), dictionary.first_at(0..7, 12)), (0, 7));
    }
}
