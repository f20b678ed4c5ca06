//! Studies are stored, and the store is opened again and again, until the power is cut. Everything acknowledged is
//! there, and nothing that was never stored.

use std::collections::BTreeMap;
use std::path::Path;

use cantata_core::{Study, error_chain};
use cantata_sim_disk::{Fault, SimDisk, run_seeds};
use cantata_store::{Store, StoreError};
use cantata_store_sqlite::SqliteStore;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use tempfile::TempDir;

use super::{DiskHook, NOTHING, mount, survivor};
use crate::{SHUTDOWN_TIMEOUT, new_runtime};

/// How many times the power is cut in one life of a folder.
const POWER_LOSSES_PER_WORKLOAD: u64 = 3;

/// How many times the store is opened between two of them.
const STARTS: usize = 3;

const STUDIES_PER_START: usize = 4;

/// A database is created during this many operations of the disk.
const CREATION_OPERATIONS: u64 = 24;

/// The power is cut before this operation at the latest.
const MAX_OPERATIONS: u64 = 250;

/// Each study, and whether it was acknowledged.
type Model = BTreeMap<String, bool>;

#[test]
fn acknowledged_studies_survive_however_often_the_store_is_opened() {
    run_seeds(super::workloads(10, POWER_LOSSES_PER_WORKLOAD), |seed| run(seed, NOTHING, NOTHING));
}

#[test]
fn a_store_whose_creation_was_interrupted_is_created_at_the_next_start() {
    run_seeds(super::workloads(40, 1), |seed| run_creation(seed, NOTHING, NOTHING));
}

pub(super) fn run_creation(seed: u64, prepare: DiskHook<'_>, finish: DiskHook<'_>) {
    let mut random = StdRng::seed_from_u64(seed);
    let folder = TempDir::new().unwrap();
    let disk = mount(folder.path(), CREATION_OPERATIONS, prepare, &mut random);
    if let Err(error) = SqliteStore::open(&folder.path().join("store")) {
        assert!(!disk.has_power(), "{}", error_chain(&error));
    }
    let survivor = survivor(disk, finish, &mut random);
    if let Err(error) = SqliteStore::open(&survivor.path().join("store")) {
        panic!("the store does not open: {}", error_chain(&error));
    }
}

pub(super) fn run(seed: u64, prepare: DiskHook<'_>, finish: DiskHook<'_>) {
    let mut random = StdRng::seed_from_u64(seed);
    let mut model = Model::new();
    let mut folder = TempDir::new().unwrap();
    for cut in 0..=POWER_LOSSES_PER_WORKLOAD {
        let disk = SimDisk::mount(folder.path());
        prepare(&disk);
        if cut < POWER_LOSSES_PER_WORKLOAD {
            let latest = if random.random() { CREATION_OPERATIONS } else { MAX_OPERATIONS };
            disk.cut_power_at(random.random_range(0..latest), random.random());
        }
        // The first sync is that of the name of a new folder.
        let has_fault = cut == 0 && random.random();
        if has_fault {
            disk.fail_at(0, Fault::FailedSync);
        }
        let runtime = new_runtime();
        runtime.block_on(live(&folder.path().join("store"), &disk, has_fault, &mut model, &mut random));
        runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
        folder = survivor(disk, finish, &mut random);
    }
}

async fn live(folder: &Path, disk: &SimDisk, has_fault: bool, model: &mut Model, random: &mut StdRng) {
    for start in 0..STARTS {
        match SqliteStore::open(folder) {
            Ok(store) => {
                if let Err(error) = work(&store, model, random).await {
                    assert!(!disk.has_power(), "{}", error_chain(&error));
                }
            }
            Err(error) => {
                let is_expected = has_fault && start == 0;
                assert!(is_expected || !disk.has_power(), "the store does not open: {}", error_chain(&error));
            }
        }
    }
}

/// Compares the store with the model, and stores more.
async fn work(store: &SqliteStore, model: &mut Model, random: &mut StdRng) -> Result<(), StoreError> {
    let found = store.study_ids().await?;
    for id in &found {
        assert!(model.contains_key(id), "study {id} was never stored");
    }
    model.retain(|id, is_acknowledged| {
        let is_there = found.contains(id);
        assert!(is_there || !*is_acknowledged, "study {id} is lost");
        *is_acknowledged = is_there;
        is_there
    });
    for _ in 0..STUDIES_PER_START {
        let id = format!("STUDY-{}", random.random::<u64>());
        model.insert(id.clone(), false);
        store.create_study(Study { study_id: id.clone(), ..Study::default() }).await?;
        model.insert(id, true);
    }
    Ok(())
}
