//! Each sync outside of the engine is needed: without it, some workload loses something.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;

use cantata_sim_disk::{SimDisk, SyncSite, find_seed};

use super::{DiskHook, NOTHING, audit, backups, restores, store, upgrades};

/// Syncs whose absence no workload notices, with the reason. Code is named by its file and what its line says.
const REDUNDANT: &[(&str, &str)] = &[
    (
        "store-sqlite/src/database.rs: fs_err::File::open(&unfinished).and_then(|copy| copy.sync_all())",
        "this version of SQLite syncs the copy itself; older ones did not",
    ),
    ("SQLite, lookup.db", "it is derived: what is lost or damaged of it is made again at the next start"),
    (
        "backup/src/restore.rs: durable_file::sync_folder(&self.folder)?;",
        "the old folder is removed after the new names, and the simulated disk keeps their order; others may not",
    ),
];

/// How many workloads run to find the syncs.
const RECORDED_WORKLOADS: u64 = 40;

/// A workload of a seed, which panics if something is lost, and how many seeds run before a sync counts as redundant.
type Workload<'w> = (&'w (dyn Fn(u64, DiskHook<'_>, DiskHook<'_>) + Sync), u64);

#[test]
#[ignore = "takes minutes; `make power-loss` runs it"]
fn every_sync_of_the_audit_log_is_needed() {
    check(&["access/src/audit.rs"], &[(&audit::run, 400)]);
}

#[test]
#[ignore = "takes minutes; `make power-loss` runs it"]
fn every_sync_of_a_backup_is_needed() {
    check(&["backup/src/unfinished.rs"], &[(&backups::run, 400)]);
}

#[test]
#[ignore = "takes minutes; `make power-loss` runs it"]
fn every_sync_of_a_restore_is_needed() {
    let backup = restores::Backup::make();
    let run = |seed: u64, prepare: &dyn Fn(&SimDisk), finish: &dyn Fn(&SimDisk)| backup.run(seed, prepare, finish);
    check(&["backup/src/reader.rs", "backup/src/restore.rs"], &[(&run, 400)]);
}

/// Those of SQLite are left out by the kind of file. API keys are in the store: their changes have the same ones.
#[test]
#[ignore = "takes minutes; `make power-loss` runs it"]
fn every_sync_of_the_store_is_needed() {
    let places = ["SQLite, metadata.db-wal", "SQLite, a folder", "SQLite, ", "store-sqlite/src"];
    check(&places, &[(&store::run, 400), (&store::run_creation, 2_000)]);
}

#[test]
#[ignore = "takes minutes; `make power-loss` runs it"]
fn every_sync_of_an_upgrade_is_needed() {
    check(&["store-sqlite/src/database.rs"], &[(&upgrades::run, 600)]);
}

/// Leaves out each sync of these places in turn, and looks for a workload that notices. Each place has at least one.
#[allow(clippy::print_stderr, reason = "the table of what is noticed is a result")]
fn check(places: &[&str], workloads: &[Workload<'_>]) {
    let sites = Mutex::new(BTreeSet::new());
    for (run, _) in workloads {
        let record = |disk: &SimDisk| sites.lock().unwrap().extend(disk.sync_sites());
        (0..RECORDED_WORKLOADS).for_each(|seed| run(seed, &SimDisk::record_sync_sites, &record));
    }
    let sites: BTreeSet<SyncSite> = sites.into_inner().unwrap();
    for place in places {
        assert!(sites.iter().any(|site| site.contains(place)), "no sync of {place} was seen: {sites:#?}");
    }
    let mut unnoticed = Vec::new();
    for site in sites.iter().filter(|site| places.iter().any(|place| site.contains(place)) && !is_redundant(site)) {
        let ignore = |disk: &SimDisk| disk.ignore_syncs_of(site);
        let noticed = workloads.iter().find_map(|(run, seeds)| {
            let notices = |seed: u64| catch_unwind(AssertUnwindSafe(|| run(seed, &ignore, NOTHING))).is_err();
            find_seed(*seeds, |seed| notices(seed).then_some(seed))
        });
        match noticed {
            Some(seed) => eprintln!("{site}\n    noticed by seed {seed}"),
            None => unnoticed.push(site),
        }
    }
    assert!(unnoticed.is_empty(), "no workload notices the absence of these syncs: {unnoticed:#?}");
}

fn is_redundant(site: &str) -> bool {
    let described = describe(site);
    REDUNDANT.iter().any(|(known, _)| described.contains(known))
}

/// Returns the file that a site names last, and what its line says; the site itself for a sync of SQLite.
fn describe(site: &str) -> String {
    let place = site.rsplit(" < ").next().and_then(|place| place.rsplit_once(':'));
    let Some((file, number)) = place else { return site.to_owned() };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name(file);
    let source = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let line = source.lines().nth(number.parse::<usize>().unwrap() - 1).unwrap_or_default();
    format!("{file}: {}", line.trim())
}
