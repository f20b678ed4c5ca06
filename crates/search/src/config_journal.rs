//! Changes of several configuration files of a catalogue, as one.
//!
//! The new files are written to a journal beside them first, which is replaced atomically. Then each file is replaced, and
//! the journal is removed. What a crash or a full disk leaves is finished before the folder is read the next time, so that
//! no catalogue is ever made of one new file and one old one.
//!
//! A journal may stay for long: until a server is started again, or a file can be replaced. So it says what each file was
//! before. A file that is something else by now was edited since; then the journal is removed, and changes nothing.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use cantata_catalogue::ChangedFile;
use cantata_durable_file::{read_json_or_default, replace_alike, replace_private, sync_folder};
use serde::{Deserialize, Serialize};

/// The name of the journal; the reader of configurations ignores names that start with a dot.
const JOURNAL: &str = ".changes";

/// The change of a file.
#[derive(Serialize, Deserialize)]
struct FileChange {
    /// What was in it; nothing if there was none.
    before: Option<String>,
    after: String,
}

/// Replaces files of a folder, all of them or none. What was begun before is finished already: the files are made of it,
/// and a journal takes the place of an earlier one.
///
/// # Errors
///
/// If a file cannot be read or written, or is edited by another at the same time.
pub(crate) fn replace_files(folder: &Path, files: &[ChangedFile]) -> io::Result<()> {
    match files {
        [] => return Ok(()),
        [file] => return replace_alike(&file.path, &file.content),
        _ => {}
    }
    let mut changes = BTreeMap::new();
    for file in files {
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        let after = String::from_utf8_lossy(&file.content).into_owned();
        changes.insert(name.into_owned(), FileChange { before: text_of(&file.path)?, after });
    }
    // Configuration files may have passwords.
    replace_private(&folder.join(JOURNAL), &serde_json::to_vec(&changes)?)?;
    match finish_changes(folder)? {
        true => Ok(()),
        false => Err(io::Error::other("a file was edited at the same time; try again")),
    }
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

/// Replaces the files of the journal of a folder, and removes it; returns false, and replaces none, if one of them was
/// edited since.
pub(crate) fn finish_changes(folder: &Path) -> io::Result<bool> {
    let journal = folder.join(JOURNAL);
    let changes: BTreeMap<String, FileChange> = read_json_or_default(&journal)?;
    if changes.is_empty() {
        return Ok(true);
    }
    if let Some(name) = changes.keys().find(|name| !is_plain_name(name)) {
        let reason = format!("{JOURNAL} names {name:?}, which is no JSON file of the folder; remove {JOURNAL}");
        return Err(io::Error::new(ErrorKind::InvalidData, reason));
    }
    let mut unfinished = Vec::new();
    let mut edited = None;
    for (name, FileChange { before, after }) in &changes {
        let path = folder.join(name);
        let present = text_of(&path)?;
        if present.as_ref() == Some(after) {
            continue;
        }
        if present != *before {
            edited = Some(name);
        }
        unfinished.push((path, after));
    }
    match edited {
        Some(file) => {
            let folder = folder.display();
            tracing::warn!(%folder, file, "a change of the configuration is dropped: a file of it was edited since");
        }
        None => unfinished.iter().try_for_each(|(path, after)| replace_alike(path, after.as_bytes()))?,
    }
    match std::fs::remove_file(&journal) {
        // Another server that has the same folder was faster.
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => sync_folder(folder)?,
    }
    Ok(edited.is_none())
}

/// Returns what is in a file; nothing if there is none.
fn text_of(path: &Path) -> io::Result<Option<String>> {
    match std::fs::read(path) {
        Ok(content) => Ok(Some(String::from_utf8_lossy(&content).into_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
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

    /// Writes a journal that changes two files.
    fn write_journal(folder: &Path, before: &str, after: &str) {
        let change = serde_json::json!({ "before": before, "after": after });
        let journal = serde_json::json!({ "facets.json": change, "table.json": change });
        std::fs::write(folder.join(JOURNAL), journal.to_string()).unwrap();
    }

    #[test]
    fn an_interrupted_change_is_finished_as_a_whole() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("files");
        std::fs::create_dir(&folder).unwrap();
        let file = |name: &str, content: &str| ChangedFile { path: folder.join(name), content: content.into() };
        replace_files(&folder, &[file("facets.json", "1"), file("table.json", "1")]).unwrap();
        // The process ended after the first of two files.
        write_journal(&folder, "1", "2");
        std::fs::write(folder.join("facets.json"), "2").unwrap();
        assert!(finish_changes(&folder).unwrap());
        replace_files(&folder, &[file("base.json", "3")]).unwrap();
        let found = ["base.json", "facets.json", "table.json"].map(|name| read(&folder, name));
        assert_eq!(found, ["3", "2", "2"]);
        write_journal(&folder, "2", "4");
        finish_all_changes(root.path());
        assert_eq!(["facets.json", "table.json"].map(|name| read(&folder, name)), ["4", "4"]);
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 3, "nothing is left beside the files");
    }

    #[test]
    fn a_file_that_was_edited_since_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        for (facets, table) in [("edited", "1"), ("2", "edited")] {
            std::fs::write(folder.join("facets.json"), facets).unwrap();
            std::fs::write(folder.join("table.json"), table).unwrap();
            write_journal(folder, "1", "2");
            assert!(!finish_changes(folder).unwrap());
            assert_eq!(["facets.json", "table.json"].map(|name| read(folder, name)), [facets, table]);
            assert!(!folder.join(JOURNAL).try_exists().unwrap());
        }
    }

    #[test]
    fn a_journal_changes_nothing_outside_of_its_folder() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("files");
        std::fs::create_dir(&folder).unwrap();
        for name in ["../base.json", "/tmp/base.json", "a/base.json", "..", "", "base.txt"] {
            let change = serde_json::json!({ "before": null, "after": "1" });
            let journal = serde_json::json!({ "a.json": change, name: change });
            std::fs::write(folder.join(JOURNAL), journal.to_string()).unwrap();
            assert!(finish_changes(&folder).unwrap_err().to_string().contains("no JSON file of the folder"), "{name}");
            assert!(!folder.join("a.json").try_exists().unwrap());
        }
    }
}
