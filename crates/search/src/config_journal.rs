//! Changes of several configuration files of a catalogue, as one.
//!
//! The new files are written to a journal beside them first, which is replaced atomically. Then each file is replaced, and
//! the journal is removed. What a crash or a full disk leaves is finished before the folder is read the next time, so that
//! no catalogue is ever made of one new file and one old one.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use cantata_catalogue::ChangedFile;
use cantata_durable_file::{read_json_or_default, replace_alike, replace_private, sync_folder};

/// The name of the journal; the reader of configurations ignores names that start with a dot.
const JOURNAL: &str = ".changes";

/// Replaces files of a folder, all of them or none. What was begun before is finished already: the files are made of it,
/// and a journal takes the place of an earlier one.
pub(crate) fn replace_files(folder: &Path, files: &[ChangedFile]) -> io::Result<()> {
    match files {
        [] => return Ok(()),
        [file] => return replace_alike(&file.path, &file.content),
        _ => {}
    }
    let mut changes = BTreeMap::new();
    for file in files {
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        changes.insert(name.into_owned(), String::from_utf8_lossy(&file.content).into_owned());
    }
    // Configuration files may have passwords.
    replace_private(&folder.join(JOURNAL), &serde_json::to_vec(&changes)?)?;
    finish_changes(folder)
}

/// Finishes what was begun in a folder of configurations and in the folders in it.
pub(crate) fn finish_all_changes(folder: &Path) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let inner = entries.map(|entry| entry.path()).filter(|path| path.is_dir());
    let folders: Vec<PathBuf> = std::iter::once(folder.to_owned()).chain(inner).collect();
    for folder in folders {
        if let Err(error) = finish_changes(&folder) {
            let folder = folder.display();
            tracing::warn!(%folder, %error, "a change of the configuration was interrupted and cannot be finished");
        }
    }
}

/// Replaces the files of the journal of a folder, and removes it.
pub(crate) fn finish_changes(folder: &Path) -> io::Result<()> {
    let journal = folder.join(JOURNAL);
    let changes: BTreeMap<String, String> = read_json_or_default(&journal)?;
    if changes.is_empty() {
        return Ok(());
    }
    if let Some(name) = changes.keys().find(|name| !is_plain_name(name)) {
        let reason = format!("{JOURNAL} names {name:?}, which is no JSON file of the folder; remove {JOURNAL}");
        return Err(io::Error::new(ErrorKind::InvalidData, reason));
    }
    for (name, content) in &changes {
        replace_alike(&folder.join(name), content.as_bytes())?;
    }
    match std::fs::remove_file(&journal) {
        // Another server that has the same folder was faster.
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => sync_folder(folder),
    }
}

fn is_plain_name(name: &str) -> bool {
    let path = Path::new(name);
    path.file_name().is_some_and(|last| last == name) && path.extension().is_some_and(|extension| extension == "json")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(folder: &Path, name: &str) -> String {
        std::fs::read_to_string(folder.join(name)).unwrap()
    }

    #[test]
    fn an_interrupted_change_is_finished_as_a_whole() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("files");
        std::fs::create_dir(&folder).unwrap();
        let file = |name: &str, content: &str| ChangedFile { path: folder.join(name), content: content.into() };
        replace_files(&folder, &[file("facets.json", "1"), file("table.json", "1")]).unwrap();
        // The process ended after the first of two files.
        std::fs::write(folder.join(JOURNAL), r#"{"facets.json": "2", "table.json": "2"}"#).unwrap();
        std::fs::write(folder.join("facets.json"), "2").unwrap();
        finish_changes(&folder).unwrap();
        replace_files(&folder, &[file("base.json", "3")]).unwrap();
        let found = ["base.json", "facets.json", "table.json"].map(|name| read(&folder, name));
        assert_eq!(found, ["3", "2", "2"]);
        std::fs::write(folder.join(JOURNAL), r#"{"facets.json": "4", "table.json": "4"}"#).unwrap();
        finish_all_changes(root.path());
        assert_eq!(["facets.json", "table.json"].map(|name| read(&folder, name)), ["4", "4"]);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 3, "nothing is left beside the files");
    }

    #[test]
    fn a_journal_changes_nothing_outside_of_its_folder() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("files");
        std::fs::create_dir(&folder).unwrap();
        for name in ["../base.json", "/tmp/base.json", "a/base.json", "..", "", "base.txt"] {
            std::fs::write(folder.join(JOURNAL), serde_json::json!({ "a.json": "1", name: "1" }).to_string()).unwrap();
            assert!(finish_changes(&folder).unwrap_err().to_string().contains("no JSON file of the folder"), "{name}");
            assert!(!folder.join("a.json").try_exists().unwrap());
        }
    }
}
