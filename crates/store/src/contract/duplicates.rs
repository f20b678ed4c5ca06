//! Duplicates: what counts is the checksum of the files the analyses have now, and in which state they are now.

use cantata_core::AnalysisState;

use super::Backend;
use super::builders::{AnalysisBuilder, analysis, unique_md5};
use super::steps::{all_events, duplicate_of, insert, open_with_studies, submit, submit_copy};
use crate::{DuplicateRule, InsertOutcome, NewAnalysis};

const RULES: [DuplicateRule; 3] = [DuplicateRule::Allow, DuplicateRule::AnyAnalysis, DuplicateRule::PublishedAnalysis];

/// Under the wide rule a file of any analysis counts, in any study and state.
pub async fn checksums_of_any_analysis_count(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S", "T"]).await;
    for state in AnalysisState::ALL {
        for study_id in ["S", "T"] {
            let mut stored = insert(&*store, analysis(study_id, 3)).await;
            stored.move_to(&*store, state).await;
            for file in &stored.files {
                let answer = submit_copy(&*store, file, DuplicateRule::AnyAnalysis).await;
                assert_eq!(answer, Err(duplicate_of(file)), "{state} in {study_id}");
            }
        }
    }
}

/// A checksum in upper case is the same as in lower case.
pub async fn checksums_ignore_case(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let stored = AnalysisBuilder::in_study("S").file("a", "595F44FEC1E92A71D3E9E77456BA80D1").build();
    let stored = insert(&*store, stored).await;
    for md5 in
        ["595f44fec1e92a71d3e9e77456ba80d1", "595F44FEC1E92A71D3E9E77456BA80D1", "595f44FEC1E92A71d3e9e77456ba80d1"]
    {
        let copy = AnalysisBuilder::in_study("S").file("copy.vcf", md5).build();
        let answer = submit(&*store, &copy, DuplicateRule::AnyAnalysis).await;
        assert_eq!(answer, duplicate_of(&stored.files[0]), "{md5}");
    }
}

/// Only the whole checksum counts, not a part of it that a store may index.
pub async fn checksums_with_equal_beginnings_or_ends_differ(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let md5s = [
        "595f44fec1e92a71d3e9e77456ba80d1",
        "595f44fec1e92a71d3e9e77456ba80d2",
        "595f44fec1e92a710000000000000000",
        "0000000000000000d3e9e77456ba80d1",
    ];
    let mut stored = vec![];
    for md5 in md5s {
        let different = AnalysisBuilder::in_study("S").file("a", md5).build();
        let answer = submit(&*store, &different, DuplicateRule::AnyAnalysis).await;
        assert!(matches!(answer, InsertOutcome::Stored(_)), "{md5}: {answer:?}");
        stored.push(different);
    }
    for analysis in &stored {
        let file = &analysis.files[0];
        let answer = submit_copy(&*store, file, DuplicateRule::AnyAnalysis).await;
        assert_eq!(answer, Err(duplicate_of(file)));
    }
}

/// Where duplicates are allowed every copy is stored.
pub async fn allowed_duplicates_are_stored(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let mut stored = insert(&*store, analysis("S", 1)).await;
    stored.move_to(&*store, AnalysisState::Published).await;
    for _ in 0..3 {
        assert_eq!(submit_copy(&*store, &stored.files[0], DuplicateRule::Allow).await, Ok(()));
    }
}

/// Files of one payload are no duplicates of each other.
pub async fn equal_checksums_within_one_payload_are_fine(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    for rule in RULES {
        let md5 = unique_md5();
        let twins = AnalysisBuilder::in_study("S").file("a", &md5).file("b", &md5.to_uppercase()).build();
        let answer = submit(&*store, &twins, rule).await;
        assert!(matches!(answer, InsertOutcome::Stored(_)), "{rule:?}: {answer:?}");
        for file in &twins.files {
            assert_eq!(store.file(file.object_id).await.unwrap().unwrap().name, file.file_name);
        }
    }
}

/// Of several duplicates the first one of the payload is reported, even if another is older in the store.
pub async fn the_first_duplicate_in_payload_order_is_named(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let old = insert(&*store, analysis("S", 5)).await;
    let recent = insert(&*store, analysis("S", 5)).await;
    let payload = AnalysisBuilder::in_study("S")
        .file("z-new", &unique_md5())
        .file("y-recent", &recent.files[4].file_md5sum)
        .file("a-old", &old.files[0].file_md5sum)
        .build();
    let expected = InsertOutcome::Duplicate {
        file_name: "y-recent".to_owned(),
        object_id: recent.files[4].object_id,
        analysis_id: recent.analysis_id,
    };
    let files = NewAnalysis::of(&payload).unwrap().files;
    let predicted = store.find_duplicate(&files, DuplicateRule::AnyAnalysis).await.unwrap();
    assert_eq!(predicted.as_ref(), Some(&expected));
    assert_eq!(submit(&*store, &payload, DuplicateRule::AnyAnalysis).await, expected);
}

/// A submission to a study that does not exist fails for that reason first.
pub async fn an_unknown_study_is_noticed_before_a_duplicate(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let mut stored = insert(&*store, analysis("S", 1)).await;
    stored.move_to(&*store, AnalysisState::Published).await;
    for rule in RULES {
        let copy = AnalysisBuilder::in_study("T").file("copy.vcf", &stored.files[0].file_md5sum).build();
        assert_eq!(submit(&*store, &copy, rule).await, InsertOutcome::UnknownStudy, "{rule:?}");
    }
}

/// A rejected submission is not stored, and its other files make no later one a duplicate.
pub async fn a_refused_duplicate_leaves_nothing_behind(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let stored = insert(&*store, analysis("S", 1)).await;
    let fresh = unique_md5();
    let rejected =
        AnalysisBuilder::in_study("S").file("fresh", &fresh).file("copy.vcf", &stored.files[0].file_md5sum).build();
    assert_eq!(submit(&*store, &rejected, DuplicateRule::AnyAnalysis).await, duplicate_of(&stored.files[0]));
    assert_eq!(store.analysis(rejected.analysis_id).await.unwrap(), None);
    assert_eq!(store.file(rejected.files[0].object_id).await.unwrap(), None);
    assert_eq!(all_events(&*store).await.len(), 1);
    let later = AnalysisBuilder::in_study("S").file("fresh", &fresh).build();
    assert!(matches!(submit(&*store, &later, DuplicateRule::AnyAnalysis).await, InsertOutcome::Stored(_)));
}

/// Under the narrow rule a file counts while its analysis is published, and at no other time.
pub async fn only_published_analyses_count_under_the_narrow_rule(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let mut stored = insert(&*store, analysis("S", 2)).await;
    assert_eq!(submit_copy(&*store, &stored.files[1], DuplicateRule::PublishedAnalysis).await, Ok(()));
    for state in
        [AnalysisState::Published, AnalysisState::Unpublished, AnalysisState::Published, AnalysisState::Suppressed]
    {
        stored.move_to(&*store, state).await;
        let expected = match state {
            AnalysisState::Published => Err(duplicate_of(&stored.files[1])),
            AnalysisState::Unpublished | AnalysisState::Suppressed => Ok(()),
        };
        let answer = submit_copy(&*store, &stored.files[1], DuplicateRule::PublishedAnalysis).await;
        assert_eq!(answer, expected, "while {state}, with unpublished copies beside");
    }
}

/// The checksum of a removed file is free again.
pub async fn a_removed_file_is_no_duplicate_any_more(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let mut stored = insert(&*store, analysis("S", 2)).await;
    let removed = stored.update(&*store, |after| after.files.remove(0)).await;
    assert_eq!(submit_copy(&*store, &removed, DuplicateRule::AnyAnalysis).await, Ok(()));
    let answer = submit_copy(&*store, &stored.files[0], DuplicateRule::AnyAnalysis).await;
    assert_eq!(answer, Err(duplicate_of(&stored.files[0])));
}

/// A changed checksum replaces the old one, which can come back.
pub async fn a_changed_checksum_replaces_the_old_one(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let mut stored = insert(&*store, analysis("S", 2)).await;
    let original = stored.files[0].clone();
    stored.update(&*store, |after| after.files[0].file_md5sum = unique_md5()).await;
    let changed = stored.files[0].clone();
    let answer = submit_copy(&*store, &changed, DuplicateRule::AnyAnalysis).await;
    assert_eq!(answer, Err(duplicate_of(&changed)));
    stored.update(&*store, |after| after.files[0] = original.clone()).await;
    assert_eq!(submit_copy(&*store, &changed, DuplicateRule::AnyAnalysis).await, Ok(()));
    let answer = submit_copy(&*store, &original, DuplicateRule::AnyAnalysis).await;
    assert_eq!(answer, Err(duplicate_of(&original)));
}

/// While one of two files with a checksum remains, the checksum counts.
pub async fn one_of_two_equal_files_may_go(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let md5 = unique_md5();
    let twins = AnalysisBuilder::in_study("S").file("a", &md5).file("b", &md5).build();
    let mut stored = insert(&*store, twins).await;
    let removed = stored.update(&*store, |after| after.files.remove(0)).await;
    let answer = submit_copy(&*store, &removed, DuplicateRule::AnyAnalysis).await;
    assert_eq!(answer, Err(duplicate_of(&stored.files[0])));
    stored.update(&*store, |after| after.files.clear()).await;
    assert_eq!(submit_copy(&*store, &removed, DuplicateRule::AnyAnalysis).await, Ok(()));
}
