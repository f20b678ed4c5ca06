//! The secret of an API key: generated once, shown once, stored only as a digest.
//!
//! The digest is a plain SHA-256. Slow hashes protect passwords, which can be guessed; 32 random bytes cannot, so a
//! slow hash would only slow down every request. A key is looked up by its digest: an attacker cannot choose the
//! beginning of a digest, so the time of a lookup reveals nothing about the existing keys.

use std::fmt;
use std::hash::{Hash, Hasher};

use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use rand::TryRngCore;
use rand::rngs::OsRng;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The prefix of every key, by which secret scanners recognise one.
pub const KEY_PREFIX: &str = "cantata_";

/// The secret of a key.
pub struct KeySecret(String);

impl KeySecret {
    /// Generates a secret.
    ///
    /// # Errors
    ///
    /// If the system provides no random numbers.
    pub fn generate() -> Result<Self, rand::rand_core::OsError> {
        let mut bytes = [0; 32];
        OsRng.try_fill_bytes(&mut bytes)?;
        Ok(Self(format!("{KEY_PREFIX}{}", HEXLOWER.encode(&bytes))))
    }

    /// Returns the secret itself.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Returns its digest.
    pub fn digest(&self) -> KeyDigest {
        KeyDigest::of(&self.0)
    }
}

impl fmt::Debug for KeySecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(redacted)")
    }
}

/// The SHA-256 digest of a credential; compared in constant time.
#[derive(Clone, Copy)]
pub struct KeyDigest([u8; 32]);

impl KeyDigest {
    /// Computes the digest of a credential.
    pub fn of(credential: &str) -> Self {
        Self(Sha256::digest(credential.as_bytes()).into())
    }

    /// Returns it as hexadecimal digits.
    pub(crate) fn to_hex(self) -> String {
        HEXLOWER.encode(&self.0)
    }
}

impl PartialEq for KeyDigest {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Eq for KeyDigest {}

impl Hash for KeyDigest {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl fmt::Debug for KeyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(redacted)")
    }
}

impl Serialize for KeyDigest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_hex())
    }
}

impl<'de> Deserialize<'de> for KeyDigest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok().and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self).ok_or_else(|| de::Error::custom("expected 64 hexadecimal digits"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_long_new_each_time_and_never_shown_by_accident() {
        let (one, other) = (KeySecret::generate().unwrap(), KeySecret::generate().unwrap());
        assert_eq!(one.reveal().len(), KEY_PREFIX.len() + 64);
        assert_ne!(one.reveal(), other.reveal());
        assert_ne!(one.digest(), other.digest());
        assert!(!format!("{one:?} {:?}", one.digest()).contains(&one.reveal()[KEY_PREFIX.len()..]));
    }

    #[test]
    fn a_digest_reads_back_and_is_not_the_secret() {
        let secret = KeySecret::generate().unwrap();
        let written = serde_json::to_string(&secret.digest()).unwrap();
        assert!(!written.contains(&secret.reveal()[KEY_PREFIX.len()..]));
        assert_eq!(serde_json::from_str::<KeyDigest>(&written).unwrap(), secret.digest());
        for wrong in ["\"\"", "\"ab\"", "3", &format!("\"{}\"", "g".repeat(64)), &format!("\"{}\"", "é".repeat(32))] {
            assert!(serde_json::from_str::<KeyDigest>(wrong).is_err(), "{wrong}");
        }
    }
}
