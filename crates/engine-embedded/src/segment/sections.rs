//! The file of a segment: sections of bytes, metadata, and a footer.
//!
//! Sections begin at multiples of eight bytes, so that numbers can be read in place. The metadata is JSON; the footer
//! has its offset, and checksums of it and of everything before it. So no byte can change unnoticed: the metadata is
//! compared with its checksum when a file is opened, the sections by [`verify`].
//!
//! Equal sections are stored once. There are many: the counts and starts of all fields whose values are different in
//! every record, counts of rows and of documents of fields that are not nested, the ids and a field that repeats them.

use std::io;
use std::path::Path;

use hashbrown::HashMap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::section_file::SectionFile;
use crate::error::IndexError;
use crate::platform::SegmentStorage;

/// The metadata in error messages.
const METADATA: &str = "metadata of the segment";
const MAGIC: &[u8; 8] = b"CANTATA1";
const ALIGNMENT_BYTES: usize = 8;
/// How much is read at a time to compute a checksum.
const VERIFY_CHUNK_BYTES: usize = 1 << 20;
/// So much of a segment that is written to its file is in memory.
const MAX_PENDING_BYTES: usize = if cfg!(test) { 100 } else { 1 << 20 };
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

/// Collects the sections of a new segment: in memory, or in its file with only the last ones in memory.
pub(crate) struct SectionWriter {
    file: Option<SectionFile>,
    /// The bytes after those in the file.
    bytes: Vec<u8>,
    /// The sections by the checksum of their bytes.
    known: HashMap<u32, Vec<Section>>,
    max_offset: u32,
    /// Whether an offset in a section was greater than the maximum.
    has_overflowed: bool,
}

impl Default for SectionWriter {
    fn default() -> Self {
        Self::in_memory(0)
    }
}

impl SectionWriter {
    /// Begins a segment in memory, of an expected size.
    pub(crate) fn in_memory(expected_bytes: usize) -> Self {
        let bytes = Vec::with_capacity(expected_bytes);
        Self { file: None, bytes, known: HashMap::new(), max_offset: u32::MAX, has_overflowed: false }
    }

    /// Begins a segment in a new file, which [`Self::finish_file`] ends.
    pub(crate) fn in_file(path: &Path) -> io::Result<Self> {
        Ok(Self { file: Some(SectionFile::create(path)?), ..Self::default() })
    }

    /// Lowers the greatest offset within a section.
    #[cfg(test)]
    pub(crate) fn with_max_offset(self, max_offset: u32) -> Self {
        Self { max_offset, ..self }
    }

    /// Returns the greatest offset within a section.
    pub(crate) fn max_offset(&self) -> u32 {
        self.max_offset
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

    fn len(&self) -> usize {
        self.file.as_ref().map_or(0, SectionFile::len) + self.bytes.len()
    }

    /// Begins a section that is added in parts, and returns its offset. No other one may be added until it ends.
    pub(crate) fn begin(&mut self) -> usize {
        let end = self.len();
        let start = end.next_multiple_of(ALIGNMENT_BYTES);
        self.append(&[0; ALIGNMENT_BYTES][..start - end]);
        start
    }

    /// Adds a part to the section that was begun.
    pub(crate) fn append(&mut self, bytes: &[u8]) {
        match &mut self.file {
            Some(file) if self.bytes.len() + bytes.len() >= MAX_PENDING_BYTES => {
                file.write(&self.bytes);
                self.bytes.clear();
                file.write(bytes);
            }
            _ => self.bytes.extend_from_slice(bytes),
        }
    }

    /// Ends the section that was begun at an offset.
    pub(crate) fn end(&self, start: usize) -> Section {
        Section(start as u64, (self.len() - start) as u64)
    }

    /// Adds a section of bytes.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Section {
        let checksum = crc32fast::hash(bytes);
        let alike = self.known.get(&checksum).map(Vec::as_slice).unwrap_or_default();
        if let Some(equal) = alike.iter().find(|section| self.has(**section, bytes)) {
            return *equal;
        }
        let start = self.begin();
        self.append(bytes);
        let section = self.end(start);
        self.known.entry(checksum).or_default().push(section);
        section
    }

    /// Returns whether a section has these bytes.
    fn has(&self, section: Section, bytes: &[u8]) -> bool {
        let in_file = self.file.as_ref().map_or(0, SectionFile::len);
        // Its start may be in the file, and the rest not yet.
        let (first, rest) = bytes.split_at(in_file.saturating_sub(section.start()).min(bytes.len()));
        let rest_start = section.start().saturating_sub(in_file);
        section.len() == bytes.len()
            && self.bytes.get(rest_start..).is_some_and(|pending| pending.starts_with(rest))
            && (first.is_empty() || self.file.as_ref().is_some_and(|file| file.has(section.start(), first)))
    }

    /// Adds a section of numbers.
    pub(crate) fn numbers<T: bytemuck::NoUninit>(&mut self, numbers: &[T]) -> Section {
        self.bytes(bytemuck::cast_slice(numbers))
    }

    /// Returns all sections of a segment in memory.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Ends the file of a segment with its metadata, and syncs it.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub(crate) fn finish_file(self, metadata: &impl Serialize) -> Result<(), IndexError> {
        let Some(mut file) = self.file else { return Ok(()) };
        file.write(&self.bytes);
        let end = file_end(file.len(), file.checksum(), metadata)?;
        file.write(&end);
        Ok(file.sync()?)
    }
}

/// Returns the file of a segment: its sections, followed by its metadata.
pub(crate) fn into_file(sections: Vec<u8>, metadata: &impl Serialize) -> Result<Vec<u8>, IndexError> {
    let mut bytes = sections;
    let end = file_end(bytes.len(), crc32fast::hash(&bytes), metadata)?;
    bytes.extend_from_slice(&end);
    Ok(bytes)
}

/// Returns what follows the sections in a file, given their length and their checksum.
fn file_end(start: usize, checksum: u32, metadata: &impl Serialize) -> Result<Vec<u8>, IndexError> {
    let metadata = serde_json::to_vec(metadata).map_err(|source| IndexError::Json { file: METADATA, source })?;
    let metadata_checksum = crc32fast::hash(&metadata);
    let mut bytes = metadata;
    bytes.extend_from_slice(&(start as u64).to_le_bytes());
    bytes.extend_from_slice(&metadata_checksum.to_le_bytes());
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
