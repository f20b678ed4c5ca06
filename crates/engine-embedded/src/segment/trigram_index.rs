//! The trigram index of a dictionary: where it may have values that contain a text.
//!
//! A pattern such as `*1234*` says nothing of how a value begins, so the order of the dictionary does not help. But a value
//! that contains `1234` contains the trigrams `123` and `234`. The index says for each trigram where it occurs; what is
//! common to all trigrams of a pattern is little, and only there are values compared with the pattern. The index never
//! decides that a value matches, only that others do not.
//!
//! **Blocks.** The index does not know single values but blocks: all values that begin within the same
//! 2<sup>`block_bits`</sup> bytes of the dictionary. Neighbours in a sorted dictionary have much in common, so a list of
//! blocks is much shorter than one of values, and comparing a few more values costs little, because they lie side by side.
//! Where a block begins follows from the starts of the values and is not stored.
//!
//! **Trigrams** are three neighbouring bytes of the folded form of a value ([`fold_into`]), so that one index serves
//! patterns that ignore case, those that do not, and words of texts. Bytes count by their class: a letter or digit of ASCII
//! has one of its own, all others share the rest. So there are no more than 2<sup>18</sup> trigrams, whatever the language.
//!
//! **Lists.** The blocks of a trigram are the gaps between them as variable-length numbers, or a bitmap if that is not
//! longer; the length tells which. The lists of trigrams with the same two first classes stand one after the other, each
//! with the third class and its length before it; a table has where these groups begin.
//!
//! **What it costs** is bounded: blocks begin small, and whenever the lists outgrow their share of the dictionary while they
//! are built, two neighbouring blocks become one. So building takes no more memory than the dictionary has bytes, and two
//! megabytes. A field has no index
//!
//! * if its dictionary has less than [`MIN_DICTIONARY_BYTES`]: looking at all of it is as fast;
//! * if the largest blocks do not keep the lists within a quarter of the dictionary ([`DICTIONARY_DIVISOR`]), as with
//!   long random texts of many different characters. Then the whole dictionary is looked at, as in files of versions that
//!   had no such index.
//!
//! The index is made from the final dictionary of a segment, so a merge makes it from the merged one. Nothing in it is
//! trusted when it is read: a damaged list gives wrong blocks, never a panic.

use std::ops::{Range, RangeInclusive};

use cantata_engine::matching::fold_into;
use serde::{Deserialize, Serialize};

use super::dictionary::Dictionary;
use super::sections::{Section, SectionWriter};
use crate::bitset::{Bitset, WORD_BITS};
use crate::varint;

/// Smaller dictionaries have no index.
const MIN_DICTIONARY_BYTES: usize = 256 << 10;

/// An index has at most one byte for this many of the dictionary.
const DICTIONARY_DIVISOR: usize = 4;

/// How large blocks may be, as powers of two: 512 bytes to 4 KiB.
const BLOCK_BITS: RangeInclusive<u8> = 9..=12;

/// Of larger dictionaries, the size of the blocks to begin with is found out on this many bytes.
const SAMPLE_BYTES: usize = 1 << 20;

/// A search reads the lists of at most this many trigrams; more of a long text would hardly exclude anything.
const MAX_TRIGRAMS_READ: usize = 32;

const CLASS_BITS: u32 = 6;
const CLASSES: usize = 1 << CLASS_BITS;
const TRIGRAMS: usize = 1 << (3 * CLASS_BITS);
/// The groups of trigrams with the same two first classes.
const GROUPS: usize = TRIGRAMS / CLASSES;

/// What the table of groups takes.
const FIXED_BYTES: usize = (GROUPS + 1) * size_of::<u32>();

/// What a list takes beside its blocks: one byte for its third class, and nearly always no more than two for its length.
const LIST_OVERHEAD_BYTES: usize = 3;

/// The class of each byte of a folded text. Part of the segment format.
const CLASS_OF: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < classes.len() {
        classes[byte] = match byte as u8 {
            letter @ b'a'..=b'z' => letter - b'a',
            digit @ b'0'..=b'9' => 26 + (digit - b'0'),
            other @ 0..=0x7f => 36 + other % 16,
            part => 52 + part % 12,
        };
        byte += 1;
    }
    classes
};

/// Returns the number of a trigram.
fn trigram(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0, |number, &byte| number << CLASS_BITS | u32::from(CLASS_OF[usize::from(byte)]))
}

/// Returns the bytes of a bitmap of blocks.
fn bitmap_bytes(blocks: usize) -> usize {
    blocks.div_ceil(8)
}

/// Returns the number of blocks of this many bytes.
fn block_count(bytes: usize, block_bits: u8) -> usize {
    (bytes >> block_bits) + 1
}

/// Visits the blocks of a list of gaps, in order.
fn for_each_block(gaps: &[u8], mut visit: impl FnMut(u64)) {
    let (mut offset, mut next) = (0, 0_u64);
    while offset < gaps.len() {
        let block = next.saturating_add(varint::read(gaps, &mut offset));
        visit(block);
        next = block.saturating_add(1);
    }
}

/// The sections of a trigram index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TrigramMetadata {
    block_bits: u8,
    /// Where the lists of each group begin, with one more for the end.
    starts: Section,
    lists: Section,
}

impl TrigramMetadata {
    /// Writes the index of the sorted texts of a dictionary; nothing if it is not worth it.
    pub(crate) fn write<'v>(values: impl Iterator<Item = &'v [u8]> + Clone, out: &mut SectionWriter) -> Option<Self> {
        let bytes: usize = values.clone().map(<[u8]>::len).sum();
        if bytes < MIN_DICTIONARY_BYTES {
            return None;
        }
        let mut block_bits = *BLOCK_BITS.start();
        if bytes > 2 * SAMPLE_BYTES {
            let mut sampled = 0;
            let sample = values.clone().take_while(|value| {
                sampled += value.len();
                sampled <= SAMPLE_BYTES
            });
            let lists = BlockLists::of(sample, SAMPLE_BYTES, block_bits);
            block_bits = lists.map_or(*BLOCK_BITS.end(), |lists| lists.block_bits);
        }
        Some(BlockLists::of(values, bytes, block_bits)?.write(out))
    }

    /// Returns nothing if the size of its blocks is none that was ever written.
    pub(crate) fn open(self, all: &[u8]) -> Option<TrigramIndex<'_>> {
        BLOCK_BITS.contains(&self.block_bits).then(|| TrigramIndex {
            block_bits: self.block_bits,
            starts: self.starts.numbers(all),
            lists: self.lists.bytes(all),
        })
    }
}

/// The lists of an index under construction.
struct BlockLists {
    dictionary_bytes: usize,
    block_bits: u8,
    /// For each trigram the block after the last one of its list; zero if it has none.
    next_blocks: Vec<u32>,
    /// For each trigram that has a list, its index.
    by_trigram: Vec<u32>,
    lists: Vec<BlockList>,
    /// The bytes of the index so far.
    bytes: usize,
}

/// The blocks of a trigram, in order.
struct BlockList {
    trigram: u32,
    gaps: Vec<u8>,
}

impl BlockLists {
    /// Makes the lists of sorted texts of this many bytes in all; nothing if they are too large.
    fn of<'v>(values: impl Iterator<Item = &'v [u8]>, dictionary_bytes: usize, block_bits: u8) -> Option<Self> {
        let mut lists = Self {
            dictionary_bytes,
            block_bits,
            next_blocks: vec![0; TRIGRAMS],
            by_trigram: vec![0; TRIGRAMS],
            lists: Vec::new(),
            bytes: FIXED_BYTES,
        };
        let (mut start, mut folded) = (0, Vec::new());
        for value in values {
            folded.clear();
            fold_into(std::str::from_utf8(value).unwrap_or_default(), &mut folded);
            lists.add(start, &folded);
            start += value.len();
            while lists.bytes > dictionary_bytes / DICTIONARY_DIVISOR {
                if lists.block_bits >= *BLOCK_BITS.end() {
                    return None;
                }
                lists.double_blocks();
            }
        }
        Some(lists)
    }

    fn blocks(&self) -> usize {
        block_count(self.dictionary_bytes, self.block_bits)
    }

    /// Adds the value that begins at an offset of the dictionary.
    fn add(&mut self, start: usize, folded: &[u8]) {
        let block = (start >> self.block_bits) as u32;
        let max_list_bytes = bitmap_bytes(self.blocks());
        for bytes in folded.windows(3) {
            let trigram = trigram(bytes);
            let next = self.next_blocks[trigram as usize];
            if next > block {
                continue;
            }
            if next == 0 {
                self.by_trigram[trigram as usize] = self.lists.len() as u32;
                self.lists.push(BlockList { trigram, gaps: Vec::new() });
                self.bytes += LIST_OVERHEAD_BYTES;
            }
            let gaps = &mut self.lists[self.by_trigram[trigram as usize] as usize].gaps;
            let before = gaps.len().min(max_list_bytes);
            varint::write(gaps, u64::from(block - next));
            self.bytes += gaps.len().min(max_list_bytes) - before;
            self.next_blocks[trigram as usize] = block + 1;
        }
    }

    /// Makes two neighbouring blocks one.
    fn double_blocks(&mut self) {
        self.block_bits += 1;
        let max_list_bytes = bitmap_bytes(self.blocks());
        self.bytes = FIXED_BYTES;
        for BlockList { trigram, gaps } in &mut self.lists {
            let (smaller, mut next) = (std::mem::take(gaps), 0);
            for_each_block(&smaller, |block| {
                let block = (block / 2) as u32;
                if next <= block {
                    varint::write(gaps, u64::from(block - next));
                    next = block + 1;
                }
            });
            self.next_blocks[*trigram as usize] = next;
            self.bytes += LIST_OVERHEAD_BYTES + gaps.len().min(max_list_bytes);
        }
    }

    fn write(mut self, out: &mut SectionWriter) -> TrigramMetadata {
        let bitmap_bytes = bitmap_bytes(self.blocks());
        self.lists.sort_unstable_by_key(|list| list.trigram);
        let mut lists = self.lists.iter().peekable();
        let (mut starts, mut bytes) = (Vec::with_capacity(GROUPS + 1), Vec::with_capacity(self.bytes));
        for group in 0..GROUPS as u32 {
            starts.push(bytes.len() as u32);
            while let Some(list) = lists.next_if(|list| list.trigram >> CLASS_BITS == group) {
                bytes.push((list.trigram % CLASSES as u32) as u8);
                varint::write(&mut bytes, list.gaps.len().min(bitmap_bytes) as u64);
                if list.gaps.len() < bitmap_bytes {
                    bytes.extend_from_slice(&list.gaps);
                    continue;
                }
                let start = bytes.len();
                bytes.resize(start + bitmap_bytes, 0);
                for_each_block(&list.gaps, |block| bytes[start + block as usize / 8] |= 1 << (block % 8));
            }
        }
        starts.push(bytes.len() as u32);
        TrigramMetadata { block_bits: self.block_bits, starts: out.numbers(&starts), lists: out.bytes(&bytes) }
    }
}

/// The trigram index of a dictionary.
#[derive(Clone, Copy)]
pub(crate) struct TrigramIndex<'a> {
    block_bits: u8,
    starts: &'a [u32],
    lists: &'a [u8],
}

impl<'a> TrigramIndex<'a> {
    /// Returns the ordinals of the values that may contain all of the folded texts, in order; nothing if they are too
    /// short to tell.
    pub(crate) fn candidates(&self, dictionary: &Dictionary<'_>, texts: &[Vec<u8>]) -> Option<Vec<Range<u32>>> {
        let mut trigrams: Vec<u32> = texts.iter().flat_map(|text| text.windows(3).map(trigram)).collect();
        if trigrams.is_empty() {
            return None;
        }
        trigrams.sort_unstable();
        trigrams.dedup();
        let blocks = block_count(dictionary.byte_count(), self.block_bits);
        let mut common = Bitset::full(blocks);
        for &trigram in trigrams.iter().step_by(trigrams.len().div_ceil(MAX_TRIGRAMS_READ)) {
            common.intersect_with(&self.blocks_with(trigram, blocks));
        }
        let end = dictionary.len() as u32;
        let mut candidates: Vec<Range<u32>> = Vec::new();
        common.for_each(|block| {
            let last = candidates.last().map_or(0, |last| last.end);
            let from = dictionary.first_at(last..end, block << self.block_bits);
            let to = dictionary.first_at(from..end, (block + 1) << self.block_bits);
            match candidates.last_mut() {
                Some(last) if last.end == from => last.end = to,
                _ => candidates.push(from..to),
            }
        });
        Some(candidates)
    }

    /// Returns whether some value may contain three bytes of a text side by side. Only ASCII tells: other letters may change
    /// when they are folded.
    pub(crate) fn may_contain(&self, mut bytes: [u8; 3]) -> bool {
        let is_ascii = bytes.is_ascii();
        bytes.make_ascii_lowercase();
        !is_ascii || self.list(trigram(&bytes)).is_some()
    }

    /// Returns the blocks with a trigram.
    fn blocks_with(&self, trigram: u32, blocks: usize) -> Bitset {
        let list = self.list(trigram).unwrap_or_default();
        if list.len() == bitmap_bytes(blocks) {
            let mut words = list.chunks(WORD_BITS / 8).map(|bytes| {
                let mut word = [0; WORD_BITS / 8];
                word[..bytes.len()].copy_from_slice(bytes);
                u64::from_le_bytes(word)
            });
            return Bitset::from_fn(blocks, |_| words.next().unwrap_or_default());
        }
        let mut set = Bitset::empty(blocks);
        for_each_block(list, |block| {
            if block < blocks as u64 {
                set.insert(block as usize);
            }
        });
        set
    }

    fn list(&self, trigram: u32) -> Option<&'a [u8]> {
        let group = (trigram >> CLASS_BITS) as usize;
        let group = *self.starts.get(group)? as usize..*self.starts.get(group + 1)? as usize;
        let lists = self.lists.get(group)?;
        let mut offset = 0;
        while let Some(&class) = lists.get(offset) {
            offset += 1;
            let length = usize::try_from(varint::read(lists, &mut offset)).ok()?;
            let list = lists.get(offset..offset.checked_add(length)?)?;
            if u32::from(class) == trigram % CLASSES as u32 {
                return Some(list);
            }
            offset += length;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use memchr::memmem;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    use super::super::dictionary::DictionaryMetadata;
    use super::*;
    use crate::platform::SegmentStorage;
    use crate::value_encoding::ValueClass;

    /// So many values of any kind are enough for an index.
    const VALUES: usize = 30_000;

    struct Indexed {
        values: Vec<String>,
        bytes: Vec<u8>,
        dictionary: DictionaryMetadata,
        trigrams: Option<TrigramMetadata>,
    }

    impl Indexed {
        fn new(values: impl Iterator<Item = String>) -> Self {
            let values: Vec<String> = values.collect::<BTreeSet<_>>().into_iter().collect();
            let mut out = SectionWriter::default();
            let texts = values.iter().map(|value| value.as_bytes());
            let dictionary = DictionaryMetadata::of_bytes(texts.clone(), &mut out);
            let trigrams = TrigramMetadata::write(texts, &mut out);
            Self { values, bytes: out.into_bytes(), dictionary, trigrams }
        }

        fn candidates(&self, bytes: Vec<u8>, texts: &[Vec<u8>]) -> Option<Vec<Range<u32>>> {
            let storage = SegmentStorage::memory(bytes);
            let dictionary = self.dictionary.open(ValueClass::Keyword, &storage);
            self.trigrams.and_then(|trigrams| trigrams.open(&storage)).unwrap().candidates(&dictionary, texts)
        }
    }

    fn folded(text: &str) -> Vec<u8> {
        let mut folded = Vec::new();
        fold_into(text, &mut folded);
        folded
    }

    fn random_text(random: &mut StdRng, alphabet: &[char], length: usize) -> String {
        (0..length).map(|_| alphabet[random.random_range(0..alphabet.len())]).collect()
    }

    /// Returns dictionaries of different kinds: names in order, checksums, and texts in which case and bytes vary.
    fn dictionaries(random: &mut StdRng) -> [Indexed; 3] {
        let hex: Vec<char> = "0123456789abcdef".chars().collect();
        let mixed: Vec<char> = "aAbBäÄİΣς日本-".chars().collect();
        [
            Indexed::new((0..VALUES).map(|number| format!("DO{:07}-FL{number:07}.vcf.gz", number / 7))),
            // So many that the size of the blocks is found out on a part of them.
            Indexed::new((0..70_000).map(|_| random_text(random, &hex, 32))),
            Indexed::new((0..VALUES).map(|number| {
                let length = if number % 1_000 == 0 { 5_000 } else { random.random_range(0..30_usize) };
                random_text(random, &mixed, length)
            })),
        ]
    }

    #[test]
    fn every_value_that_contains_the_texts_is_a_candidate() {
        let random = &mut StdRng::seed_from_u64(1);
        for indexed in dictionaries(random) {
            let TrigramMetadata { starts, lists, .. } = indexed.trigrams.unwrap();
            let dictionary_bytes: usize = indexed.values.iter().map(String::len).sum();
            assert!((starts.len() + lists.len()) * DICTIONARY_DIVISOR <= dictionary_bytes, "{} bytes", lists.len());
            let by_value: Vec<Vec<u8>> = indexed.values.iter().map(|value| folded(value)).collect();
            let mut excluded = 0;
            for _ in 0..40 {
                let mut part = || {
                    let value: Vec<char> = indexed.values[random.random_range(0..by_value.len())].chars().collect();
                    let start = random.random_range(0..=value.len());
                    let end = (start + random.random_range(0..7_usize)).min(value.len());
                    folded(&String::from_iter(&value[start..end]))
                };
                let texts = [part(), part()];
                let Some(candidates) = indexed.candidates(indexed.bytes.clone(), &texts) else {
                    assert!(texts.iter().all(|text| text.len() < 3));
                    continue;
                };
                assert!(candidates.windows(2).all(|ranges| ranges[0].end <= ranges[1].start));
                excluded += by_value.len() - candidates.iter().map(|range| range.len()).sum::<usize>();
                for (ordinal, value) in by_value.iter().enumerate() {
                    if texts.iter().all(|text| memmem::find(value, text).is_some()) {
                        assert!(candidates.iter().any(|range| range.contains(&(ordinal as u32))), "{texts:?}");
                    }
                }
            }
            assert!(excluded > by_value.len(), "{excluded} in all searches");
        }
    }

    #[test]
    fn few_values_and_incompressible_ones_have_no_index() {
        let random = &mut StdRng::seed_from_u64(2);
        assert_eq!(Indexed::new((0..1_000).map(|number| format!("value {number}"))).trigrams, None);
        let alphabet: Vec<char> = (' '..='~').filter(|letter| !letter.is_ascii_uppercase()).collect();
        let long = (0..1_000).map(|_| random_text(random, &alphabet, 1_000));
        assert_eq!(Indexed::new(long).trigrams, None);
    }

    #[test]
    fn a_damaged_index_is_read_without_a_panic() {
        let random = &mut StdRng::seed_from_u64(3);
        let indexed = Indexed::new((0..VALUES).map(|number| format!("value {number:07}")));
        let TrigramMetadata { starts, lists, .. } = indexed.trigrams.unwrap();
        for _ in 0..60 {
            let mut bytes = indexed.bytes.clone();
            for section in [starts, lists] {
                for _ in 0..section.len() / 4 {
                    bytes[section.start() + random.random_range(0..section.len())] = random.random();
                }
            }
            for candidates in indexed.candidates(bytes, &[b"value".to_vec(), b"0123".to_vec()]).unwrap() {
                assert!(candidates.end as usize <= indexed.values.len());
            }
        }
        for block_bits in [0, 8, 13, 255] {
            let storage = SegmentStorage::memory(indexed.bytes.clone());
            assert!(TrigramMetadata { block_bits, ..indexed.trigrams.unwrap() }.open(&storage).is_none());
        }
    }
}
