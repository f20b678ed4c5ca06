//! The first entry of a backup: what is in it.
//!
//! Whoever made the file, nothing is written outside of what a data folder has: a path is taken only if it is one of
//! the known places, and has no part that a file system could read as something else than a name.

use std::collections::HashSet;

use cantata_core::Timestamp;
use serde::{Deserialize, Serialize};

use crate::BackupError;

/// The form of the files that this version reads and writes.
pub const FORMAT: u32 = 1;

/// The name of the entry.
pub(crate) const ENTRY: &str = "cantata-backup.json";

/// The files of a data folder that are backed up.
const FILES: [&str; 2] = ["metadata.db", "keys.json"];

/// The folders of a data folder that are backed up.
const FOLDERS: [&str; 2] = ["search", "configs"];

/// The longest path, and the longest name in it, in bytes.
const LONGEST_PATH: usize = 1_000;
const LONGEST_NAME: usize = 255;

/// The longest name that the head of an archive entry has room for.
const ENTRY_NAME_ROOM: usize = 100;

/// What is in a backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// The form of the file.
    pub format: u32,
    /// The version of Cantata that wrote it.
    pub version: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// What follows, in this order.
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

/// The part of a manifest that every form has.
#[derive(Deserialize)]
struct Form {
    format: u32,
}

impl Manifest {
    /// Returns how many bytes all files have together.
    pub fn bytes(&self) -> u64 {
        self.files.iter().fold(0, |sum, file| sum.saturating_add(file.size))
    }

    /// Reads a manifest and refuses one that no backup could have.
    pub(crate) fn read(text: &[u8]) -> Result<Self, BackupError> {
        let unreadable = |error: serde_json::Error| BackupError::Damaged(format!("{ENTRY} cannot be read: {error}"));
        let Form { format } = serde_json::from_slice(text).map_err(unreadable)?;
        if format != FORMAT {
            return Err(BackupError::TooNew { found: format, readable: FORMAT });
        }
        let manifest: Self = serde_json::from_slice(text).map_err(unreadable)?;
        let mut places = HashSet::new();
        for file in &manifest.files {
            if !is_place(&file.path) {
                return Err(BackupError::NotABackup(format!("{:?} is no file of a data folder", file.path)));
            }
            // Some file systems take two names for one that differ in case only.
            if !places.insert(file.path.to_lowercase()) {
                return Err(BackupError::NotABackup(format!("{:?} is in it twice", file.path)));
            }
        }
        Ok(manifest)
    }
}

/// Says whether a path is one that a data folder has.
fn is_place(path: &str) -> bool {
    let is_name = |name: &str| {
        !matches!(name, "" | "." | "..")
            && name.len() <= LONGEST_NAME
            && !name.chars().any(|letter| letter.is_control() || matches!(letter, '\\' | ':'))
    };
    let names: Vec<&str> = path.split('/').collect();
    let is_known = match names.as_slice() {
        [file] => FILES.contains(file),
        [folder, ..] => FOLDERS.contains(folder),
        [] => false,
    };
    is_known && path.len() <= LONGEST_PATH && names.into_iter().all(is_name)
}

/// Returns the name of the entry of a file. It is its path, unless that is too long for the head of an entry.
pub(crate) fn entry_name(place: usize, path: &str) -> String {
    if path.len() <= ENTRY_NAME_ROOM { path.to_owned() } else { format!("long-names/{place}") }
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
            assert!(is_place(place), "{place}");
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
            assert!(!is_place(elsewhere), "{elsewhere:?}");
        }
    }
}
