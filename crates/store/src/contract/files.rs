//! Files: found in their latest version by object id, by conditions, and by the search of a study.

use cantata_core::{Analysis, AnalysisId, AnalysisState, File, FileAccess, ObjectId};
use regex::Regex;

use super::Backend;
use super::builders::{AnalysisBuilder, analysis, unique_md5};
use super::steps::{EVERYTHING, TrackedAnalysis, insert, insert_all, open_with_studies, revisions};
use crate::{FileFilter, FileLocation, ObjectIdPattern, PageRange, Revision, Store, VisibleFiles};

async fn assert_found(store: &dyn Store, files: &[File]) {
    for file in files {
        assert_eq!(store.file(file.object_id).await.unwrap(), Some(FileLocation::of(file)));
    }
}

/// Stores analyses whose files share names, access levels and studies in all ways; returns the files by object id.
async fn fill(store: &dyn Store) -> Vec<FileLocation> {
    let mut entries = vec![];
    for number in 0..12 {
        let analysis = AnalysisBuilder::in_study(if number % 2 == 0 { "S" } else { "T" })
            .file_with_access("shared.vcf", &unique_md5(), FileAccess::ALL[number / 2 % 2])
            .file_with_access("index.tbi", &unique_md5(), FileAccess::Controlled)
            .file_with_access(&format!("{number}.bam"), &unique_md5(), FileAccess::Open)
            .build();
        entries.extend(insert(store, analysis).await.files.iter().map(FileLocation::of));
    }
    entries.sort_by_key(|entry| entry.object_id);
    entries
}

/// A file is found in its analysis and study; an unknown id is not.
pub async fn a_file_is_found_by_its_object_id(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S", "T"]).await;
    for entry in fill(&*store).await {
        assert_eq!(store.file(entry.object_id).await.unwrap(), Some(entry));
    }
    assert_eq!(store.file(ObjectId::of(AnalysisId::generate(), "shared.vcf")).await.unwrap(), None);
}

/// Only the whole object id counts, not a part of it that a store may index, and not a checksum of the same bytes.
pub async fn object_ids_with_equal_beginnings_or_ends_differ(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let mut before = analysis("S", 4);
    let mut bytes = *before.files[0].object_id.as_bytes();
    bytes[15] ^= 1;
    before.files[1].object_id = ObjectId::from_bytes(bytes);
    bytes[..8].fill(7);
    before.files[2].object_id = ObjectId::from_bytes(bytes);
    before.files[3].file_md5sum = before.files[0].object_id.to_string().replace('-', "");
    let mut stored = insert(&*store, before).await;
    assert_found(&*store, &stored.files).await;
    let removed = stored.update(&*store, |after| after.files.remove(0)).await;
    assert_eq!(store.file(removed.object_id).await.unwrap(), None);
    assert_found(&*store, &stored.files).await;
}

/// After a change of its access or checksum a file is found with the new values, also by conditions.
pub async fn a_changed_file_is_found_as_it_is_now(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let mut stored = insert(&*store, analysis("S", 3)).await;
    let change = |after: &mut Analysis| {
        after.files[0].file_access = FileAccess::Controlled;
        after.files[1].file_md5sum = unique_md5();
    };
    stored.update(&*store, change).await;
    assert_found(&*store, &stored.files).await;
    let controlled = FileFilter { access: Some(FileAccess::Controlled), ..FileFilter::default() };
    let expected = vec![FileLocation::of(&stored.files[0])];
    assert_eq!(store.list_files(&controlled, EVERYTHING).await.unwrap(), (1, expected));
    let open = FileFilter { access: Some(FileAccess::Open), ..FileFilter::default() };
    assert_eq!(store.list_files(&open, EVERYTHING).await.unwrap().0, 2);
}

/// A file is stored once, also after a change of a value that the store does not index.
pub async fn a_file_written_again_is_still_one_file(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let mut stored = insert(&*store, analysis("S", 2)).await;
    for file_size in [100, 200, 300] {
        stored.update(&*store, |after| after.files[1].file_size = file_size).await;
    }
    assert_found(&*store, &stored.files).await;
    assert_eq!(store.list_files(&FileFilter::default(), EVERYTHING).await.unwrap().0, 2);
    let pattern = ObjectIdPattern::Exactly(stored.files[1].object_id);
    assert_eq!(store.search_by_file("S", &pattern).await.unwrap(), [stored.revision]);
}

/// A removed file is found in no way; its siblings are.
pub async fn a_removed_file_is_gone(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let mut stored = insert(&*store, analysis("S", 3)).await;
    let removed = stored.update(&*store, |after| after.files.remove(1)).await;
    assert_eq!(store.file(removed.object_id).await.unwrap(), None);
    let by_id = FileFilter { object_id: Some(removed.object_id), ..FileFilter::default() };
    assert_eq!(store.list_files(&by_id, EVERYTHING).await.unwrap(), (0, vec![]));
    let by_analysis = FileFilter { analysis_id: Some(stored.analysis_id), ..FileFilter::default() };
    let mut expected: Vec<_> = stored.files.iter().map(FileLocation::of).collect();
    expected.sort_by_key(|entry| entry.object_id);
    assert_eq!(store.list_files(&by_analysis, EVERYTHING).await.unwrap(), (2, expected));
}

/// Every subset of the five conditions, with values that meet and values that miss, selects what meets them all.
pub async fn every_combination_of_conditions_is_honoured(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S", "T"]).await;
    let entries = fill(&*store).await;
    let shared = entries.iter().find(|entry| entry.name == "shared.vcf").unwrap();
    let nowhere = AnalysisId::generate();
    let full = |wanted: &FileLocation| FileFilter {
        object_id: Some(wanted.object_id),
        analysis_id: Some(wanted.analysis_id),
        name: Some(wanted.name.clone()),
        study_id: Some(wanted.study_id.clone()),
        access: Some(wanted.access),
        visible: None,
    };
    let mut conditions: Vec<FileFilter> = entries.iter().step_by(9).chain([shared]).map(full).collect();
    conditions.extend([
        FileFilter { object_id: Some(ObjectId::of(nowhere, "x")), ..full(shared) },
        FileFilter { analysis_id: Some(nowhere), ..full(shared) },
        FileFilter { name: Some("none.vcf".to_owned()), ..full(shared) },
        FileFilter { name: Some("\0".to_owned()), ..full(shared) },
        FileFilter { study_id: Some("unknown".to_owned()), ..full(shared) },
        FileFilter { study_id: Some(if shared.study_id == "S" { "T" } else { "S" }.to_owned()), ..full(shared) },
        FileFilter { access: FileAccess::ALL.into_iter().find(|access| *access != shared.access), ..full(shared) },
    ]);
    for condition in conditions {
        for subset in 0..32 {
            let given = |bit: u32| subset >> bit & 1 == 1;
            let filter = FileFilter {
                object_id: condition.object_id.filter(|_| given(0)),
                analysis_id: condition.analysis_id.filter(|_| given(1)),
                name: condition.name.clone().filter(|_| given(2)),
                study_id: condition.study_id.clone().filter(|_| given(3)),
                access: condition.access.filter(|_| given(4)),
                visible: None,
            };
            let expected: Vec<_> = entries.iter().filter(|entry| filter.matches(entry)).cloned().collect();
            let answer = store.list_files(&filter, EVERYTHING).await.unwrap();
            assert_eq!(answer, (expected.len() as u64, expected), "{filter:?}");
        }
    }
}

/// Returns filters of one condition, or of none.
fn single_conditions(entries: &[FileLocation]) -> [FileFilter; 6] {
    let all = FileFilter::default;
    [
        all(),
        FileFilter { study_id: Some("T".to_owned()), ..all() },
        FileFilter { study_id: Some("unknown".to_owned()), ..all() },
        FileFilter { name: Some("shared.vcf".to_owned()), ..all() },
        FileFilter { analysis_id: Some(entries[0].analysis_id), ..all() },
        FileFilter { object_id: Some(entries[3].object_id), ..all() },
    ]
}

/// Files come in the order of their object ids, in pages, with the total of all that match.
pub async fn listing_is_ordered_and_pages(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S", "T"]).await;
    let entries = fill(&*store).await;
    for filter in single_conditions(&entries) {
        let matching: Vec<_> = entries.iter().filter(|entry| filter.matches(entry)).cloned().collect();
        for offset in [0, 1, 2, 5, 17, 35, 36, u64::MAX] {
            for limit in [0, 1, 5, 100, u64::MAX] {
                let (skipped, taken) = (usize::try_from(offset).unwrap(), usize::try_from(limit).unwrap());
                let expected: Vec<_> = matching.iter().skip(skipped).take(taken).cloned().collect();
                let page = PageRange { offset, limit };
                let answer = store.list_files(&filter, page).await.unwrap();
                assert_eq!(answer, (matching.len() as u64, expected), "{filter:?} {page:?}");
            }
        }
    }
}

/// Pages that each begin after the last file of the one before are the listing.
pub async fn listing_pages_by_object_id(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S", "T"]).await;
    let entries = fill(&*store).await;
    for filter in single_conditions(&entries) {
        let expected: Vec<_> = entries.iter().filter(|entry| filter.matches(entry)).cloned().collect();
        for limit in [1, 5, 100, u64::MAX] {
            let mut listed: Vec<FileLocation> = Vec::new();
            loop {
                let after = listed.last().map(|file| file.object_id);
                let page = store.files_after(&filter, after, limit).await.unwrap();
                if page.is_empty() {
                    break;
                }
                listed.extend(page);
            }
            assert_eq!(listed, expected, "{filter:?} {limit}");
        }
        assert_eq!(store.files_after(&filter, None, 0).await.unwrap(), []);
    }
}

/// Who may see some studies, and what is published of others, finds nothing else, whatever is asked for.
pub async fn listing_shows_what_may_be_seen(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S", "T", "U"]).await;
    let mut stored = Vec::new();
    for study_id in ["S", "T", "U"] {
        for state in AnalysisState::ALL {
            let mut inserted = insert(&*store, analysis(study_id, 2)).await;
            // An analysis begins unpublished.
            if state != AnalysisState::Unpublished {
                inserted.move_to(&*store, state).await;
            }
            stored.push(inserted);
        }
    }
    let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    let cases: [(&[&str], &[&str]); 4] = [(&["S"], &["T"]), (&["S"], &["S"]), (&[], &["T", "unknown"]), (&[], &[])];
    for (studies, published) in cases {
        let visible = VisibleFiles { studies: names(studies), published: names(published) };
        let mut expected: Vec<FileLocation> = Vec::new();
        for inserted in &stored {
            let study_id = &inserted.study_id;
            let is_published = inserted.state == AnalysisState::Published;
            if visible.studies.contains(study_id) || (visible.published.contains(study_id) && is_published) {
                expected.extend(inserted.files.iter().map(FileLocation::of));
            }
        }
        expected.sort_by_key(|file| file.object_id);
        let all = FileFilter { visible: Some(visible), ..FileFilter::default() };
        let mut filters = vec![all.clone()];
        for inserted in &stored {
            filters.push(FileFilter { study_id: Some(inserted.study_id.clone()), ..all.clone() });
            filters.push(FileFilter { analysis_id: Some(inserted.analysis_id), ..all.clone() });
            filters.push(FileFilter { object_id: Some(inserted.files[0].object_id), ..all.clone() });
            filters.push(FileFilter { name: Some(inserted.files[1].file_name.clone()), ..all.clone() });
        }
        for filter in filters {
            let expected: Vec<_> = expected.iter().filter(|file| filter.matches(file)).cloned().collect();
            let listed = store.list_files(&filter, EVERYTHING).await.unwrap();
            assert_eq!(listed, (expected.len() as u64, expected.clone()), "{filter:?}");
            assert_eq!(store.files_after(&filter, None, u64::MAX).await.unwrap(), expected, "{filter:?}");
        }
    }
}

/// Names are compared exactly, with any characters in them.
pub async fn conditions_compare_to_the_letter(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let names = ["a.vcf", "A.vcf", "a%", "a_vcf", "a.vcf ", "it's", "\"", "\\", "ü", "u\u{308}", "*", ""];
    let builder = AnalysisBuilder::in_study("S");
    let stored = names.into_iter().fold(builder, |builder, name| builder.file(name, &unique_md5())).build();
    for file in &insert(&*store, stored).await.files {
        let filter = FileFilter { name: Some(file.file_name.clone()), ..FileFilter::default() };
        assert_eq!(store.list_files(&filter, EVERYTHING).await.unwrap(), (1, vec![FileLocation::of(file)]));
    }
}

/// Stores analyses of two studies with two files each, and one without files; returns them by analysis id.
async fn fill_for_search(store: &dyn Store) -> Vec<TrackedAnalysis> {
    let sizes = [("S", 2), ("S", 2), ("T", 2), ("S", 0), ("S", 2), ("T", 2)];
    insert_all(store, sizes.map(|(study_id, files)| analysis(study_id, files))).await
}

fn expected_hits(stored: &[TrackedAnalysis], study_id: &str, pattern: &ObjectIdPattern) -> Vec<Revision> {
    let is_hit = |stored: &&TrackedAnalysis| {
        stored.study_id == study_id && stored.files.iter().any(|file| pattern.matches(file.object_id))
    };
    revisions(stored.iter().filter(is_hit))
}

/// Every analysis that has a file is found.
pub async fn search_finds_any_file(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S", "T"]).await;
    let stored = fill_for_search(&*store).await;
    let found = store.search_by_file("S", &ObjectIdPattern::Any).await.unwrap();
    assert_eq!(found.len(), 3);
    assert_eq!(found, expected_hits(&stored, "S", &ObjectIdPattern::Any));
}

/// One object id leads to its analysis, and only in the study it belongs to.
pub async fn search_finds_one_object_id(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S", "T"]).await;
    let stored = fill_for_search(&*store).await;
    for file in stored.iter().flat_map(|stored| &stored.files) {
        let pattern = ObjectIdPattern::Exactly(file.object_id);
        for study_id in ["S", "T"] {
            let found = store.search_by_file(study_id, &pattern).await.unwrap();
            assert_eq!(found, expected_hits(&stored, study_id, &pattern));
            assert_eq!(found.len(), usize::from(file.study_id == study_id));
        }
    }
    let unknown = ObjectIdPattern::Exactly(ObjectId::of(AnalysisId::generate(), "x"));
    assert_eq!(store.search_by_file("S", &unknown).await.unwrap(), []);
}

/// A pattern is matched with the text of the object ids, anywhere in it unless it is anchored.
pub async fn search_matches_the_text_of_object_ids(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S", "T"]).await;
    let stored = fill_for_search(&*store).await;
    let known = stored.iter().find(|stored| stored.study_id == "S" && !stored.files.is_empty()).unwrap();
    let text = known.files[1].object_id.to_string();
    let mut patterns = vec![
        text.clone(),
        format!("^{text}$"),
        format!("^{}", &text[..8]),
        format!("{}$", &text[24..]),
        text[9..18].to_owned(),
        text.to_uppercase(),
        format!("(?i){}", text.to_uppercase()),
        format!("^{text}x"),
        String::new(),
        "-5[0-9a-f]{3}-".to_owned(),
        "^$".to_owned(),
    ];
    patterns.extend("0123456789abcdef".chars().map(|digit| format!("^{digit}")));
    for text in patterns {
        let pattern = ObjectIdPattern::Matching(Regex::new(&text).unwrap());
        for study_id in ["S", "T"] {
            let found = store.search_by_file(study_id, &pattern).await.unwrap();
            assert_eq!(found, expected_hits(&stored, study_id, &pattern), "'{text}' in {study_id}");
        }
    }
}

/// An analysis with several matching files is found once.
pub async fn search_names_an_analysis_once(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let revision = insert(&*store, analysis("S", 40)).await.revision;
    for pattern in [ObjectIdPattern::Any, ObjectIdPattern::Matching(Regex::new("-5").unwrap())] {
        assert_eq!(store.search_by_file("S", &pattern).await.unwrap(), [revision], "{pattern:?}");
    }
}

/// In a study that does not exist, or has no analyses, nothing is found.
pub async fn search_stays_within_its_study(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S", "EMPTY"]).await;
    let stored = insert(&*store, analysis("S", 1)).await;
    let patterns = [
        ObjectIdPattern::Any,
        ObjectIdPattern::Exactly(stored.files[0].object_id),
        ObjectIdPattern::Matching(Regex::new(".").unwrap()),
    ];
    for pattern in patterns {
        for study_id in ["EMPTY", "UNKNOWN", "s", ""] {
            assert_eq!(store.search_by_file(study_id, &pattern).await.unwrap(), [], "{pattern:?} in '{study_id}'");
        }
    }
}

/// The search returns the latest revision and matches its files only.
pub async fn search_forgets_removed_files(backend: &dyn Backend) {
    let store = open_with_studies(backend, &["S"]).await;
    let mut stored = insert(&*store, analysis("S", 2)).await;
    let removed = stored.update(&*store, |after| after.files.remove(0)).await;
    let removed_text = ObjectIdPattern::Matching(Regex::new(&removed.object_id.to_string()).unwrap());
    for pattern in [ObjectIdPattern::Exactly(removed.object_id), removed_text] {
        assert_eq!(store.search_by_file("S", &pattern).await.unwrap(), [], "{pattern:?}");
    }
    for pattern in [ObjectIdPattern::Any, ObjectIdPattern::Exactly(stored.files[0].object_id)] {
        assert_eq!(store.search_by_file("S", &pattern).await.unwrap(), [stored.revision], "{pattern:?}");
    }
}
