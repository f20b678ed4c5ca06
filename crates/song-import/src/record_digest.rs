//! Order-independent digests of sets of records, so that neither side has to sort.

use sha2::{Digest, Sha256};

/// The number of records and the sum of their hashes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct RecordDigest {
    pub(crate) count: u64,
    sum: u128,
}

impl RecordDigest {
    /// Adds a record with these parts.
    pub(crate) fn add(&mut self, parts: &[&str]) {
        let mut hash = Sha256::new();
        for part in parts {
            // The length before each part keeps parts apart.
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
        let digest = |records: &[&[&str]]| {
            let mut digest = RecordDigest::default();
            records.iter().for_each(|record| digest.add(record));
            digest
        };
        assert_eq!(digest(&[&["a", "b"], &["c"]]), digest(&[&["c"], &["a", "b"]]));
        for other in [digest(&[&["ab"], &["c"]]), digest(&[&["a", "b"]]), digest(&[&["a", "b"], &["c"], &["c"]])] {
            assert_ne!(digest(&[&["a", "b"], &["c"]]), other);
        }
    }
}
