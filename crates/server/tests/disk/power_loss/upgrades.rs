//! A database of an older version is opened until the power is cut. It opens again, and the copy of the older version,
//! which is the way back, is there and whole.

use std::path::Path;

use cantata_core::error_chain;
use cantata_sim_disk::run_seeds;
use cantata_store_sqlite::SqliteStore;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rusqlite::Connection;
use tempfile::TempDir;

use super::{DiskHook, NOTHING, mount, survivor};

/// A data folder whose tables have an older version, and how many events it has.
const OLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/formats/0.1.0-1/data");
const OLDER_VERSION: i64 = 3;
const EVENTS: u64 = 12;

/// What the name of the copy before an upgrade begins with; the version that the tables get follows.
const COPY: &str = "metadata.db.before-V";

/// The power is cut before this operation of the disk at the latest.
const MAX_OPERATIONS: u64 = 150;

#[test]
fn an_interrupted_upgrade_is_repeated_and_leaves_a_way_back() {
    run_seeds(super::workloads(40, 1), |seed| run(seed, NOTHING, NOTHING));
}

pub(super) fn run(seed: u64, prepare: DiskHook<'_>, finish: DiskHook<'_>) {
    let mut random = StdRng::seed_from_u64(seed);
    let folder = TempDir::new().unwrap();
    for name in ["metadata.db", "metadata.db-wal"] {
        std::fs::copy(Path::new(OLDER).join(name), folder.path().join(name)).unwrap();
    }
    let disk = mount(folder.path(), MAX_OPERATIONS, prepare, &mut random);
    if let Err(error) = SqliteStore::open(folder.path()) {
        assert!(!disk.has_power(), "{}", error_chain(&error));
    }
    let survivor = survivor(disk, finish, &mut random);

    if let Err(error) = SqliteStore::open(survivor.path()) {
        panic!("the store does not open: {}", error_chain(&error));
    }
    let mut paths = std::fs::read_dir(survivor.path()).unwrap().map(|entry| entry.unwrap().path());
    let copy = paths.find(|path| is_copy(path)).expect("the way back is there");
    let copy = Connection::open(copy).unwrap();
    let sql = "SELECT (SELECT max(version) FROM refinery_schema_history), (SELECT count(*) FROM event)";
    let found: (i64, u64) = copy.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?))).unwrap();
    assert_eq!(found, (OLDER_VERSION, EVENTS));
    let integrity: String = copy.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(integrity, "ok");
}

fn is_copy(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_str().unwrap();
    name.strip_prefix(COPY).is_some_and(|version| version.parse::<u32>().is_ok())
}
