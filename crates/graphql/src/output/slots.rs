//! The members of an object that are wanted, found by name.
//!
//! Every member of every document is looked up here, so it must be fast: a small open table over the length and the
//! first and last letters of the names, which is empty for most names that are not wanted.

/// Names with their places.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    names: Vec<String>,
    /// Places plus one, at the hash of the name or after it; zero where there is none. A power of two long.
    table: Vec<u16>,
}

impl Slots {
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns the place of a name, which is added if it is new.
    pub(crate) fn add(&mut self, name: &str) -> usize {
        if let Some(known) = self.find(name) {
            return known;
        }
        self.names.push(name.to_owned());
        self.table = vec![0; (self.names.len() * 4).next_power_of_two()];
        for (place, name) in self.names.iter().enumerate() {
            let mut at = hash(name) & (self.table.len() - 1);
            while self.table[at] != 0 {
                at = (at + 1) & (self.table.len() - 1);
            }
            // A selection has fewer fields than that, or it would have been refused.
            self.table[at] = u16::try_from(place + 1).unwrap_or_default();
        }
        self.names.len() - 1
    }

    /// Returns the place of a name.
    #[inline]
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        let last = self.table.len().checked_sub(1)?;
        let mut at = hash(name) & last;
        loop {
            let place = usize::from(self.table[at]).checked_sub(1)?;
            if self.names[place] == name {
                return Some(place);
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
