//! Random changes of random analyses, while indexing runs, stops, starts and reindexes.

use cantata_core::{AnalysisState, EventAction};
use cantata_indexing::{IndexingError, JobStatus};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde_json::json;

use crate::support::{Bed, STUDIES, Stored, file};

const CATALOGUES: [&str; 2] = ["files", "analyses"];

#[tokio::test(flavor = "multi_thread")]
async fn indexes_end_as_the_store_is() {
    for seed in 0..6 {
        println!("seed {seed}");
        run(StdRng::seed_from_u64(seed)).await;
    }
}

async fn run(mut random: StdRng) {
    let mut bed = Bed::start(&[
        (CATALOGUES[0], json!({"document": "file-centric"})),
        (
            CATALOGUES[1],
            json!({
                "document": "analysis-centric", "studies": ["A"], "states": ["PUBLISHED", "UNPUBLISHED"],
            }),
        ),
    ])
    .await;
    let mut all: Vec<Stored> = Vec::new();
    for _ in 0..300 {
        match random.random_range(0..100) {
            0..25 => {
                let study = STUDIES.choose(&mut random).unwrap();
                let (files, reads) = (random.random_range(0..5), random.random_range(0..9));
                let experiment = json!({"reads": reads});
                all.push(if random.random() {
                    Stored::submit_published(bed.store(), study, files, experiment).await
                } else {
                    Stored::submit(bed.store(), study, files, experiment).await
                });
            }
            25..90 if !all.is_empty() => {
                let nth = random.random_range(0..all.len());
                change(&bed, &mut all[nth], &mut random).await;
            }
            90..93 => bed.assert_right().await,
            93..95 => bed.restart_after(|_| {}).await,
            95..98 => reindex(&bed, CATALOGUES.choose(&mut random).unwrap(), random.random()).await,
            98 => roll_back(&bed, CATALOGUES.choose(&mut random).unwrap()).await,
            _ => tokio::task::yield_now().await,
        }
    }
    bed.assert_right().await;
    bed.stop().await;
}

async fn change(bed: &Bed, stored: &mut Stored, random: &mut StdRng) {
    let store = bed.store();
    match random.random_range(0..10) {
        0..4 if stored.analysis.state != AnalysisState::Suppressed => {
            stored.become_state(store, AnalysisState::Published).await;
        }
        4..6 if stored.analysis.state != AnalysisState::Suppressed => {
            stored.become_state(store, AnalysisState::Unpublished).await;
        }
        6 => stored.become_state(store, AnalysisState::Suppressed).await,
        7 => stored.experiment(store, json!({"reads": random.random_range(0..9)})).await,
        8 => {
            stored
                .change(store, EventAction::Update, |analysis| {
                    analysis.files.pop();
                })
                .await;
        }
        _ => {
            let new = file(&stored.analysis.study_id, stored.analysis.analysis_id, stored.analysis.files.len());
            stored.change(store, EventAction::Update, |analysis| analysis.files.push(new)).await;
        }
    }
}

async fn reindex(bed: &Bed, catalogue: &str, is_cancelled: bool) {
    match bed.indexing().reindex(catalogue).await {
        Ok(job) if is_cancelled => {
            // It may be over already.
            let _ = bed.indexing().jobs().cancel(job.id).await;
        }
        Ok(_) | Err(IndexingError::Job(_)) => {}
        // After a start it takes a moment until the catalogues are known.
        Err(IndexingError::UnknownCatalogue(_)) => {}
        Err(error) => panic!("{error}"),
    }
    assert!(bed.indexing().jobs().list().iter().all(|job| job.status != JobStatus::Failed));
}

async fn roll_back(bed: &Bed, catalogue: &str) {
    match bed.indexing().rollback(catalogue).await {
        Ok(_) | Err(IndexingError::NoPreviousIndex(_) | IndexingError::UnknownCatalogue(_)) => {}
        Err(error) => panic!("{error}"),
    }
}
