//! What the other workloads with power losses leave out: API keys and their import, the audit log, the store alone and its
//! upgrade, backups, and restores; and that each of their syncs is needed.

mod audit;
mod backups;
mod keys;
mod restores;
mod store;
mod sync_sites;
mod upgrades;

use std::path::Path;

use cantata_sim_disk::SimDisk;
use rand::Rng;
use rand::rngs::StdRng;
use tempfile::TempDir;

/// What a workload does with a disk, before it runs or afterwards.
type DiskHook<'h> = &'h dyn Fn(&SimDisk);

/// Does nothing with a disk.
const NOTHING: DiskHook<'static> = &|_| {};

/// Returns how many workloads a test runs: `CANTATA_POWER_LOSSES` sets the number of power losses.
fn workloads(default: u64, losses_each: u64) -> u64 {
    let losses = std::env::var("CANTATA_POWER_LOSSES").ok().and_then(|count| count.parse::<u64>().ok());
    losses.map_or(default, |losses| losses.div_ceil(losses_each))
}

/// Mounts a disk whose power is cut before this operation at the latest.
fn mount(folder: &Path, max_operations: u64, prepare: DiskHook<'_>, random: &mut StdRng) -> SimDisk {
    let disk = SimDisk::mount(folder);
    prepare(&disk);
    disk.cut_power_at(random.random_range(0..max_operations), random.random());
    disk
}

/// Cuts the power of a disk, and returns a folder with what is left.
fn survivor(disk: SimDisk, finish: DiskHook<'_>, random: &mut StdRng) -> TempDir {
    disk.cut_power(random.random());
    let survivor = TempDir::new().unwrap();
    disk.write_image(survivor.path());
    finish(&disk);
    drop(disk);
    survivor
}
