//! A log that a killed process has left behind: what SQLite would drop of it silently stops the start.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it stands")]

use std::path::Path;

use cantata_core::Study;
use cantata_store::contract::builders;
use cantata_store::{DuplicateRule, NewAnalysis, Store};
use cantata_store_sqlite::{METADATA_FILE, SqliteStore, check_database, check_wal};

const ANALYSES: u64 = 12;
const LOG: &str = "metadata.db-wal";

/// Copies a store in use, as if its process had been killed.
fn copy_killed(from: &Path, to: &Path) {
    for name in [METADATA_FILE, LOG] {
        std::fs::copy(from.join(name), to.join(name)).unwrap();
    }
}

#[tokio::test]
async fn damage_before_acknowledged_changes_is_found_and_a_torn_end_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path()).unwrap();
    store.create_study(Study { study_id: "S".into(), ..Study::default() }).await.unwrap();
    for _ in 0..ANALYSES {
        let new = NewAnalysis::of(&builders::analysis("S", 2)).unwrap();
        store.insert_analysis(new, DuplicateRule::AnyAnalysis).await.unwrap();
    }
    let killed = tempfile::tempdir().unwrap();
    copy_killed(folder.path(), killed.path());
    let whole = std::fs::read(killed.path().join(LOG)).unwrap();

    // Half of the last page, and nothing else, is gone: SQLite ignores the commit that was never completed.
    let torn = tempfile::tempdir().unwrap();
    copy_killed(folder.path(), torn.path());
    std::fs::write(torn.path().join(LOG), &whole[..whole.len() - 2_000]).unwrap();
    check_wal(torn.path()).unwrap();
    assert!(*SqliteStore::open(torn.path()).unwrap().latest_event().borrow() >= ANALYSES - 1);

    // The header, its salts, the first frame, its page, and a page in the middle.
    for at in [3, 17, 32 + 9, 32 + 24 + 100, whole.len() / 2] {
        let damaged = tempfile::tempdir().unwrap();
        copy_killed(folder.path(), damaged.path());
        let mut flipped = whole.clone();
        flipped[at] ^= 4;
        std::fs::write(damaged.path().join(LOG), &flipped).unwrap();
        let refused = SqliteStore::open(damaged.path()).map(drop).unwrap_err();
        let text = cantata_core::error_chain(&refused);
        assert!(text.contains(LOG) && text.contains("backup"), "byte {at}: {text}");
        assert_eq!(std::fs::read(damaged.path().join(LOG)).unwrap(), flipped, "byte {at}: the log is as it was");
        assert!(!check_database(damaged.path()).unwrap().is_empty(), "byte {at}");
    }

    check_wal(killed.path()).unwrap();
    let recovered = SqliteStore::open(killed.path()).unwrap();
    assert_eq!(*recovered.latest_event().borrow(), ANALYSES);
    let empty = std::fs::metadata(killed.path().join(LOG)).unwrap().len();
    assert!(empty < whole.len() as u64, "the log begins again at a start");
}
