//! The simulated disk itself: what it forgets, what it keeps, and how it fails.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it stands")]

use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use cantata_sim_disk::{Fault, SimDisk};

/// Returns what a power loss left of a file; nothing if it is gone.
fn survivor(disk: &SimDisk, name: &str) -> Option<Vec<u8>> {
    let image = tempfile::tempdir().unwrap();
    disk.write_image(image.path());
    fs::read(image.path().join(name)).ok()
}

/// Runs an act on a new disk with each of many seeds; returns what is left of a file.
fn after_power_losses(name: &str, act: impl Fn(&Path)) -> Vec<Option<Vec<u8>>> {
    (0..200)
        .map(|seed| {
            let folder = tempfile::tempdir().unwrap();
            let disk = SimDisk::mount(folder.path());
            act(folder.path());
            assert_eq!(disk.unknown_changes(), Vec::<String>::new());
            disk.cut_power(seed);
            survivor(&disk, name)
        })
        .collect()
}

fn sync_folder(folder: &Path) {
    File::open(folder).unwrap().sync_all().unwrap();
}

#[test]
fn a_file_needs_its_own_sync_and_that_of_its_folder() {
    let unsynced = after_power_losses("a", |folder| fs::write(folder.join("a"), "hello").unwrap());
    assert!(
        unsynced.contains(&None) && unsynced.contains(&Some(Vec::new())) && unsynced.contains(&Some(b"hello".into()))
    );
    let without_folder = after_power_losses("a", |folder| {
        let mut file = File::create(folder.join("a")).unwrap();
        file.write_all(b"hello").unwrap();
        file.sync_all().unwrap();
    });
    assert!(without_folder.contains(&None) && without_folder.contains(&Some(b"hello".into())));
    assert!(!without_folder.contains(&Some(Vec::new())));
    let synced = after_power_losses("a", |folder| {
        let mut file = File::create(folder.join("a")).unwrap();
        file.write_all(b"hello").unwrap();
        file.sync_data().unwrap();
        sync_folder(folder);
    });
    assert!(synced.iter().all(|content| content.as_deref() == Some(b"hello")));
}

#[test]
fn writes_survive_in_any_order_and_in_parts() {
    let found = after_power_losses("a", |folder| {
        let mut file = File::create(folder.join("a")).unwrap();
        file.sync_all().unwrap();
        sync_folder(folder);
        file.write_all(&[1; 512]).unwrap();
        file.write_all(&[2; 512]).unwrap();
    });
    let has = |expected: &[u8]| found.iter().flatten().any(|content| content == expected);
    assert!(has(&[]) && has(&[1; 512]) && has(&[[1; 512], [2; 512]].concat()));
    assert!(has(&[[0; 512], [2; 512]].concat()), "the second write survives without the first");
}

#[test]
fn a_rename_is_seen_whole_or_not_at_all() {
    let act = |folder: &Path| {
        for (name, content) in [("a", "old"), ("a.new", "new")] {
            let mut file = File::create(folder.join(name)).unwrap();
            file.write_all(content.as_bytes()).unwrap();
            file.sync_all().unwrap();
        }
        sync_folder(folder);
        fs::rename(folder.join("a.new"), folder.join("a")).unwrap();
    };
    let found = after_power_losses("a", act);
    assert!(found.iter().all(|content| matches!(content.as_deref(), Some(b"old" | b"new"))));
    assert!(found.contains(&Some(b"old".into())) && found.contains(&Some(b"new".into())));
    let synced = after_power_losses("a", |folder| {
        act(folder);
        sync_folder(folder);
    });
    assert!(synced.iter().all(|content| content.as_deref() == Some(b"new")));
}

#[test]
fn folders_are_created_renamed_and_removed_with_their_files() {
    let found = after_power_losses("b/file", |folder| {
        fs::create_dir(folder.join("a")).unwrap();
        fs::write(folder.join("a/file"), "x").unwrap();
        File::open(folder.join("a/file")).unwrap().sync_all().unwrap();
        sync_folder(&folder.join("a"));
        fs::rename(folder.join("a"), folder.join("b")).unwrap();
        sync_folder(folder);
        fs::create_dir_all(folder.join("c/d")).unwrap();
        fs::write(folder.join("c/d/e"), "y").unwrap();
        fs::copy(folder.join("b/file"), folder.join("c/copy")).unwrap();
        fs::remove_dir_all(folder.join("c")).unwrap();
    });
    assert!(found.iter().all(|content| content.as_deref() == Some(b"x")));
}

#[test]
fn nothing_changes_after_the_power_is_cut() {
    let folder = tempfile::tempdir().unwrap();
    let disk = SimDisk::mount(folder.path());
    let mut file = File::create(folder.path().join("a")).unwrap();
    file.write_all(b"1").unwrap();
    disk.cut_power_at(disk.operations(), 0);
    assert!(disk.has_power());
    assert!(file.write_all(b"2").is_err() && file.sync_all().is_err());
    assert!(!disk.has_power());
    assert!(File::create(folder.path().join("b")).is_err());
    assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"1");
}

#[test]
fn faults_come_where_they_are_planned_and_end() {
    let folder = tempfile::tempdir().unwrap();
    let disk = SimDisk::mount(folder.path());
    let mut file = OpenOptions::new().create_new(true).write(true).open(folder.path().join("a")).unwrap();
    let mut fail = |fault: Fault, act: &mut dyn FnMut(&mut File) -> std::io::Result<()>| {
        disk.fail_at(disk.operations(), fault);
        let failed = act(&mut file).err().and_then(|error| error.raw_os_error());
        disk.repair();
        act(&mut file).unwrap();
        failed
    };
    assert_eq!(fail(Fault::DiskFull, &mut |file| file.write_all(b"x")), Some(libc::ENOSPC));
    assert_eq!(fail(Fault::NoSpaceForBytes, &mut |file| file.write_all(b"x")), Some(libc::ENOSPC));
    assert_eq!(fail(Fault::ReadOnly, &mut |file| file.set_len(0)), Some(libc::EROFS));
    assert_eq!(fail(Fault::Denied, &mut |file| file.set_len(0)), Some(libc::EACCES));
    assert_eq!(fail(Fault::IoError, &mut |file| file.write_all(b"x")), Some(libc::EIO));
    assert_eq!(fail(Fault::FailedSync, &mut |file| file.sync_all()), Some(libc::EIO));
    assert_eq!(fail(Fault::Broken, &mut |file| file.write_all(b"x")), Some(libc::EIO));
    assert_eq!(fail(Fault::Broken, &mut |file| file.sync_all()), Some(libc::EIO));
    disk.fail_at(disk.operations(), Fault::ShortWrite);
    assert_eq!(file.write(b"abcd").unwrap(), 2);
    for (fault, is_refused) in [(Fault::DiskFull, true), (Fault::NoSpaceForBytes, false)] {
        disk.fail_at(disk.operations(), fault);
        let name = folder.path().join(format!("{fault:?}"));
        assert_eq!(File::create_new(name).is_err(), is_refused, "{fault:?}");
    }
}

#[test]
fn what_a_failed_sync_lost_is_not_made_durable_by_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let disk = SimDisk::mount(folder.path());
    let mut file = File::create(folder.path().join("a")).unwrap();
    sync_folder(folder.path());
    file.write_all(b"lost").unwrap();
    disk.fail_at(disk.operations(), Fault::FailedSync);
    assert!(file.sync_all().is_err());
    assert_eq!(fs::read(folder.path().join("a")).unwrap(), b"lost", "programs still read it");
    file.seek(SeekFrom::Start(4)).unwrap();
    file.write_all(b"good").unwrap();
    file.sync_all().unwrap();
    disk.cut_power(1);
    assert_eq!(survivor(&disk, "a").unwrap(), b"\0\0\0\0good");
}
