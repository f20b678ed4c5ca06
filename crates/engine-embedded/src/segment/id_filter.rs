//! A quick look whether an id may be in a segment.
//!
//! Each document that comes in is looked for in all segments, to replace what was there. Nearly always it is in none, and
//! one word of bits tells that sooner than a search among the ids, which are all over the file.
//!
//! It is a Bloom filter of the CRC-32 of each id; both are part of the segment format and must never change.

use cantata_bloom::{BloomKey, WordKey};

use super::sections::{Section, SectionWriter};

/// An id that is looked for.
#[derive(Clone, Copy)]
pub(crate) struct SoughtId<'a> {
    pub(super) id: &'a str,
    key: WordKey,
}

impl<'a> SoughtId<'a> {
    pub(crate) fn new(id: &'a str) -> Self {
        Self { id, key: WordKey(crc32fast::hash(id.as_bytes())) }
    }

    /// Says whether it may be among the ids that were written down; if not, it certainly is not. Nothing is known where
    /// there are no words.
    pub(super) fn may_be_among(&self, words: &[u64]) -> bool {
        words.is_empty() || self.key.may_be_in(words)
    }
}

/// Writes down which ids there are.
pub(crate) fn write_id_filter<'a>(ids: impl ExactSizeIterator<Item = &'a str>, out: &mut SectionWriter) -> Section {
    let mut words = WordKey::filter_for(ids.len());
    ids.for_each(|id| SoughtId::new(id).key.insert_into(&mut words));
    out.numbers(&words)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::segment::SegmentMetadata;

    fn filter_of(ids: &[String]) -> Vec<u64> {
        let mut out = SectionWriter::default();
        let section = write_id_filter(ids.iter().map(String::as_str), &mut out);
        section.numbers(&out.into_bytes()).to_vec()
    }

    #[test]
    fn every_id_that_is_there_may_be_there_and_few_others() {
        let there: Vec<String> = (0..1_024).map(|number| format!("id-{number}")).collect();
        let words = filter_of(&there);
        assert!(there.iter().all(|id| SoughtId::new(id).may_be_among(&words)));
        let is_sought = |number: &u32| SoughtId::new(&format!("id-{number}")).may_be_among(&words);
        let others = (1_024..11_024).filter(is_sought).count();
        assert!(others < 100, "{others} of 10000");
        assert!(!SoughtId::new("id").may_be_among(&filter_of(&[])));
    }

    #[test]
    fn files_from_before_say_nothing_so_every_id_may_be_there() {
        let before = serde_json::json!({
            "documents": 0, "ids": {"Numbers": [0, 0]}, "tape_starts": [0, 0], "tape": [0, 0],
            "paths": [], "shapes": [], "levels": [], "fields": [],
        });
        let metadata: SegmentMetadata = serde_json::from_value(before).unwrap();
        assert_eq!(metadata.id_filter, None);
        assert!(SoughtId::new("id").may_be_among(&[]));
    }

    #[test]
    fn the_bits_of_an_id_are_part_of_the_form_of_a_segment() {
        let words = filter_of(&(0..8).map(|number| format!("id-{number}")).collect::<Vec<_>>());
        assert_eq!(words, [0x10_2000_0050_0000, 0x1004_0080_0004, 0x1_0010_0000_0810, 0x6_0000_0004_0400]);
    }
}
