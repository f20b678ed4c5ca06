//! The file of API keys.

use cantata_access::KeyFile;

/// Reads a key file. It is refused, or each of its keys is found by its digest.
pub fn target(data: &[u8]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs_err::write(folder.path().join("keys.json"), data).expect("a file can be written");
    let keys = KeyFile::in_folder(folder.path());
    let Ok(listed) = keys.list() else { return };
    for record in listed {
        let found = keys.find(&record.digest).expect("a file that can be listed can be searched");
        assert!(found.is_some_and(|found| found.record.digest == record.digest));
    }
}
