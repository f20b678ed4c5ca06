//! API keys are created and revoked at random, while the disk fails and the power is cut. An acknowledged key is there, a
//! revoked one stays revoked, and a change that was refused is never seen. An import of the keys of an earlier version that
//! is interrupted is completed by the next one.
//!
//! The simulated disk loses what a failed sync was to keep. On a real one that may be durable all the same, so there a
//! change that was refused because of its sync may be seen after a power loss; no other may.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cantata_access::{KeyError, KeyRecord, KeyRegistry, import_key_file};
use cantata_sim_disk::{Fault, SimDisk, run_seeds};
use cantata_store_sqlite::SqliteStore;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde_json::json;
use tempfile::TempDir;

use super::{NOTHING, survivor};
use crate::{SHUTDOWN_TIMEOUT, new_runtime};

/// How many times the power is cut in one life of a folder.
const POWER_LOSSES_PER_WORKLOAD: u64 = 4;

const STEPS: usize = 15;

/// The power is cut before this operation of the disk at the latest; a change has about ten.
const MAX_OPERATIONS: u64 = 150;

const NAMES: [&str; 4] = ["importer", "portal", "reader", "writer"];

const FAULTS: [Fault; 6] =
    [Fault::DiskFull, Fault::ReadOnly, Fault::Denied, Fault::FailedSync, Fault::IoError, Fault::ShortWrite];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Missing,
    InForce,
    Revoked,
}

/// A key that was to be created, acknowledged or not.
struct Key {
    id: String,
    /// Its state; two if the power was cut during a change of it.
    possible: Vec<State>,
}

#[test]
fn acknowledged_changes_of_keys_survive_and_refused_ones_do_not_count() {
    run_seeds(super::workloads(20, POWER_LOSSES_PER_WORKLOAD), run);
}

#[test]
fn a_key_whose_sync_fails_is_not_there_and_can_be_created_again() {
    let refusals = AtomicU64::new(0);
    run_seeds(super::workloads(60, 1), |seed| {
        refusals.fetch_add(refuse(seed), Ordering::Relaxed);
    });
    assert!(refusals.into_inner() > 0, "no sync failed");
}

#[test]
fn an_import_that_was_interrupted_is_completed_by_the_next_one() {
    run_seeds(super::workloads(20, 1), import);
}

/// Opens the keys of a folder.
fn open(folder: &Path) -> KeyRegistry {
    KeyRegistry::new(Arc::new(SqliteStore::open(&folder.join("data")).unwrap()))
}

fn new_key(name: &str) -> KeyRecord {
    KeyRecord::new(name, &["song.READ".to_owned()], None).unwrap().0
}

fn run(seed: u64) {
    let mut random = StdRng::seed_from_u64(seed);
    let mut model: Vec<Key> = Vec::new();
    let mut folder = TempDir::new().unwrap();
    for _ in 0..POWER_LOSSES_PER_WORKLOAD {
        let disk = SimDisk::mount(folder.path());
        let runtime = new_runtime();
        runtime.block_on(live(folder.path(), &disk, &mut model, &mut random));
        runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
        folder = survivor(disk, NOTHING, &mut random);
    }
    let runtime = new_runtime();
    runtime.block_on(async { compare(&open(folder.path()).list().await.unwrap(), &mut model) });
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
}

/// Changes keys until the power is cut, or long enough.
async fn live(folder: &Path, disk: &SimDisk, model: &mut Vec<Key>, random: &mut StdRng) {
    let keys = open(folder);
    compare(&keys.list().await.unwrap(), model);
    let now = disk.operations();
    disk.cut_power_at(now + random.random_range(0..MAX_OPERATIONS), random.random());
    let fault = FAULTS.choose(random).copied().filter(|_| random.random());
    if let Some(fault) = fault {
        disk.fail_at(now + random.random_range(0..MAX_OPERATIONS), fault);
    }
    for _ in 0..STEPS {
        step(&keys, disk, fault, model, random).await;
        let listed = keys.list().await;
        if !disk.has_power() {
            return;
        }
        compare(&listed.unwrap(), model);
    }
}

/// Creates or revokes a key, and notes what the store may say afterwards.
async fn step(keys: &KeyRegistry, disk: &SimDisk, fault: Option<Fault>, model: &mut Vec<Key>, random: &mut StdRng) {
    if random.random_bool(0.2) {
        disk.repair();
    }
    let in_force: Vec<usize> = (0..model.len()).filter(|nth| model[*nth].possible == [State::InForce]).collect();
    let (nth, before, after, outcome) = match in_force.choose(random) {
        Some(nth) if random.random() => {
            (*nth, State::InForce, State::Revoked, keys.revoke_id(&model[*nth].id).await.map(drop))
        }
        _ => {
            let record = new_key(NAMES.choose(random).unwrap());
            model.push(Key { id: record.id.clone(), possible: Vec::new() });
            (model.len() - 1, State::Missing, State::InForce, keys.add(record).await)
        }
    };
    model[nth].possible = match outcome {
        Ok(()) => vec![after],
        Err(KeyError::NameTaken(_)) => vec![before],
        Err(error) if disk.has_power() => {
            let is_expected = match error {
                KeyError::NotWritable(_) => fault.is_some(),
                KeyError::Unusable(_) => fault == Some(Fault::FailedSync),
                _ => false,
            };
            assert!(is_expected, "{fault:?}: {error}");
            vec![before]
        }
        Err(_) => vec![before, after],
    };
}

/// Compares the keys with the model, and continues from them.
fn compare(records: &[KeyRecord], model: &mut [Key]) {
    for record in records {
        assert!(model.iter().any(|key| key.id == record.id), "key {} was never created", record.id);
    }
    for key in model {
        let found = match records.iter().find(|record| record.id == key.id) {
            None => State::Missing,
            Some(record) if record.revoked.is_some() => State::Revoked,
            Some(_) => State::InForce,
        };
        assert!(key.possible.contains(&found), "key {} is {found:?}; expected one of {:?}", key.id, key.possible);
        key.possible = vec![found];
    }
}

/// Creates a key while a sync fails, perhaps again if it was refused, and cuts the power at once. Returns how often it
/// was refused.
fn refuse(seed: u64) -> u64 {
    let mut random = StdRng::seed_from_u64(seed);
    let folder = TempDir::new().unwrap();
    let disk = SimDisk::mount(folder.path());
    let earlier = random.random_range(0..2);
    let runtime = new_runtime();
    let (is_created, refusals) = runtime.block_on(async {
        let keys = open(folder.path());
        for name in &NAMES[..earlier] {
            keys.add(new_key(name)).await.unwrap();
        }
        disk.fail_at(disk.operations() + random.random_range(0..12), Fault::FailedSync);
        let record = new_key("another");
        let mut created = keys.add(record.clone()).await;
        let is_refused = created.is_err();
        if is_refused {
            assert_eq!(keys.list().await.unwrap().len(), earlier, "{created:?}");
            if random.random() {
                created = keys.add(record).await;
                assert!(created.is_ok(), "{created:?}");
            }
        }
        // Before the store is closed.
        disk.cut_power(random.random());
        (created.is_ok(), u64::from(is_refused))
    });
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    let folder = survivor(disk, NOTHING, &mut random);
    let runtime = new_runtime();
    let found = runtime.block_on(async { open(folder.path()).list().await.unwrap().len() });
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    assert_eq!(found, earlier + usize::from(is_created), "{earlier} keys, and one more: {is_created}");
    refusals
}

/// Cuts the power while keys are imported, and imports them again.
fn import(seed: u64) {
    let mut random = StdRng::seed_from_u64(seed);
    let folder = TempDir::new().unwrap();
    let records = NAMES.map(new_key);
    std::fs::create_dir(folder.path().join("data")).unwrap();
    let file = json!({"version": 1, "keys": records}).to_string();
    std::fs::write(folder.path().join("data").join("keys.json"), file).unwrap();
    let disk = SimDisk::mount(folder.path());
    let runtime = new_runtime();
    runtime.block_on(async {
        let keys = open(folder.path());
        disk.cut_power_at(disk.operations() + random.random_range(0..40), random.random());
        let imported = import_key_file(&folder.path().join("data"), &keys).await;
        assert!(imported.is_ok() || !disk.has_power(), "{imported:?}");
    });
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    let folder = survivor(disk, NOTHING, &mut random);
    let runtime = new_runtime();
    runtime.block_on(async {
        let keys = open(folder.path());
        import_key_file(&folder.path().join("data"), &keys).await.unwrap();
        let mut ids: Vec<String> = keys.list().await.unwrap().into_iter().map(|key| key.id).collect();
        let mut expected = records.map(|record| record.id).to_vec();
        ids.sort();
        expected.sort();
        assert_eq!(ids, expected);
    });
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
}
