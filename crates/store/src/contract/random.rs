//! Random operations, applied to a store and to the model, after which both must return equal results.
//!
//! The operations draw from small pools of studies, type names and checksums, so that taken ids, duplicates and
//! conflicts are frequent. A sequence is determined by its seed; a failing one prints the seed and the operation.

mod questions;

use std::sync::Arc;

use cantata_core::{
    Analysis, AnalysisId, AnalysisState, EventAction, FileAccess, PartialTypeOptions, Study, Timestamp,
};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use serde_json::json;

use super::Backend;
use super::builders::{AnalysisBuilder, new_type, study};
use super::model::MemoryStore;
use crate::{AnalysisChange, DuplicateRule, InsertOutcome, NewAnalysis, NewAnalysisType, Revision, Store};

const OPERATIONS: usize = 200;
const STUDIES: [&str; 4] = ["A", "a", "B", "never created"];
const TYPES: [&str; 3] = ["x", "y", "Z"];
const FILE_NAMES: [&str; 4] = ["a.vcf", "b.bam", "c.bam.bai", "ü"];
const CHECKSUMS: u128 = 40;

macro_rules! sequences {
    ($($case:ident: $seed:literal,)+) => {
        $(
            #[doc = concat!("Random sequence ", $seed, " leaves the store as it leaves the model.")]
            pub async fn $case(backend: &dyn Backend) {
                run_sequence(backend, $seed).await;
            }
        )+
    };
}

sequences! {
    sequence_1_agrees_with_the_model: 1,
    sequence_2_agrees_with_the_model: 2,
    sequence_3_agrees_with_the_model: 3,
    sequence_4_agrees_with_the_model: 4,
    sequence_5_agrees_with_the_model: 5,
    sequence_6_agrees_with_the_model: 6,
}

async fn run_sequence(backend: &dyn Backend, seed: u64) {
    let mut pair = Pair {
        store: backend.open().await,
        model: MemoryStore::default(),
        rng: StdRng::seed_from_u64(seed),
        ids: vec![],
        progress: Progress { seed, operation: 0, what: "nothing yet" },
    };
    for operation in 1..=OPERATIONS {
        pair.progress.operation = operation;
        match pair.rng.random_range(0..100) {
            0..5 => pair.create_study().await,
            5..10 => pair.register_type().await,
            10..12 => pair.seed_types().await,
            12..57 => pair.insert().await,
            57..97 => pair.replace().await,
            _ => pair = pair.reopen(backend).await,
        }
        pair.ask_some_questions().await;
        if operation % 40 == 0 {
            pair.ask_about_everything().await;
        }
    }
    pair = pair.reopen(backend).await;
    pair.ask_about_everything().await;
}

/// Prints the operation of a sequence that fails.
struct Progress {
    seed: u64,
    operation: usize,
    what: &'static str,
}

impl Drop for Progress {
    #[expect(clippy::print_stderr, reason = "the report of a failed test")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the sequence with seed {} failed at operation {}: {}", self.seed, self.operation, self.what);
        }
    }
}

/// The store and the model, after the same operations.
struct Pair {
    store: Arc<dyn Store>,
    model: MemoryStore,
    rng: StdRng,
    /// The ids of the analyses that were submitted, stored or not.
    ids: Vec<AnalysisId>,
    progress: Progress,
}

impl Pair {
    async fn create_study(&mut self) {
        self.progress.what = "creating a study";
        let study_id = STUDIES[self.rng.random_range(0..3)];
        let study = Study { name: Some(self.rng.random::<u32>().to_string()), ..study(study_id) };
        let answer = self.store.create_study(study.clone()).await.unwrap();
        assert_eq!(answer, self.model.create_study(study).await.unwrap());
    }

    fn random_type(&mut self) -> NewAnalysisType {
        NewAnalysisType {
            schema: json!({"number": self.rng.random::<u64>()}),
            options: PartialTypeOptions {
                file_types: self.rng.random_bool(0.3).then(|| vec![self.rng.random::<u8>().to_string()]),
                external_validations: self.rng.random_bool(0.3).then(Vec::new),
            },
            created_at: Timestamp::from_micros(self.rng.random_range(0..1 << 50)),
            ..new_type(TYPES[self.rng.random_range(0..TYPES.len())])
        }
    }

    async fn register_type(&mut self) {
        self.progress.what = "registering a type";
        let new = self.random_type();
        let answer = self.store.register_type(new.clone()).await.unwrap();
        assert_eq!(answer, self.model.register_type(new).await.unwrap());
    }

    async fn seed_types(&mut self) {
        self.progress.what = "seeding types";
        let types = vec![self.random_type(), self.random_type()];
        self.store.seed_types(types.clone()).await.unwrap();
        self.model.seed_types(types).await.unwrap();
    }

    fn random_md5(&mut self) -> String {
        let md5 = format!("{:032x}", u128::MAX / CHECKSUMS * self.rng.random_range(1..=CHECKSUMS));
        if self.rng.random() { md5.to_uppercase() } else { md5 }
    }

    fn random_access(&mut self) -> FileAccess {
        FileAccess::ALL[self.rng.random_range(0..2)]
    }

    fn random_analysis(&mut self) -> Analysis {
        let analysis_id = AnalysisId::from_bytes(self.rng.random());
        self.ids.push(analysis_id);
        let study_id = STUDIES[self.rng.random_range(0..STUDIES.len())];
        let mut builder = AnalysisBuilder::with_id(study_id, analysis_id);
        for name in FILE_NAMES {
            if self.rng.random_bool(0.4) {
                builder = builder.file_with_access(name, &self.random_md5(), self.random_access());
            }
        }
        builder.build()
    }

    async fn insert(&mut self) {
        self.progress.what = "inserting an analysis";
        let new = NewAnalysis::of(&self.random_analysis()).unwrap();
        let rules = [DuplicateRule::Allow, DuplicateRule::AnyAnalysis, DuplicateRule::PublishedAnalysis];
        let rule = *rules.choose(&mut self.rng).unwrap();
        let answer = self.store.insert_analysis(new.clone(), rule).await.unwrap();
        let expected = self.model.insert_analysis(new.clone(), rule).await.unwrap();
        match (&answer, &expected) {
            (
                InsertOutcome::Duplicate { file_name, object_id, analysis_id },
                InsertOutcome::Duplicate { file_name: expected_name, .. },
            ) => {
                assert_eq!(file_name, expected_name);
                let submitted = new.files.iter().find(|file| file.name == *file_name).unwrap();
                let duplicates = self.model.duplicates_of(submitted, rule);
                let is_named = duplicates
                    .iter()
                    .any(|stored| stored.object_id == *object_id && stored.analysis_id == *analysis_id);
                assert!(is_named, "{answer:?} names none of {duplicates:?}");
            }
            _ => assert_eq!(answer, expected),
        }
    }

    async fn replace(&mut self) {
        self.progress.what = "replacing an analysis";
        let Some(id) = self.ids.choose(&mut self.rng) else {
            return;
        };
        let stored = self.model.analysis(*id).await.unwrap();
        let (mut revision, before) = match stored {
            Some(stored) => (stored.revision, serde_json::from_str(&stored.document).unwrap()),
            None => (Revision(1), self.random_analysis()),
        };
        if self.rng.random_bool(0.15) {
            revision = Revision(self.rng.random_range(0..=revision.0 + 1));
        }
        let (after, action) = self.random_change(&before);
        let change = AnalysisChange::between(revision, &before, &after, action).unwrap();
        let answer = self.store.replace_analysis(change.clone()).await.unwrap();
        assert_eq!(answer, self.model.replace_analysis(change).await.unwrap());
    }

    /// Changes the state, or some of the files, or nothing but the data.
    fn random_change(&mut self, before: &Analysis) -> (Analysis, EventAction) {
        let mut after = before.clone();
        let state = AnalysisState::ALL[self.rng.random_range(0..3)];
        let is_rarely_final = state != AnalysisState::Suppressed || self.rng.random_bool(0.2);
        if self.rng.random() && is_rarely_final && before.state.can_become(state) {
            after.change_state(state, Timestamp::from_micros(self.rng.random_range(0..1 << 50))).unwrap();
            return (after, EventAction::for_state(state));
        }
        after.data.insert("random".to_owned(), self.rng.random::<u32>().into());
        for file in &mut after.files {
            match self.rng.random_range(0..6) {
                0 => file.file_md5sum = self.random_md5(),
                1 => file.file_access = self.random_access(),
                2 => file.file_size += 1,
                _ => {}
            }
        }
        if self.rng.random_bool(0.15) && !after.files.is_empty() {
            after.files.remove(self.rng.random_range(0..after.files.len()));
        }
        (after, EventAction::Update)
    }

    async fn reopen(self, backend: &dyn Backend) -> Self {
        let Self { store, model, rng, ids, mut progress } = self;
        progress.what = "opening the store again";
        drop(store);
        Self { store: backend.open().await, model, rng, ids, progress }
    }
}
