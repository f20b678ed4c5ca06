//! The manifest: the first entry of a backup, which lists the others.
//!
//! Paths are untrusted: one is accepted only if it is a known path of a data folder and no component can be read as
//! anything but a name.

use std::collections::HashSet;

use cantata_core::Timestamp;
use serde::{Deserialize, Serialize};

use crate::BackupError;

/// The format version that is read and written.
pub const FORMAT_VERSION: u32 = 1;

/// The entry name of the manifest.
pub(crate) const MANIFEST_ENTRY: &str = "cantata-backup.json";

/// The files of a data folder that are backed up.
const BACKED_UP_FILES: [&str; 2] = ["metadata.db", "keys.json"];

/// The folders of a data folder that are backed up.
const BACKED_UP_FOLDERS: [&str; 2] = ["search", "configs"];

/// The maximum length of a path.
const MAX_PATH_BYTES: usize = 1_000;

/// The maximum length of a path component.
const MAX_NAME_BYTES: usize = 255;

/// The maximum length of a name in a tar header.
const MAX_TAR_NAME_BYTES: usize = 100;

/// What is in a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// The format version.
    pub format: u32,
    /// The version of Cantata that wrote it.
    pub version: String,
    /// When it was created.
    pub created_at: Timestamp,
    /// The entries that follow, in this order.
    pub files: Vec<FileRecord>,
}

/// A file in a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRecord {
    /// Where it belongs in the data folder, with `/` between the names.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
    /// Its SHA-256 checksum, in hexadecimal digits.
    pub sha256: String,
}

/// The member that every format version has.
#[derive(Deserialize)]
struct FormatHeader {
    format: u32,
}

impl Manifest {
    /// Returns how many bytes all files have together.
    pub fn bytes(&self) -> u64 {
        self.files.iter().fold(0, |sum, file| sum.saturating_add(file.size))
    }

    /// Parses and validates a manifest.
    pub(crate) fn read(text: &[u8]) -> Result<Self, BackupError> {
        let unreadable =
            |error: serde_json::Error| BackupError::Damaged(format!("{MANIFEST_ENTRY} cannot be read: {error}"));
        let FormatHeader { format } = serde_json::from_slice(text).map_err(unreadable)?;
        if format != FORMAT_VERSION {
            return Err(BackupError::TooNew { found: format, supported: FORMAT_VERSION });
        }
        let manifest: Self = serde_json::from_slice(text).map_err(unreadable)?;
        let mut paths = HashSet::new();
        for file in &manifest.files {
            if !is_backed_up(&file.path) {
                return Err(BackupError::NotABackup(format!("{:?} is no file of a data folder", file.path)));
            }
            // Some file systems are case-insensitive.
            if !paths.insert(file.path.to_lowercase()) {
                return Err(BackupError::NotABackup(format!("{:?} is in it twice", file.path)));
            }
        }
        Ok(manifest)
    }
}

/// Returns whether a path is one of a data folder that is backed up.
fn is_backed_up(path: &str) -> bool {
    let is_name = |name: &str| {
        !matches!(name, "" | "." | "..")
            && name.len() <= MAX_NAME_BYTES
            && !name.chars().any(|letter| letter.is_control() || matches!(letter, '\\' | ':'))
    };
    let names: Vec<&str> = path.split('/').collect();
    let is_known = match names.as_slice() {
        [file] => BACKED_UP_FILES.contains(file),
        [folder, ..] => BACKED_UP_FOLDERS.contains(folder),
        [] => false,
    };
    is_known && path.len() <= MAX_PATH_BYTES && names.into_iter().all(is_name)
}

/// Returns the entry name of a file: its path, unless that is too long for a tar header.
pub(crate) fn entry_name(index: usize, path: &str) -> String {
    if path.len() <= MAX_TAR_NAME_BYTES { path.to_owned() } else { format!("long-names/{index}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_places_of_a_data_folder_are_taken() {
        for place in [
            "metadata.db",
            "search/files/1.segment",
            "search/.aliases.json",
            "configs/files/base.json",
            "configs/ü ö.json",
        ] {
            assert!(is_backed_up(place), "{place}");
        }
        for elsewhere in [
            "",
            "/",
            ".",
            "..",
            "metadata.db/",
            "/metadata.db",
            "lookup.db",
            "server.json",
            "store.lock",
            "search",
            "search/../x",
            "search/./x",
            "search//x",
            "search/",
            "/etc/passwd",
            "../metadata.db",
            "configs/..",
            "configs/a\\..\\b",
            "configs/c:x",
            "configs/a\0b",
            "Search/x",
            &format!("configs/{}", "x".repeat(256)),
            &format!("configs{}", "/x".repeat(500)),
        ] {
            assert!(!is_backed_up(elsewhere), "{elsewhere:?}");
        }
    }
}
