//! API keys are created and revoked at random, while the disk fails and the power is cut. An acknowledged key is there, a
//! revoked one stays revoked, and a change that was refused is never seen.

use cantata_access::{KeyError, KeyFile, KeyRecord};
use cantata_sim_disk::{Fault, SimDisk, run_seeds};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use tempfile::TempDir;

/// How many times the power is cut in one life of a folder.
const CUTS: u64 = 4;

const STEPS: usize = 15;

/// The power is cut before this operation of the disk at the latest; a change has about seven.
const MAX_OPERATIONS: u64 = 100;

const NAMES: [&str; 4] = ["importer", "portal", "reader", "writer"];

const FAULTS: [Fault; 4] = [Fault::FailedSync, Fault::IoError, Fault::ShortWrite, Fault::DiskFull];

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
    run_seeds(super::workloads(20, CUTS), run);
}

#[test]
fn a_key_whose_sync_fails_is_not_there_and_can_be_created_again() {
    let mut refusals = 0;
    for (earlier, operation) in (0..2_usize).flat_map(|earlier| (0..9_u64).map(move |operation| (earlier, operation))) {
        let folder = TempDir::new().unwrap();
        let disk = SimDisk::mount(folder.path());
        let keys = KeyFile::in_folder(&folder.path().join("data"));
        for name in &NAMES[..earlier] {
            keys.add(new_key(name)).unwrap();
        }
        disk.fail_at(disk.operations() + operation, Fault::FailedSync);
        let record = new_key("another");
        if keys.add(record.clone()).is_err() {
            refusals += 1;
            assert_eq!(keys.list().unwrap().len(), earlier, "with a failed sync from operation {operation} on");
            keys.add(record).unwrap();
        }
        assert_eq!(keys.list().unwrap().len(), earlier + 1);
    }
    assert!(refusals > 0, "no sync failed");
}

fn new_key(name: &str) -> KeyRecord {
    KeyRecord::new(name, &["song.READ".to_owned()], None).unwrap().0
}

fn run(seed: u64) {
    let mut random = StdRng::seed_from_u64(seed);
    let mut model: Vec<Key> = Vec::new();
    let mut folder = TempDir::new().unwrap();
    for _ in 0..CUTS {
        let disk = SimDisk::mount(folder.path());
        disk.cut_power_at(random.random_range(0..MAX_OPERATIONS), random.random());
        let has_fault: bool = random.random();
        if has_fault {
            disk.fail_at(random.random_range(0..MAX_OPERATIONS), *FAULTS.choose(&mut random).unwrap());
        }
        let keys = KeyFile::in_folder(&folder.path().join("data"));
        check(&keys, &mut model);
        for _ in 0..STEPS {
            step(&keys, &disk, has_fault, &mut model, &mut random);
            if !disk.has_power() {
                break;
            }
            check(&keys, &mut model);
        }
        disk.cut_power(random.random());
        let survivor = TempDir::new().unwrap();
        disk.write_image(survivor.path());
        drop(disk);
        folder = survivor;
    }
    check(&KeyFile::in_folder(&folder.path().join("data")), &mut model);
}

/// Creates or revokes a key, and notes what the file may say afterwards.
fn step(keys: &KeyFile, disk: &SimDisk, has_fault: bool, model: &mut Vec<Key>, random: &mut StdRng) {
    if random.random_bool(0.2) {
        disk.repair();
    }
    let in_force: Vec<usize> = (0..model.len()).filter(|nth| model[*nth].possible == [State::InForce]).collect();
    let (nth, before, after, outcome) = match in_force.choose(random) {
        Some(nth) if random.random() => {
            (*nth, State::InForce, State::Revoked, keys.revoke_id(&model[*nth].id).map(drop))
        }
        _ => {
            let record = new_key(NAMES.choose(random).unwrap());
            model.push(Key { id: record.id.clone(), possible: Vec::new() });
            (model.len() - 1, State::Missing, State::InForce, keys.add(record))
        }
    };
    model[nth].possible = match outcome {
        Ok(()) => vec![after],
        Err(KeyError::NameTaken(_)) => vec![before],
        Err(error) if disk.has_power() => {
            assert!(has_fault, "{error}");
            vec![before]
        }
        Err(_) => vec![before, after],
    };
}

/// Compares the file with the model, and continues from it.
fn check(keys: &KeyFile, model: &mut [Key]) {
    let records = keys.list().unwrap();
    for record in &records {
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
