//! What the other workloads with power losses leave out: API keys, their import, backups, and restores.

mod backups;
mod keys;
mod restores;

/// Returns how many workloads a test runs: `CANTATA_POWER_LOSSES` sets the number of power losses.
fn workloads(default: u64, losses_each: u64) -> u64 {
    let losses = std::env::var("CANTATA_POWER_LOSSES").ok().and_then(|count| count.parse::<u64>().ok());
    losses.map_or(default, |losses| losses.div_ceil(losses_each))
}
