//! Postings: for each ordinal its rows, as a list or as a bitmap, whichever is smaller. After the last ordinal come the rows
//! without value.
//!
//! Nested fields of few values have the same again for documents, which is what filters and facets need in the end.
//!
//! The form follows from the number of rows, so it is not stored: a value with more than one in 32 rows has a bitmap. With
//! it is stored how many documents have the value, which answers a facet over all documents without reading any row. Both
//! forms are read in place; a bitmap library would have to decode them first.

use serde::{Deserialize, Serialize};

use super::sections::{Section, SectionWriter};
use crate::bitset::{Bitset, WORD_BITS};

/// The sections of the postings of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PostingsMetadata {
    /// The number of rows of the level.
    rows: u32,
    /// How many rows have each value.
    counts: Section,
    /// How many documents have each value; one more for the documents with a row without value.
    document_counts: Section,
    /// Where the rows of each value begin, in words of 32 bits.
    starts: Section,
    words: Section,
}

/// The postings of a field.
#[derive(Clone, Copy)]
pub(crate) struct Postings<'a> {
    rows: usize,
    counts: &'a [u32],
    pub(crate) document_counts: &'a [u32],
    starts: &'a [u32],
    words: &'a [u32],
}

/// The rows of one value.
#[derive(Clone, Copy)]
pub(crate) enum PostingList<'a> {
    Sparse(&'a [u32]),
    Dense(&'a [u64]),
}

/// Returns whether a value of this many rows is stored as a bitmap.
fn is_dense(count: usize, rows: usize) -> bool {
    count * 32 > rows
}

impl PostingsMetadata {
    /// Writes postings. `for_each` visits each row in order with each of its different ordinals.
    pub(crate) fn write(
        rows: usize,
        ordinals: usize,
        document_counts: &[u32],
        mut for_each: impl FnMut(&mut dyn FnMut(u32, u32)),
        out: &mut SectionWriter,
    ) -> Self {
        let mut counts = vec![0_u32; ordinals];
        for_each(&mut |_, ordinal| counts[ordinal as usize] += 1);
        let mut starts = Vec::with_capacity(ordinals);
        let mut end = 0_usize;
        for &count in &counts {
            if is_dense(count as usize, rows) {
                end = end.next_multiple_of(2);
                starts.push(out.offset(end));
                end += 2 * rows.div_ceil(WORD_BITS);
            } else {
                starts.push(out.offset(end));
                end += count as usize;
            }
        }
        if out.has_overflowed() {
            let nothing = Section::default();
            return Self { rows: 0, counts: nothing, document_counts: nothing, starts: nothing, words: nothing };
        }
        // Whole words of 64 bits, so that bitmaps are aligned.
        let mut words = vec![0_u32; end.next_multiple_of(2)];
        let mut filled = vec![0_u32; ordinals];
        for_each(&mut |row, ordinal| {
            let value = ordinal as usize;
            let start = starts[value] as usize;
            if is_dense(counts[value] as usize, rows) {
                words[start + row as usize / 32] |= 1 << (row % 32);
            } else {
                words[start + filled[value] as usize] = row;
                filled[value] += 1;
            }
        });
        Self {
            rows: rows as u32,
            counts: out.numbers(&counts),
            document_counts: out.numbers(document_counts),
            starts: out.numbers(&starts),
            words: out.numbers(&words),
        }
    }

    pub(crate) fn open(self, all: &[u8]) -> Postings<'_> {
        Postings {
            rows: self.rows as usize,
            counts: self.counts.numbers(all),
            document_counts: self.document_counts.numbers(all),
            starts: self.starts.numbers(all),
            words: self.words.numbers(all),
        }
    }
}

impl<'a> Postings<'a> {
    /// Returns how many rows have a value.
    pub(crate) fn count(&self, ordinal: u32) -> usize {
        self.counts.get(ordinal as usize).copied().unwrap_or_default() as usize
    }

    /// Returns the rows of a value.
    pub(crate) fn rows(&self, ordinal: u32) -> PostingList<'a> {
        let count = self.count(ordinal);
        let start = self.starts.get(ordinal as usize).copied().unwrap_or_default() as usize;
        if is_dense(count, self.rows) {
            let words = self.words.get(start..start + 2 * self.rows.div_ceil(WORD_BITS)).unwrap_or_default();
            PostingList::Dense(bytemuck::try_cast_slice(words).unwrap_or_default())
        } else {
            PostingList::Sparse(self.words.get(start..start + count).unwrap_or_default())
        }
    }

    /// Adds the rows of a value to a bitmap.
    pub(crate) fn union_into(&self, ordinal: u32, set: &mut Bitset) {
        match self.rows(ordinal) {
            PostingList::Sparse(rows) => rows.iter().for_each(|&row| set.insert(row as usize)),
            PostingList::Dense(words) => set.union_words(words),
        }
    }
}

impl PostingList<'_> {
    /// Visits the rows in order until the visitor returns `false`.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(usize) -> bool) {
        match self {
            Self::Sparse(rows) => {
                rows.iter().all(|&row| visit(row as usize));
            }
            Self::Dense(words) => {
                for (index, &word) in words.iter().enumerate() {
                    let mut left = word;
                    while left != 0 {
                        if !visit(index * WORD_BITS + left.trailing_zeros() as usize) {
                            return;
                        }
                        left &= left - 1;
                    }
                }
            }
        }
    }
}
