//! The power is cut while a backup is restored. The data folder is then empty, or refused as half restored with what to do,
//! or has everything of the backup; an acknowledged one has everything. Another restore succeeds.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cantata_access::{KeyRecord, KeyRegistry};
use cantata_backup::{BackupFile, BackupReader, FileContent, PreparedBackup, Restore, RestoreError, is_half_restored};
use cantata_core::Study;
use cantata_engine::{IndexAdmin, IndexMaintenance, IndexWriter, WriteOperation};
use cantata_engine_embedded::EmbeddedEngine;
use cantata_sim_disk::{SimDisk, run_seeds};
use cantata_store::Store;
use cantata_store_sqlite::{SqliteStore, check_database, copy_database};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::json;
use tempfile::TempDir;

use super::{DiskHook, NOTHING, survivor};
use crate::{SHUTDOWN_TIMEOUT, new_runtime};

const STUDIES: [&str; 2] = ["BRCA", "OVCA"];
const INDEX: &str = "things";
const DOCUMENTS: u64 = 50;
const KEY: &str = "importer";

type BoxError = Box<dyn std::error::Error + Send + Sync>;

#[test]
fn a_folder_whose_restore_was_interrupted_is_refused_or_whole() {
    let backup = Backup::make();
    run_seeds(super::workloads(32, 1), |seed| backup.run(seed, NOTHING, NOTHING));
}

/// A backup, and how many operations of a disk its restore takes.
pub(super) struct Backup {
    file: PathBuf,
    operations: u64,
    /// Removed with the backup.
    _source: TempDir,
}

impl Backup {
    pub(super) fn make() -> Self {
        let (source, target) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        let runtime = new_runtime();
        let file = runtime.block_on(make_backup(source.path()));
        let disk = SimDisk::mount(target.path());
        runtime.block_on(restore(&file, &target.path().join("data"))).unwrap();
        let operations = disk.operations();
        drop(disk);
        runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
        Self { file, operations, _source: source }
    }

    /// Restores it until the power is cut, and looks at what is left.
    pub(super) fn run(&self, seed: u64, prepare: DiskHook<'_>, finish: DiskHook<'_>) {
        run(seed, &self.file, self.operations, prepare, finish);
    }
}

fn run(seed: u64, backup: &Path, operations: u64, prepare: DiskHook<'_>, finish: DiskHook<'_>) {
    let mut random = StdRng::seed_from_u64(seed);
    let folder = TempDir::new().unwrap();
    let disk = SimDisk::mount(folder.path());
    prepare(&disk);
    // The last steps are the ones that count.
    let earliest = if random.random() { 0 } else { operations.saturating_sub(10) };
    disk.cut_power_at(random.random_range(earliest..operations + 2), random.random());
    let runtime = new_runtime();
    let restored = runtime.block_on(restore(backup, &folder.path().join("data")));
    if let Err(error) = &restored {
        assert!(!disk.has_power(), "{error}");
    }
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    let survivor = survivor(disk, finish, &mut random);

    let runtime = new_runtime();
    runtime.block_on(check(backup, &survivor.path().join("data"), restored.is_ok()));
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
}

/// Looks at a data folder after a power loss, and restores into it again if the backup is not in it.
async fn check(backup: &Path, folder: &Path, is_acknowledged: bool) {
    let has_entries = std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
    let is_refused = is_half_restored(folder).unwrap();
    if is_acknowledged {
        assert!(has_entries && !is_refused, "an acknowledged restore is whole");
    }
    if is_refused {
        let Err(refused) = Restore::begin(folder) else { panic!("a half restored folder is restored into") };
        assert!(matches!(refused, RestoreError::InProgress), "{refused}");
        assert!(refused.to_string().contains("empty the folder"), "{refused}");
        std::fs::remove_dir_all(folder).unwrap();
    }
    if is_refused || !has_entries {
        restore(backup, folder).await.unwrap();
    }
    read(folder).await.unwrap();
    let store = Arc::new(SqliteStore::open(folder).unwrap());
    let keys = KeyRegistry::new(store).list().await.unwrap();
    assert_eq!(keys.into_iter().map(|key| key.name).collect::<Vec<_>>(), [KEY]);
}

/// Restores a data folder, as `cantata restore` does.
async fn restore(backup: &Path, folder: &Path) -> Result<(), BoxError> {
    let restore = Restore::begin(folder)?;
    if let Err(error) = extract(backup, restore.working_folder()).await {
        restore.discard();
        return Err(error);
    }
    Ok(restore.finish()?)
}

async fn extract(backup: &Path, folder: &Path) -> Result<(), BoxError> {
    BackupReader::at(backup).extract(folder)?;
    read(folder).await
}

/// Opens everything in a data folder, and compares it with what was backed up.
async fn read(folder: &Path) -> Result<(), BoxError> {
    let mut problems = check_database(folder)?;
    let studies = SqliteStore::open(folder)?.study_ids().await?;
    let engine = EmbeddedEngine::open(&folder.join("search"))?;
    problems.extend(engine.verify(INDEX).await?);
    let documents = engine.stats(INDEX).await?.documents;
    engine.wait_until_idle().await;
    if !problems.is_empty() || studies != STUDIES || documents != DOCUMENTS {
        return Err(format!("studies {studies:?}, {documents} documents, problems {problems:?}").into());
    }
    Ok(())
}

/// Makes a data folder, and returns the file with its backup.
async fn make_backup(folder: &Path) -> PathBuf {
    let store = Arc::new(SqliteStore::open(folder).unwrap());
    for study in STUDIES {
        let study = Study { study_id: study.to_owned(), ..Study::default() };
        store.create_study(study).await.unwrap();
    }
    let (record, _secret) = KeyRecord::new(KEY, &[], None).unwrap();
    KeyRegistry::new(store.clone()).add(record).await.unwrap();
    let copy = folder.join("copy.db");
    copy_database(folder, &copy).unwrap();
    let engine = EmbeddedEngine::open(&folder.join("search")).unwrap();
    engine.create_index(INDEX, None).await.unwrap();
    let put = |n: u64| WriteOperation::Put { id: n.to_string(), source: json!({"n": n}).to_string().into_bytes() };
    engine.write(INDEX, (0..DOCUMENTS).map(put).collect()).await.unwrap();

    let of_index = |file: cantata_engine_embedded::IndexFile| BackupFile {
        path: format!("search/{}", file.path),
        content: FileContent::Bytes(file.content),
    };
    let mut files: Vec<BackupFile> = engine.backup_files().unwrap().into_iter().map(of_index).collect();
    let content = FileContent::Bytes(std::fs::read(copy).unwrap().into());
    files.push(BackupFile { path: "metadata.db".to_owned(), content });
    engine.wait_until_idle().await;
    let file = folder.join("backup");
    PreparedBackup::new(files).unwrap().write_to(std::fs::File::create(&file).unwrap()).unwrap();
    file
}
