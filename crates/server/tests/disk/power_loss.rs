//! What the other workloads with power losses leave out: API keys and their import, the audit log, the store alone and its
//! upgrade, backups, and restores; and that each of their syncs is needed.

mod audit;
mod backups;
mod keys;
mod restores;
mod store;
mod sync_sites;
mod upgrades;

use cantata_sim_disk::SimDisk;

/// What a workload does with a disk, before it runs or afterwards.
type DiskHook<'h> = &'h dyn Fn(&SimDisk);

/// Does nothing with a disk.
const NOTHING: DiskHook<'static> = &|_| {};

/// Returns how many workloads a test runs: `CANTATA_POWER_LOSSES` sets the number of power losses.
fn workloads(default: u64, losses_each: u64) -> u64 {
    let losses = std::env::var("CANTATA_POWER_LOSSES").ok().and_then(|count| count.parse::<u64>().ok());
    losses.map_or(default, |losses| losses.div_ceil(losses_each))
}
