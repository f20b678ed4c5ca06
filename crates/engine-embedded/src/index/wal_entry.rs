//! An entry of a WAL file as it is stored, and what proves that a broken one was synced.
//!
//! A power loss may break whatever was not synced: the entries with a position since the last one without, and the last
//! entry. An entry without a position is synced before the next one is written. So where such an entry has another one
//! behind it that continues its checksum, nothing up to it can be broken by a power loss: it is damage, and acknowledged
//! writes would be lost.

/// Length and checksum of an entry.
pub(super) const ENTRY_HEADER_BYTES: usize = 4 + 4;

/// Flag in the length of an entry that begins with a position. No entry is as long.
pub(super) const POSITION_FLAG: u32 = 1 << 31;

/// How many bytes are hashed at most in search of entries behind a broken one. Almost no place in a file could begin an
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

    /// Returns the checksum that it should have, given the one before it.
    pub(super) fn checksum_after(&self, before: u32) -> u32 {
        chained_checksum(before, self.length, self.content)
    }

    fn follows(&self, before: u32) -> bool {
        self.checksum_after(before) == self.checksum
    }
}

/// Returns the checksum of an entry, given the one before it.
pub(super) fn chained_checksum(before: u32, length: [u8; 4], content: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&before.to_le_bytes());
    hasher.update(&length);
    hasher.update(content);
    hasher.finalize()
}

/// Returns whether the rest of a file that begins with a broken entry was synced, at least in part. The checksum before it
/// is right.
pub(super) fn was_synced(before: u32, broken: &[u8]) -> bool {
    let Some((&[_, _, _, _, c0, c1, c2, c3], content)) = broken.split_first_chunk::<ENTRY_HEADER_BYTES>() else {
        return false;
    };
    let stored = u32::from_le_bytes([c0, c1, c2, c3]);
    // Whether it is an entry without a position whose length alone is wrong.
    let is_whole = |length: usize| {
        let header = u32::try_from(length).unwrap_or_default().to_le_bytes();
        chained_checksum(before, header, &content[..length]) == stored
    };
    let mut searched_bytes = 0;
    for start in 0..broken.len() {
        let Some(entry) = StoredEntry::first_of(&broken[start..]) else { continue };
        let next = StoredEntry::first_of(entry.following).filter(|_| !entry.has_position);
        searched_bytes += entry.content.len() + next.as_ref().map_or(0, |next| next.content.len());
        if searched_bytes > MAX_SEARCHED_BYTES {
            return false;
        }
        let is_continued = next.is_some_and(|next| {
            // The checksum alone may be what is wrong.
            next.follows(entry.checksum) || (start == 0 && next.follows(entry.checksum_after(before)))
        });
        let length = start.checked_sub(ENTRY_HEADER_BYTES);
        if is_continued || length.is_some_and(|length| entry.follows(stored) && is_whole(length)) {
            return true;
        }
    }
    false
}
