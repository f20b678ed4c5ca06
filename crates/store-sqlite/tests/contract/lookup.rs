//! The look-up is derived: whatever happens to its file, files are found and duplicates refused.
#![expect(clippy::unwrap_used, reason = "a test helper that fails should fail its test")]

use std::path::Path;
use std::time::Duration;

use cantata_core::ObjectId;
use cantata_store::contract::builders::{analysis, study};
use cantata_store::{DuplicateRule, InsertOutcome, NewAnalysis, Store, StoreError};
use cantata_store_sqlite::{SqliteStore, check_lookup, remove_lookup};

const LOOKUP_BATCH: usize = 100;

/// Loses the content of all runs.
const LOST: &str = "DELETE FROM chunk";

/// How long a test waits for a damaged look-up to be rebuilt before it fails.
const WAIT_TIMEOUT: Duration = Duration::from_secs(120);

async fn filled(folder: &Path) -> Vec<NewAnalysis> {
    let store = SqliteStore::open_with_lookup_batch(folder, LOOKUP_BATCH).unwrap();
    assert!(store.create_study(study("S")).await.unwrap());
    submitted(&store, 60, DuplicateRule::AnyAnalysis).await
}

/// Stores this many analyses of ten files each; five of them make a batch.
async fn submitted(store: &SqliteStore, count: usize, duplicates: DuplicateRule) -> Vec<NewAnalysis> {
    let mut stored = Vec::new();
    for _ in 0..count {
        let new = NewAnalysis::of(&analysis("S", 10)).unwrap();
        let insertion = store.insert_analysis(new.clone(), duplicates).await.unwrap();
        assert!(matches!(insertion, InsertOutcome::Stored(_)));
        stored.push(new);
    }
    stored
}

/// Opens a store whose look-up has too few runs to be merged, and damages their chunks; with what is stored.
async fn damaged_while_open(folder: &Path, damage: &str) -> (SqliteStore, Vec<NewAnalysis>) {
    let store = SqliteStore::open_with_lookup_batch(folder, LOOKUP_BATCH).unwrap();
    assert!(store.create_study(study("S")).await.unwrap());
    let stored = submitted(&store, 30, DuplicateRule::AnyAnalysis).await;
    let lookup = rusqlite::Connection::open(folder.join("lookup.db")).unwrap();
    lookup.busy_timeout(WAIT_TIMEOUT).unwrap();
    // A thread writes the runs.
    while lookup.execute(damage, []).unwrap() == 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    (store, stored)
}

async fn finds_all(folder: &Path, stored: &[NewAnalysis]) {
    let store = SqliteStore::open_with_lookup_batch(folder, LOOKUP_BATCH).unwrap();
    for new in stored {
        for file in &new.files {
            let found = store.file(file.object_id).await.unwrap().unwrap();
            assert_eq!(found.analysis_id, new.analysis_id);
        }
        let mut again = NewAnalysis::of(&analysis("S", 1)).unwrap();
        again.files[0].md5 = new.files[0].md5;
        let insertion = store.insert_analysis(again, DuplicateRule::AnyAnalysis).await.unwrap();
        assert!(matches!(insertion, InsertOutcome::Duplicate { .. }), "{insertion:?}");
    }
    let unknown = ObjectId::of(stored[0].analysis_id, "unknown");
    assert_eq!(store.file(unknown).await.unwrap(), None);
}

#[tokio::test]
async fn a_lost_lookup_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let stored = filled(folder.path()).await;
    for name in ["lookup.db", "lookup.db-wal", "lookup.db-shm"] {
        let _ = std::fs::remove_file(folder.path().join(name));
    }
    finds_all(folder.path(), &stored).await;
}

#[tokio::test]
async fn a_damaged_lookup_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let stored = filled(folder.path()).await;
    std::fs::write(folder.path().join("lookup.db"), b"this is not a database, but long enough to look like one")
        .unwrap();
    finds_all(folder.path(), &stored).await;
}

#[tokio::test]
async fn metadata_that_is_behind_its_lookup_is_refused_until_the_lookup_is_deleted() {
    let (folder, newer) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let stored = filled(folder.path()).await;
    filled(newer.path()).await;
    finds_all(newer.path(), &[filled_again(newer.path()).await]).await;
    for name in ["lookup.db", "lookup.db-wal", "lookup.db-shm"] {
        let _ = std::fs::remove_file(folder.path().join(name));
        let _ = std::fs::copy(newer.path().join(name), folder.path().join(name));
    }
    let refused = SqliteStore::open_with_lookup_batch(folder.path(), LOOKUP_BATCH).map(drop).unwrap_err();
    let text = cantata_core::error_chain(&refused);
    assert!(text.contains("delete lookup.db") && text.contains("backup"), "{text}");
    for name in ["lookup.db", "lookup.db-wal", "lookup.db-shm"] {
        let _ = std::fs::remove_file(folder.path().join(name));
    }
    finds_all(folder.path(), &stored).await;
}

#[tokio::test]
async fn a_lookup_that_lost_entries_is_found_and_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    let stored = filled(folder.path()).await;
    assert_eq!(check_lookup(folder.path()).unwrap(), Vec::<String>::new());
    let lookup = rusqlite::Connection::open(folder.path().join("lookup.db")).unwrap();
    let sql = "UPDATE chunk SET entries = zeroblob(length(entries)) WHERE chunk_id = (SELECT min(chunk_id) FROM chunk)";
    assert_eq!(lookup.execute(sql, []).unwrap(), 1);
    drop(lookup);
    assert_eq!(check_lookup(folder.path()).unwrap().len(), 1);
    remove_lookup(folder.path()).unwrap();
    finds_all(folder.path(), &stored).await;
}

#[tokio::test]
async fn a_lookup_whose_damage_is_met_at_the_start_is_rebuilt() {
    let folder = tempfile::tempdir().unwrap();
    let stored = filled(folder.path()).await;
    let lookup = rusqlite::Connection::open(folder.path().join("lookup.db")).unwrap();
    assert!(lookup.execute("DELETE FROM chunk", []).unwrap() > 0);
    lookup.execute("UPDATE progress SET applied = 0", []).unwrap();
    drop(lookup);
    // Small batches, so that catching up merges the damaged runs.
    drop(SqliteStore::open_with_lookup_batch(folder.path(), 1).unwrap());
    finds_all(folder.path(), &stored).await;
}

#[tokio::test]
async fn a_damaged_block_of_files_is_left_out_of_a_rebuilt_lookup_and_the_others_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let stored = filled(folder.path()).await;
    let metadata = rusqlite::Connection::open(folder.path().join("metadata.db")).unwrap();
    let sql = "UPDATE file_block SET files = substr(files, 1, length(files) - 1) WHERE block_key = 1";
    assert_eq!(metadata.execute(sql, []).unwrap(), 1);
    drop(metadata);
    remove_lookup(folder.path()).unwrap();
    finds_all(folder.path(), &stored[1..]).await;
    let store = SqliteStore::open_with_lookup_batch(folder.path(), LOOKUP_BATCH).unwrap();
    let damaged = store.file(stored[0].files[0].object_id).await;
    assert!(matches!(damaged, Err(StoreError::Corrupt { .. })), "{damaged:?}");
}

#[tokio::test]
async fn changes_go_on_while_a_damaged_lookup_is_rebuilt() {
    let folder = tempfile::tempdir().unwrap();
    let (store, mut stored) = damaged_while_open(folder.path(), LOST).await;
    // More than may wait in memory, so some of them must have been written.
    let more = submitted(&store, 200, DuplicateRule::Allow);
    stored.extend(tokio::time::timeout(WAIT_TIMEOUT, more).await.expect("changes go on"));
    drop(store);
    assert_eq!(check_lookup(folder.path()).unwrap(), Vec::<String>::new());
    finds_all(folder.path(), &stored).await;
}

#[tokio::test]
async fn a_search_that_meets_lost_chunks_has_the_lookup_rebuilt() {
    search_has_it_rebuilt(LOST).await;
}

#[tokio::test]
async fn a_search_that_meets_changed_chunks_has_the_lookup_rebuilt() {
    search_has_it_rebuilt("UPDATE chunk SET entries = zeroblob(length(entries))").await;
}

async fn search_has_it_rebuilt(damage: &str) {
    let folder = tempfile::tempdir().unwrap();
    let (store, stored) = damaged_while_open(folder.path(), damage).await;
    let found = async {
        for file in stored.iter().flat_map(|new| &new.files) {
            loop {
                match store.file(file.object_id).await {
                    Ok(found) => {
                        assert!(found.is_some(), "a file is found, or the look-up is damaged");
                        break;
                    }
                    Err(StoreError::Unavailable(_)) => tokio::time::sleep(Duration::from_millis(10)).await,
                    Err(error) => panic!("{error:?}"),
                }
            }
        }
    };
    tokio::time::timeout(WAIT_TIMEOUT, found).await.expect("all files are found in the end");
    drop(store);
    assert_eq!(check_lookup(folder.path()).unwrap(), Vec::<String>::new());
    finds_all(folder.path(), &stored).await;
}

#[tokio::test]
async fn a_lookup_with_a_changed_run_is_rebuilt_at_the_start() {
    for damage in ["UPDATE run SET bloom = zeroblob(length(bloom))", "UPDATE run SET first_chunk = first_chunk + 1"] {
        let folder = tempfile::tempdir().unwrap();
        let stored = filled(folder.path()).await;
        let lookup = rusqlite::Connection::open(folder.path().join("lookup.db")).unwrap();
        assert!(lookup.execute(damage, []).unwrap() > 0);
        drop(lookup);
        finds_all(folder.path(), &stored).await;
    }
}

/// Stores a large analysis, so that the look-up of this folder gets ahead of others.
async fn filled_again(folder: &Path) -> NewAnalysis {
    let store = SqliteStore::open_with_lookup_batch(folder, LOOKUP_BATCH).unwrap();
    let new = NewAnalysis::of(&analysis("S", 1_000)).unwrap();
    store.insert_analysis(new.clone(), DuplicateRule::AnyAnalysis).await.unwrap();
    new
}

/// Checksums that begin alike must not make each submission look at all the earlier ones.
#[tokio::test]
async fn checksums_chosen_to_collide_are_spread_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open_with_lookup_batch(folder.path(), LOOKUP_BATCH).unwrap();
    store.create_study(study("S")).await.unwrap();
    let mut new = NewAnalysis::of(&analysis("S", 20_000)).unwrap();
    for (number, file) in (0_u64..).zip(&mut new.files) {
        file.md5 = [0; 16];
        file.md5[8..].copy_from_slice(&number.to_be_bytes());
    }
    store.insert_analysis(new.clone(), DuplicateRule::AnyAnalysis).await.unwrap();
    let mut others = NewAnalysis::of(&analysis("S", 20_000)).unwrap();
    for (number, file) in (1_000_000_u64..).zip(&mut others.files) {
        file.md5 = [0; 16];
        file.md5[8..].copy_from_slice(&number.to_be_bytes());
    }
    let insertion = store.insert_analysis(others, DuplicateRule::AnyAnalysis).await.unwrap();
    assert!(matches!(insertion, InsertOutcome::Stored(_)));
}
