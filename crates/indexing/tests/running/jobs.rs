//! Reindexing, and going back to the generation before.

use cantata_core::AnalysisState;
use cantata_engine::IndexAdmin;
use cantata_indexing::{IndexingError, JobError, JobStatus};
use serde_json::json;

use crate::support::{Bed, Stored};

async fn indexes(bed: &Bed) -> Vec<String> {
    bed.engine().indexes().await.unwrap().into_iter().map(|index| index.name).collect()
}

async fn bed_with(analyses: usize) -> (Bed, Vec<Stored>) {
    let bed = Bed::start(&[("files", json!({"document": "file-centric"}))]).await;
    let mut all = Vec::new();
    for _ in 0..analyses {
        all.push(Stored::publish_new(bed.store(), json!({"reads": 1})).await);
    }
    bed.assert_right().await;
    (bed, all)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reindex_makes_a_new_index_and_keeps_one_old() {
    let (bed, mut all) = bed_with(300).await;
    for expected in ["files-2", "files-3", "files-4"] {
        let job = bed.indexing().reindex("files").await.unwrap();
        // Changes come in meanwhile.
        all[0].become_state(bed.store(), AnalysisState::Unpublished).await;
        all.push(Stored::publish_new(bed.store(), json!({"reads": 2})).await);
        let job = bed.ended(job.id).await;
        assert_eq!((job.status, job.index.as_deref()), (JobStatus::Succeeded, Some(expected)), "{job:?}");
        assert_eq!(job.done, job.total);
        bed.assert_right().await;
        assert_eq!(bed.until("files", |status| status.index.as_deref() == Some(expected)).await.index, job.index);
        all[0].become_state(bed.store(), AnalysisState::Published).await;
    }
    bed.assert_right().await;
    assert_eq!(indexes(&bed).await, ["files-3", "files-4"]);
    let jobs = bed.indexing().jobs().list();
    assert_eq!(jobs.iter().map(|job| job.id).collect::<Vec<_>>(), [3, 2, 1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rollback_leads_to_the_index_before_and_brings_it_up_to_date() {
    let (bed, mut all) = bed_with(20).await;
    let nothing = bed.indexing().rollback("files").await.unwrap_err();
    assert_eq!(nothing, IndexingError::NoPreviousIndex("files".to_owned()));
    let job = bed.indexing().reindex("files").await.unwrap();
    bed.ended(job.id).await;
    all[3].become_state(bed.store(), AnalysisState::Suppressed).await;
    all[4].experiment(bed.store(), json!({"reads": 5})).await;
    bed.assert_right().await;
    assert_eq!(bed.indexing().rollback("files").await.unwrap().index.as_deref(), Some("files-1"));
    bed.assert_right().await;
    assert_eq!(bed.indexing().rollback("files").await.unwrap().index.as_deref(), Some("files-2"));
    bed.assert_right().await;
}

/// On one thread, so that the job has no chance to end before the test waits for something.
#[tokio::test]
async fn a_cancelled_job_leaves_nothing_behind() {
    let (bed, _) = bed_with(50).await;
    let job = bed.indexing().reindex("files").await.unwrap();
    assert_eq!(bed.indexing().reindex("files").await.unwrap_err(), IndexingError::Job(JobError::Busy(job.id)));
    bed.indexing().jobs().cancel(job.id).await.unwrap();
    let job = bed.ended(job.id).await;
    if job.status == JobStatus::Cancelled {
        assert_eq!(indexes(&bed).await, ["files-1"]);
    }
    assert_eq!(bed.indexing().jobs().cancel(job.id).await.unwrap_err(), JobError::Over(job.id));
    assert_eq!(bed.indexing().jobs().cancel(99).await.unwrap_err(), JobError::Unknown(99));
    bed.assert_right().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_that_a_stop_interrupts_is_told_of_and_its_index_goes() {
    let (mut bed, _) = bed_with(300).await;
    bed.indexing().reindex("files").await.unwrap();
    bed.restart_after(|_| {}).await;
    bed.assert_right().await;
    let jobs = bed.indexing().jobs().list();
    assert!(matches!(jobs[0].status, JobStatus::Interrupted | JobStatus::Succeeded), "{jobs:?}");
    if jobs[0].status == JobStatus::Interrupted {
        assert_eq!(indexes(&bed).await, ["files-1"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_ahead_of_its_store_is_made_anew() {
    let (mut bed, _) = bed_with(3).await;
    bed.restart_after(|folder| {
        std::fs::create_dir(folder.join("kept")).unwrap();
        for entry in std::fs::read_dir(folder.join("store")).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), folder.join("kept").join(entry.file_name())).unwrap();
        }
    })
    .await;
    for _ in 0..5 {
        Stored::publish_new(bed.store(), json!({"reads": 2})).await;
    }
    bed.assert_right().await;
    assert_eq!(bed.contents("files").await.len(), 8);
    bed.restart_after(|folder| {
        std::fs::remove_dir_all(folder.join("store")).unwrap();
        std::fs::rename(folder.join("kept"), folder.join("store")).unwrap();
    })
    .await;
    bed.until("files", |status| status.index.as_deref() == Some("files-2")).await;
    bed.assert_right().await;
    assert_eq!(bed.contents("files").await.len(), 3);
    let jobs = bed.indexing().jobs().list();
    assert!(jobs[0].reason.as_ref().unwrap().contains("position"), "{jobs:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_index_is_built_again_by_itself() {
    let (mut bed, _) = bed_with(5).await;
    bed.restart_after(|folder| {
        for entry in std::fs::read_dir(folder.join("search")).unwrap() {
            let manifest = entry.unwrap().path().join("manifest.json");
            if manifest.is_file() {
                std::fs::write(manifest, "{").unwrap();
            }
        }
    })
    .await;
    bed.until("files", |status| status.index.as_deref() == Some("files-2")).await;
    let job = bed.ended(bed.indexing().jobs().list()[0].id).await;
    assert!(job.reason.as_ref().unwrap().contains("files-1 is damaged"), "{job:?}");
    bed.assert_right().await;
    assert_eq!(indexes(&bed).await, ["files-2"], "what cannot be read is of no use for a rollback");
}
