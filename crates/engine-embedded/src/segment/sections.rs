//! The file of a segment: sections of bytes, metadata, and a footer.
//!
//! Sections begin at multiples of eight bytes, so that numbers can be read in place. The metadata is JSON; the footer
//! has its offset, and checksums of it and of everything before it. So no byte can change unnoticed: the metadata is
//! compared with its checksum when a file is opened, the sections by [`verify`].
//!
//! Equal sections are stored once. There are many: the counts and starts of all fields whose values are different in
//! every record, counts of rows and of documents of fields that are not nested, the ids and a field that repeats them.

use hashbrown::HashMap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::error::IndexError;
use crate::platform::SegmentStorage;

/// The metadata in error messages.
const METADATA: &str = "metadata of the segment";
const MAGIC: &[u8; 8] = b"CANTATA1";
const ALIGNMENT_BYTES: usize = 8;
/// How much is read at a time to compute a checksum.
const VERIFY_CHUNK_BYTES: usize = 1 << 20;
/// Metadata offset, metadata checksum, checksum of the sections, magic.
const FOOTER_BYTES: usize = 8 + 4 + 4 + 8;

/// A part of a segment's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Section(u64, u64);

impl Section {
    /// Returns the offset of the section.
    pub(crate) fn start(self) -> usize {
        self.0 as usize
    }

    /// Returns how many bytes it has.
    pub(crate) fn len(self) -> usize {
        self.1 as usize
    }

    /// Returns the bytes; none if the section is out of bounds.
    pub(crate) fn bytes(self, all: &[u8]) -> &[u8] {
        let (Ok(start), Ok(length)) = (usize::try_from(self.0), usize::try_from(self.1)) else { return &[] };
        start.checked_add(length).and_then(|end| all.get(start..end)).unwrap_or_default()
    }

    /// Returns the numbers; none if the section is not a sequence of them.
    pub(crate) fn numbers<T: bytemuck::AnyBitPattern>(self, all: &[u8]) -> &[T] {
        bytemuck::try_cast_slice(self.bytes(all)).unwrap_or_default()
    }
}

/// Collects the sections of a new segment.
#[derive(Debug)]
pub(crate) struct SectionWriter {
    bytes: Vec<u8>,
    /// The sections by the checksum of their bytes.
    known: HashMap<u32, Vec<Section>>,
    max_offset: u32,
    /// Whether an offset in a section was greater than the maximum.
    has_overflowed: bool,
}

impl Default for SectionWriter {
    fn default() -> Self {
        Self::new(0, u32::MAX)
    }
}

impl SectionWriter {
    /// Begins a segment of an expected size.
    pub(crate) fn new(expected_bytes: usize, max_offset: u32) -> Self {
        let bytes = Vec::with_capacity(expected_bytes);
        Self { bytes, known: HashMap::new(), max_offset, has_overflowed: false }
    }

    /// Returns an offset within a section as it is stored, in 32 bits. If it does not fit, the segment must not be used.
    #[inline]
    pub(crate) fn offset(&mut self, offset: usize) -> u32 {
        let stored = u32::try_from(offset).unwrap_or(u32::MAX);
        self.has_overflowed |= offset > self.max_offset as usize;
        stored
    }

    /// Returns whether an offset did not fit.
    pub(crate) fn has_overflowed(&self) -> bool {
        self.has_overflowed
    }

    /// Adds a section of bytes.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Section {
        let alike = self.known.entry(crc32fast::hash(bytes)).or_default();
        if let Some(equal) = alike.iter().find(|section| section.bytes(&self.bytes) == bytes) {
            return *equal;
        }
        let start = self.bytes.len().next_multiple_of(ALIGNMENT_BYTES);
        self.bytes.resize(start, 0);
        self.bytes.extend_from_slice(bytes);
        let section = Section(start as u64, bytes.len() as u64);
        alike.push(section);
        section
    }

    /// Adds a section of numbers.
    pub(crate) fn numbers<T: bytemuck::NoUninit>(&mut self, numbers: &[T]) -> Section {
        self.bytes(bytemuck::cast_slice(numbers))
    }

    /// Returns all sections.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

/// Returns the file of a segment: its sections, followed by its metadata.
pub(crate) fn into_file(sections: Vec<u8>, metadata: &impl Serialize) -> Result<Vec<u8>, IndexError> {
    let start = sections.len() as u64;
    let mut bytes = sections;
    let checksum = crc32fast::hash(&bytes);
    let metadata = serde_json::to_vec(metadata).map_err(|source| IndexError::Json { file: METADATA, source })?;
    bytes.extend_from_slice(&metadata);
    bytes.extend_from_slice(&start.to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(&metadata).to_le_bytes());
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes.extend_from_slice(MAGIC);
    Ok(bytes)
}

/// Reads the metadata of a segment and verifies its checksum.
pub(crate) fn read_metadata<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, IndexError> {
    let FileParts { metadata, directory_checksum, .. } = split(bytes)?;
    if crc32fast::hash(metadata) != directory_checksum {
        return Err(IndexError::Checksum(METADATA));
    }
    serde_json::from_slice(metadata).map_err(|source| IndexError::Json { file: METADATA, source })
}

/// Verifies the checksum of the sections. They are read piece by piece: a mapping that was read through as a whole would
/// count as memory of the process.
pub(crate) fn verify(storage: &SegmentStorage) -> Result<(), IndexError> {
    let FileParts { sections, sections_checksum, .. } = split(storage)?;
    let mut hasher = crc32fast::Hasher::new();
    let mut buffer = vec![0; VERIFY_CHUNK_BYTES.min(sections.len())];
    for start in (0..sections.len()).step_by(VERIFY_CHUNK_BYTES) {
        let chunk = &mut buffer[..VERIFY_CHUNK_BYTES.min(sections.len() - start)];
        storage.read_at(start, chunk)?;
        hasher.update(chunk);
    }
    if hasher.finalize() == sections_checksum { Ok(()) } else { Err(IndexError::Checksum("sections")) }
}

/// The parts of a segment file.
struct FileParts<'a> {
    sections: &'a [u8],
    sections_checksum: u32,
    metadata: &'a [u8],
    directory_checksum: u32,
}

fn split(bytes: &[u8]) -> Result<FileParts<'_>, IndexError> {
    let (body, footer) =
        bytes.split_at_checked(bytes.len().saturating_sub(FOOTER_BYTES)).ok_or(IndexError::NotASegment)?;
    let (start, rest) = footer.split_first_chunk::<8>().ok_or(IndexError::NotASegment)?;
    let (metadata, rest) = rest.split_first_chunk::<4>().ok_or(IndexError::NotASegment)?;
    let (sections, magic) = rest.split_first_chunk::<4>().ok_or(IndexError::NotASegment)?;
    if magic != MAGIC {
        return Err(IndexError::NotASegment);
    }
    let start = usize::try_from(u64::from_le_bytes(*start)).map_err(|_| IndexError::NotASegment)?;
    let (before, after) = body.split_at_checked(start).ok_or(IndexError::NotASegment)?;
    Ok(FileParts {
        sections: before,
        sections_checksum: u32::from_le_bytes(*sections),
        metadata: after,
        directory_checksum: u32::from_le_bytes(*metadata),
    })
}
