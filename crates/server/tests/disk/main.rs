//! A server whose disk runs full, turns read-only, or denies changes, at any moment.
//!
//! The data folder is a simulated disk. While it cannot be written, changes are refused with an error that says so, and
//! reads go on; once it can be, changes go on without a restart. At the end the power is cut, and another server opens
//! what is left. At every point everything acknowledged is there, and nothing that was refused. The audit log is on the same
//! disk: entries that cannot be written are counted, and change nothing else.
//!
//! [`power_loss`] has what else writes to a data folder: keys, the audit log, the store alone, backups and restores.
#![expect(clippy::unwrap_used, reason = "a failure here is the failure of a test")]

mod model;
mod power_loss;
mod requests;

use std::path::Path;
use std::time::Duration;

use cantata_access::AuditLog;
use cantata_server::AccessControl;
use cantata_sim_disk::{Fault, SimDisk};
use cantata_testkit::{TestCatalogues, TestServer};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use self::model::{ANALYSES, Model, NOTES, OTHER_TYPE, STUDY, TYPE};
use self::requests::Change;

const SEEDS: u64 = 3;

/// How many requests are sent before, while and after the disk fails.
const REQUESTS: usize = 20;

/// The disk fails after this many of its operations at the latest; a change of the store has about ten.
const MAX_OPERATIONS: u64 = 150;

/// How often the server is asked whether it is done until the test gives up.
const MAX_POLLS: usize = 1_200;

/// How long the tasks of a server without power may take to stop.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(60);

#[test]
fn a_disk_that_runs_full_refuses_changes_until_there_is_room() {
    for seed in 0..SEEDS {
        println!("seed {seed}");
        run(seed, Fault::DiskFull);
    }
}

#[test]
fn a_disk_that_turns_read_only_refuses_changes_until_it_is_writable() {
    for seed in 0..SEEDS {
        println!("seed {seed}");
        run(seed, Fault::ReadOnly);
    }
}

#[test]
fn a_folder_whose_permissions_were_taken_away_refuses_changes_until_they_are_back() {
    for seed in 0..SEEDS {
        println!("seed {seed}");
        run(seed, Fault::Denied);
    }
}

fn run(seed: u64, fault: Fault) {
    let mut random = StdRng::seed_from_u64(seed);
    let mut model = Model::default();
    let (folder, survivor) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let disk = SimDisk::mount(folder.path());
    let runtime = new_runtime();
    runtime.block_on(live(folder.path(), &disk, fault, &mut model, &mut random));
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
    disk.write_image(survivor.path());
    drop(disk);
    let runtime = new_runtime();
    runtime.block_on(async {
        let server = start(survivor.path()).await;
        model.check(&server).await;
        until_indexed(&server).await;
        model.check_index(&server).await;
    });
    runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
}

fn new_runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

/// Runs a server until the power is cut.
async fn live(folder: &Path, disk: &SimDisk, fault: Fault, model: &mut Model, random: &mut StdRng) {
    let server = start(folder).await;
    until_indexed(&server).await;
    prepare(&server, model, random).await;
    assert_eq!(send_requests(&server, model, random).await, 0, "nothing is refused before the disk fails");

    disk.fail_at(disk.operations() + random.random_range(0..MAX_OPERATIONS), fault);
    send_requests(&server, model, random).await;
    // From here on at the latest.
    disk.fail_at(0, fault);
    for change in Change::ALL {
        assert!(!change.send(&server, model, random).await, "{change:?} is refused");
    }
    server.get("/actuator/health").await.assert_error_id(507, "disk.not.writable");
    server.get("/ready").await.assert_status(503);
    assert!(send_requests(&server, model, random).await > 0);
    model.check(&server).await;
    assert!(lost_entries(&server).await >= Change::ALL.len() as u64, "each refused change is one");

    disk.repair();
    server.get("/actuator/health").await.assert_status(200);
    // An index that has failed is tried again once a second.
    until_ready(&server).await;
    model.check(&server).await;
    let (audited_before, lost_before) = (audited(folder), lost_entries(&server).await);
    for change in Change::ALL {
        assert!(change.send(&server, model, random).await, "{change:?} is accepted");
    }
    assert_eq!(audited(folder), audited_before + Change::ALL.len());
    assert_eq!(lost_entries(&server).await, lost_before);
    assert_eq!(send_requests(&server, model, random).await, 0, "nothing is refused after the repair");
    model.check(&server).await;
    until_indexed(&server).await;
    model.check_index(&server).await;
    send_requests(&server, model, random).await;
    disk.cut_power(random.random());
}

/// Starts a server with a catalogue of the published analyses.
async fn start(folder: &Path) -> TestServer {
    let base = json!({"catalogId": ANALYSES, "documentType": "analysis", "esIndex": ANALYSES, "enableSets": true});
    let catalogues = TestCatalogues::new()
        .file("base.json", &base)
        .file("source.json", &json!({"source": {"document": "analysis-centric"}}))
        .watched();
    let access = AccessControl { audit: Some(AuditLog::in_folder(folder)), ..AccessControl::default() };
    TestServer::builder().catalogues(catalogues).access(access).data_folder(folder).start().await
}

/// Returns how many audit entries could not be written, as the metrics say.
async fn lost_entries(server: &TestServer) -> u64 {
    let metrics = server.get("/metrics").await;
    metrics.assert_status(200);
    let mut lines = metrics.text().lines();
    lines.find_map(|line| line.strip_prefix("cantata_audit_entries_lost_total ")).unwrap().parse().unwrap()
}

/// Returns how many entries the audit log has; each is a whole line.
fn audited(folder: &Path) -> usize {
    let text = std::fs::read_to_string(folder.join("audit.log")).unwrap();
    text.lines().map(serde_json::from_str::<Value>).collect::<Result<Vec<_>, _>>().unwrap().len()
}

/// Waits until the catalogue is served and has every change of the store.
async fn until_indexed(server: &TestServer) {
    for _ in 0..MAX_POLLS {
        let status = server.get("/admin/indexing").await.ok()[0].clone();
        let is_indexed = status["status"] == "following" && status["behind"] == 0;
        if is_indexed && server.get("/ready").await.status == 200 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{:#}", server.get("/admin/indexing").await.json());
}

/// Waits until every index can be written.
async fn until_ready(server: &TestServer) {
    for _ in 0..MAX_POLLS {
        if server.get("/ready").await.status == 200 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{:#}", server.get("/ready").await.json());
}

/// Makes what the requests need.
async fn prepare(server: &TestServer, model: &mut Model, random: &mut StdRng) {
    server.create_study(STUDY).await;
    model.studies.insert(STUDY.to_owned());
    let schema = json!({"type": "object", "required": ["experiment"], "properties": {
        "experiment": {"type": "object", "properties": {"reads": {"type": "integer"}}},
    }});
    server.post("/schemas", &json!({"name": TYPE, "schema": schema})).await.ok();
    server.register_minimal(OTHER_TYPE).await;
    model.other_type_version = 1;
    let mapping = json!({"mappings": {"properties": {"value": {"type": "long"}}}});
    server.put(&format!("/_es/{NOTES}"), &mapping).await.ok();
    for change in Change::ALL {
        assert!(change.send(server, model, random).await, "{change:?}");
    }
}

/// Sends random changes and reads; returns how many of them were refused because of the disk.
async fn send_requests(server: &TestServer, model: &mut Model, random: &mut StdRng) -> usize {
    let mut refused = 0;
    for _ in 0..REQUESTS {
        if random.random_ratio(1, 4) {
            requests::read(server, model, random).await;
        } else {
            let change = *Change::ALL.choose(random).unwrap();
            refused += usize::from(!change.send(server, model, random).await);
        }
    }
    refused
}
