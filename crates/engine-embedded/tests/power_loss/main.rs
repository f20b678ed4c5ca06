//! The embedded engine on a simulated disk that forgets what was not synced, and fails.
//!
//! A workload runs until the power is cut at a random operation of the disk, also while the engine recovers from the last
//! cut. What is then on the disk must open, with everything that was acknowledged and nothing else.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it stands")]

mod faults;
mod model;
mod sync_sites;
mod workload;

use cantata_sim_disk::{SimDisk, run_seeds};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use self::model::Model;

/// How many times the power is cut in one life of a folder.
const POWER_LOSSES_PER_WORKLOAD: u64 = 5;

/// The power is cut before this operation of the disk at the latest.
const MAX_OPERATIONS: u64 = 250;

/// Returns how many workloads a test runs: `CANTATA_POWER_LOSSES` sets the number of power losses.
fn workloads(default: u64) -> u64 {
    let losses = std::env::var("CANTATA_POWER_LOSSES").ok().and_then(|count| count.parse::<u64>().ok());
    losses.map_or(default, |losses| losses.div_ceil(POWER_LOSSES_PER_WORKLOAD))
}

/// Runs one workload over several power losses, with a preparation of each disk and a look at it afterwards. Returns what
/// was wrong.
fn run(seed: u64, prepare: &dyn Fn(&SimDisk), finish: &dyn Fn(&SimDisk)) -> Result<(), String> {
    cantata_engine_embedded::set_build_memory_bytes(1);
    let mut random = StdRng::seed_from_u64(seed);
    let mut model = Model::default();
    let mut folder = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for cut in 0..POWER_LOSSES_PER_WORKLOAD {
        let disk = SimDisk::mount(folder.path());
        prepare(&disk);
        disk.cut_power_at(random.random_range(0..MAX_OPERATIONS), random.random());
        runtime
            .block_on(workload::run(folder.path(), &disk, &mut model, &mut random))
            .map_err(|problem| format!("after {cut} cuts: {problem}"))?;
        disk.cut_power(random.random());
        let survivor = tempfile::tempdir().unwrap();
        disk.write_image(survivor.path());
        finish(&disk);
        drop(disk);
        folder = survivor;
    }
    // The last one is opened in peace.
    let disk = SimDisk::mount(folder.path());
    runtime.block_on(workload::check_opens(folder.path(), &disk, &mut model))?;
    let unknown = disk.unknown_changes();
    if unknown.is_empty() { Ok(()) } else { Err(format!("changes passed the simulation by: {unknown:?}")) }
}

#[test]
fn everything_acknowledged_survives_a_power_loss() {
    run_seeds(workloads(40), |seed| run(seed, &|_| {}, &|_| {}).unwrap_or_else(|problem| panic!("{problem}")));
}
