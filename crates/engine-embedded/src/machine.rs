//! What the machine offers: files as memory, and instructions that not every processor has.
//!
//! This is the one place of the workspace with `unsafe` code. What must hold for it to be sound:
//!
//! * a mapped file is never written to and never cut short while it is mapped. A segment file is written and synced
//!   before it is opened for the first time, and from then on only read or removed; removing a mapped file leaves the
//!   mapping intact;
//! * code for certain instructions runs only after the processor was asked whether it has them.

#![allow(unsafe_code, reason = "see above for why each use is sound")]

use std::io;
use std::ops::Deref;
#[cfg(unix)]
use std::os::unix::fs::FileExt;
use std::path::Path;

use memmap2::Mmap;

/// The bytes of a segment, aligned for numbers of 64 bits.
pub(crate) enum Storage {
    /// A file.
    Mapped {
        /// Its bytes as memory.
        map: Mmap,
        /// The file itself, for what is read now and then and would only fill the memory of the process.
        #[cfg(unix)]
        file: std::fs::File,
    },
    /// Memory that happens to be aligned, as large pieces of memory are.
    Memory(Vec<u8>),
    /// Memory as whole words, and the number of bytes that count.
    Words(Vec<u64>, usize),
}

impl Storage {
    /// Maps a file.
    pub(crate) fn map(path: &Path) -> io::Result<Self> {
        let (file, _) = fs_err::File::open(path)?.into_parts();
        // SAFETY: segment files are never changed once they are opened; see the head of this file.
        let map = unsafe { Mmap::map(&file) }?;
        Ok(Self::Mapped {
            map,
            #[cfg(unix)]
            file,
        })
    }

    /// Copies bytes from a place on. Those of a file are read from it where that is possible, not from its mapping:
    /// pages that were looked at through a mapping count as memory of the process until they are needed elsewhere.
    pub(crate) fn read_at(&self, place: usize, out: &mut [u8]) -> io::Result<()> {
        #[cfg(unix)]
        if let Self::Mapped { file, .. } = self {
            return file.read_exact_at(out, place as u64);
        }
        let bytes = place.checked_add(out.len()).and_then(|end| self.get(place..end));
        out.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    /// Takes bytes into memory.
    pub(crate) fn memory(mut bytes: Vec<u8>) -> Self {
        bytes.shrink_to_fit();
        if bytes.as_ptr().cast::<u64>().is_aligned() {
            return Self::Memory(bytes);
        }
        let mut words = vec![0_u64; bytes.len().div_ceil(size_of::<u64>())];
        bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(&bytes);
        Self::Words(words, bytes.len())
    }
}

impl Deref for Storage {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped { map, .. } => map,
            Self::Memory(bytes) => bytes,
            Self::Words(words, length) => &bytemuck::cast_slice(words)[..*length],
        }
    }
}

/// Returns how many bits are set in both of two lists of words.
pub(crate) fn count_common(one: &[u64], two: &[u64]) -> usize {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor has the instructions.
        return unsafe { count_common_wide(one, two) };
    }
    count_common_plain(one, two)
}

#[inline]
fn count_common_plain(one: &[u64], two: &[u64]) -> usize {
    one.iter().zip(two).map(|(one, two)| (one & two).count_ones() as usize).sum()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt")]
fn count_common_wide(one: &[u64], two: &[u64]) -> usize {
    count_common_plain(one, two)
}
