//! The memory table: entries found by hash, sorted only when they are flushed.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::state::LookupEntry;

/// Uses the hash of an entry as it is.
#[derive(Default)]
struct IdentityHasher(u64);

impl Hasher for IdentityHasher {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_i64(&mut self, hash: i64) {
        self.0 = hash.cast_unsigned();
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

type HashIndex<T> = HashMap<i64, T, BuildHasherDefault<IdentityHasher>>;

/// A set of entries. Nearly every hash has one block, so the first one needs no list.
#[derive(Default)]
pub(crate) struct MemTable {
    first: HashIndex<i64>,
    further: HashIndex<Vec<i64>>,
    count: usize,
}

impl MemTable {
    /// Returns how many entries there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Says whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Adds an entry, unless it is present.
    pub(crate) fn add(&mut self, (hash, block_key): LookupEntry) {
        let known = *self.first.entry(hash).or_insert_with(|| {
            self.count += 1;
            block_key
        });
        if known != block_key {
            let further = self.further.entry(hash).or_default();
            if further.last() != Some(&block_key) {
                further.push(block_key);
                self.count += 1;
            }
        }
    }

    /// Removes an entry that was added last for its hash.
    pub(crate) fn remove(&mut self, (hash, block_key): LookupEntry) {
        if let Some(further) = self.further.get_mut(&hash)
            && further.last() == Some(&block_key)
        {
            further.pop();
            self.count -= 1;
        } else if self.first.get(&hash) == Some(&block_key) {
            self.first.remove(&hash);
            self.count -= 1;
        }
    }

    /// Returns the block keys of a hash.
    pub(crate) fn of(&self, hash: i64) -> impl Iterator<Item = i64> {
        let further = self.further.get(&hash).into_iter().flatten();
        self.first.get(&hash).into_iter().chain(further).copied()
    }

    /// Returns all entries in order.
    pub(crate) fn sorted(&self) -> Vec<LookupEntry> {
        let first = self.first.iter().map(|(hash, block_key)| (*hash, *block_key));
        let further = self.further.iter().flat_map(|(hash, keys)| keys.iter().map(|block_key| (*hash, *block_key)));
        let mut sorted: Vec<LookupEntry> = first.chain(further).collect();
        sorted.sort_unstable();
        sorted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_found_taken_back_and_sorted() {
        let mut entries = MemTable::default();
        for entry in [(5, 1), (-3, 1), (5, 2), (5, 2), (5, 3), (-3, 1)] {
            entries.add(entry);
        }
        assert_eq!(entries.len(), 4);
        assert_eq!(entries.of(5).collect::<Vec<_>>(), [1, 2, 3]);
        assert_eq!(entries.sorted(), [(-3, 1), (5, 1), (5, 2), (5, 3)]);
        for entry in [(5, 3), (5, 2), (-3, 1), (7, 1)] {
            entries.remove(entry);
        }
        assert_eq!(entries.sorted(), [(5, 1)]);
        entries.remove((5, 1));
        assert!(entries.is_empty() && entries.of(5).next().is_none());
    }
}
