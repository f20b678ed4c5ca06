//! Each sync is needed: without it, some workload loses data.

use std::collections::BTreeSet;
use std::sync::Mutex;

use cantata_sim_disk::{SimDisk, find_seed};

use crate::run;

/// Syncs whose absence no workload notices, with the reason.
const REDUNDANT: &[(&str, &str)] = &[
    ("< engine-embedded/src/index/wal.rs", "`what_is_written_during_a_flush_survives_a_power_loss` fails without it"),
    ("engine-embedded/src/index/flush.rs", "it only leaves less to the sync that follows while the writer is locked"),
    (
        "engine-embedded/src/index/writer.rs",
        "the names of segments come before that of the manifest, and the simulated disk keeps names in order; others may not",
    ),
];

/// How many workloads run before a sync counts as redundant.
const MAX_WORKLOADS: u64 = 400;

/// Takes minutes: `make power-loss`.
#[test]
#[ignore = "takes minutes; `make power-loss` runs it"]
fn every_sync_is_needed() {
    let sites = Mutex::new(BTreeSet::new());
    for seed in 0..20 {
        let recorded = run(seed, &SimDisk::record_sync_sites, &|disk| sites.lock().unwrap().extend(disk.sync_sites()));
        recorded.unwrap_or_else(|problem| panic!("workload {seed}: {problem}"));
    }
    let sites = sites.into_inner().unwrap();
    assert!(!sites.is_empty(), "no sync was seen");
    let mut unnoticed = Vec::new();
    for site in &sites {
        let noticed = find_seed(MAX_WORKLOADS, |seed| run(seed, &|disk| disk.ignore_syncs_of(site), &|_| {}).err());
        match noticed {
            Some(problem) => eprintln!("{site}\n    {}", problem.chars().take(120).collect::<String>()),
            None => unnoticed.push(site),
        }
    }
    unnoticed.retain(|site| !REDUNDANT.iter().any(|(known, _)| site.contains(known)));
    assert!(unnoticed.is_empty(), "no workload notices the absence of these syncs: {unnoticed:#?}");
}
