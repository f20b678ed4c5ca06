//! Platform layer: memory-mapped files, and processor instructions that are not always available.
//!
//! This is the only module of the workspace with `unsafe` code. What must hold for it to be sound:
//!
//! * a mapped file is never written to or truncated while it is mapped. A segment file is written and synced
//!   before it is opened for the first time, and from then on only read or removed; removing a mapped file leaves the
//!   mapping intact;
//! * functions for certain instructions are called only after the processor was found to have them.

#![allow(unsafe_code, reason = "see above for why each use is sound")]

mod nested_rows;
mod scattered_reads;

pub(crate) use nested_rows::{count_parents, lift_rows, lower_rows};
pub(crate) use scattered_reads::FilePart;

use std::io;
use std::ops::Deref;
#[cfg(unix)]
use std::os::unix::fs::FileExt;
use std::path::Path;

use memmap2::Mmap;

/// The bytes of a segment, aligned for numbers of 64 bits.
pub(crate) enum SegmentStorage {
    /// A memory-mapped file.
    Mapped {
        map: Mmap,
        /// The file itself, for parts that are read rarely and need not stay in memory.
        #[cfg(unix)]
        file: std::fs::File,
    },
    /// An allocation that is aligned, as large ones are.
    Memory(Vec<u8>),
    /// Whole words, and the number of bytes in use.
    Words(Vec<u64>, usize),
}

impl SegmentStorage {
    /// Maps a file.
    pub(crate) fn map(path: &Path) -> io::Result<Self> {
        let (file, _) = fs_err::File::open(path)?.into_parts();
        // SAFETY: segment files never change once they are opened; see the module documentation.
        let map = unsafe { Mmap::map(&file) }?;
        Ok(Self::Mapped {
            map,
            #[cfg(unix)]
            file,
        })
    }

    /// Copies bytes from an offset on. Those of a file are read from it where that is possible, not from its mapping:
    /// mapped pages count as memory of the process once they were read.
    pub(crate) fn read_at(&self, offset: usize, out: &mut [u8]) -> io::Result<()> {
        #[cfg(unix)]
        if let Self::Mapped { file, .. } = self {
            return file.read_exact_at(out, offset as u64);
        }
        let bytes = offset.checked_add(out.len()).and_then(|end| self.get(offset..end));
        out.copy_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    /// Keeps bytes in memory, aligned.
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

impl Deref for SegmentStorage {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped { map, .. } => map,
            Self::Memory(bytes) => bytes,
            Self::Words(words, length) => &bytemuck::cast_slice(words)[..*length],
        }
    }
}

/// Returns how many bits are set in both of two bitmaps.
pub(crate) fn intersection_count(one: &[u64], two: &[u64]) -> usize {
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
        // SAFETY: the processor has the instructions.
        return unsafe { intersection_count_avx2(one, two) };
    }
    intersection_count_portable(one, two)
}

#[inline]
fn intersection_count_portable(one: &[u64], two: &[u64]) -> usize {
    one.iter().zip(two).map(|(one, two)| (one & two).count_ones() as usize).sum()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt")]
fn intersection_count_avx2(one: &[u64], two: &[u64]) -> usize {
    intersection_count_portable(one, two)
}
