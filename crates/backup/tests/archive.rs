//! What is written reads back; what is not exactly that is refused.
#![expect(clippy::unwrap_used, reason = "a test helper that fails should fail its test")]

use std::io::{Seek, Write};
use std::path::{Path, PathBuf};

use cantata_backup::{BackupError, BackupFile, BackupReader, FileContent, PreparedBackup};
use flate2::write::GzEncoder;
use flate2::{Compression, GzBuilder};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tar::{Builder, EntryType, Header};
use tempfile::TempDir;

/// The files of a small data folder; one has a name that is too long for the head of an archive entry.
fn sample() -> Vec<(String, Vec<u8>)> {
    vec![
        ("metadata.db".to_owned(), b"a database".repeat(300)),
        ("search/files/1.segment".to_owned(), (0..5_000_u32).flat_map(u32::to_le_bytes).collect()),
        (format!("search/{}/manifest.json", "i".repeat(200)), b"{}".to_vec()),
        ("configs/ü/empty.json".to_owned(), vec![]),
    ]
}

fn write(folder: &TempDir, files: Vec<(String, Vec<u8>)>) -> PathBuf {
    let as_file = |(path, content): (String, Vec<u8>)| {
        let mut file = fs_err::File::from_parts(tempfile::tempfile().unwrap(), "unnamed");
        file.write_all(&content).unwrap();
        let content = if path.ends_with(".db") { FileContent::File(file) } else { FileContent::Bytes(content.into()) };
        BackupFile { path, content }
    };
    let prepared = PreparedBackup::new(files.into_iter().map(as_file).collect()).unwrap();
    let path = folder.path().join("backup");
    prepared.write_to(fs_err::File::create(&path).unwrap()).unwrap();
    path
}

#[test]
fn what_is_written_reads_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(&folder, sample());
    let target = folder.path().join("target");
    fs_err::create_dir(&target).unwrap();
    let manifest = BackupReader::at(&path).extract(&target).unwrap();
    assert_eq!(manifest, BackupReader::at(&path).check().unwrap());
    assert_eq!(manifest.files.len(), sample().len());
    assert_eq!(manifest.bytes(), sample().iter().map(|(_, content)| content.len() as u64).sum::<u64>());
    for (path, content) in sample() {
        assert_eq!(fs_err::read(target.join(path)).unwrap(), content);
    }
    // What is there already stays as it is.
    assert!(matches!(BackupReader::at(&path).extract(&target), Err(BackupError::Io { .. })));
}

#[test]
fn a_backup_of_nothing_is_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(&folder, vec![]);
    assert_eq!(BackupReader::at(&path).check().unwrap().files, vec![]);
}

#[test]
fn every_changed_byte_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(&folder, sample());
    let whole = fs_err::read(&path).unwrap();
    for place in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[place] ^= 0xff;
        fs_err::write(&path, damaged).unwrap();
        let refused = BackupReader::at(&path).check().expect_err(&format!("byte {place} of {}", whole.len()));
        assert!(refused.to_string().starts_with("is "), "{refused}");
    }
}

#[test]
fn every_cut_is_noticed_and_every_addition() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(&folder, sample());
    let whole = fs_err::read(&path).unwrap();
    for length in 0..whole.len() {
        fs_err::write(&path, &whole[..length]).unwrap();
        assert!(BackupReader::at(&path).check().is_err(), "{length} bytes of {}", whole.len());
    }
    for more in [vec![0], whole.clone()] {
        fs_err::write(&path, [whole.clone(), more].concat()).unwrap();
        let refused = BackupReader::at(&path).check().unwrap_err();
        assert!(refused.to_string().starts_with("is damaged: "), "{refused}");
    }
}

/// An archive as an attacker would make it.
struct Forged {
    archive: Builder<GzEncoder<Vec<u8>>>,
}

impl Forged {
    fn new(manifest: &Value) -> Self {
        let mut forged = Self { archive: Builder::new(GzEncoder::new(Vec::new(), Compression::fast())) };
        forged.add("cantata-backup.json", EntryType::Regular, manifest.to_string().as_bytes());
        forged
    }

    /// Adds an entry whatever its name is.
    fn add(&mut self, name: &str, kind: EntryType, content: &[u8]) {
        let mut header = Header::new_ustar();
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(kind);
        header.set_size(content.len() as u64);
        header.set_mode(0o777);
        if kind == EntryType::Symlink {
            header.set_link_name("/etc").unwrap();
        }
        header.set_cksum();
        self.archive.append(&header, content).unwrap();
    }

    /// Returns the archive with as many bytes at its end as a seal has; all is refused before these are looked at.
    fn unsealed(self) -> Vec<u8> {
        let mut archive = self.archive.into_inner().unwrap().finish().unwrap();
        archive.extend([0; 85]);
        archive
    }

    /// Tries to restore it; returns why that is refused, having looked that nothing was written.
    #[track_caller]
    fn refused(self) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("backup");
        fs_err::write(&path, self.unsealed()).unwrap();
        let target = folder.path().join("one/two");
        fs_err::create_dir_all(&target).unwrap();
        let refused = BackupReader::at(&path).extract(&target).expect_err("is refused");
        assert_eq!(files_below(folder.path()), vec![path]);
        refused.to_string()
    }
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs_err::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            found.extend(files_below(&entry.path()))
        } else {
            found.push(entry.path())
        }
    }
    found
}

fn manifest(files: &[(&str, u64, &[u8])]) -> Value {
    let file = |(path, size, content): &(&str, u64, &[u8])| json!({"path": path, "size": size, "sha256": format!("{:x}", Sha256::digest(content))});
    json!({
        "format": 1, "version": "0.1.0", "createdAt": "2026-01-01T00:00:00",
        "files": files.iter().map(file).collect::<Vec<_>>(),
    })
}

#[test]
fn nothing_is_written_outside_of_a_data_folder() {
    for path in ["../escaped", "/tmp/escaped", "search/../../escaped", "server.json", "configs/a\\b", "C:/x"] {
        let mut forged = Forged::new(&manifest(&[(path, 1, b"x")]));
        forged.add(path, EntryType::Regular, b"x");
        let refused = forged.refused();
        assert!(refused.starts_with("is no backup: ") && refused.ends_with("is no file of a data folder"), "{refused}");
    }
}

#[test]
fn entries_must_be_the_files_that_the_manifest_names() {
    let names_one = manifest(&[("search/a", 1, b"x")]);
    for (name, kind) in [
        ("search/b", EntryType::Regular),
        ("../search/a", EntryType::Regular),
        ("search/a", EntryType::Symlink),
        ("search/a", EntryType::Link),
        ("search/a", EntryType::Directory),
        ("search/a", EntryType::GNULongName),
        ("search/a", EntryType::XHeader),
        ("search/a", EntryType::GNUSparse),
        ("search/a", EntryType::Fifo),
    ] {
        let mut forged = Forged::new(&names_one);
        forged.add(name, kind, b"x");
        let refused = forged.refused();
        assert!(refused.contains("where the file \"search/a\" belongs"), "{refused}");
    }
    assert_eq!(Forged::new(&names_one).refused(), "is damaged: it ends before search/a");
    let mut longer = Forged::new(&names_one);
    longer.add("search/a", EntryType::Regular, b"xx");
    assert_eq!(longer.refused(), "is damaged: search/a has another size than it should");
    let twice = manifest(&[("search/a", 1, b"x"), ("search/A", 1, b"x")]);
    assert_eq!(Forged::new(&twice).refused(), "is no backup: \"search/A\" is in it twice");
    let mut nothing = Forged::new(&manifest(&[]));
    nothing.add("search/a", EntryType::Regular, b"x");
    assert_eq!(nothing.refused(), "is damaged: something follows the last file");
}

#[test]
fn another_content_than_promised_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut forged = Forged::new(&manifest(&[("search/a", 1, b"x")]));
    forged.add("search/a", EntryType::Regular, b"y");
    let path = folder.path().join("backup");
    fs_err::write(&path, forged.unsealed()).unwrap();
    let refused = BackupReader::at(&path).check().unwrap_err();
    assert_eq!(refused.to_string(), "is damaged: search/a has another checksum than it should");
}

#[test]
fn what_would_fill_the_disk_is_refused_before_anything_is_written() {
    for size in [4_u64 << 30, u64::MAX] {
        let refused = Forged::new(&manifest(&[("search/a", size, b""), ("search/b", size, b"")])).refused();
        assert!(refused.contains("which no data folder does"), "{refused}");
    }
}

#[test]
fn a_manifest_that_unpacking_makes_large_is_not_read_to_its_end() {
    let mut text = " ".repeat(64 << 20);
    text.push_str(&manifest(&[]).to_string());
    let mut forged = Forged { archive: Builder::new(GzEncoder::new(Vec::new(), Compression::fast())) };
    forged.add("cantata-backup.json", EntryType::Regular, text.as_bytes());
    let refused = forged.refused();
    assert!(refused.starts_with("is damaged: cantata-backup.json cannot be read: "), "{refused}");
}

#[test]
fn nothing_is_hidden_behind_the_last_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("backup");
    let sealed_with = |padding: &[u8]| {
        let mut encoder = Forged::new(&manifest(&[])).archive.into_inner().unwrap();
        encoder.write_all(padding).unwrap();
        let mut archive = encoder.finish().unwrap();
        let sum = format!("{:x}", Sha256::digest(&archive));
        let seal = GzBuilder::new().comment(sum).write(Vec::new(), Compression::fast());
        archive.extend(seal.finish().unwrap());
        fs_err::write(&path, archive).unwrap();
        BackupReader::at(&path).check()
    };
    sealed_with(&[0; 512]).unwrap();
    let refused = sealed_with(b"something").unwrap_err().to_string();
    assert_eq!(refused, "is damaged: its end is not the end of a backup");
}

#[test]
fn other_forms_and_other_files_are_told_apart() {
    let mut later = manifest(&[]);
    later["format"] = json!(2);
    later["files"] = json!("in another way");
    assert!(Forged::new(&later).refused().starts_with("has format version 2, but this version reads 1; "));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("backup");
    for other in [b"".as_slice(), b"SQLite format 3\0", b"\x1f\x8b"] {
        fs_err::write(&path, other).unwrap();
        let refused = BackupReader::at(&path).check().unwrap_err();
        assert_eq!(refused.to_string(), "is no backup: it does not start like one");
    }
    assert!(matches!(BackupReader::at(folder.path()).check(), Err(BackupError::Io { .. })));
}

#[test]
fn a_file_that_was_read_before_is_taken_from_its_start() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = fs_err::File::from_parts(tempfile::tempfile().unwrap(), "unnamed");
    file.write_all(b"content").unwrap();
    file.seek(std::io::SeekFrom::Start(3)).unwrap();
    let file = BackupFile { path: "metadata.db".to_owned(), content: FileContent::File(file) };
    let path = folder.path().join("backup");
    PreparedBackup::new(vec![file]).unwrap().write_to(fs_err::File::create(&path).unwrap()).unwrap();
    BackupReader::at(&path).extract(folder.path()).unwrap();
    assert_eq!(fs_err::read(folder.path().join("metadata.db")).unwrap(), b"content");
}
