//! A copy of the database, taken while it is written to, has everything that was acknowledged before.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cantata_core::Study;
use cantata_store::contract::builders;
use cantata_store::{DuplicateRule, NewAnalysis, Store};
use cantata_store_sqlite::{METADATA_FILE, SqliteStore, check_database, copy_database};

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_taken_between_writes_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
    store.create_study(Study { study_id: "S".into(), ..Study::default() }).await.unwrap();
    let is_over = Arc::new(AtomicBool::new(false));
    let writer = {
        let (store, is_over) = (Arc::clone(&store), Arc::clone(&is_over));
        tokio::spawn(async move {
            while !is_over.load(Ordering::Relaxed) {
                let new = NewAnalysis::of(&builders::analysis("S", 3)).unwrap();
                store.insert_analysis(new, DuplicateRule::AnyAnalysis).await.unwrap();
            }
        })
    };
    for _ in 0..5 {
        let acknowledged = *store.latest_event().borrow();
        let copied = tempfile::tempdir().unwrap();
        copy_database(folder.path(), &copied.path().join(METADATA_FILE)).unwrap();
        assert_eq!(check_database(copied.path()).unwrap(), Vec::<String>::new());
        let copy = SqliteStore::open(copied.path()).unwrap();
        let in_copy = *copy.latest_event().borrow();
        assert!(in_copy >= acknowledged, "{acknowledged} events, {in_copy} copied");
        assert_eq!(
            copy.events_after(0, usize::MAX).await.unwrap(),
            store.events_after(0, usize::try_from(in_copy).unwrap()).await.unwrap()
        );
    }
    is_over.store(true, Ordering::Relaxed);
    writer.await.unwrap();
}
