//! The secret key of the hash function.
//!
//! Entries are sorted by a hash of the id. Checksums come from clients, who could choose many that collide if the
//! hash were known; so it is keyed with a random secret, which is stored in the lookup database.

use std::hash::Hasher;

use cantata_store::FileRow;
use siphasher::sip::SipHasher13;
use uuid::Uuid;

/// Hashes ids.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LookupKey(Uuid);

impl LookupKey {
    /// Makes a random key.
    pub(crate) fn random() -> Self {
        Self(Uuid::new_v4())
    }

    /// Rebuilds a key from its bytes.
    pub(crate) fn from_bytes(bytes: [u8; 16]) -> Self {
        Self(Uuid::from_bytes(bytes))
    }

    /// Returns the bytes to store.
    pub(crate) fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }

    /// Returns the hash of an object id or checksum.
    pub(crate) fn hash(self, id: &[u8; 16]) -> i64 {
        let mut hasher = SipHasher13::new_with_key(self.0.as_bytes());
        hasher.write(id);
        i64::from_ne_bytes(hasher.finish().to_ne_bytes())
    }

    /// Returns the hashes of a file's object id and checksum.
    pub(crate) fn hashes_of(self, file: &FileRow) -> [i64; 2] {
        [self.hash(file.object_id.as_bytes()), self.hash(&file.md5)]
    }
}
