//! The secret that spreads ids evenly.
//!
//! Entries are sorted by a hash of the id. Checksums come from clients, who could choose many that collide if the
//! hash were known; so it is keyed with a random secret of this look-up, kept in its database.

use uuid::Uuid;

use super::shared::Entry;

/// Hashes ids.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LookupKey(Uuid);

impl LookupKey {
    /// Makes a key nobody knows.
    pub(crate) fn random() -> Self {
        Self(Uuid::new_v4())
    }

    /// Rebuilds a key from its bytes.
    pub(crate) fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(Uuid::from_bytes(bytes))
    }

    /// Returns the bytes to keep.
    pub(crate) fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }

    /// Returns the hash of an object id or checksum.
    pub(crate) fn hash(self, id: &[u8; 16]) -> i64 {
        // A name-based UUID is a SHA-1 of secret and name, which is all that is wanted here.
        let [a, b, c, d, e, f, _, _, _, g, h, ..] = Uuid::new_v5(&self.0, id).into_bytes();
        i64::from_be_bytes([a, b, c, d, e, f, g, h])
    }

    /// Returns the two entries of a file row.
    pub(crate) fn entries_of(self, file_key: i64, object_id: &[u8; 16], md5: &[u8; 16]) -> [Entry; 2] {
        [(self.hash(object_id), file_key), (self.hash(md5), file_key)]
    }
}
