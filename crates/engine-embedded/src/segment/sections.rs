//! The file of a segment: sections of bytes, a directory of them, and a footer.
//!
//! Sections begin at multiples of eight bytes, so that numbers can be read in place. The directory is JSON; the footer
//! says where it is and carries checksums of it and of everything before it.
//!
//! Equal sections are kept once. There are many: the counts and starts of all fields whose values are different in
//! every record, counts of rows and of documents of fields that are not nested, the ids and a field that repeats them.

use hashbrown::HashMap;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

const MAGIC: &[u8; 8] = b"CANTATA1";
const ALIGNMENT: usize = 8;
/// Directory offset, directory checksum, checksum of the sections, magic.
const FOOTER: usize = 8 + 4 + 4 + 8;

/// A part of a segment's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Section(u64, u64);

impl Section {
    /// Returns where the section begins.
    pub(crate) fn start(self) -> usize {
        self.0 as usize
    }

    /// Returns how many bytes it has.
    pub(crate) fn len(self) -> usize {
        self.1 as usize
    }

    /// Returns the bytes; none if the section does not lie within them.
    pub(crate) fn bytes(self, all: &[u8]) -> &[u8] {
        let (Ok(start), Ok(length)) = (usize::try_from(self.0), usize::try_from(self.1)) else { return &[] };
        start.checked_add(length).and_then(|end| all.get(start..end)).unwrap_or_default()
    }

    /// Returns the numbers; none if the section cannot hold such.
    pub(crate) fn numbers<T: bytemuck::AnyBitPattern>(self, all: &[u8]) -> &[T] {
        bytemuck::try_cast_slice(self.bytes(all)).unwrap_or_default()
    }
}

/// Collects the sections of a new segment.
#[derive(Debug, Default)]
pub(crate) struct SectionWriter {
    bytes: Vec<u8>,
    /// The sections by the checksum of their bytes.
    known: HashMap<u32, Vec<Section>>,
}

impl SectionWriter {
    /// Makes room for so many bytes.
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes), known: HashMap::new() }
    }

    /// Adds a section of bytes.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Section {
        let alike = self.known.entry(crc32fast::hash(bytes)).or_default();
        if let Some(equal) = alike.iter().find(|section| section.bytes(&self.bytes) == bytes) {
            return *equal;
        }
        let start = self.bytes.len().next_multiple_of(ALIGNMENT);
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

/// Returns the file of a segment: its sections, and its directory after them.
pub(crate) fn into_file(sections: Vec<u8>, directory: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let start = sections.len() as u64;
    let mut bytes = sections;
    let checksum = crc32fast::hash(&bytes);
    let directory = serde_json::to_vec(directory)?;
    bytes.extend_from_slice(&directory);
    bytes.extend_from_slice(&start.to_le_bytes());
    bytes.extend_from_slice(&crc32fast::hash(&directory).to_le_bytes());
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes.extend_from_slice(MAGIC);
    Ok(bytes)
}

/// Reads the directory of a segment, which is checked; the sections are not.
///
/// # Errors
///
/// What is wrong with the bytes.
pub(crate) fn read_directory<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    let Parts { directory, directory_checksum, .. } = split(bytes)?;
    if crc32fast::hash(directory) != directory_checksum {
        return Err("the checksum of its directory is wrong".to_owned());
    }
    serde_json::from_slice(directory).map_err(|error| format!("its directory cannot be read: {error}"))
}

/// Reads all bytes of a segment and compares them with its checksum.
///
/// # Errors
///
/// What is wrong with the bytes.
pub(crate) fn verify(bytes: &[u8]) -> Result<(), String> {
    let Parts { sections, sections_checksum, .. } = split(bytes)?;
    let is_right = crc32fast::hash(sections) == sections_checksum;
    if is_right { Ok(()) } else { Err("the checksum of its sections is wrong".to_owned()) }
}

/// The parts of a segment.
struct Parts<'a> {
    sections: &'a [u8],
    sections_checksum: u32,
    directory: &'a [u8],
    directory_checksum: u32,
}

fn split(bytes: &[u8]) -> Result<Parts<'_>, String> {
    let broken = || "it is cut short or is no segment".to_owned();
    let (body, footer) = bytes.split_at_checked(bytes.len().saturating_sub(FOOTER)).ok_or_else(broken)?;
    let (start, rest) = footer.split_first_chunk::<8>().ok_or_else(broken)?;
    let (directory, rest) = rest.split_first_chunk::<4>().ok_or_else(broken)?;
    let (sections, magic) = rest.split_first_chunk::<4>().ok_or_else(broken)?;
    if magic != MAGIC {
        return Err(broken());
    }
    let start = usize::try_from(u64::from_le_bytes(*start)).map_err(|_| broken())?;
    let (before, after) = body.split_at_checked(start).ok_or_else(broken)?;
    Ok(Parts {
        sections: before,
        sections_checksum: u32::from_le_bytes(*sections),
        directory: after,
        directory_checksum: u32::from_le_bytes(*directory),
    })
}
