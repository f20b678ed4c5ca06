//! Backup archives.

use std::io::{Read, Write};
use std::path::Path;

use cantata_backup::{BackupFile, BackupReader, FileContent, PreparedBackup};
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};

/// Reads a backup, and the same bytes as the tar archive in a backup whose checksum fits.
pub fn target(data: &[u8]) {
    restore(data);
    restore(&sealed(data));
}

/// Checks and extracts a backup. Both agree, and what is extracted is what the manifest lists.
fn restore(backup: &[u8]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let (path, target) = (folder.path().join("backup"), folder.path().join("target"));
    fs_err::write(&path, backup).expect("a file can be written");
    fs_err::create_dir(&target).expect("a folder can be made");
    let checked = BackupReader::at(&path).check();
    if let Ok(extracted) = BackupReader::at(&path).extract(&target) {
        assert_eq!(checked.ok().as_ref(), Some(&extracted));
        for file in &extracted.files {
            let content = fs_err::read(target.join(&file.path)).expect("an extracted file can be read");
            assert_eq!(
                (content.len() as u64, format!("{:x}", Sha256::digest(&content))),
                (file.size, file.sha256.clone())
            );
        }
        assert_eq!(count_files(&target), extracted.files.len());
    }
    // Nothing is beside the two.
    assert_eq!(fs_err::read_dir(folder.path()).expect("a folder can be listed").count(), 2);
}

fn count_files(folder: &Path) -> usize {
    let entries = fs_err::read_dir(folder).expect("a folder can be listed");
    let count = entries.map(|entry| {
        let path = entry.expect("a folder can be listed").path();
        if path.is_dir() { count_files(&path) } else { 1 }
    });
    count.sum()
}

/// Returns the backup with this tar archive.
fn sealed(tar: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(tar).expect("memory can be written");
    let mut archive = encoder.finish().expect("memory can be written");
    let sum = format!("{:x}", Sha256::digest(&archive));
    let trailer = GzBuilder::new().comment(sum).write(Vec::new(), Compression::fast());
    archive.extend(trailer.finish().expect("memory can be written"));
    archive
}

/// Returns a backup, and the tar archive in it.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let file = |path: &str, content: &'static [u8]| BackupFile {
        path: path.to_owned(),
        content: FileContent::Bytes(content.into()),
    };
    let long = format!("search/{}/manifest.json", "i".repeat(200));
    let files = vec![file("metadata.db", b"a database"), file(&long, b"{}"), file("configs/a/base.json", b"")];
    let prepared = PreparedBackup::new(files).expect("memory can be read");
    let mut backup = Vec::new();
    prepared.write_to(&mut backup).expect("memory can be written");
    let mut tar = Vec::new();
    GzDecoder::new(backup.as_slice()).read_to_end(&mut tar).expect("a backup can be unpacked");
    vec![backup, tar]
}
