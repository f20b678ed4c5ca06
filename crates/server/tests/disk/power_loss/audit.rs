//! Changes are entered in a required audit log until the power is cut. An acknowledged entry is there as a whole.

use cantata_access::{AuditEntry, AuditLog};
use cantata_core::Timestamp;
use cantata_sim_disk::run_seeds;
use rand::SeedableRng;
use rand::rngs::StdRng;
use serde_json::Value;
use tempfile::TempDir;

use super::{DiskHook, NOTHING, mount, survivor};
use crate::{SHUTDOWN_TIMEOUT, new_runtime};

const ENTRIES: usize = 8;

/// The power is cut before this operation of the disk at the latest; an entry has two, the first one two more.
const MAX_OPERATIONS: u64 = 20;

#[test]
fn an_acknowledged_entry_of_the_audit_log_survives() {
    run_seeds(super::workloads(40, 1), |seed| run(seed, NOTHING, NOTHING));
}

pub(super) fn run(seed: u64, prepare: DiskHook<'_>, finish: DiskHook<'_>) {
    let mut random = StdRng::seed_from_u64(seed);
    let folder = TempDir::new().unwrap();
    let disk = mount(folder.path(), MAX_OPERATIONS, prepare, &mut random);
    let runtime = new_runtime();
    let log = AuditLog::in_folder(folder.path()).required(true);
    let mut acknowledged = Vec::new();
    for number in 0..ENTRIES {
        let path = format!("/studies/{number}");
        if let Err(error) = runtime.block_on(log.write_begun(&entry(&path))) {
            assert!(!disk.has_power(), "{error}");
            break;
        }
        acknowledged.push(path);
    }
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    let survivor = survivor(disk, finish, &mut random);

    let bytes = cantata_durable_file::read_or_default(&survivor.path().join("audit.log")).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    // Only what comes after the acknowledged entries may be broken.
    let entries: Vec<Value> = text.lines().map_while(|line| serde_json::from_str(line).ok()).collect();
    let found: Vec<&str> = entries.iter().filter_map(|entry| entry["path"].as_str()).collect();
    assert!(found.iter().zip(&acknowledged).all(|(found, path)| found == path), "{found:?}");
    assert!(found.len() >= acknowledged.len(), "{} of {} entries are left", found.len(), acknowledged.len());
}

fn entry(path: &str) -> AuditEntry<'_> {
    AuditEntry {
        time: Timestamp::now(),
        principal: "importer",
        auth_method: "key",
        method: "POST",
        path,
        study: None,
        status: None,
        result: "begun",
        dry_run: false,
        request_id: "r",
    }
}
