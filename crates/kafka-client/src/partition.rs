//! The default partitioner of the Java client, so that all producers of a topic agree.

/// Returns the partition of a key.
pub fn partition_of(key: &[u8], partitions: u32) -> u32 {
    // The sign is dropped by its bit, as the original does it; a remainder would be another number.
    (murmur2(key) & 0x7fff_ffff) % partitions.max(1)
}

/// MurmurHash2 of 32 bits with the seed of Kafka.
fn murmur2(key: &[u8]) -> u32 {
    const SEED: u32 = 0x9747_b28c;
    const MIX: u32 = 0x5bd1_e995;
    let (words, rest) = key.as_chunks::<4>();
    // A key is never so long that the cut matters, and the original counts in 32 bits too.
    let mut hash = SEED ^ key.len() as u32;
    for word in words {
        let mut word = u32::from_le_bytes(*word).wrapping_mul(MIX);
        word ^= word >> 24;
        hash = hash.wrapping_mul(MIX) ^ word.wrapping_mul(MIX);
    }
    if !rest.is_empty() {
        for (index, byte) in rest.iter().enumerate() {
            hash ^= u32::from(*byte) << (8 * index);
        }
        hash = hash.wrapping_mul(MIX);
    }
    hash ^= hash >> 13;
    hash = hash.wrapping_mul(MIX);
    hash ^ (hash >> 15)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys, with what `Utils.murmur2` of kafka-clients makes of them and the partition of twelve that follows.
    const KEYS: [(&str, i32, u32); 12] = [
        ("", 275_646_681, 9),
        ("a", -1_563_381_124, 4),
        ("ab", 316_155_434, 2),
        ("abc", 479_470_107, 3),
        ("abcd", -1_323_649_548, 8),
        ("21", -973_932_308, 0),
        ("foobar", -790_332_482, 6),
        ("a-little-bit-long-string", -985_981_536, 8),
        ("e0a3c1f2-9d4b-7c58-8f10-0123456789ab", -1_942_749_630, 2),
        ("00000000-0000-4000-8000-000000000000", -1_337_040_123, 5),
        ("f47ac10b-58cc-4372-a567-0e02b2c3d479", 1_964_707_646, 2),
        ("ü世", 1_107_369_129, 9),
    ];

    #[test]
    fn hash_and_partition_are_those_of_java() {
        for (key, hash, partition) in KEYS {
            assert_eq!(murmur2(key.as_bytes()).cast_signed(), hash, "{key:?}");
            assert_eq!(partition_of(key.as_bytes(), 12), partition, "{key:?}");
        }
    }
}
