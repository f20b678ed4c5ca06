//! An entry of a WAL file as it is stored, and what proves that a broken one was synced.
//!
//! A power loss may break whatever was not synced: the entries with a position since the last one without, and the last
//! entry. An entry without a position is synced before the next one is written. So where such an entry has another one
//! behind it that continues its checksum, nothing up to it can be broken by a power loss: it is damage, and acknowledged
//! writes would be lost.
//!
//! A power loss may also leave there what another file once had in these blocks, several entries in a row. So every checksum
//! covers the seed of its file: entries of another one do not continue each other here. In files that were written before
//! this was so, only entries that follow on the last right one prove anything.

use crate::varint;

/// Length and checksum of an entry.
pub(super) const ENTRY_HEADER_BYTES: usize = 4 + 4;

/// Flag in the length of an entry that begins with a position. No entry is as long.
pub(super) const POSITION_FLAG: u32 = 1 << 31;

/// How many bytes are read at most in search of entries behind a broken one. Almost no place in a file could begin an
/// entry, so this is for forged files alone.
const MAX_SEARCHED_BYTES: usize = 1 << 30;

/// An entry; its checksum may be wrong.
pub(super) struct StoredEntry<'a> {
    length: [u8; 4],
    pub(super) has_position: bool,
    pub(super) checksum: u32,
    pub(super) content: &'a [u8],
    /// What is behind it in the file.
    pub(super) following: &'a [u8],
}

impl<'a> StoredEntry<'a> {
    /// Returns the entry at the beginning of bytes; nothing if they are too few.
    pub(super) fn first_of(bytes: &'a [u8]) -> Option<Self> {
        let (&[l0, l1, l2, l3, c0, c1, c2, c3], rest) = bytes.split_first_chunk::<ENTRY_HEADER_BYTES>()?;
        let length = u32::from_le_bytes([l0, l1, l2, l3]);
        let (content, following) = rest.split_at_checked((length & !POSITION_FLAG) as usize)?;
        Some(Self {
            length: [l0, l1, l2, l3],
            has_position: length & POSITION_FLAG != 0,
            checksum: u32::from_le_bytes([c0, c1, c2, c3]),
            content,
            following,
        })
    }

    /// Returns the checksum that it should have behind a chain.
    pub(super) fn checksum_after(&self, chain: ChecksumChain) -> u32 {
        chain.checksum_of(self.length, self.content)
    }

    fn follows(&self, chain: ChecksumChain) -> bool {
        self.checksum_after(chain) == self.checksum
    }

    /// Returns whether its lengths end where it ends, as those of every entry that was written. Most bytes that only look
    /// like an entry need not be hashed then. What is read counts as searched.
    fn has_right_lengths(&self, searched_bytes: &mut usize) -> bool {
        let mut rest = self.content;
        let mut read = || -> Option<()> {
            if self.has_position {
                let position = take_length(&mut rest)?;
                take(&mut rest, position)?;
            }
            while !rest.is_empty() {
                *searched_bytes += 1;
                if *searched_bytes > MAX_SEARCHED_BYTES {
                    return None;
                }
                let (source, id) = (take_length(&mut rest)?, take_length(&mut rest)?);
                take(&mut rest, source.checked_add(id)?)?;
            }
            Some(())
        };
        read().is_some()
    }
}

/// The checksums of the entries of a file up to one of them. Each covers the one before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChecksumChain {
    /// What every checksum covers; nothing in files of an earlier version.
    seed: Option<u32>,
    /// The last checksum.
    last: u32,
}

impl ChecksumChain {
    /// Returns the chain of a file without entries.
    pub(super) fn new(seed: u32) -> Self {
        Self { seed: Some(seed), last: seed }
    }

    /// Returns the chain of a file without entries, of a version whose checksums did not cover the seed of the file.
    pub(super) fn without_seed(header: &[u8]) -> Self {
        Self { seed: None, last: crc32fast::hash(header) }
    }

    /// Returns the chain behind an entry, given its checksum.
    pub(super) fn after(self, checksum: u32) -> Self {
        Self { last: checksum, ..self }
    }

    /// Returns the checksum of the next entry.
    pub(super) fn checksum_of(self, length: [u8; 4], content: &[u8]) -> u32 {
        let mut hasher = crc32fast::Hasher::new();
        if let Some(seed) = self.seed {
            hasher.update(&seed.to_le_bytes());
        }
        hasher.update(&self.last.to_le_bytes());
        hasher.update(&length);
        hasher.update(content);
        hasher.finalize()
    }
}

/// Takes a number from the beginning; nothing if it is too large.
pub(super) fn take_length(bytes: &mut &[u8]) -> Option<usize> {
    let mut offset = 0;
    let length = varint::read(bytes, &mut offset);
    take(bytes, offset)?;
    usize::try_from(length).ok()
}

/// Takes bytes from the beginning; nothing if there are fewer.
pub(super) fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let all: &'a [u8] = bytes;
    let (taken, rest) = all.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

/// Returns whether the rest of a file that begins with a broken entry was synced, at least in part. The chain before it is
/// right.
pub(super) fn was_synced(chain: ChecksumChain, broken: &[u8]) -> bool {
    let Some((&[_, _, _, _, c0, c1, c2, c3], content)) = broken.split_first_chunk::<ENTRY_HEADER_BYTES>() else {
        return false;
    };
    let stored = u32::from_le_bytes([c0, c1, c2, c3]);
    // Whether it is an entry without a position whose length alone is wrong.
    let is_whole = |length: usize| {
        let header = u32::try_from(length).unwrap_or_default().to_le_bytes();
        chain.checksum_of(header, &content[..length]) == stored
    };
    let mut searched_bytes = 0;
    for start in 0..broken.len() {
        let Some(entry) = StoredEntry::first_of(&broken[start..]) else { continue };
        // Otherwise an empty entry would begin at every place of a hole.
        if start > 0 && entry.length == [0; 4] && entry.checksum == 0 {
            continue;
        }
        let next = StoredEntry::first_of(entry.following)
            .filter(|next| !entry.has_position && next.has_right_lengths(&mut searched_bytes));
        let length = start.checked_sub(ENTRY_HEADER_BYTES).filter(|_| entry.has_right_lengths(&mut searched_bytes));
        searched_bytes += next.as_ref().map_or(0, |next| next.content.len());
        searched_bytes += length.map_or(0, |_| entry.content.len());
        if searched_bytes > MAX_SEARCHED_BYTES {
            return false;
        }
        let is_continued = next.is_some_and(|next| {
            // The checksum alone may be what is wrong.
            (chain.seed.is_some() && next.follows(chain.after(entry.checksum)))
                || (start == 0 && next.follows(chain.after(entry.checksum_after(chain))))
        });
        if is_continued || length.is_some_and(|length| entry.follows(chain.after(stored)) && is_whole(length)) {
            return true;
        }
    }
    false
}
