//! The word index of a text field in one segment: which values have a word.
//!
//! A value of a text field is found as a whole and by each of its words ([`cantata_engine::matching::text_matches`]). Cutting
//! a text into words costs much more than comparing it, and a search would do it for every value. So the words are cut when
//! the segment is built, by the function that defines them ([`cantata_engine::matching::words`]), and a search asks for a
//! word, or tests each different word once. It gets ordinals of the field's dictionary, and goes on from there as for any
//! other condition: postings and columns know nothing of words.
//!
//! Invariants:
//!
//! * A value matches as a whole, or the index has one of its words that matches; nothing else matches. A word that is all of
//!   its value is left out: what finds the word finds the value. So a field of single words in lower case takes no space.
//! * Words are in the order of their bytes, each once, and never empty. The ordinals of a word are in order, each once.
//! * Every text field has an index, except in files of versions that wrote none; their texts are cut as they are searched,
//!   until a merge writes them again.
//! * Whatever the bytes are, reading them ends, and gives no ordinal that the dictionary does not have.
//!
//! There are no positions: a text of several words is only ever compared with whole values, which the dictionary finds.
//!
//! Words are stored in blocks of [`BLOCK_WORDS`]. An entry is the number of bytes that the word has in common with the one
//! before it in the block, the number of those that follow, these bytes, and the number of bytes of its postings; numbers
//! are varints. Postings are the differences between neighbouring ordinals, the first of them counted from the one before
//! zero. For each block is stored where its words and its postings begin; a word is found by bisection over the first words
//! of the blocks.
//!
//! So a word of a text takes one to five bytes of postings, most often one or two because frequent words have small
//! differences, and a new word a few bytes more than its letters: the texts bound the index. Postings that are read in place,
//! as those of rows are, would take four bytes for each word of each text, more than many texts have letters.

use std::ops::ControlFlow;

use serde::{Deserialize, Serialize};

use super::sections::{Section, SectionWriter};
use crate::varint;

/// The number of words in a block.
const BLOCK_WORDS: usize = 32;

/// The sections of a word index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WordIndexMetadata {
    /// Where the words and the postings of each block begin.
    blocks: Section,
    words: Section,
    postings: Section,
    /// Whether all words are ASCII.
    is_ascii: bool,
}

/// The words of a field.
#[derive(Clone, Copy)]
pub(crate) struct WordIndex<'a> {
    blocks: &'a [[u64; 2]],
    words: &'a [u8],
    postings: &'a [u8],
    /// The number of values in the dictionary.
    values: u64,
    /// Whether all words are ASCII.
    pub(crate) is_ascii: bool,
}

/// The values that have a word, under construction.
#[derive(Default)]
pub(crate) struct WordPostings {
    /// The ordinal after the last one; zero at the beginning.
    end: u32,
    bytes: Vec<u8>,
}

impl WordPostings {
    /// Adds an ordinal that is not before the last one. One that is there already is not added again.
    pub(crate) fn push(&mut self, ordinal: u32) {
        let end = ordinal + 1;
        if end > self.end {
            varint::write(&mut self.bytes, u64::from(end - self.end));
            self.end = end;
        }
    }

    /// Returns the ordinal after the last one, and the differences between neighbouring ones.
    pub(crate) fn encoded(&self) -> (u32, &[u8]) {
        (self.end, &self.bytes)
    }
}

/// A word index under construction, to which words are added in order.
#[derive(Default)]
pub(crate) struct WordIndexWriter {
    blocks: Vec<[u64; 2]>,
    words: Vec<u8>,
    postings: Vec<u8>,
    /// The number of words.
    len: usize,
    /// The last word of the block.
    last: String,
    has_other_than_ascii: bool,
}

impl WordIndexWriter {
    /// Adds a word, with the values that have it as [`WordPostings::encoded`] has them.
    pub(crate) fn add(&mut self, word: &str, values: &[u8]) {
        if self.len.is_multiple_of(BLOCK_WORDS) {
            self.blocks.push([self.words.len() as u64, self.postings.len() as u64]);
            self.last.clear();
        }
        let shared = word.bytes().zip(self.last.bytes()).take_while(|(one, two)| one == two).count();
        let rest = &word.as_bytes()[shared..];
        varint::write(&mut self.words, shared as u64);
        varint::write(&mut self.words, rest.len() as u64);
        self.words.extend_from_slice(rest);
        varint::write(&mut self.words, values.len() as u64);
        self.postings.extend_from_slice(values);
        self.len += 1;
        self.last.clear();
        self.last.push_str(word);
        self.has_other_than_ascii |= !word.is_ascii();
    }

    /// Writes the index.
    pub(crate) fn write(self, out: &mut SectionWriter) -> WordIndexMetadata {
        WordIndexMetadata {
            blocks: out.numbers(&self.blocks),
            words: out.bytes(&self.words),
            postings: out.bytes(&self.postings),
            is_ascii: !self.has_other_than_ascii,
        }
    }
}

impl WordIndexMetadata {
    /// Writes the index of words, which are in order.
    #[cfg(test)]
    pub(crate) fn write<'w>(
        entries: impl Iterator<Item = (&'w str, &'w WordPostings)>,
        out: &mut SectionWriter,
    ) -> Self {
        let mut index = WordIndexWriter::default();
        entries.for_each(|(word, values)| index.add(word, &values.bytes));
        index.write(out)
    }

    /// Opens the index of a field whose dictionary has this many values.
    pub(crate) fn open(self, values: usize, all: &[u8]) -> WordIndex<'_> {
        WordIndex {
            blocks: self.blocks.numbers(all),
            words: self.words.bytes(all),
            postings: self.postings.bytes(all),
            values: values as u64,
            is_ascii: self.is_ascii,
        }
    }
}

impl<'a> WordIndex<'a> {
    /// Returns the values that have a word and more than it.
    pub(crate) fn values_with(&self, word: &str) -> impl Iterator<Item = u32> + use<'a> {
        let mut found = None;
        // Of the words with a prefix, the prefix itself comes first.
        self.for_each_word(word, |first, values| {
            found = (first == word).then_some(values);
            ControlFlow::Break(())
        });
        found.into_iter().flatten()
    }

    /// Visits the words with a prefix in order, each with the values that have it.
    pub(crate) fn for_each_word(&self, prefix: &str, mut visit: impl FnMut(&str, WordValues<'a>) -> ControlFlow<()>) {
        let prefix = prefix.as_bytes();
        let block = self.blocks.partition_point(|&[words, _]| self.first_word(words) <= prefix).saturating_sub(1);
        let Some(mut cursor) = self.cursor(block) else { return };
        while let Some(postings) = cursor.advance() {
            if cursor.word.as_slice() < prefix {
                continue;
            }
            if !cursor.word.starts_with(prefix) {
                return;
            }
            let Ok(word) = std::str::from_utf8(&cursor.word) else { continue };
            if visit(word, WordValues { postings, at: 0, end: 0, values: self.values }).is_break() {
                return;
            }
        }
    }

    /// Visits words in order, each with the values that have it. The visitor sets the target: no word before that one is
    /// visited any more.
    pub(crate) fn walk(&self, mut visit: impl FnMut(&str, WordValues<'a>, &mut Vec<u8>) -> ControlFlow<()>) {
        let Some(mut cursor) = self.cursor(0) else { return };
        let mut target = Vec::new();
        let mut number = 0_usize;
        while let Some(postings) = cursor.advance() {
            number += 1;
            if cursor.word < target {
                continue;
            }
            let Ok(word) = std::str::from_utf8(&cursor.word) else { continue };
            let values = WordValues { postings, at: 0, end: 0, values: self.values };
            if visit(word, values, &mut target).is_break() {
                return;
            }
            // Blocks whose first words all are before the target are passed over at once, but for the last of them.
            let next = number.div_ceil(BLOCK_WORDS);
            let is_before = |&[words, _]: &[u64; 2]| self.first_word(words) < target.as_slice();
            if !self.blocks.get(next).is_some_and(is_before) {
                continue;
            }
            let block = next + self.blocks[next..].partition_point(is_before) - 1;
            // Never back, whatever the bytes are.
            if let Some(further) = self.cursor(block).filter(|further| further.at > cursor.at) {
                (cursor, number) = (further, block * BLOCK_WORDS);
            }
        }
    }

    /// Returns the number of words, or a few more.
    pub(crate) fn max_len(&self) -> usize {
        self.blocks.len() * BLOCK_WORDS
    }

    fn cursor(&self, block: usize) -> Option<WordCursor<'a>> {
        let &[words, postings] = self.blocks.get(block)?;
        Some(WordCursor { index: *self, at: words as usize, end: postings as usize, word: Vec::new() })
    }

    /// Returns the first word of a block; it has nothing in common with the one before.
    fn first_word(&self, start: u64) -> &'a [u8] {
        let mut at = start as usize;
        varint::read(self.words, &mut at);
        let length = varint::read(self.words, &mut at) as usize;
        at.checked_add(length).and_then(|end| self.words.get(at..end)).unwrap_or_default()
    }
}

/// A place between two words.
struct WordCursor<'a> {
    index: WordIndex<'a>,
    /// Where the next word begins.
    at: usize,
    /// Where the postings of the last word end, and those of the next one begin.
    end: usize,
    /// The last word.
    word: Vec<u8>,
}

impl<'a> WordCursor<'a> {
    /// Moves past a word and returns its postings; nothing after the last word, or where the bytes are damaged.
    fn advance(&mut self) -> Option<&'a [u8]> {
        let WordIndex { words, postings, .. } = self.index;
        if self.at >= words.len() {
            return None;
        }
        let shared = varint::read(words, &mut self.at) as usize;
        let length = varint::read(words, &mut self.at) as usize;
        let rest = words.get(self.at..self.at.checked_add(length)?)?;
        self.at += length;
        self.word.truncate(shared);
        self.word.extend_from_slice(rest);
        let start = self.end;
        self.end = start.checked_add(varint::read(words, &mut self.at) as usize)?;
        postings.get(start..self.end)
    }
}

/// The ordinals of the values that have a word, in order.
pub(crate) struct WordValues<'a> {
    postings: &'a [u8],
    at: usize,
    /// The ordinal after the last one; zero at the beginning.
    end: u64,
    /// The number of values in the dictionary.
    values: u64,
}

impl Iterator for WordValues<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if self.at >= self.postings.len() {
            return None;
        }
        self.end = self.end.saturating_add(varint::read(self.postings, &mut self.at));
        if self.end > self.values { None } else { self.end.checked_sub(1).map(|ordinal| ordinal as u32) }
    }
}
