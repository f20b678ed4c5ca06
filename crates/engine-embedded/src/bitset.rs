//! Bitmaps of rows.
//!
//! Hand-written and dense on purpose: a million rows are 125 kB, combining two bitmaps is one vectorised pass over words,
//! no operation's cost depends on the distribution of the rows, and stored bitmaps are combined in place, which a library
//! of compressed bitmaps would have to decode first. Invariant: bits past the length are zero.

use std::ops::Range;

use crate::platform;

/// The number of rows in a word.
pub(crate) const WORD_BITS: usize = 64;

/// Words that are passed over together where none of them has a row.
const BLOCK_WORDS: usize = 8;

/// A bitmap of rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Bitset {
    words: Vec<u64>,
    length: usize,
}

impl Bitset {
    /// Returns a bitmap of the given length without rows.
    pub(crate) fn empty(length: usize) -> Self {
        Self { words: vec![0; length.div_ceil(WORD_BITS)], length }
    }

    /// Returns a bitmap of all rows.
    pub(crate) fn full(length: usize) -> Self {
        let mut set = Self { words: vec![u64::MAX; length.div_ceil(WORD_BITS)], length };
        set.trim();
        set
    }

    /// Copies a stored bitmap.
    pub(crate) fn from_words(words: &[u64], length: usize) -> Self {
        Self::from_vec(words.to_vec(), length)
    }

    /// Makes a bitmap of words; missing ones have no rows.
    pub(crate) fn from_vec(words: Vec<u64>, length: usize) -> Self {
        let mut set = Self { words, length };
        set.words.resize(length.div_ceil(WORD_BITS), 0);
        set.trim();
        set
    }

    /// Makes a bitmap word by word: `word(index)` has the rows from `64 * index` on.
    pub(crate) fn from_fn(length: usize, word: impl FnMut(usize) -> u64) -> Self {
        let mut set = Self { words: (0..length.div_ceil(WORD_BITS)).map(word).collect(), length };
        set.trim();
        set
    }

    fn trim(&mut self) {
        let used = self.length % WORD_BITS;
        if used != 0
            && let Some(last) = self.words.last_mut()
        {
            *last &= (1 << used) - 1;
        }
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// Returns how many rows there could be in it.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    pub(crate) fn insert(&mut self, row: usize) {
        self.words[row / WORD_BITS] |= 1 << (row % WORD_BITS);
    }

    /// Adds a range of rows.
    #[inline]
    pub(crate) fn insert_range(&mut self, rows: Range<usize>) {
        let (mut row, end) = (rows.start, rows.end);
        while row < end {
            let taken = (WORD_BITS - row % WORD_BITS).min(end - row);
            self.words[row / WORD_BITS] |= (u64::MAX >> (WORD_BITS - taken)) << (row % WORD_BITS);
            row += taken;
        }
    }

    pub(crate) fn remove(&mut self, row: usize) {
        self.words[row / WORD_BITS] &= !(1 << (row % WORD_BITS));
    }

    pub(crate) fn contains(&self, row: usize) -> bool {
        self.words[row / WORD_BITS] >> (row % WORD_BITS) & 1 == 1
    }

    pub(crate) fn count(&self) -> usize {
        platform::intersection_count(&self.words, &self.words)
    }

    pub(crate) fn intersect_with(&mut self, other: &Self) {
        self.intersect_words(&other.words);
    }

    /// Keeps the rows of a stored bitmap; missing words have no rows.
    pub(crate) fn intersect_words(&mut self, words: &[u64]) {
        self.words.iter_mut().zip(words).for_each(|(word, other)| *word &= other);
        self.words.iter_mut().skip(words.len()).for_each(|word| *word = 0);
    }

    pub(crate) fn union_with(&mut self, other: &Self) {
        self.union_words(&other.words);
    }

    /// Adds the rows of a stored bitmap.
    pub(crate) fn union_words(&mut self, words: &[u64]) {
        self.words.iter_mut().zip(words).for_each(|(word, other)| *word |= other);
    }

    pub(crate) fn invert(&mut self) {
        self.words.iter_mut().for_each(|word| *word = !*word);
        self.trim();
    }

    /// Returns how many rows are set in this bitmap and in a stored one.
    pub(crate) fn intersection_count(&self, words: &[u64]) -> usize {
        platform::intersection_count(&self.words, words)
    }

    /// Visits the rows in order.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(usize)) {
        let mut visit_words = |first_word: usize, words: &[u64]| {
            for (index, &word) in words.iter().enumerate() {
                let mut left = word;
                while left != 0 {
                    visit((first_word + index) * WORD_BITS + left.trailing_zeros() as usize);
                    left &= left - 1;
                }
            }
        };
        let (blocks, others) = self.words.as_chunks::<BLOCK_WORDS>();
        for (number, block) in blocks.iter().enumerate() {
            if block.iter().fold(0, |any, word| any | word) != 0 {
                visit_words(number * BLOCK_WORDS, block);
            }
        }
        visit_words(blocks.len() * BLOCK_WORDS, others);
    }

    /// Removes the rows that do not pass a test.
    pub(crate) fn retain(&mut self, mut is_kept: impl FnMut(usize) -> bool) {
        for (index, word) in self.words.iter_mut().enumerate() {
            let mut left = *word;
            while left != 0 {
                let bit = left.trailing_zeros();
                if !is_kept(index * WORD_BITS + bit as usize) {
                    *word &= !(1_u64 << bit);
                }
                left &= left - 1;
            }
        }
    }

    /// Returns the first row of the set that is not before another.
    pub(crate) fn next_from(&self, row: usize) -> Option<usize> {
        let mut index = row / WORD_BITS;
        let mut word = self.words.get(index)? & (u64::MAX << (row % WORD_BITS));
        while word == 0 {
            index += 1;
            word = *self.words.get(index)?;
        }
        Some(index * WORD_BITS + word.trailing_zeros() as usize)
    }

    /// Returns the rows in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                (left != 0).then(|| {
                    let row = index * WORD_BITS + left.trailing_zeros() as usize;
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
                set.insert_range(start..end);
                assert_eq!(set.iter().collect::<Vec<_>>(), (start..end).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn rows_that_do_not_pass_are_removed() {
        let mut set = Bitset::empty(200);
        set.insert_range(0..150);
        set.retain(|row| row % 3 == 0 && row != 63);
        assert_eq!(set.iter().collect::<Vec<_>>(), (0..150).step_by(3).filter(|&row| row != 63).collect::<Vec<_>>());
    }

    #[test]
    fn rows_are_visited_in_order_wherever_they_are() {
        for members in [vec![], vec![0], (0..2_000).collect(), vec![63, 64, 511, 512, 700, 1_535, 1_999]] {
            let mut set = Bitset::empty(2_000);
            members.iter().for_each(|&member| set.insert(member));
            let mut visited = Vec::new();
            set.for_each(|row| visited.push(row));
            assert_eq!(visited, members);
            assert_eq!(set.iter().collect::<Vec<_>>(), members);
        }
    }

    #[test]
    fn the_next_row_is_found_from_anywhere() {
        let members = [0, 1, 63, 64, 130, 199];
        let mut set = Bitset::empty(200);
        members.iter().for_each(|&member| set.insert(member));
        for row in 0..=300 {
            assert_eq!(set.next_from(row), members.into_iter().find(|member| *member >= row), "from {row}");
        }
    }
}
