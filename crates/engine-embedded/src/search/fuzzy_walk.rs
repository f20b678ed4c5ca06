//! The values of a dictionary, or the words of a word index, within an edit distance of a text, without looking at all.
//!
//! Values are read in order, as paths through a tree. For each letter read there is a row of the table that
//! [`cantata_engine::matching::FuzzyMatcher`] fills in for one value: how many changes lead from what was read to each
//! beginning of the text. The next value keeps the rows of the letters that it has in common with the last one.
//!
//! Once the least number of a row is the distance itself, no further change is possible: what follows is an ending of the
//! text, letter by letter, after each beginning with that number. The values that begin with the letters read are a branch
//! of the tree, and these few endings are all that matches in it. So the walk goes from one to the next by galloping, and
//! past the branch after the last. This is what an automaton of the text would accept, without building one.
//!
//! A wrong letter mostly makes three letters in a row that no value has. Endings with such a trigram are left out where the
//! dictionary has a trigram index.
//!
//! Only the part of a row near the diagonal is kept, where numbers can be within the distance. The cell `c` of row `r`
//! is about the first `r + c - limit` letters of the text, so the cell above to the left has the same index, and the
//! one above the next.

use std::cell::Cell;
use std::cmp::Ordering;
use std::ops::{ControlFlow, Range};

use super::map_parallel;
use crate::cancellation::CancellationToken;
use crate::segment::{Dictionary, TrigramIndex, WordIndex};

/// After this many values a walk checks whether the search was cancelled.
const VALUES_PER_CHECK: u32 = 256;

/// From this many values on, the processors share a walk.
const MIN_PARALLEL_VALUES: usize = 100_000;

/// The number of parts of a dictionary that are walked separately. Most of the work is near the text, so there are many.
const WALKED_PARTS: usize = 16;

/// Of targets with fewer bytes, it is guessed how many values are before them: as many as last time. Branches of numbered
/// names that begin at the same digit have as many values.
const MAX_GUESSED_BYTES: usize = 32;

/// How many trigrams a walk remembers.
const REMEMBERED_TRIGRAMS: usize = 64;

/// Returns the ordinals of the values within an edit distance of a text.
pub(super) fn values_within(
    dictionary: &Dictionary<'_>,
    trigrams: Option<TrigramIndex<'_>>,
    text: &str,
    distance: u8,
    cancellation: &CancellationToken,
) -> Vec<u32> {
    let values = dictionary.len();
    let parts = if values < MIN_PARALLEL_VALUES { 1 } else { WALKED_PARTS };
    let part_values = values.div_ceil(parts);
    let found = map_parallel(parts, |part| {
        let start = part * part_values;
        let range = start as u32..(start + part_values).min(values) as u32;
        walk(dictionary, range, EditPath::new(text, distance, trigrams), cancellation)
    });
    found.concat()
}

/// Returns the ordinals of a range whose values are within the distance.
fn walk(
    dictionary: &Dictionary<'_>,
    range: Range<u32>,
    mut path: EditPath<'_>,
    cancellation: &CancellationToken,
) -> Vec<u32> {
    let (mut found, mut target) = (Vec::new(), Vec::new());
    let mut branch_sizes = [0_u32; MAX_GUESSED_BYTES];
    let (Range { start: mut next, end }, mut visited) = (range, 0_u32);
    while next < end {
        if visited.is_multiple_of(VALUES_PER_CHECK) && cancellation.is_cancelled() {
            break;
        }
        visited = visited.wrapping_add(1);
        if path.read(dictionary.bytes(next), &mut target) {
            found.push(next);
        }
        let start = next + 1;
        let Some(size) = branch_sizes.get_mut(target.len()) else {
            next = dictionary.first_from(start..end, &target);
            continue;
        };
        next = dictionary.first_from_guess(start..end, &target, start.saturating_add(*size));
        *size = next - start;
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
    let mut path = EditPath::new(text, distance, None);
    let mut visited = 0_u32;
    words.walk(|word, values, target| {
        if visited.is_multiple_of(VALUES_PER_CHECK) && cancellation.is_cancelled() {
            return ControlFlow::Break(());
        }
        visited = visited.wrapping_add(1);
        if path.read(word.as_bytes(), target) {
            values.for_each(&mut visit);
        }
        ControlFlow::Continue(())
    });
}

/// The rows of the letters read so far, and what matches in the branch that they begin.
struct EditPath<'t> {
    text: Vec<char>,
    /// The same as one string, and where each letter begins in it, with one more for the end.
    whole: String,
    offsets: Vec<usize>,
    limit: usize,
    trigrams: Option<KnownTrigrams<'t>>,
    /// No value ends with the text from an offset before this one on.
    first_possible_ending: usize,
    letters: Vec<char>,
    /// One row before the first letter and one after each, of `2 * limit + 1` cells; numbers above the limit are all the
    /// same.
    cells: Vec<u16>,
    /// The bytes that all values of the present branch begin with.
    branch: Vec<u8>,
    /// The least bytes after those of all values of the branch; empty before the first branch.
    branch_end: Vec<u8>,
    /// The endings that match in the branch and are not passed yet, the next one last.
    endings: Vec<Ending>,
}

impl<'t> EditPath<'t> {
    fn new(text: &str, distance: u8, trigrams: Option<TrigramIndex<'t>>) -> Self {
        let whole = text.to_owned();
        let offsets = text.char_indices().map(|(offset, _)| offset).chain([text.len()]).collect();
        let is_missing = |bytes: &[u8; 3]| trigrams.is_some_and(|trigrams| !trigrams.may_contain(*bytes));
        let last_missing = text.as_bytes().array_windows().rposition(is_missing);
        let first_possible_ending = last_missing.map_or(0, |offset| offset + 1);
        let trigrams = trigrams.map(KnownTrigrams::new);
        let (text, limit) = (text.chars().collect::<Vec<_>>(), usize::from(distance));
        let first_row = (0..=2 * limit).map(|cell| match cell.checked_sub(limit) {
            Some(column) if column <= text.len() => column as u16,
            _ => u16::from(distance) + 1,
        });
        let cells = first_row.collect();
        let (letters, branch, branch_end, endings) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self {
            text,
            whole,
            offsets,
            limit,
            trigrams,
            first_possible_ending,
            letters,
            cells,
            branch,
            branch_end,
            endings,
        }
    }

    fn width(&self) -> usize {
        2 * self.limit + 1
    }

    /// Returns the cell of a row that is about the first letters of the text, this many; too far if there is none.
    fn cell(&self, row: usize, column: usize) -> usize {
        let cell = (column + self.limit).checked_sub(row).filter(|cell| *cell < self.width());
        cell.map_or(self.limit + 1, |cell| usize::from(self.cells[row * self.width() + cell]))
    }

    /// Reads a value, which comes after the one before, and returns whether it is within the distance. No value between this
    /// one and the target, which is set, is.
    fn read(&mut self, value: &[u8], target: &mut Vec<u8>) -> bool {
        target.clear();
        if value >= self.branch_end.as_slice()
            && let Some(is_within) = self.find_branch(value)
        {
            return is_within;
        }
        let Self { whole, branch, branch_end, endings, .. } = self;
        let rest = value.get(branch.len()..).unwrap_or_default();
        let mut is_within = false;
        while let Some(ending) = endings.last() {
            match ending.compare(whole, rest) {
                Ordering::Greater => break,
                order => is_within |= order == Ordering::Equal,
            }
            endings.pop();
        }
        match endings.last() {
            Some(ending) => {
                target.extend_from_slice(branch);
                target.extend(ending.bytes(whole));
            }
            None => target.extend_from_slice(branch_end),
        }
        is_within
    }

    /// Reads the letters of a value until no further change is possible, which begins a branch. If the value ends before
    /// that, returns whether it is within the distance.
    fn find_branch(&mut self, value: &[u8]) -> Option<bool> {
        let value = std::str::from_utf8(value).unwrap_or_default();
        let common = value.chars().zip(&self.letters).take_while(|(one, two)| one == *two).count();
        self.letters.truncate(common);
        self.cells.truncate((common + 1) * self.width());
        let mut rest = value.chars();
        rest.by_ref().take(common).for_each(drop);
        while self.least() < self.limit {
            match rest.next() {
                Some(letter) => self.push(letter),
                None => return Some(self.cell(self.letters.len(), self.text.len()) <= self.limit),
            }
        }
        self.branch.clear();
        self.branch.extend_from_slice(&value.as_bytes()[..value.len() - rest.as_str().len()]);
        self.branch_end.clone_from(&self.branch);
        match self.branch_end.last_mut() {
            // No byte of a text is the greatest one.
            Some(last) => *last += 1,
            None => self.branch_end.push(u8::MAX),
        }
        let mut endings = std::mem::take(&mut self.endings);
        endings.clear();
        endings.extend(self.endings_of_branch());
        endings.sort_unstable_by(|one, two| two.bytes(&self.whole).cmp(one.bytes(&self.whole)));
        self.endings = endings;
        None
    }

    /// Returns the least number of the last row.
    fn least(&self) -> usize {
        let last_row = &self.cells[self.letters.len() * self.width()..];
        last_row.iter().min().map_or(0, |least| usize::from(*least))
    }

    /// Returns what may follow the letters read if no further change is possible.
    fn endings_of_branch(&self) -> impl Iterator<Item = Ending> {
        let (text, row) = (self.text.as_slice(), self.letters.len());
        let columns = |row: usize| row.saturating_sub(self.limit)..(row + self.limit + 1).min(text.len() + 1);
        let unchanged = columns(row).filter(move |&column| self.cell(row, column) == self.limit);
        let unchanged = unchanged.map(|column| Ending { first: None, others: self.offsets[column] });
        // The last letter may be the first one of two that are swapped.
        let swapped = self.letters.last().into_iter().flat_map(move |last| {
            let is_begun = move |column: &usize| {
                self.cell(row - 1, *column) + 1 == self.limit && text.get(column + 1) == Some(last)
            };
            columns(row - 1).filter(is_begun)
        });
        let swapped = swapped.map(|column| Ending { first: Some(text[column]), others: self.offsets[column + 2] });
        unchanged.chain(swapped).filter(|ending| self.may_follow_branch(*ending))
    }

    /// Returns whether the trigrams allow a value of the branch to go on with an ending: those of the ending itself, and the
    /// last one if it begins in the branch.
    fn may_follow_branch(&self, ending: Ending) -> bool {
        let Some(trigrams) = &self.trigrams else { return true };
        if ending.others < self.first_possible_ending {
            return false;
        }
        let length = ending.bytes(&self.whole).count();
        if length == 0 || length >= 3 || self.branch.len() + length < 3 {
            return true;
        }
        let mut last =
            self.branch.iter().copied().chain(ending.bytes(&self.whole)).skip(self.branch.len() + length - 3);
        trigrams.may_contain(std::array::from_fn(|_| last.next().unwrap_or_default()))
    }

    /// Adds the row of a letter.
    fn push(&mut self, letter: char) {
        let (width, too_far) = (self.width(), self.limit as u16 + 1);
        let row = self.letters.len() + 1;
        let (last, current) = ((row - 1) * width, row * width);
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
        }
        self.letters.push(letter);
    }
}

/// Three bytes side by side, and whether some value may contain them.
type KnownTrigram = ([u8; 3], bool);

/// A trigram index whose last answers are remembered: a walk asks for the same few trigrams in each branch.
struct KnownTrigrams<'t> {
    index: TrigramIndex<'t>,
    /// Each at its hash.
    known: [Cell<Option<KnownTrigram>>; REMEMBERED_TRIGRAMS],
}

impl<'t> KnownTrigrams<'t> {
    fn new(index: TrigramIndex<'t>) -> Self {
        Self { index, known: [const { Cell::new(None) }; REMEMBERED_TRIGRAMS] }
    }

    fn may_contain(&self, trigram: [u8; 3]) -> bool {
        let hash = trigram.iter().fold(0_usize, |hash, &byte| hash * 7 + usize::from(byte));
        let known = &self.known[hash % REMEMBERED_TRIGRAMS];
        match known.get() {
            Some((asked, answer)) if asked == trigram => answer,
            _ => {
                let answer = self.index.may_contain(trigram);
                known.set(Some((trigram, answer)));
                answer
            }
        }
    }
}

/// The letters of the text from an offset on; before them another one, if it is swapped with one that was read.
#[derive(Clone, Copy)]
struct Ending {
    first: Option<char>,
    others: usize,
}

impl Ending {
    /// Returns its bytes, given the text.
    fn bytes(self, whole: &str) -> impl Iterator<Item = u8> {
        let mut encoded = [0; 4];
        let length = self.first.map_or(0, |letter| letter.encode_utf8(&mut encoded).len());
        encoded.into_iter().take(length).chain(whole[self.others..].bytes())
    }

    /// Compares it with what a value goes on with, given the text. The order of bytes is that of letters.
    fn compare(self, whole: &str, rest: &[u8]) -> Ordering {
        match self.first {
            None => whole.as_bytes()[self.others..].cmp(rest),
            Some(_) => self.bytes(whole).cmp(rest.iter().copied()),
        }
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
    use crate::segment::{DictionaryMetadata, SectionWriter, TrigramMetadata, WordIndexMetadata, WordPostings};
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
                    let found = values_within(&dictionary, None, &text, distance, &request.token());
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
        let mut path = EditPath::new("temple-123456", 1, None);
        let target = &mut Vec::new();
        assert!(!path.read(b"sample-000000", target));
        // With one letter wrong the rest is known.
        assert_eq!(target, b"semple-123456");
        assert!(!path.read(b"semple-123457", target));
        assert_eq!(target, b"stemple-123456");
        assert!(path.read(b"stemple-123456", target));
        assert_eq!(target, b"t");
        assert_eq!(dictionary.first_from(1..20_000, target), 20_000);
        let request = CancelOnDrop::default();
        let token = request.token();
        let matcher = FuzzyMatcher::new("sample-00042", 1);
        let expected = values.iter().filter(|value| matcher.matches(value)).count();
        assert_eq!(values_within(&dictionary, None, "sample-00042", 1, &token).len(), expected);
        drop(request);
        assert_eq!(values_within(&dictionary, None, "sample-00042", 1, &token), Vec::<u32>::new());
    }

    #[test]
    fn the_parts_of_a_large_dictionary_are_walked_like_the_whole_with_and_without_trigrams() {
        let values: Vec<String> = (0..MIN_PARALLEL_VALUES + 7).map(|number| format!("S{number:06}")).collect();
        let mut out = SectionWriter::default();
        let texts = values.iter().map(|value| value.as_bytes());
        let metadata = DictionaryMetadata::of_bytes(texts.clone(), &mut out);
        let trigrams = TrigramMetadata::write(texts, &mut out);
        let storage = SegmentStorage::memory(out.into_bytes());
        let dictionary = metadata.open(ValueClass::Keyword, &storage);
        let request = CancelOnDrop::default();
        let trigrams = trigrams.and_then(|trigrams| trigrams.open(&storage));
        assert!(trigrams.is_some());
        let texts = [
            "S012345", "S10000x", "x000006", "", "s01234", "S01x45", "S0x2345", "S05x", "Sä12345", "S01245é", "0S12345",
        ];
        for text in texts {
            let matcher = FuzzyMatcher::new(text, 2);
            let expected: Vec<u32> =
                (0..).zip(&values).filter(|(_, value)| matcher.matches(value)).map(|(ordinal, _)| ordinal).collect();
            for trigrams in [None, trigrams] {
                let found = values_within(&dictionary, trigrams, text, 2, &request.token());
                assert_eq!(found, expected, "{text}, trigrams: {}", trigrams.is_some());
            }
        }
    }
}
