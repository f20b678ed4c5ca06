//! Groups with so many files that the database copies them.

use std::collections::HashMap;
use std::sync::Arc;

use cantata_core::{Analysis, FileAccess};
use cantata_store::contract::builders::{AnalysisBuilder, analysis, study, unique_md5};
use cantata_store::{
    DuplicateRule, FileFilter, FileLocation, InsertOutcome, NewAnalysis, PageRange, Store, StoreError,
};
use cantata_store_postgres::{DatabaseUrl, PostgresStore};
use cantata_testkit::databases::postgres;
use futures_util::future::join_all;
use tokio::task::JoinSet;

use crate::open;

/// More than are inserted by a statement with parameters.
const FILE_COUNT: usize = 600;

#[tokio::test(flavor = "multi_thread")]
async fn copied_files_are_found_and_a_copy_that_is_refused_fails_alone() {
    let database = postgres();
    let store = Arc::new(open(&database.address()).await);
    store.create_study(study("S")).await.unwrap();
    let first = AnalysisBuilder::in_study("S")
        .files(FILE_COUNT)
        .file_with_access("naïve \u{1F9EC}.bam", &unique_md5(), FileAccess::Controlled)
        .build();
    let stored = store.insert_analysis(NewAnalysis::of(&first).unwrap(), DuplicateRule::AnyAnalysis).await;
    assert!(matches!(stored, Ok(InsertOutcome::Stored(_))), "{stored:?}");
    for file in first.files.iter().rev().take(3) {
        assert_eq!(store.file(file.object_id).await.unwrap(), Some(FileLocation::of(file)));
    }
    let taken = first.files[0].object_id;
    let mut racers = JoinSet::new();
    for number in 0..8 {
        let store = Arc::clone(&store);
        racers.spawn(async move {
            let mut racer = analysis("S", FILE_COUNT);
            let fails = number == 3;
            if fails {
                racer.files[FILE_COUNT - 1].object_id = taken;
            }
            let new = NewAnalysis::of(&racer).unwrap();
            let answer = store.insert_analysis(new, DuplicateRule::AnyAnalysis).await;
            assert_eq!(matches!(answer, Err(StoreError::Failed { .. })), fails, "{answer:?}");
            let found = store.file(racer.files[0].object_id).await.unwrap();
            assert_eq!(found, (!fails).then(|| FileLocation::of(&racer.files[0])));
        });
    }
    racers.join_all().await;
    let page = PageRange { offset: 0, limit: 1 };
    assert_eq!(store.list_files(&FileFilter::default(), page).await.unwrap().0, 8 * FILE_COUNT as u64 + 1);
    let after = store.insert_analysis(NewAnalysis::of(&analysis("S", 1)).unwrap(), DuplicateRule::AnyAnalysis).await;
    assert!(matches!(after, Ok(InsertOutcome::Stored(_))), "{after:?}");
}

/// Returns an analysis of a hundred files, one of which has this checksum.
fn hundred_files(md5: &str) -> Analysis {
    AnalysisBuilder::in_study("S").files(99).file("shared.bam", md5).build()
}

#[tokio::test(flavor = "multi_thread")]
async fn of_groups_that_are_written_at_once_each_checksum_is_stored_once() {
    const CHECKSUMS: usize = 21;
    let database = postgres();
    let stores = [Arc::new(open(&database.address()).await), Arc::new(open(&database.address()).await)];
    stores[0].create_study(study("S")).await.unwrap();
    let md5s: Vec<String> = (0..CHECKSUMS).map(|_| unique_md5()).collect();
    let mut racers = JoinSet::new();
    // Of the three with a checksum, two are submitted to one server and one to the other.
    for number in 0..3 * CHECKSUMS {
        let store = Arc::clone(&stores[number % 2]);
        let racer = hundred_files(&md5s[number % CHECKSUMS]);
        racers.spawn(async move {
            let new = NewAnalysis::of(&racer).unwrap();
            let answer = store.insert_analysis(new, DuplicateRule::AnyAnalysis).await.unwrap();
            (number % CHECKSUMS, racer.analysis_id, answer)
        });
    }
    let answers = racers.join_all().await;
    let mut winners = HashMap::new();
    for (checksum, analysis_id, answer) in &answers {
        if matches!(answer, InsertOutcome::Stored(_)) {
            assert_eq!(winners.insert(*checksum, *analysis_id), None, "checksum {checksum} is stored twice");
        }
    }
    assert_eq!(winners.len(), CHECKSUMS);
    let page = PageRange { offset: 0, limit: 1 };
    for (checksum, analysis_id, answer) in answers {
        let files = match answer {
            InsertOutcome::Stored(_) => 100,
            InsertOutcome::Duplicate { analysis_id: other, .. } => {
                assert_eq!(other, winners[&checksum]);
                0
            }
            InsertOutcome::UnknownStudy => panic!("the study is known"),
        };
        let filter = FileFilter { analysis_id: Some(analysis_id), ..FileFilter::default() };
        assert_eq!(stores[0].list_files(&filter, page).await.unwrap().0, files, "{analysis_id}");
    }
    let numbers: Vec<u64> = stores[0].events_after(0, 1_000).await.unwrap().iter().map(|event| event.seq).collect();
    assert_eq!(numbers, (1..=CHECKSUMS as u64).collect::<Vec<_>>());
    let all = stores[0].list_files(&FileFilter::default(), page).await.unwrap().0;
    assert_eq!(all, 100 * CHECKSUMS as u64, "there are files of no analysis");
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_submissions_with_a_checksum_the_one_that_is_queued_first_is_stored() {
    const PAIRS: usize = 15;
    // With one connection, groups are written one after the other, and none waits for the connection of another.
    for max_connections in [1, 2, 8] {
        let database = postgres();
        let url = DatabaseUrl::parse(&database.address()).unwrap();
        let store = PostgresStore::open(&url, max_connections).await.unwrap();
        store.create_study(study("S")).await.unwrap();
        for _ in 0..5 {
            let md5s: Vec<String> = (0..PAIRS).map(|_| unique_md5()).collect();
            let submitted: Vec<Analysis> = md5s.iter().chain(&md5s).map(|md5| hundred_files(md5)).collect();
            // Polled in this order, which is when they are queued.
            let answers = join_all(submitted.iter().map(|analysis| {
                let new = NewAnalysis::of(analysis).unwrap();
                store.insert_analysis(new, DuplicateRule::AnyAnalysis)
            }))
            .await;
            for (number, answer) in answers.into_iter().enumerate() {
                match answer.unwrap() {
                    InsertOutcome::Stored(_) => assert!(number < PAIRS, "{number} was queued second"),
                    InsertOutcome::Duplicate { analysis_id, .. } => {
                        assert!(number >= PAIRS, "{number} was queued first");
                        assert_eq!(analysis_id, submitted[number - PAIRS].analysis_id);
                    }
                    InsertOutcome::UnknownStudy => panic!("the study is known"),
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_that_is_taken_is_refused_with_many_files_too() {
    let database = postgres();
    let store = open(&database.address()).await;
    store.create_study(study("S")).await.unwrap();
    let md5 = unique_md5();
    let first = AnalysisBuilder::in_study("S").file("first.bam", &md5).build();
    let stored = store.insert_analysis(NewAnalysis::of(&first).unwrap(), DuplicateRule::AnyAnalysis).await;
    assert!(matches!(stored, Ok(InsertOutcome::Stored(_))), "{stored:?}");
    let taken = AnalysisBuilder::with_id("S", first.analysis_id).files(FILE_COUNT).build();
    let answers = join_all([taken, hundred_files(&md5)].iter().map(|analysis| {
        let new = NewAnalysis::of(analysis).unwrap();
        store.insert_analysis(new, DuplicateRule::AnyAnalysis)
    }))
    .await;
    assert!(matches!(answers[0], Err(StoreError::Failed { .. })), "{answers:?}");
    let is_duplicate = |outcome: &InsertOutcome| matches!(outcome, InsertOutcome::Duplicate { analysis_id, .. } if *analysis_id == first.analysis_id);
    assert!(answers[1].as_ref().is_ok_and(is_duplicate), "{answers:?}");
    let page = PageRange { offset: 0, limit: 1 };
    assert_eq!(store.list_files(&FileFilter::default(), page).await.unwrap().0, 1);
}
