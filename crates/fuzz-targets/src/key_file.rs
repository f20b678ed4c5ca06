//! The file of API keys of earlier versions.

use cantata_access::read_key_file;

/// Reads a key file. It is refused, or what was read can be stored and reads back as it was.
pub fn target(data: &[u8]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs_err::write(folder.path().join("keys.json"), data).expect("a file can be written");
    let Ok(listed) = read_key_file(folder.path()) else { return };
    for record in listed {
        let document = serde_json::to_string(&record).expect("a key can be written");
        assert_eq!(serde_json::from_str::<cantata_access::KeyRecord>(&document).ok(), Some(record));
    }
}
