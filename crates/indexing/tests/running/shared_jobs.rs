//! Jobs of several servers on one store: all list the same ones, and those of a server that has died are taken over.

use std::time::Duration;

use cantata_indexing::{Indexing, IndexingError, Job, JobError, JobStatus};
use cantata_store::{RecordBase, RecordKind};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::poisoned::server;
use crate::support::{Bed, Stored};

/// The lease of a server that stays alive until a test says otherwise.
const LONG_LEASE: Duration = Duration::from_secs(3_600);

/// Waits until a server knows a job with a status.
async fn until(indexing: &Indexing, id: u64, status: JobStatus) -> Job {
    let waiting = async {
        loop {
            if let Some(job) = indexing.jobs().job(id).filter(|job| job.status == status) {
                return job;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(120), waiting).await;
    waited.unwrap_or_else(|_| panic!("{:#?}", indexing.jobs().list()))
}

/// Waits until a server follows the catalogue.
async fn until_started(indexing: &Indexing) {
    let waiting = async {
        while indexing.status().first().is_none_or(|status| status.index.is_none()) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(120), waiting).await.unwrap();
}

/// Stores a job that another server works on.
async fn store_job(bed: &Bed, id: u64, place: &Value) {
    let job = json!({
        "id": id, "kind": "reindex", "catalogue": "files", "reason": null, "status": "running", "index": "files-77",
        "done": 3, "total": 9, "setAside": 0, "startedAt": "2026-01-01T00:00:00", "endedAt": null, "problem": null,
        "server": "another", "place": place,
    });
    let document = Some(job.to_string());
    let written = bed.store().write_record(RecordKind::Job, &id.to_string(), RecordBase::Absent, document).await;
    assert!(written.unwrap().is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_job_of_a_server_that_has_died_is_taken_over() {
    let bed = Bed::start(&[]).await;
    Stored::publish_new(bed.store(), json!({})).await;
    let folder = TempDir::new().unwrap();
    assert!(bed.store().acquire_lease("job:files", "another", LONG_LEASE).await.unwrap());
    store_job(&bed, 1, &Value::Null).await;
    let one = server(&bed, &folder, "one");
    until_started(&one).await;
    until(&one, 1, JobStatus::Running).await;
    let refused = one.reindex("files").await.unwrap_err();
    assert_eq!(refused, IndexingError::Job(JobError::Busy(1)), "its server is alive");
    bed.store().release_lease("job:files", "another").await.unwrap();
    let job = until(&one, 1, JobStatus::Succeeded).await;
    assert_eq!((job.done, job.total), (1, 1), "{job:?}");
    assert!(job.index.is_some_and(|index| index != "files-77"));
    let next = one.reindex("files").await.unwrap();
    assert_eq!(next.id, 2);
    until(&one, 2, JobStatus::Succeeded).await;
    one.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_on_a_copy_that_is_gone_with_its_server_is_interrupted() {
    let bed = Bed::start(&[]).await;
    let folder = TempDir::new().unwrap();
    store_job(&bed, 1, &json!("the data folder of another server")).await;
    let one = server(&bed, &folder, "one");
    let job = until(&one, 1, JobStatus::Interrupted).await;
    assert!(job.ended_at.is_some());
    one.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_stops_leaves_its_job_to_another() {
    let bed = Bed::start(&[]).await;
    for _ in 0..300 {
        Stored::publish_new(bed.store(), json!({})).await;
    }
    let folders = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    let one = server(&bed, &folders[0], "one");
    // Only one of them follows the catalogue.
    until_started(&one).await;
    let other = server(&bed, &folders[1], "other");
    let job = one.reindex("files").await.unwrap();
    one.stop().await;
    // It may have ended before; a stop never ends it.
    until(&other, job.id, JobStatus::Succeeded).await;
    other.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_is_cancelled_on_any_server() {
    let bed = Bed::start(&[]).await;
    Stored::publish_new(bed.store(), json!({})).await;
    let folder = TempDir::new().unwrap();
    assert!(bed.store().acquire_lease("job:files", "another", LONG_LEASE).await.unwrap());
    store_job(&bed, 1, &Value::Null).await;
    let one = server(&bed, &folder, "one");
    until(&one, 1, JobStatus::Running).await;
    one.jobs().cancel(1).await.unwrap();
    // The other server would read that; it has died meanwhile.
    let stored = bed.store().record(RecordKind::Job, "1").await.unwrap().unwrap();
    let stored: Value = serde_json::from_str(&stored.document.unwrap()).unwrap();
    assert_eq!(stored["isCancelled"], true, "{stored}");
    bed.store().release_lease("job:files", "another").await.unwrap();
    until(&one, 1, JobStatus::Cancelled).await;
    one.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_whose_removal_was_purged_is_forgotten_and_others_begin() {
    let bed = Bed::start(&[]).await;
    Stored::publish_new(bed.store(), json!({})).await;
    let folder = TempDir::new().unwrap();
    store_job(&bed, 1, &json!("the data folder of another server")).await;
    let one = server(&bed, &folder, "one");
    until_started(&one).await;
    until(&one, 1, JobStatus::Interrupted).await;
    bed.store().write_record(RecordKind::Job, "1", RecordBase::Any, None).await.unwrap();
    let latest = bed.store().latest_record_change(RecordKind::Job).await.unwrap();
    bed.store().purge_removed_records(RecordKind::Job, latest).await.unwrap();
    let forgotten = async {
        while one.jobs().job(1).is_some() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(120), forgotten).await.unwrap();
    let next = one.reindex("files").await.unwrap();
    until(&one, next.id, JobStatus::Succeeded).await;
    one.stop().await;
}
