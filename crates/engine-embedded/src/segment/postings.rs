//! Which rows have a value: for each code the rows, as a list or as bits, whichever is smaller. After the last code
//! come the rows that have no value.
//!
//! Nested fields of few values have the same again for documents, which is what filters and facets ask for in the end.
//!
//! The form follows from the number of rows, so nothing else has to be stored: a value with more than one in
//! thirty-two rows is kept as bits. Beside it stands how many documents have the value, which answers a facet over all
//! documents without looking at any row. The forms are read in place; a general bitmap library would have to unpack
//! them first.

use serde::{Deserialize, Serialize};

use super::sections::{Section, SectionWriter};
use crate::bitset::{Bitset, WORD};

/// Where the postings of a field are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PostingsEntry {
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
pub(crate) enum Rows<'a> {
    List(&'a [u32]),
    Bits(&'a [u64]),
}

/// Returns whether a value of so many rows is kept as bits.
fn is_dense(count: usize, rows: usize) -> bool {
    count * 32 > rows
}

impl PostingsEntry {
    /// Writes postings, given for each row in turn its different codes, of which there are so many.
    pub(crate) fn write(
        rows: usize,
        codes: usize,
        document_counts: &[u32],
        mut for_each: impl FnMut(&mut dyn FnMut(u32, u32)),
        out: &mut SectionWriter,
    ) -> Self {
        let mut counts = vec![0_u32; codes];
        for_each(&mut |_, code| counts[code as usize] += 1);
        let mut starts = Vec::with_capacity(codes);
        let mut end = 0_u32;
        for &count in &counts {
            if is_dense(count as usize, rows) {
                end = end.next_multiple_of(2);
                starts.push(end);
                end += 2 * rows.div_ceil(WORD) as u32;
            } else {
                starts.push(end);
                end += count;
            }
        }
        // Whole words of 64 bits, so that sets of bits are aligned.
        let mut words = vec![0_u32; end.next_multiple_of(2) as usize];
        let mut filled = vec![0_u32; codes];
        for_each(&mut |row, code| {
            let value = code as usize;
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
    pub(crate) fn count(&self, code: u32) -> usize {
        self.counts.get(code as usize).copied().unwrap_or_default() as usize
    }

    /// Returns the rows of a value.
    pub(crate) fn rows(&self, code: u32) -> Rows<'a> {
        let count = self.count(code);
        let start = self.starts.get(code as usize).copied().unwrap_or_default() as usize;
        if is_dense(count, self.rows) {
            let words = self.words.get(start..start + 2 * self.rows.div_ceil(WORD)).unwrap_or_default();
            Rows::Bits(bytemuck::try_cast_slice(words).unwrap_or_default())
        } else {
            Rows::List(self.words.get(start..start + count).unwrap_or_default())
        }
    }

    /// Adds the rows of a value to a set.
    pub(crate) fn unite_into(&self, code: u32, set: &mut Bitset) {
        match self.rows(code) {
            Rows::List(rows) => rows.iter().for_each(|&row| set.insert(row as usize)),
            Rows::Bits(words) => set.unite_words(words),
        }
    }
}

impl Rows<'_> {
    /// Shows the rows in order until told to stop by `false`.
    pub(crate) fn for_each(&self, mut visit: impl FnMut(usize) -> bool) {
        match self {
            Self::List(rows) => {
                rows.iter().all(|&row| visit(row as usize));
            }
            Self::Bits(words) => {
                for (place, &word) in words.iter().enumerate() {
                    let mut left = word;
                    while left != 0 {
                        if !visit(place * WORD + left.trailing_zeros() as usize) {
                            return;
                        }
                        left &= left - 1;
                    }
                }
            }
        }
    }
}
