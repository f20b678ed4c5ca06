//! A bit that changes in the file is found wherever the row is read, and named; nothing that was changed is returned.
#![expect(clippy::unwrap_used, reason = "a test helper that fails should fail its test")]

use std::path::Path;
use std::time::Duration;

use cantata_core::Study;
use cantata_store::contract::builders;
use cantata_store::{DuplicateRule, InsertOutcome, NewAnalysis, Result, Store, StoreError};
use cantata_store_sqlite::{METADATA_FILE, SqliteStore, check_database, copy_database};
use rusqlite::Connection;

#[tokio::test]
async fn a_flipped_bit_is_an_error_that_names_the_analysis() {
    const LENGTH: usize = 40;
    let folder = tempfile::tempdir().unwrap();
    let new = NewAnalysis::of(&builders::analysis("S", 2)).unwrap();
    let (revision, whole_events) = {
        let store = SqliteStore::open(folder.path()).unwrap();
        store.create_study(Study { study_id: "S".into(), ..Study::default() }).await.unwrap();
        let stored = store.insert_analysis(new.clone(), DuplicateRule::AnyAnalysis).await.unwrap();
        let InsertOutcome::Stored(revision) = stored else { panic!("{stored:?}") };
        let other = NewAnalysis::of(&builders::analysis("S", 1)).unwrap();
        store.insert_analysis(other, DuplicateRule::AnyAnalysis).await.unwrap();
        (revision, store.events_after(1, 10).await.unwrap())
    };
    assert_eq!(check_database(folder.path()).unwrap(), Vec::<String>::new());
    let path = folder.path().join(METADATA_FILE);
    let whole = std::fs::read(&path).unwrap();
    let wanted = &new.document.as_bytes()[..LENGTH];
    let begin = whole.windows(LENGTH).position(|window| window == wanted).unwrap();
    for (offset, bit) in [(0, 0), (5, 7), (17, 1), (20, 5), (33, 2), (39, 6)] {
        let mut flipped = whole.clone();
        flipped[begin + offset] ^= 1 << bit;
        std::fs::write(&path, flipped).unwrap();
        let store = SqliteStore::open(folder.path()).unwrap();
        let id = new.analysis_id.to_string();
        assert_damaged(store.analysis(new.analysis_id).await, &id);
        assert_damaged(store.documents(&[revision]).await, &id);
        assert_damaged(store.events_after(0, 10).await, &id);
        assert_eq!(store.events_after(1, 10).await.unwrap(), whole_events, "what comes after the damage is whole");
        drop(store);
        let problems = check_database(folder.path()).unwrap();
        assert!(problems.iter().any(|problem| problem.contains(&id)), "{problems:?}");
        let copies = tempfile::tempdir().unwrap();
        let refused = copy_database(folder.path(), &copies.path().join("copy")).unwrap_err();
        assert!(cantata_core::error_chain(&refused).contains(&id), "{refused:?}");
    }
}

/// How many rows are more than one step of giving them checksums.
const MANY_ROWS: u64 = 1_100;

/// How long a test waits for rows to get checksums before it fails.
const WAIT_TIMEOUT: Duration = Duration::from_secs(120);

fn database(folder: &Path) -> Connection {
    Connection::open(folder.join(METADATA_FILE)).unwrap()
}

/// Stores an analysis, a type and more studies than one step takes, as a version without checksums has written them.
async fn without_checksums(folder: &Path) -> NewAnalysis {
    let new = NewAnalysis::of(&builders::analysis("S", 2)).unwrap();
    {
        let store = SqliteStore::open(folder).unwrap();
        store.create_study(Study { study_id: "S".into(), ..Study::default() }).await.unwrap();
        store.insert_analysis(new.clone(), DuplicateRule::AnyAnalysis).await.unwrap();
        store.register_type(builders::new_type("reads")).await.unwrap();
    }
    let copies =
        "WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < ?1)
                  INSERT INTO study (study_id, document)
                  SELECT 'S' || number, document FROM numbers, study WHERE study_id = 'S'";
    let database = database(folder);
    database.execute(copies, [MANY_ROWS]).unwrap();
    let forget = "UPDATE study SET checksum = NULL; UPDATE analysis_type SET checksum = NULL;
                  UPDATE event SET checksum = NULL; UPDATE file_block SET checksum = NULL; PRAGMA user_version = 0";
    database.execute_batch(forget).unwrap();
    assert_eq!(count_without_checksum(folder), MANY_ROWS + 4);
    new
}

fn count_without_checksum(folder: &Path) -> u64 {
    let sql = "SELECT (SELECT count(*) FROM study WHERE checksum IS NULL)
                    + (SELECT count(*) FROM analysis_type WHERE checksum IS NULL)
                    + (SELECT count(*) FROM event WHERE checksum IS NULL)
                    + (SELECT count(*) FROM file_block WHERE checksum IS NULL)";
    database(folder).query_row(sql, [], |row| row.get(0)).unwrap()
}

/// Opens the store until the database says that all rows have checksums.
async fn opened_until_complete(folder: &Path) {
    let store = SqliteStore::open(folder).unwrap();
    let complete = async {
        while database(folder).pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0)).unwrap() != 1 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(WAIT_TIMEOUT, complete).await.expect("all rows get checksums");
    drop(store);
}

#[tokio::test]
async fn rows_that_an_older_version_has_written_get_checksums_while_the_store_is_open() {
    let folder = tempfile::tempdir().unwrap();
    let new = without_checksums(folder.path()).await;
    drop(SqliteStore::open(folder.path()).unwrap());
    opened_until_complete(folder.path()).await;
    assert_eq!(count_without_checksum(folder.path()), 0);
    assert_eq!(check_database(folder.path()).unwrap(), Vec::<String>::new(), "they are the right ones");
    let sql = "UPDATE event SET document = replace(document, '\"', '\"\"')";
    assert_eq!(database(folder.path()).execute(sql, []).unwrap(), 1);
    let store = SqliteStore::open(folder.path()).unwrap();
    assert_damaged(store.analysis(new.analysis_id).await, &new.analysis_id.to_string());
}

#[tokio::test]
async fn giving_checksums_goes_on_where_it_was_when_the_store_was_closed() {
    let folder = tempfile::tempdir().unwrap();
    without_checksums(folder.path()).await;
    let interrupted = "CREATE TABLE checksum_progress (part INTEGER NOT NULL, key INTEGER NOT NULL) STRICT;
                       INSERT INTO checksum_progress SELECT 0, max(study_key) - 1 FROM study";
    database(folder.path()).execute_batch(interrupted).unwrap();
    opened_until_complete(folder.path()).await;
    assert_eq!(count_without_checksum(folder.path()), MANY_ROWS, "the rows before were done, and are not read again");
}

#[tokio::test]
async fn a_new_database_has_nothing_without_checksums() {
    let folder = tempfile::tempdir().unwrap();
    let _store = SqliteStore::open(folder.path()).unwrap();
    let version = database(folder.path()).pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0));
    assert_eq!(version.unwrap(), 1);
}

#[tokio::test]
async fn what_names_no_study_or_revision_any_more_is_an_error_and_not_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let new = NewAnalysis::of(&builders::analysis("S", 1)).unwrap();
    {
        let store = SqliteStore::open(folder.path()).unwrap();
        store.create_study(Study { study_id: "S".into(), ..Study::default() }).await.unwrap();
        store.insert_analysis(new.clone(), DuplicateRule::AnyAnalysis).await.unwrap();
    }
    let damage = |flips: &str| {
        let database = Connection::open(folder.path().join(METADATA_FILE)).unwrap();
        database.pragma_update(None, "foreign_keys", false).unwrap();
        database.execute_batch(flips).unwrap();
    };
    let flips = "UPDATE event SET study_key = study_key + 64; UPDATE file_block SET study_key = study_key + 64;
                 UPDATE analysis SET study_key = study_key + 64";
    damage(flips);
    let store = SqliteStore::open(folder.path()).unwrap();
    assert_damaged(store.events_after(0, 10).await, &new.analysis_id.to_string());
    let file = store.file(new.files[0].object_id).await;
    assert!(matches!(file, Err(StoreError::Corrupt { .. })), "{file:?}");
    let analysis = store.analysis(new.analysis_id).await;
    assert!(matches!(analysis, Err(StoreError::Corrupt { .. })), "{analysis:?}");
    drop(store);
    let flips = "UPDATE analysis SET study_key = study_key - 64, revision = revision + 64";
    damage(flips);
    let store = SqliteStore::open(folder.path()).unwrap();
    let analysis = store.analysis(new.analysis_id).await;
    assert!(matches!(analysis, Err(StoreError::Corrupt { .. })), "{analysis:?}");
}

#[track_caller]
fn assert_damaged<T: std::fmt::Debug>(outcome: Result<T>, id: &str) {
    match outcome {
        Err(StoreError::Corrupt { location, .. }) => assert!(location.contains(id), "{location}"),
        other => panic!("{other:?}"),
    }
}
