//! Identifiers and checksums, kept as numbers and spelled out only when they are written.

use std::fmt;

use serde::{Serialize, Serializer};
use uuid::Uuid;

use crate::random::Random;

/// A short identifier, such as `DO0000042`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Accession {
    /// The letters that say what is identified.
    pub(crate) prefix: &'static str,
    /// Its number among its like.
    pub(crate) number: u64,
}

impl fmt::Display for Accession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:07}", self.prefix, self.number)
    }
}

impl Serialize for Accession {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// An MD5 checksum.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Checksum(pub(crate) u128);

impl Serialize for Checksum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&format_args!("{:032x}", self.0))
    }
}

/// Returns a random UUID.
pub(crate) fn uuid(random: &mut Random) -> Uuid {
    uuid::Builder::from_random_bytes(random.wide().to_be_bytes()).into_uuid()
}
