//! A set of rows, one bit each.
//!
//! Dense on purpose: a million rows are 125 kB, combining two sets is one pass over words that the processor does
//! eight at a time, and no operation's cost depends on how the members lie. Invariant: bits past the length are zero.

use std::ops::Range;

use crate::machine;

/// How many rows a word holds.
pub(crate) const WORD: usize = 64;

/// A set of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bitset {
    words: Vec<u64>,
    length: usize,
}

impl Bitset {
    /// Returns the empty set of so many rows.
    pub(crate) fn empty(length: usize) -> Self {
        Self { words: vec![0; length.div_ceil(WORD)], length }
    }

    /// Returns the set of all of so many rows.
    pub(crate) fn full(length: usize) -> Self {
        let mut set = Self { words: vec![u64::MAX; length.div_ceil(WORD)], length };
        set.trim();
        set
    }

    /// Returns the set that these words are.
    pub(crate) fn from_words(words: &[u64], length: usize) -> Self {
        let mut set = Self { words: words.to_vec(), length };
        set.words.resize(length.div_ceil(WORD), 0);
        set.trim();
        set
    }

    /// Makes a set word by word: for each place the word of rows `64 * place ..`.
    pub(crate) fn from_fn(length: usize, word: impl FnMut(usize) -> u64) -> Self {
        let mut set = Self { words: (0..length.div_ceil(WORD)).map(word).collect(), length };
        set.trim();
        set
    }

    fn trim(&mut self) {
        let used = self.length % WORD;
        if used != 0
            && let Some(last) = self.words.last_mut()
        {
            *last &= (1 << used) - 1;
        }
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    pub(crate) fn insert(&mut self, row: usize) {
        self.words[row / WORD] |= 1 << (row % WORD);
    }

    /// Adds neighbouring rows.
    #[inline]
    pub(crate) fn insert_all(&mut self, rows: Range<usize>) {
        let (mut row, end) = (rows.start, rows.end);
        while row < end {
            let taken = (WORD - row % WORD).min(end - row);
            self.words[row / WORD] |= (u64::MAX >> (WORD - taken)) << (row % WORD);
            row += taken;
        }
    }

    pub(crate) fn remove(&mut self, row: usize) {
        self.words[row / WORD] &= !(1 << (row % WORD));
    }

    pub(crate) fn contains(&self, row: usize) -> bool {
        self.words[row / WORD] >> (row % WORD) & 1 == 1
    }

    /// Returns whether one of neighbouring rows is in the set.
    #[inline]
    pub(crate) fn has_any(&self, rows: Range<usize>) -> bool {
        let (place, skipped) = (rows.start / WORD, rows.start % WORD);
        let Some(&word) = self.words.get(place).filter(|_| !rows.is_empty()) else { return false };
        if skipped + rows.len() <= WORD {
            return word >> skipped << (WORD - rows.len()) != 0;
        }
        word >> skipped != 0 || self.has_any((place + 1) * WORD..rows.end)
    }

    pub(crate) fn count(&self) -> usize {
        machine::count_common(&self.words, &self.words)
    }

    pub(crate) fn intersect(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
    }

    pub(crate) fn unite(&mut self, other: &Self) {
        self.unite_words(&other.words);
    }

    /// Adds the rows of a stored set.
    pub(crate) fn unite_words(&mut self, words: &[u64]) {
        self.words.iter_mut().zip(words).for_each(|(word, other)| *word |= other);
    }

    pub(crate) fn invert(&mut self) {
        self.words.iter_mut().for_each(|word| *word = !*word);
        self.trim();
    }

    /// Returns how many rows are in this set and in a stored one.
    pub(crate) fn count_common(&self, words: &[u64]) -> usize {
        machine::count_common(&self.words, words)
    }

    /// Shows the rows in order.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(usize)) {
        for (place, &word) in self.words.iter().enumerate() {
            let mut left = word;
            while left != 0 {
                visit(place * WORD + left.trailing_zeros() as usize);
                left &= left - 1;
            }
        }
    }

    /// Returns the rows in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(place, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                (left != 0).then(|| {
                    let row = place * WORD + left.trailing_zeros() as usize;
                    left &= left - 1;
                    row
                })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbouring_rows_are_added_together() {
        for start in 0..200 {
            for end in start..=200 {
                let mut set = Bitset::empty(200);
                set.insert_all(start..end);
                assert_eq!(set.iter().collect::<Vec<_>>(), (start..end).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn neighbouring_rows_are_looked_at_together() {
        for member in [0, 1, 63, 64, 65, 127, 128, 199] {
            let mut set = Bitset::empty(200);
            set.insert(member);
            for start in 0..200 {
                for end in start..=200 {
                    assert_eq!(set.has_any(start..end), (start..end).contains(&member), "{member} in {start}..{end}");
                }
            }
        }
    }
}
