//! The Bloom filter of the ids of a segment.
//!
//! The id of each new document is looked up in all segments, to replace an older version. Nearly always it is in none, and
//! one word of the filter shows that faster than a binary search over the ids of the file.
//!
//! It holds the CRC-32 of each id; filter and hash are part of the segment format and must never change.

use cantata_bloom::{BloomKey, WordKey};

use super::sections::{Section, SectionWriter};

/// An id with the hash for the filters, so that a lookup in many segments hashes once.
#[derive(Clone, Copy)]
pub(crate) struct HashedId<'a> {
    pub(super) id: &'a str,
    key: WordKey,
}

impl<'a> HashedId<'a> {
    pub(crate) fn new(id: &'a str) -> Self {
        Self { id, key: WordKey(crc32fast::hash(id.as_bytes())) }
    }

    /// Returns whether the id may be in a filter; false is certain. An empty filter, of a file without one, has every id.
    pub(super) fn may_be_in(&self, words: &[u64]) -> bool {
        words.is_empty() || self.key.may_be_in(words)
    }
}

/// Writes the filter of the ids.
pub(crate) fn write_id_filter<'a>(ids: impl ExactSizeIterator<Item = &'a str>, out: &mut SectionWriter) -> Section {
    let mut words = WordKey::filter_for(ids.len());
    ids.for_each(|id| HashedId::new(id).key.insert_into(&mut words));
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
        assert!(there.iter().all(|id| HashedId::new(id).may_be_in(&words)));
        let is_sought = |number: &u32| HashedId::new(&format!("id-{number}")).may_be_in(&words);
        let others = (1_024..11_024).filter(is_sought).count();
        assert!(others < 100, "{others} of 10000");
        assert!(!HashedId::new("id").may_be_in(&filter_of(&[])));
    }

    #[test]
    fn files_from_before_say_nothing_so_every_id_may_be_there() {
        let before = serde_json::json!({
            "documents": 0, "ids": {"Numbers": [0, 0]}, "tape_starts": [0, 0], "tape": [0, 0],
            "paths": [], "shapes": [], "levels": [], "fields": [],
        });
        let metadata: SegmentMetadata = serde_json::from_value(before).unwrap();
        assert_eq!(metadata.id_filter, None);
        assert!(HashedId::new("id").may_be_in(&[]));
    }

    #[test]
    fn the_bits_of_an_id_are_part_of_the_form_of_a_segment() {
        let words = filter_of(&(0..8).map(|number| format!("id-{number}")).collect::<Vec<_>>());
        assert_eq!(words, [0x10_2000_0050_0000, 0x1004_0080_0004, 0x1_0010_0000_0810, 0x6_0000_0004_0400]);
    }
}
