//! The manifest: the list of what belongs to an index, in one small file that is replaced as a whole.
//!
//! A file that the manifest does not reference is not part of the index: orphans of a crash are removed when the index is
//! opened.
//!
//! A manifest of an earlier format is copied before the first one of the present format takes its place. The copy, and the
//! files that it references, are the way back to the earlier version, until the index is written to.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use cantata_durable_file as durable_file;
use cantata_mapping::IndexMapping;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::file_number::{self, MAX_FILE_NUMBER};
use super::wal;
use crate::checked_json;
use crate::error::IndexError;

/// The name of the file.
const FILE: &str = "manifest.json";

/// The format of the files that this version writes. Since 3 WAL files have a header, which an earlier version would take
/// for the end of the file.
const FORMAT_VERSION: u32 = 3;

/// The oldest format that this version reads.
const OLDEST_FORMAT_VERSION: u32 = 2;

/// The manifest of an index. The serialised names are part of the format.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Manifest {
    format: u32,
    /// The members of the mapping other than its properties, such as `dynamic`.
    settings: Map<String, Value>,
    /// The properties of the mapping.
    properties: Map<String, Value>,
    pub(crate) segments: Vec<ManifestSegment>,
    /// The number of the first WAL file whose writes are not in the segments; those with higher numbers follow it.
    #[serde(rename = "log")]
    pub(crate) first_wal: u64,
    /// The number of the next file.
    pub(crate) next_file: u64,
    /// How far the sources of unfinished imports were read.
    #[serde(default)]
    pub(crate) imports: BTreeMap<String, u64>,
    /// How far the source of the documents has been read, if batches came with a position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) position: Option<String>,
    /// Whether it was read from a file of an earlier format. WAL files may then have no header.
    #[serde(skip)]
    pub(crate) is_upgraded: bool,
}

/// The member that every format has.
#[derive(Deserialize)]
struct FormatMember {
    format: u32,
}

/// A segment of a manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ManifestSegment {
    pub(crate) file: String,
    /// The file with the live documents; nothing: all are live.
    pub(crate) live: Option<String>,
}

impl Manifest {
    /// Returns the manifest of a new index. The mapping may have any form in which clusters accept or return one.
    pub(crate) fn new(mapping: Option<&Value>) -> Result<Self, IndexError> {
        let parsed = mapping.map_or_else(|| Ok(IndexMapping::empty()), parse_mapping)?;
        let mut manifest = Self {
            format: FORMAT_VERSION,
            settings: mapping.map(settings_of).unwrap_or_default(),
            properties: Map::new(),
            segments: Vec::new(),
            first_wal: 0,
            next_file: 1,
            imports: BTreeMap::new(),
            position: None,
            is_upgraded: false,
        };
        manifest.set_mapping(&parsed);
        Ok(manifest)
    }

    /// Reads the manifest of a folder; returns also what is in the file.
    pub(crate) fn read(folder: &Path) -> Result<(Self, Vec<u8>), IndexError> {
        let bytes = fs_err::read(folder.join(FILE))?;
        if !checked_json::is_intact(&bytes) {
            return Err(IndexError::Damaged { file: FILE.to_owned(), found: "its checksum is wrong".to_owned() });
        }
        let unreadable = |source| IndexError::Json { file: "manifest", source };
        // Another format may have other members.
        let FormatMember { format } = serde_json::from_slice(&bytes).map_err(unreadable)?;
        if !(OLDEST_FORMAT_VERSION..=FORMAT_VERSION).contains(&format) {
            return Err(IndexError::Format { found: format, expected: FORMAT_VERSION });
        }
        let mut manifest: Self = serde_json::from_slice(&bytes).map_err(unreadable)?;
        if manifest.format < FORMAT_VERSION {
            tracing::info!(folder = %folder.display(), from = manifest.format, to = FORMAT_VERSION, "upgrading an index");
            manifest.is_upgraded = true;
        }
        manifest.format = FORMAT_VERSION;
        manifest.check_files().map_err(|found| IndexError::Damaged { file: FILE.to_owned(), found })?;
        Ok((manifest, bytes))
    }

    /// Checks that each file has a name that is written here, and another number than every file that is written next.
    fn check_files(&mut self) -> Result<(), String> {
        let largest = self.next_file.max(self.first_wal);
        if largest >= MAX_FILE_NUMBER {
            return Err(format!("it has the file number {largest}; expected one below {MAX_FILE_NUMBER}"));
        }
        let mut numbers = BTreeSet::new();
        for segment in &self.segments {
            let live = segment.live.iter().map(|file| (file, "live"));
            for (file, extension) in std::iter::once((&segment.file, "segment")).chain(live) {
                let number = file_number::parse(file, extension).filter(|number| numbers.insert(*number));
                let number = number.ok_or_else(|| {
                    format!("it has the file {file:?}; expected a number, of no other file, and `.{extension}`")
                })?;
                self.next_file = self.next_file.max(number + 1);
            }
        }
        Ok(())
    }

    /// Writes the manifest, and returns what is in the file.
    pub(crate) fn write(&self, folder: &Path) -> io::Result<Vec<u8>> {
        let (name, text) = self.to_file()?;
        durable_file::replace(&folder.join(name), &text)?;
        Ok(text)
    }

    /// Makes the file have a content that was written before. It is written again even if it is there: nobody knows what of
    /// it is on disk after a sync has failed.
    pub(crate) fn restore(folder: &Path, text: &[u8]) -> io::Result<()> {
        durable_file::replace(&folder.join(FILE), text)
    }

    /// Copies the file, given what was read from it, if it has an earlier format; returns whether there is a copy.
    pub(crate) fn keep_copy(&self, folder: &Path, text: &[u8]) -> io::Result<bool> {
        let path = folder.join(copy_file());
        if self.is_upgraded {
            durable_file::replace(&path, text)?;
        }
        path.try_exists()
    }

    /// Removes the copy of a manifest of an earlier format, if it is there; what it references are orphans from here on.
    pub(crate) fn remove_copy(folder: &Path) -> io::Result<()> {
        match fs_err::remove_file(folder.join(copy_file())) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            // A copy must not come back without its files.
            _ => durable_file::sync_folder(folder),
        }
    }

    /// Returns the copy of a manifest of an earlier format.
    fn read_copy(folder: &Path) -> io::Result<Option<Self>> {
        let bytes = durable_file::read_or_default(&folder.join(copy_file()))?;
        Ok(serde_json::from_slice(&bytes).ok())
    }

    /// Returns the name of the file and its content.
    pub(crate) fn to_file(&self) -> serde_json::Result<(&'static str, Vec<u8>)> {
        Ok((FILE, checked_json::to_vec(self)?))
    }

    /// Returns whether a file is part of the index.
    fn references(&self, file: &str) -> bool {
        let of_segments =
            self.segments.iter().any(|segment| segment.file == file || segment.live.as_deref() == Some(file));
        of_segments || file == FILE || wal::file_number(file).is_some_and(|number| number >= self.first_wal)
    }

    /// Removes orphans: files that are neither part of the index, nor being written, nor the way back to an earlier format.
    pub(crate) fn remove_orphans(&self, folder: &Path, pending: &BTreeSet<String>) -> io::Result<()> {
        let copy = Self::read_copy(folder)?;
        let is_way_back = |name: &str| copy.as_ref().is_some_and(|copy| copy.references(name) || name == copy_file());
        let is_orphan = |name: &str| !self.references(name) && !pending.contains(name) && !is_way_back(name);
        for entry in fs_err::read_dir(folder)? {
            let entry = entry?;
            if entry.file_name().to_str().is_some_and(is_orphan) && entry.file_type()?.is_file() {
                fs_err::remove_file(entry.path())?;
            }
        }
        Ok(())
    }

    pub(crate) fn mapping(&self) -> Result<IndexMapping, IndexError> {
        let mut mapping = self.settings.clone();
        mapping.insert("properties".to_owned(), Value::Object(self.properties.clone()));
        parse_mapping(&Value::Object(mapping))
    }

    /// Adds the fields of another mapping, and replaces the other members of the mapping by its own.
    ///
    /// # Errors
    ///
    /// If it is invalid, or has fields with other types; the manifest is then unchanged.
    pub(crate) fn extend(&mut self, mapping: &Value) -> Result<IndexMapping, IndexError> {
        let mut merged = self.mapping()?;
        merged.merge(&parse_mapping(mapping)?).map_err(IndexError::Mapping)?;
        let mut extended = self.clone();
        extended.settings.extend(settings_of(mapping));
        extended.set_mapping(&merged);
        let merged = extended.mapping()?;
        *self = extended;
        Ok(merged)
    }

    pub(crate) fn set_mapping(&mut self, mapping: &IndexMapping) {
        self.properties = mapping.raw().clone();
    }

    pub(crate) fn new_file_number(&mut self) -> u64 {
        self.next_file += 1;
        self.next_file - 1
    }
}

/// Returns the name of the copy of a manifest of an earlier format.
fn copy_file() -> String {
    format!("{FILE}.before-{FORMAT_VERSION}")
}

fn parse_mapping(mapping: &Value) -> Result<IndexMapping, IndexError> {
    IndexMapping::parse(mapping).map_err(IndexError::Mapping)
}

/// Returns the members of a mapping other than its properties.
fn settings_of(mapping: &Value) -> Map<String, Value> {
    let Some(object) = mapping.as_object() else { return Map::new() };
    if let Some(inner) = object.get("mappings") {
        return settings_of(inner);
    }
    // In the response of a cluster, the mapping is a member named after its index.
    let of_index = object.values().find(|value| value.get("mappings").is_some());
    match of_index {
        Some(of_index) if !object.contains_key("properties") => settings_of(of_index),
        _ => object
            .iter()
            .filter(|(key, _)| *key != "properties")
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(manifest: &Value) -> Result<Manifest, IndexError> {
        let folder = tempfile::tempdir().unwrap();
        fs_err::write(folder.path().join(FILE), manifest.to_string()).unwrap();
        Manifest::read(folder.path()).map(|(manifest, _)| manifest)
    }

    fn written() -> Value {
        json!({
            "format": 2, "settings": {}, "properties": {}, "log": 4, "next_file": 5,
            "segments": [{"file": "1.segment", "live": "2.live"}, {"file": "3.segment", "live": null}],
        })
    }

    #[test]
    fn an_earlier_format_is_read_and_written_as_the_present_one() {
        let manifest = read(&written()).unwrap();
        assert_eq!((manifest.format, manifest.next_file), (FORMAT_VERSION, 5));
        for format in [0, 1, FORMAT_VERSION + 1] {
            let mut other = written();
            other["format"] = format.into();
            assert!(matches!(read(&other), Err(IndexError::Format { .. })), "{format}");
        }
        let newer = FORMAT_VERSION + 1;
        let refused = read(&json!({"format": newer, "properties": [], "files": {"1.segment": 3}})).unwrap_err();
        assert!(matches!(refused, IndexError::Format { found, .. } if found == newer), "{refused}");
    }

    #[test]
    fn names_and_numbers_that_are_never_written_are_damage() {
        let mut forged = Vec::new();
        for file in ["../x", "/dev/zero", "../1.segment", "x/1.segment", "1.live", "3.segment", "01.segment", "", "."] {
            let mut manifest = written();
            manifest["segments"][0]["file"] = file.into();
            forged.push(manifest);
        }
        for file in ["/dev/zero", "../2.live", "2.segment", "1.live"] {
            let mut manifest = written();
            manifest["segments"][0]["live"] = file.into();
            forged.push(manifest);
        }
        for number in ["next_file", "log"] {
            let mut manifest = written();
            manifest[number] = u64::MAX.into();
            forged.push(manifest);
        }
        for manifest in forged {
            let refused = read(&manifest).err();
            assert!(matches!(&refused, Some(IndexError::Damaged { file, .. }) if file == FILE), "{manifest}");
        }
    }

    /// Another number of the first WAL file would make the present one an orphan, another position would skip events.
    #[test]
    fn a_flip_of_any_bit_is_found_or_changes_nothing() {
        let mut manifest = Manifest::new(None).unwrap();
        manifest.position = Some("12".to_owned());
        manifest.next_file = 2;
        manifest.segments.push(ManifestSegment { file: "1.segment".to_owned(), live: None });
        let folder = tempfile::tempdir().unwrap();
        let text = manifest.write(folder.path()).unwrap();
        for bit in 0..8 * text.len() {
            let mut flipped = text.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            fs_err::write(folder.path().join(FILE), flipped).unwrap();
            match Manifest::read(folder.path()) {
                Ok((read, _)) => assert_eq!(read.to_file().unwrap().1, manifest.to_file().unwrap().1, "bit {bit}"),
                Err(error) => assert!(error.is_damage(), "bit {bit}: {error}"),
            }
        }
    }

    #[test]
    fn a_new_file_has_a_number_that_no_segment_has() {
        let mut manifest = written();
        manifest["next_file"] = 2.into();
        assert_eq!(read(&manifest).unwrap().new_file_number(), 4);
    }
}
