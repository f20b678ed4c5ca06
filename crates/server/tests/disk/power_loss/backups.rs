//! The power is cut, or a sync fails, while a backup is written to a file. An acknowledged file is there and whole; any file
//! under the name of the backup is whole, so an interrupted one is recognised.

use std::io::{BufWriter, Error};
use std::path::Path;

use cantata_backup::{BackupError, BackupFile, BackupReader, FileContent, Manifest, PreparedBackup, UnfinishedBackup};
use cantata_sim_disk::{Fault, run_seeds};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use tempfile::TempDir;

use super::{DiskHook, NOTHING, mount, survivor};

/// The power is cut before this operation of the disk at the latest; a backup of [`MAX_BYTES`] has about ten.
const MAX_OPERATIONS: u64 = 16;

const MAX_BYTES: usize = 200_000;

const NAME: &str = "monday.backup";

#[test]
fn a_file_under_the_name_of_a_backup_is_a_whole_one() {
    run_seeds(super::workloads(60, 1), |seed| run(seed, NOTHING, NOTHING));
}

pub(super) fn run(seed: u64, prepare: DiskHook<'_>, finish: DiskHook<'_>) {
    let mut random = StdRng::seed_from_u64(seed);
    let folder = TempDir::new().unwrap();
    let disk = mount(folder.path(), MAX_OPERATIONS, prepare, &mut random);
    let has_fault: bool = random.random();
    if has_fault {
        disk.fail_at(random.random_range(0..MAX_OPERATIONS), Fault::FailedSync);
    }
    let made = make_backup(&folder.path().join(NAME), &mut random);
    if let Err(error) = &made {
        assert!(has_fault || !disk.has_power(), "{}", cantata_core::error_chain(error));
    }
    let survivor = survivor(disk, finish, &mut random);

    let path = survivor.path().join(NAME);
    match made {
        Ok(manifest) => assert_eq!(BackupReader::at(&path).check().unwrap(), manifest),
        Err(_) if path.try_exists().unwrap() => drop(BackupReader::at(&path).check().unwrap()),
        // What is left of the first one is not in the way of another.
        Err(_) => drop(make_backup(&path, &mut random).unwrap()),
    }
}

/// Writes a backup of one file, as `cantata backup` does.
fn make_backup(path: &Path, random: &mut StdRng) -> Result<Manifest, BackupError> {
    let mut content = vec![0_u8; random.random_range(0..MAX_BYTES)];
    random.fill(content.as_mut_slice());
    let file = BackupFile { path: "configs/files/base.json".to_owned(), content: FileContent::Bytes(content.into()) };
    let prepared = PreparedBackup::new(vec![file])?;
    let failed = |error: Error| BackupError::io(NAME, error);
    let mut backup = UnfinishedBackup::create(path).map_err(failed)?;
    prepared.write_to(BufWriter::new(&mut backup)).map_err(failed)?;
    backup.finish()
}
