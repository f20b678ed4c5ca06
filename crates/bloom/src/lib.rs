//! Blocked Bloom filters: all bits of a key are in one block, so that a query touches one cache line.
//!
//! A filter is a list of 64-bit words, which may be mapped from a file. How a key is spread over them is its layout.
//! Layouts are part of file formats: they must never change.

/// A hashed key and the layout of its bits.
pub trait BloomKey: Copy {
    /// Returns the words that the key uses of a filter of this many words, each with the bits of the key.
    fn probes(self, words: usize) -> impl Iterator<Item = (usize, u64)>;

    /// Sets the bits of the key.
    #[inline]
    fn insert_into(self, filter: &mut [u64]) {
        self.probes(filter.len()).for_each(|(word, bits)| filter[word] |= bits);
    }

    /// Says whether the key may have been inserted; false is certain.
    #[inline]
    fn may_be_in(self, filter: &[u64]) -> bool {
        // Each bit of a half-full filter is as good as random. Without a branch for each, the processor fetches the blocks
        // of the next keys while it waits for this one.
        self.probes(filter.len()).fold(true, |is_set, (word, bits)| is_set & (filter[word] & bits == bits))
    }
}

/// Marks those of some keys that may have been inserted, beside those that are marked already.
///
/// The first bit of every key is looked at before the others of any: so the processor fetches the blocks of many keys at
/// once, where it would else spend most of the time waiting for memory.
pub fn mark_present<K: BloomKey>(keys: impl Iterator<Item = K> + Clone, filter: &[u64], is_present: &mut [bool]) {
    let has_first_bit = |key: K| key.probes(filter.len()).take(1).all(|(word, bits)| filter[word] & bits == bits);
    let candidates: Vec<bool> = keys.clone().map(has_first_bit).collect();
    for ((key, is_candidate), is_present) in keys.zip(candidates).zip(is_present) {
        *is_present |= is_candidate && key.may_be_in(filter);
    }
}

/// An evenly distributed 64-bit hash: eight bits in a block of 512. With sixteen bits for each entry, about one absent key
/// in a thousand passes. Filters of earlier versions have twelve, and the same layout.
#[derive(Debug, Clone, Copy)]
pub struct BlockKey(pub i64);

impl BlockKey {
    const BITS_PER_ENTRY: usize = 16;
    const WORDS_PER_BLOCK: usize = 8;
    const PROBES: u32 = 8;

    /// Makes an empty filter for this many entries.
    pub fn filter_for(entries: usize) -> Vec<u64> {
        let blocks = (entries * Self::BITS_PER_ENTRY).div_ceil(64 * Self::WORDS_PER_BLOCK).max(1);
        vec![0; blocks * Self::WORDS_PER_BLOCK]
    }

    /// Says whether a filter has a whole number of blocks.
    pub fn is_filter(words: &[u64]) -> bool {
        !words.is_empty() && words.len().is_multiple_of(Self::WORDS_PER_BLOCK)
    }
}

impl BloomKey for BlockKey {
    #[inline]
    fn probes(self, words: usize) -> impl Iterator<Item = (usize, u64)> {
        let [a, b, c, d, e, f, g, h] = self.0.to_be_bytes();
        let (high, low) = (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h]));
        let blocks = (words / Self::WORDS_PER_BLOCK) as u64;
        let block = usize::try_from((u64::from(high) * blocks) >> 32).unwrap_or(0);
        (0..Self::PROBES).map(move |probe| {
            let position = low.wrapping_mul(probe * 2 + 1).rotate_left(probe * 4) >> 23;
            (block * Self::WORDS_PER_BLOCK + (position / 64) as usize, 1 << (position % 64))
        })
    }
}

/// A 32-bit hash: two bits in one word. With two entries for each word, about one absent key in two hundred passes.
#[derive(Debug, Clone, Copy)]
pub struct WordKey(pub u32);

impl WordKey {
    const ENTRIES_PER_WORD: usize = 2;
    /// The bits of the hash that choose the word, and those that choose each bit in it.
    const WORD_BITS: u32 = 20;
    const POSITION_BITS: u32 = 6;

    /// Makes an empty filter for this many entries; its length is a power of two.
    pub fn filter_for(entries: usize) -> Vec<u64> {
        vec![0; entries.div_ceil(Self::ENTRIES_PER_WORD).next_power_of_two().min(1 << Self::WORD_BITS)]
    }
}

impl BloomKey for WordKey {
    #[inline]
    fn probes(self, words: usize) -> impl Iterator<Item = (usize, u64)> {
        let bit = |skipped: u32| 1_u64 << (self.0 >> skipped & ((1 << Self::POSITION_BITS) - 1));
        let bits = bit(Self::WORD_BITS) | bit(Self::WORD_BITS + Self::POSITION_BITS);
        std::iter::once((self.0 as usize & (words - 1), bits))
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn random_key() -> BlockKey {
        let [a, b, c, d, e, f, _, _, _, g, h, ..] = Uuid::new_v4().into_bytes();
        BlockKey(i64::from_be_bytes([a, b, c, d, e, f, g, h]))
    }

    #[test]
    fn what_was_added_passes_and_little_else_does() {
        let added: Vec<BlockKey> = (0..10_000).map(|_| random_key()).collect();
        let mut filter = BlockKey::filter_for(added.len());
        added.iter().for_each(|key| key.insert_into(&mut filter));
        assert!(added.iter().all(|key| key.may_be_in(&filter)));
        let passing = (0..10_000).filter(|_| random_key().may_be_in(&filter)).count();
        assert!(passing < 50, "{passing} of 10,000 pass");
    }

    #[test]
    fn several_keys_are_marked_like_each_of_them() {
        let keys: Vec<BlockKey> = (0..1_000).map(|_| random_key()).collect();
        let mut filter = BlockKey::filter_for(50);
        keys[..100].iter().for_each(|key| key.insert_into(&mut filter));
        let mut is_present: Vec<bool> = (0..keys.len()).map(|index| index >= 990).collect();
        mark_present(keys.iter().copied(), &filter, &mut is_present);
        let expected = |(index, key): (usize, &BlockKey)| index >= 990 || key.may_be_in(&filter);
        assert_eq!(is_present, keys.iter().enumerate().map(expected).collect::<Vec<_>>());
        assert!(is_present[..100].iter().all(|is_present| *is_present));
    }

    #[test]
    fn the_bits_of_a_key_are_part_of_the_file_formats() {
        let probes: Vec<(usize, u64)> = BlockKey(0x1234_5678_9abc_def0).probes(64).collect();
        let words = probes.iter().map(|(word, _)| *word).collect::<Vec<_>>();
        assert!(words.iter().all(|word| word / 8 == (0x1234_5678_usize * 8) >> 32), "{words:?}");
        assert_eq!(WordKey(0xfff0_0003).probes(2).collect::<Vec<_>>(), [(1, 1 << 63)]);
    }
}
