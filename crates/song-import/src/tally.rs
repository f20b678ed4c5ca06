//! Counts and checksums by which two sides are compared.
//!
//! A checksum does not depend on the order in which things come, so neither side has to sort.

use sha2::{Digest, Sha256};

/// How many things there were, and what they were.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) count: u64,
    sum: u128,
}

impl Tally {
    /// Adds a thing that has these parts.
    pub(crate) fn add(&mut self, parts: &[&str]) {
        let mut hash = Sha256::new();
        for part in parts {
            // With its length before it, no part can look like two.
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let hash: [u8; 32] = hash.finalize().into();
        let half = hash.first_chunk::<16>().map_or(0, |half| u128::from_le_bytes(*half));
        self.count += 1;
        self.sum = self.sum.wrapping_add(half);
    }

    /// Returns the checksum as text.
    pub(crate) fn checksum(&self) -> String {
        format!("{:032x}", self.sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_does_not_matter_but_everything_else_does() {
        let tally = |things: &[&[&str]]| {
            let mut tally = Tally::default();
            things.iter().for_each(|thing| tally.add(thing));
            tally
        };
        assert_eq!(tally(&[&["a", "b"], &["c"]]), tally(&[&["c"], &["a", "b"]]));
        for other in [tally(&[&["ab"], &["c"]]), tally(&[&["a", "b"]]), tally(&[&["a", "b"], &["c"], &["c"]])] {
            assert_ne!(tally(&[&["a", "b"], &["c"]]), other);
        }
    }
}
