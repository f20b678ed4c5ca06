//! Words with the values that have them, in memory of a bounded size.
//!
//! A word that is being collected takes about a hundred bytes beside its letters, and texts may have a new word in every few
//! letters. So a buffer of words that has grown large becomes a **part**: its words in order, packed as tightly as in the
//! index. At the end the parts are merged. Values come in the order of their ordinals, so the values of a word in a part come
//! before those in the next one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use cantata_engine::matching::words;

use super::interner::ScalarInterner;
use crate::scalar::Scalar;
use crate::segment::{WordIndexWriter, WordPostings};
use crate::varint;

/// About what a word takes in a buffer, beside its letters and its values.
const WORD_BYTES: usize = 100;

/// About what a value of a word takes in a buffer.
const VALUE_BYTES: usize = 4;

/// The words of some values.
#[derive(Default)]
pub(super) struct WordBuffer {
    interner: ScalarInterner,
    /// By the numbers of the words.
    postings: Vec<WordPostings>,
    bytes: usize,
}

impl WordBuffer {
    /// Returns about how many bytes it takes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Adds the words of a value, except one that is all of it.
    pub(super) fn add(&mut self, ordinal: u32, text: &str) {
        for word in words(text) {
            if word == text {
                continue;
            }
            let scalar = Scalar::String(&word);
            let number = match self.interner.find(scalar) {
                Ok(number) => number,
                Err(vacant) => {
                    self.postings.push(WordPostings::default());
                    self.bytes += WORD_BYTES + word.len();
                    self.interner.add(vacant, scalar)
                }
            };
            self.bytes += VALUE_BYTES;
            self.postings[number as usize].push(ordinal);
        }
    }

    /// Visits the words in order.
    pub(super) fn for_each(&self, mut visit: impl FnMut(&str, &WordPostings)) {
        let text_of = |number: u32| match self.interner.get(number) {
            Scalar::String(text) => text,
            _ => "",
        };
        let mut order: Vec<u32> = (0..self.interner.len() as u32).collect();
        order.sort_unstable_by(|&one, &two| text_of(one).cmp(text_of(two)));
        order.into_iter().for_each(|number| visit(text_of(number), &self.postings[number as usize]));
    }

    /// Packs the words. An entry is the word, the ordinal after its last value, and its values.
    pub(super) fn into_part(self) -> Vec<u8> {
        let mut part = Vec::new();
        self.for_each(|word, values| {
            let (end, postings) = values.encoded();
            varint::write(&mut part, word.len() as u64);
            part.extend_from_slice(word.as_bytes());
            varint::write(&mut part, u64::from(end));
            varint::write(&mut part, postings.len() as u64);
            part.extend_from_slice(postings);
        });
        part
    }
}

/// Adds the words of all parts to an index, in order, each once.
pub(super) fn merge_parts(parts: &[Vec<u8>], index: &mut WordIndexWriter) {
    let mut offsets = vec![0; parts.len()];
    let mut next_of = |part: usize| {
        let (word, end, postings) = read_entry(&parts[part], &mut offsets[part])?;
        Some(Reverse((word, part, end, postings)))
    };
    let mut heads: BinaryHeap<_> = (0..parts.len()).filter_map(&mut next_of).collect();
    let (mut merged, mut merged_end) = (Vec::new(), 0);
    while let Some(Reverse((word, part, end, postings))) = heads.pop() {
        heads.extend(next_of(part));
        // The first ordinal of a part is counted from the one before zero; here it follows those of other parts.
        let mut at = 0;
        let first = varint::read(postings, &mut at);
        varint::write(&mut merged, first - merged_end);
        merged.extend_from_slice(&postings[at..]);
        merged_end = end;
        if heads.peek().is_none_or(|Reverse((other, ..))| *other != word) {
            index.add(std::str::from_utf8(word).unwrap_or_default(), &merged);
            merged.clear();
            merged_end = 0;
        }
    }
}

/// Reads an entry of a part and moves past it.
fn read_entry<'p>(part: &'p [u8], at: &mut usize) -> Option<(&'p [u8], u64, &'p [u8])> {
    if *at >= part.len() {
        return None;
    }
    let word = read_bytes(part, at)?;
    let end = varint::read(part, at);
    Some((word, end, read_bytes(part, at)?))
}

fn read_bytes<'p>(part: &'p [u8], at: &mut usize) -> Option<&'p [u8]> {
    let length = varint::read(part, at) as usize;
    let start = *at;
    *at += length;
    part.get(start..*at)
}
