//! The values of a dictionary, or the words of a word index, within an edit distance of a text, without looking at all.
//!
//! Values are read in order, as paths through a tree. For each letter read there is a row of the table that
//! [`cantata_engine::matching::FuzzyMatcher`] fills in for one value: how many changes lead from what was read to each
//! beginning of the text. The next value keeps the rows of the letters that it has in common with the last one. If no number
//! of a row is within the distance, no value that begins like this is, and all of them are skipped at once, by galloping to
//! the first that begins otherwise. This is what an automaton of the text would accept, without building one.
//!
//! Only the part of a row near the diagonal is kept, where numbers can be within the distance. The cell `c` of row `r`
//! is about the first `r + c - limit` letters of the text, so the cell above to the left has the same index, and the
//! one above the next.

use std::ops::ControlFlow;

use crate::cancellation::CancellationToken;
use crate::segment::{Dictionary, WordIndex};

/// After so many values a walk checks whether the search was cancelled.
const VALUES_PER_CHECK: u32 = 256;

/// Returns the ordinals of the values within an edit distance of a text.
pub(super) fn values_within(
    dictionary: &Dictionary<'_>,
    text: &str,
    distance: u8,
    cancellation: &CancellationToken,
) -> Vec<u32> {
    let mut path = EditPath::new(text, distance);
    let end = dictionary.len() as u32;
    let (mut found, mut next, mut visited) = (Vec::new(), 0, 0_u32);
    while next < end {
        if visited.is_multiple_of(VALUES_PER_CHECK) && cancellation.is_cancelled() {
            break;
        }
        visited = visited.wrapping_add(1);
        let value = dictionary.text(next);
        match path.read(value) {
            Some(too_far) => next = dictionary.after_prefix(next + 1..end, &value.as_bytes()[..too_far]),
            None => {
                if path.is_within_distance() {
                    found.push(next);
                }
                next += 1;
            }
        }
    }
    found
}

/// Visits the ordinals of the values that have a word within an edit distance of a text, in no order.
pub(super) fn words_within(
    words: &WordIndex<'_>,
    text: &str,
    distance: u8,
    cancellation: &CancellationToken,
    mut visit: impl FnMut(u32),
) {
    let mut path = EditPath::new(text, distance);
    let mut visited = 0_u32;
    words.walk(|word, values| {
        if visited.is_multiple_of(VALUES_PER_CHECK) && cancellation.is_cancelled() {
            return ControlFlow::Break(());
        }
        visited = visited.wrapping_add(1);
        let too_far = path.read(word);
        if too_far.is_none() && path.is_within_distance() {
            values.for_each(&mut visit);
        }
        ControlFlow::Continue(too_far)
    });
}

/// The rows of the letters read so far.
struct EditPath {
    text: Vec<char>,
    limit: usize,
    letters: Vec<char>,
    /// One row before the first letter and one after each, of `2 * limit + 1` cells; numbers above the limit are all the
    /// same.
    cells: Vec<u16>,
}

impl EditPath {
    fn new(text: &str, distance: u8) -> Self {
        let (text, limit) = (text.chars().collect::<Vec<_>>(), usize::from(distance));
        let first_row = (0..=2 * limit).map(|cell| match cell.checked_sub(limit) {
            Some(column) if column <= text.len() => column as u16,
            _ => u16::from(distance) + 1,
        });
        let cells = first_row.collect();
        Self { text, limit, letters: Vec::new(), cells }
    }

    fn width(&self) -> usize {
        2 * self.limit + 1
    }

    /// Reads a value. Returns how many bytes of it are enough to be too far from the text, if there are such.
    fn read(&mut self, value: &str) -> Option<usize> {
        let common = value.chars().zip(&self.letters).take_while(|(one, two)| one == *two).count();
        self.letters.truncate(common);
        self.cells.truncate((common + 1) * self.width());
        for (start, letter) in value.char_indices().skip(common) {
            if !self.push(letter) {
                return Some(start + letter.len_utf8());
            }
        }
        None
    }

    /// Adds the row of a letter, and returns whether the distance can still be small enough.
    fn push(&mut self, letter: char) -> bool {
        let (width, too_far) = (self.width(), self.limit as u16 + 1);
        let row = self.letters.len() + 1;
        let (last, current) = ((row - 1) * width, row * width);
        let mut least = too_far;
        for cell in 0..width {
            let mut changes = too_far;
            if let Some(column) = (row + cell).checked_sub(self.limit)
                && column <= self.text.len()
            {
                if cell + 1 < width {
                    changes = changes.min(self.cells[last + cell + 1] + 1);
                }
                if column > 0 {
                    let wanted = self.text[column - 1];
                    changes = changes.min(self.cells[last + cell] + u16::from(wanted != letter));
                    if cell > 0 {
                        changes = changes.min(self.cells[current + cell - 1] + 1);
                    }
                    let is_swapped = column > 1 && row > 1 && self.text[column - 2] == letter;
                    if is_swapped && self.letters[row - 2] == wanted {
                        changes = changes.min(self.cells[last - width + cell] + 1);
                    }
                }
            }
            self.cells.push(changes);
            least = least.min(changes);
        }
        self.letters.push(letter);
        least < too_far
    }

    /// Returns whether what was read is within the distance.
    fn is_within_distance(&self) -> bool {
        let row = self.letters.len();
        let cell = (self.text.len() + self.limit).checked_sub(row).filter(|cell| *cell < self.width());
        cell.is_some_and(|cell| usize::from(self.cells[row * self.width() + cell]) <= self.limit)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use cantata_engine::matching::{FuzzyMatcher, Matcher};
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    use super::*;
    use crate::cancellation::CancelOnDrop;
    use crate::platform::SegmentStorage;
    use crate::segment::{DictionaryMetadata, SectionWriter, WordIndexMetadata, WordPostings};
    use crate::value_encoding::ValueClass;

    fn random_text(random: &mut StdRng, max_length: usize) -> String {
        let alphabet = ['a', 'b', 'c', 'ä', '🦀'];
        (0..random.random_range(0..=max_length)).map(|_| alphabet[random.random_range(0..alphabet.len())]).collect()
    }

    #[test]
    fn a_walk_finds_what_comparing_every_value_finds() {
        let random = &mut StdRng::seed_from_u64(1);
        let request = CancelOnDrop::default();
        for values in [0, 1, 10, 3_000] {
            let values: BTreeSet<String> = (0..values).map(|_| random_text(random, 9)).collect();
            let mut out = SectionWriter::default();
            let metadata = DictionaryMetadata::of_bytes(values.iter().map(|value| value.as_bytes()), &mut out);
            // Each value as a word that it alone has.
            let mut postings: Vec<WordPostings> = values.iter().map(|_| WordPostings::default()).collect();
            (0..).zip(&mut postings).for_each(|(ordinal, postings)| postings.push(ordinal));
            let words = WordIndexMetadata::write(values.iter().map(String::as_str).zip(&postings), &mut out);
            let storage = SegmentStorage::memory(out.into_bytes());
            let dictionary = metadata.open(ValueClass::Keyword, &storage);
            let words = words.open(values.len(), &storage);
            let distances: &[u8] = if values.len() > 100 { &[0, 1, 2, 3] } else { &[0, 1, 2, 3, 255] };
            for &distance in distances {
                for _ in 0..40 {
                    let text = random_text(random, 9);
                    let found = values_within(&dictionary, &text, distance, &request.token());
                    let mut by_word = Vec::new();
                    words_within(&words, &text, distance, &request.token(), |ordinal| by_word.push(ordinal));
                    assert_eq!(by_word, found, "{distance} from {text}");
                    let found: Vec<&str> = found.into_iter().map(|ordinal| dictionary.text(ordinal)).collect();
                    let matcher = FuzzyMatcher::new(&text, distance);
                    let expected: Vec<&str> =
                        values.iter().map(String::as_str).filter(|value| matcher.matches(value)).collect();
                    assert_eq!(found, expected, "{distance} from {text}");
                }
            }
        }
    }

    #[test]
    fn most_values_are_skipped_and_a_cancelled_walk_ends() {
        let values: Vec<String> = (0..20_000).map(|number| format!("sample-{number:06}")).collect();
        let mut out = SectionWriter::default();
        let metadata = DictionaryMetadata::of_bytes(values.iter().map(|value| value.as_bytes()), &mut out);
        let storage = SegmentStorage::memory(out.into_bytes());
        let dictionary = metadata.open(ValueClass::Keyword, &storage);
        let mut path = EditPath::new("temple-123456", 1);
        assert_eq!(path.read("sample-000000"), Some("sa".len()));
        assert_eq!(dictionary.after_prefix(1..20_000, b"sa"), 20_000);
        let request = CancelOnDrop::default();
        let token = request.token();
        let matcher = FuzzyMatcher::new("sample-00042", 1);
        let expected = values.iter().filter(|value| matcher.matches(value)).count();
        assert_eq!(values_within(&dictionary, "sample-00042", 1, &token).len(), expected);
        drop(request);
        assert_eq!(values_within(&dictionary, "sample-00042", 1, &token), Vec::<u32>::new());
    }
}
