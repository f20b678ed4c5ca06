//! The folders of the indexes: each index has one of its own for life.
//!
//! An index is deleted while work may still run on it, and its name is free at once. Work knows the path of its folder, so
//! another index must never have the same one: the folder of an index whose name was in use before has a number behind its
//! name, `<name>~<number>`, and no number is used twice. Folders that are being created or removed have names that begin
//! with a dot and a number as well. An index never has a `~` in its name.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use cantata_durable_file as durable_file;

/// Prefix of the folder of a deleted index.
const DELETED_PREFIX: &str = ".deleted-";

/// Prefix of the folder of an index that is being created.
const TEMPORARY_PREFIX: &str = ".unfinished-";

/// Separates the name of an index from the number of its folder.
const NUMBER_SEPARATOR: char = '~';

/// The folders in use, and the names that are not free for another folder.
#[derive(Debug, Clone, Default)]
pub(crate) struct IndexFolders {
    folder: PathBuf,
    /// The folders of the indexes, by the names of these.
    by_index: BTreeMap<String, PathBuf>,
    /// The names of all indexes since the folder was opened.
    used_names: BTreeSet<String>,
    next_number: u64,
}

impl IndexFolders {
    /// Finds the indexes of a folder, and removes what is left of unfinished and deleted ones.
    pub(crate) fn read(folder: &Path, is_index_name: impl Fn(&str) -> bool) -> io::Result<Self> {
        let mut folders = Self { folder: folder.to_owned(), next_number: 1, ..Self::default() };
        let mut numbers: BTreeMap<String, u64> = BTreeMap::new();
        for entry in fs_err::read_dir(folder)? {
            let entry = entry?;
            let file_name = entry.file_name().into_string().unwrap_or_default();
            let (name, number) = split_number(&file_name);
            folders.next_number = folders.next_number.max(number.saturating_add(1));
            if name.starts_with(DELETED_PREFIX) || name.starts_with(TEMPORARY_PREFIX) {
                remove_deleted(&entry.path());
            } else if is_index_name(name) && entry.file_type()?.is_dir() {
                folders.used_names.insert(name.to_owned());
                // A higher number was given later, when the folder of the lower one had been removed.
                let previous = numbers.get(name).copied();
                let ignored = match previous {
                    Some(previous) if previous > number => Some(entry.path()),
                    _ => {
                        numbers.insert(name.to_owned(), number);
                        folders.by_index.insert(name.to_owned(), entry.path())
                    }
                };
                if let Some(ignored) = ignored {
                    tracing::warn!(index = name, folder = %ignored.display(), "ignoring the folder of an earlier index");
                }
            }
        }
        Ok(folders)
    }

    /// Returns the indexes with their folders.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&String, &PathBuf)> {
        self.by_index.iter()
    }

    /// Returns the folder for a new index and the one that it is to be created in; no index has had either.
    pub(crate) fn choose(&mut self, name: &str) -> io::Result<(PathBuf, PathBuf)> {
        let plain = self.folder.join(name);
        let is_free = self.used_names.insert(name.to_owned()) && !plain.try_exists()?;
        let folder = if is_free { plain } else { self.numbered(name) };
        Ok((folder, self.numbered(&format!("{TEMPORARY_PREFIX}{name}"))))
    }

    /// Notes the folder of an index.
    pub(crate) fn insert(&mut self, name: &str, folder: PathBuf) {
        self.by_index.insert(name.to_owned(), folder);
    }

    /// Takes the folder of an index away; returns where it is, for its files to be removed. From here on the index does
    /// not exist any more, after a crash too.
    pub(crate) fn take_away(&mut self, name: &str) -> io::Result<PathBuf> {
        let deleted = self.numbered(&format!("{DELETED_PREFIX}{name}"));
        if let Some(folder) = self.by_index.get(name) {
            match durable_file::rename(folder, &deleted) {
                Ok(()) => {}
                // An attempt before may have failed after the renaming.
                Err(error) if error.kind() == io::ErrorKind::NotFound => durable_file::sync_folder(&self.folder)?,
                Err(error) => {
                    // It may have been renamed, and only the folder around it not synced. What is written from here on
                    // is lost unless the old name is durable; without that the index stays away.
                    if deleted.is_dir() && durable_file::rename(&deleted, folder).is_err() {
                        let _ = fs_err::rename(folder, &deleted);
                    }
                    return Err(error);
                }
            }
        }
        self.by_index.remove(name);
        Ok(deleted)
    }

    /// Returns whether the folder of an index is where the index opened it.
    pub(crate) fn is_in_place(&self, name: &str) -> bool {
        self.by_index.get(name).is_some_and(|folder| folder.is_dir())
    }

    fn numbered(&mut self, name: &str) -> PathBuf {
        let number = self.next_number;
        self.next_number += 1;
        self.folder.join(format!("{name}{NUMBER_SEPARATOR}{number}"))
    }
}

/// Removes the files of a deleted or unfinished index. What cannot be removed now is removed when the folder is opened
/// again.
pub(crate) fn remove_deleted(folder: &Path) {
    match fs_err::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            tracing::warn!(%error, "the files of a deleted or unfinished index cannot be removed");
        }
        _ => {}
    }
}

/// Returns the name of a folder without its number, and the number; 0 if it has none.
fn split_number(folder: &str) -> (&str, u64) {
    let number = |digits: &str| digits.parse::<u64>().ok().filter(|number| number.to_string() == digits);
    let split = folder.rsplit_once(NUMBER_SEPARATOR);
    split.and_then(|(name, digits)| Some((name, number(digits)?))).unwrap_or((folder, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(folder: &Path) -> IndexFolders {
        IndexFolders::read(folder, |name| !name.contains(NUMBER_SEPARATOR)).unwrap()
    }

    #[test]
    fn a_folder_is_never_used_for_two_indexes() {
        let root = tempfile::tempdir().unwrap();
        let mut folders = read(root.path());
        let mut seen = BTreeSet::new();
        for _ in 0..5 {
            let (folder, temporary) = folders.choose("things").unwrap();
            assert!(seen.insert(folder.clone()) && seen.insert(temporary));
            fs_err::create_dir(&folder).unwrap();
            folders.insert("things", folder.clone());
            // As after a restart, the same folder is found.
            assert_eq!(read(root.path()).by_index["things"], folder);
            let deleted = folders.take_away("things").unwrap();
            assert!(!folder.try_exists().unwrap() && deleted.is_dir());
            remove_deleted(&deleted);
        }
        assert!(seen.contains(&root.path().join("things")), "the first one has the plain name");
    }

    #[test]
    fn leftovers_are_removed_and_the_latest_folder_counts() {
        let root = tempfile::tempdir().unwrap();
        for name in ["things", "things~2", "things~10", "others", ".deleted-things~11", ".unfinished-x", "x~~1", "y~01"]
        {
            fs_err::create_dir(root.path().join(name)).unwrap();
        }
        let mut folders = read(root.path());
        let found: Vec<(&str, PathBuf)> = folders.iter().map(|(name, path)| (name.as_str(), path.clone())).collect();
        assert_eq!(found, [("others", root.path().join("others")), ("things", root.path().join("things~10"))]);
        assert!(!root.path().join(".deleted-things~11").try_exists().unwrap());
        assert!(!root.path().join(".unfinished-x").try_exists().unwrap());
        assert_eq!(folders.choose("things").unwrap().0, root.path().join("things~12"));
    }

    #[test]
    fn leftovers_that_cannot_be_removed_stop_nothing() {
        let root = tempfile::tempdir().unwrap();
        fs_err::create_dir(root.path().join("things")).unwrap();
        // A file is not removed as a folder is.
        fs_err::write(root.path().join(".deleted-things~11"), "").unwrap();
        let mut folders = read(root.path());
        assert_eq!(folders.iter().count(), 1);
        assert_eq!(folders.choose("things").unwrap().0, root.path().join("things~12"));
    }
}
