//! A quick look whether an id may be in a segment.
//!
//! While documents come in there are many small segments in memory, and each new document is looked for in all of them.
//! Nearly always it is in none, which one bit tells sooner than a search among the ids.

use crate::bitset::Bitset;

/// How many bits there are for each id: of so many ids that are not there, about one has to be searched for.
const BITS_FOR_EACH: usize = 16;

/// Which ids there are, by a checksum of them.
pub(super) struct IdFilter {
    seen: Bitset,
    /// How many bits there are: a power of two.
    length: usize,
}

impl IdFilter {
    pub(super) fn of<'a>(ids: impl ExactSizeIterator<Item = &'a str>) -> Self {
        let length = (ids.len() * BITS_FOR_EACH).next_power_of_two();
        let mut seen = Bitset::empty(length);
        ids.for_each(|id| seen.insert(place(id, length)));
        Self { seen, length }
    }

    /// Says whether an id may be there; if not, it certainly is not.
    pub(super) fn may_have(&self, id: &str) -> bool {
        self.seen.contains(place(id, self.length))
    }
}

/// Returns the bit of an id among so many.
fn place(id: &str, length: usize) -> usize {
    crc32fast::hash(id.as_bytes()) as usize & (length - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_that_is_there_may_be_there_and_few_others() {
        let there: Vec<String> = (0..1_000).map(|number| format!("id-{number}")).collect();
        let filter = IdFilter::of(there.iter().map(String::as_str));
        assert!(there.iter().all(|id| filter.may_have(id)));
        let others = (1_000..11_000).filter(|number| filter.may_have(&format!("id-{number}"))).count();
        assert!(others < 2_000, "{others} of 10000");
        assert!(!IdFilter::of([].into_iter()).may_have("id"));
    }
}
