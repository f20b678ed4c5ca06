//! The store, the engine and the indexing between them on a simulated disk: after every power loss everything acknowledged
//! is there once, nothing else is, and the indexes become as the store is.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use cantata_core::{Analysis, AnalysisId, AnalysisState, EventAction, Timestamp};
use cantata_sim_disk::{SimDisk, run_seeds};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Bed, STUDIES, Stored, TYPE, new_analysis};

/// How many times the power is cut in one life of a folder.
const POWER_LOSSES_PER_WORKLOAD: u64 = 4;

const STEPS: usize = 40;

/// How long the indexing of a machine without power may take to stop.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(60);

/// The states that each analysis may have in the store: the acknowledged one, and one that was under way.
type Model = BTreeMap<AnalysisId, Vec<Option<Value>>>;

#[test]
fn indexes_are_as_the_store_is_after_every_power_loss() {
    let losses = std::env::var("CANTATA_POWER_LOSSES").ok().and_then(|count| count.parse::<u64>().ok());
    run_seeds(losses.map_or(8, |losses| losses.div_ceil(POWER_LOSSES_PER_WORKLOAD)), run);
}

fn run(seed: u64) {
    let mut random = StdRng::seed_from_u64(seed);
    let mut model = Model::new();
    let mut folder = TempDir::new().unwrap();
    for cut in 0..=POWER_LOSSES_PER_WORKLOAD {
        let disk = SimDisk::mount(folder.path());
        let moment = match random.random() {
            _ if cut == POWER_LOSSES_PER_WORKLOAD => PowerLoss::Never,
            true => PowerLoss::FromTheStart,
            false => PowerLoss::OnceRight,
        };
        if moment == PowerLoss::FromTheStart {
            cut_power_soon(&disk, &mut random);
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(live(folder.path(), &disk, &mut model, &mut random, moment));
        runtime.shutdown_timeout(SHUTDOWN_TIMEOUT);
        disk.cut_power(random.random());
        let survivor = TempDir::new().unwrap();
        disk.write_image(survivor.path());
        drop(disk);
        folder = survivor;
    }
}

/// When the power may be cut in a life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PowerLoss {
    /// At any moment, also while everything is opened.
    FromTheStart,
    /// Once the indexes have been compared with the store.
    OnceRight,
    Never,
}

/// Cuts the power at one of the next operations.
fn cut_power_soon(disk: &SimDisk, random: &mut StdRng) {
    let latest = if random.random() { 300 } else { 2000 };
    disk.cut_power_at(disk.operations() + random.random_range(0..latest), random.random());
}

/// Opens everything, compares it with the model, and changes it until the power is cut. The indexes are compared with the
/// store at the start, if the power is not cut before, and at the end of the last life.
async fn live(folder: &Path, disk: &SimDisk, model: &mut Model, random: &mut StdRng, power_loss: PowerLoss) {
    let catalogues = [
        ("files", json!({"document": "file-centric"})),
        ("analyses", json!({"document": "analysis-centric", "states": ["PUBLISHED", "UNPUBLISHED"]})),
    ];
    let mut bed = Bed::stopped(folder.to_owned(), &catalogues);
    if let Err(error) = bed.try_open() {
        assert!(!disk.has_power(), "the folder does not open: {}", cantata_core::error_chain(&*error));
        return;
    }
    if power_loss != PowerLoss::FromTheStart {
        bed.prepare().await.unwrap();
        bed.assert_right().await;
    }
    if power_loss == PowerLoss::OnceRight {
        cut_power_soon(disk, random);
    }
    let outcome = work(&bed, disk, model, random).await;
    if disk.has_power() {
        outcome.unwrap();
    }
    if power_loss == PowerLoss::Never {
        bed.assert_right().await;
    }
    bed.stop().await;
}

async fn work(
    bed: &Bed,
    disk: &SimDisk,
    model: &mut Model,
    random: &mut StdRng,
) -> Result<(), cantata_store::StoreError> {
    bed.prepare().await?;
    let mut all = Vec::new();
    for study in STUDIES {
        all.extend(bed.analyses(study).await?);
    }
    check(bed, model, &all).await?;
    let version = bed.store().latest_type_version(TYPE).await?.unwrap_or(1);
    for _ in 0..STEPS {
        if !disk.has_power() {
            break;
        }
        match random.random_range(0..100) {
            0..40 => {
                let study = STUDIES.choose(random).unwrap();
                let experiment = json!({"reads": random.random_range(0..9)});
                let mut analysis = new_analysis(study, random.random_range(0..4), experiment, version);
                if random.random() {
                    analysis.change_state(AnalysisState::Published, analysis.created_at).unwrap();
                }
                note_possible(model, &analysis);
                let stored = Stored::try_insert(bed.store(), analysis).await?;
                note_durable(model, &stored.analysis);
                all.push(stored);
            }
            40..80 if !all.is_empty() => {
                let nth = random.random_range(0..all.len());
                let (action, after) = changed(&all[nth].analysis, random);
                note_possible(model, &after);
                all[nth].try_replace(bed.store(), action, after).await?;
                note_durable(model, &all[nth].analysis);
            }
            80..88 => {
                // It is refused while the catalogue is not known yet, or another one runs.
                let _ = bed.indexing().reindex(["files", "analyses"].choose(random).unwrap()).await;
            }
            _ => tokio::time::sleep(Duration::from_millis(random.random_range(0..20))).await,
        }
    }
    Ok(())
}

/// Returns another state of an analysis, and the event that leads there.
fn changed(analysis: &Analysis, random: &mut StdRng) -> (EventAction, Analysis) {
    let mut after = analysis.clone();
    let state = [AnalysisState::Published, AnalysisState::Unpublished][random.random_range(0..2)];
    if random.random() && after.change_state(state, Timestamp::now()).is_ok() {
        return (EventAction::for_state(state), after);
    }
    after.data.insert("experiment".to_owned(), json!({"reads": random.random_range(0..1000)}));
    (EventAction::Update, after)
}

fn note_possible(model: &mut Model, analysis: &Analysis) {
    let states = model.entry(analysis.analysis_id).or_insert_with(|| vec![None]);
    states.push(Some(serde_json::to_value(analysis).unwrap()));
}

fn note_durable(model: &mut Model, analysis: &Analysis) {
    model.insert(analysis.analysis_id, vec![Some(serde_json::to_value(analysis).unwrap())]);
}

/// Compares the store with the model, and continues from it.
async fn check(bed: &Bed, model: &mut Model, all: &[Stored]) -> Result<(), cantata_store::StoreError> {
    let mut found = BTreeMap::new();
    for stored in all {
        let analysis = &stored.analysis;
        let earlier = found.insert(analysis.analysis_id, serde_json::to_value(analysis).unwrap());
        assert_eq!(earlier, None, "analysis {} is there twice", analysis.analysis_id);
        assert!(model.contains_key(&analysis.analysis_id), "analysis {} was never submitted", analysis.analysis_id);
        for file in &analysis.files {
            let location = bed.store().file(file.object_id).await?;
            assert_eq!(location.map(|file| file.analysis_id), Some(analysis.analysis_id), "the look-up of a file");
        }
    }
    for (id, possible) in model {
        let found = found.get(id).cloned();
        assert!(possible.contains(&found), "analysis {id} is {found:?}; expected one of {possible:?}");
        *possible = vec![found];
    }
    Ok(())
}
