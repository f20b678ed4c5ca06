//! A filter that says of most hashes that are not in a run that they are not, without looking at the run.
//!
//! Each hash sets eight bits of one 512-bit block, so asking touches one cache line. With twelve bits for an entry
//! about one hash in a hundred passes although it is not there.

const BITS_PER_ENTRY: usize = 12;
const WORDS_PER_BLOCK: usize = 8;
const PROBES: u32 = 8;

/// The bits, in blocks of eight words.
pub(crate) struct Bloom {
    words: Vec<u64>,
}

impl Bloom {
    /// Makes an empty filter for so many entries.
    pub(crate) fn for_entries(entries: usize) -> Self {
        let blocks = (entries * BITS_PER_ENTRY).div_ceil(64 * WORDS_PER_BLOCK).max(1);
        Self { words: vec![0; blocks * WORDS_PER_BLOCK] }
    }

    /// Adds a hash.
    pub(crate) fn add(&mut self, hash: i64) {
        for (word, bit) in self.places(hash) {
            self.words[word] |= bit;
        }
    }

    /// Says whether a hash may have been added; false is certain.
    pub(crate) fn may_contain(&self, hash: i64) -> bool {
        self.places(hash).all(|(word, bit)| self.words[word] & bit != 0)
    }

    /// Returns the words and bits of a hash, which is spread evenly itself.
    fn places(&self, hash: i64) -> impl Iterator<Item = (usize, u64)> + use<> {
        let [a, b, c, d, e, f, g, h] = hash.to_be_bytes();
        let (high, low) = (u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes([e, f, g, h]));
        let blocks = (self.words.len() / WORDS_PER_BLOCK) as u64;
        let block = usize::try_from((u64::from(high) * blocks) >> 32).unwrap_or(0);
        (0..PROBES).map(move |probe| {
            let position = low.wrapping_mul(probe * 2 + 1).rotate_left(probe * 4) >> 23;
            (block * WORDS_PER_BLOCK + (position / 64) as usize, 1 << (position % 64))
        })
    }

    /// Returns the bits as bytes.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        self.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Rebuilds a filter, if these are the bytes of one.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (chunks, rest) = bytes.as_chunks();
        let words: Vec<u64> = chunks.iter().map(|chunk| u64::from_le_bytes(*chunk)).collect();
        (rest.is_empty() && !words.is_empty() && words.len().is_multiple_of(WORDS_PER_BLOCK)).then_some(Self { words })
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn random_hash() -> i64 {
        let [a, b, c, d, e, f, _, _, _, g, h, ..] = Uuid::new_v4().into_bytes();
        i64::from_be_bytes([a, b, c, d, e, f, g, h])
    }

    #[test]
    fn what_was_added_passes_and_little_else_does() {
        let added: Vec<i64> = (0..10_000).map(|_| random_hash()).collect();
        let mut bloom = Bloom::for_entries(added.len());
        added.iter().for_each(|hash| bloom.add(*hash));
        let bloom = Bloom::from_bytes(&bloom.to_bytes()).unwrap();
        assert!(added.iter().all(|hash| bloom.may_contain(*hash)));
        let passing = (0..10_000).filter(|_| bloom.may_contain(random_hash())).count();
        assert!(passing < 500, "{passing} of 10,000 pass");
    }

    #[test]
    fn other_bytes_are_no_filter() {
        assert!(Bloom::from_bytes(&[]).is_none());
        assert!(Bloom::from_bytes(&[0; 65]).is_none());
    }
}
