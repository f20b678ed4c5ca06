//! A hash table of member names.
//!
//! Every member of every document is looked up here, so it must be fast: open addressing with a hash of the length and
//! three letters of the name, which finds most names that are not selected absent at once.

/// The table has at least this many places for each name, so that nearly all other names are at a free place.
const MIN_TABLE_RATIO: usize = 4;

/// Maps member names to slots.
#[derive(Debug, Default)]
pub(crate) struct MemberTable {
    names: Vec<String>,
    /// Slots plus one, at the hash of the name or after it; zero if empty. The length is a power of two.
    table: Vec<u16>,
}

impl MemberTable {
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns the slot of a name, which is added if it is new.
    pub(crate) fn add(&mut self, name: &str) -> usize {
        if let Some(slot) = self.find(name) {
            return slot;
        }
        self.names.push(name.to_owned());
        if self.names.len() * MIN_TABLE_RATIO > self.table.len() {
            self.table = vec![0; (self.names.len() * MIN_TABLE_RATIO * 2).next_power_of_two()];
            (0..self.names.len()).for_each(|slot| self.place(slot));
        } else {
            self.place(self.names.len() - 1);
        }
        self.names.len() - 1
    }

    /// Enters a slot at the hash of its name, or at the next free place.
    fn place(&mut self, slot: usize) {
        let last = self.table.len() - 1;
        let mut at = hash(&self.names[slot]) & last;
        while self.table[at] != 0 {
            at = (at + 1) & last;
        }
        // The limit of fields in a request keeps this below the range of the type.
        self.table[at] = u16::try_from(slot + 1).unwrap_or_default();
    }

    /// Returns the slot of a name.
    #[inline]
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let last = self.table.len().checked_sub(1)?;
        let mut at = hash(name) & last;
        loop {
            let slot = usize::from(self.table[at]).checked_sub(1)?;
            if self.names[slot] == name {
                return Some(slot);
            }
            at = (at + 1) & last;
        }
    }
}

#[inline]
fn hash(name: &str) -> usize {
    let bytes = name.as_bytes();
    let (first, last) = (bytes.first().copied().unwrap_or(0), bytes.last().copied().unwrap_or(0));
    let middle = bytes.get(bytes.len() / 2).copied().unwrap_or(0);
    bytes.len().wrapping_mul(31) ^ (usize::from(first) << 3) ^ (usize::from(last) << 1) ^ usize::from(middle)
}
