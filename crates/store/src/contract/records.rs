//! Shared records: written as a whole, counted per kind, and never lost to a writer that has not seen the latest.

use super::Backend;
use super::steps::{all_events, race};
use crate::{RecordBase, RecordKind, RecordPurge, SharedRecord, Store};

const KEY: RecordKind = RecordKind::Key;
const SESSION: RecordKind = RecordKind::Session;
const SET: RecordKind = RecordKind::SavedSet;

async fn put(store: &dyn Store, id: &str, base: RecordBase, document: &str) -> Option<u64> {
    store.write_record(KEY, id, base, Some(document.to_owned())).await.unwrap()
}

fn record(id: &str, change: u64, document: Option<&str>) -> SharedRecord {
    SharedRecord { id: id.to_owned(), change, document: document.map(str::to_owned) }
}

/// A record has the document of its last write, whatever is in it, and ids are compared to the letter.
pub async fn a_record_reads_back_as_it_was_written(backend: &dyn Backend) {
    let store = backend.open().await;
    let ids = ["a", "A", "a ", "it's", "a%", "Ω", ""];
    for (id, change) in ids.into_iter().zip(1..) {
        assert_eq!(put(&*store, id, RecordBase::Absent, &format!("{{\"id\": {id:?}}}")).await, Some(change), "'{id}'");
    }
    for (id, change) in ids.into_iter().zip(1..) {
        let expected = record(id, change, Some(&format!("{{\"id\": {id:?}}}")));
        assert_eq!(store.record(KEY, id).await.unwrap(), Some(expected), "'{id}'");
    }
    let long = "é".repeat(1_000_000);
    assert_eq!(put(&*store, "a", RecordBase::Any, &long).await, Some(8));
    assert_eq!(store.record(KEY, "a").await.unwrap(), Some(record("a", 8, Some(&long))));
}

/// An id that was never written, or in another kind only, is absent.
pub async fn records_that_were_never_written_are_absent(backend: &dyn Backend) {
    let store = backend.open().await;
    assert_eq!(store.latest_record_change(KEY).await.unwrap(), 0);
    assert!(store.records_after(KEY, 0, 10).await.unwrap().is_empty());
    put(&*store, "a", RecordBase::Any, "1").await.unwrap();
    for id in ["b", "", "A", "a\0"] {
        assert_eq!(store.record(KEY, id).await.unwrap(), None, "{id:?}");
    }
    assert_eq!(store.record(SESSION, "a").await.unwrap(), None);
}

/// What was written after a change is listed in the order of the changes, each record once.
pub async fn changes_count_up_per_kind_and_are_followed(backend: &dyn Backend) {
    let store = backend.open().await;
    for (id, document) in [("a", "1"), ("b", "2"), ("a", "3"), ("c", "4")] {
        put(&*store, id, RecordBase::Any, document).await.unwrap();
    }
    assert_eq!(store.write_record(SESSION, "s", RecordBase::Any, Some("5".to_owned())).await.unwrap(), Some(1));
    assert_eq!(store.latest_record_change(KEY).await.unwrap(), 4);
    let all = [record("b", 2, Some("2")), record("a", 3, Some("3")), record("c", 4, Some("4"))];
    assert_eq!(store.records_after(KEY, 0, 10).await.unwrap(), all);
    assert_eq!(store.records_after(KEY, 0, 2).await.unwrap(), all[..2]);
    assert_eq!(store.records_after(KEY, 2, 10).await.unwrap(), all[1..]);
    assert!(store.records_after(KEY, 4, 10).await.unwrap().is_empty());
    assert_eq!(store.records_after(SESSION, 0, 10).await.unwrap(), [record("s", 1, Some("5"))]);
}

/// A record is written only if its base holds; else it stays, and no number is used up.
pub async fn a_write_from_an_old_base_changes_nothing(backend: &dyn Backend) {
    let store = backend.open().await;
    assert_eq!(put(&*store, "a", RecordBase::Record(0), "0").await, None);
    assert_eq!(put(&*store, "a", RecordBase::Kind(1), "0").await, None);
    assert_eq!(put(&*store, "a", RecordBase::Kind(0), "1").await, Some(1));
    assert_eq!(put(&*store, "a", RecordBase::Absent, "0").await, None);
    assert_eq!(put(&*store, "b", RecordBase::Absent, "2").await, Some(2));
    assert_eq!(put(&*store, "a", RecordBase::Kind(1), "0").await, None);
    assert_eq!(put(&*store, "a", RecordBase::Record(2), "0").await, None);
    assert_eq!(store.record(KEY, "a").await.unwrap(), Some(record("a", 1, Some("1"))));
    assert_eq!(put(&*store, "a", RecordBase::Record(1), "3").await, Some(3));
    assert_eq!(store.latest_record_change(KEY).await.unwrap(), 3);
}

/// A removed record is absent, but listed as an empty one; its id can be used again.
pub async fn a_removed_record_is_seen_by_followers_until_it_is_purged(backend: &dyn Backend) {
    let store = backend.open().await;
    for id in ["a", "b", "c"] {
        put(&*store, id, RecordBase::Any, "1").await.unwrap();
    }
    assert_eq!(store.write_record(KEY, "a", RecordBase::Record(1), None).await.unwrap(), Some(4));
    assert_eq!(store.write_record(KEY, "a", RecordBase::Record(4), None).await.unwrap(), None);
    assert_eq!(store.write_record(KEY, "b", RecordBase::Any, None).await.unwrap(), Some(5));
    assert_eq!(store.record(KEY, "a").await.unwrap(), None);
    let listed = [record("c", 3, Some("1")), record("a", 4, None), record("b", 5, None)];
    assert_eq!(store.records_after(KEY, 0, 10).await.unwrap(), listed);
    store.purge_removed_records(SESSION, 9).await.unwrap();
    store.purge_removed_records(KEY, 3).await.unwrap();
    assert_eq!((store.purged_records(KEY).await.unwrap(), store.purged_records(SESSION).await.unwrap()), (0, 0));
    store.purge_removed_records(KEY, 4).await.unwrap();
    assert_eq!((store.purged_records(KEY).await.unwrap(), store.purged_records(SESSION).await.unwrap()), (4, 0));
    let listed = [record("c", 3, Some("1")), record("b", 5, None)];
    assert_eq!(store.records_after(KEY, 0, 10).await.unwrap(), listed);
    assert_eq!(store.latest_record_change(KEY).await.unwrap(), 5);
    assert_eq!(put(&*store, "b", RecordBase::Absent, "6").await, Some(6));
    assert_eq!(put(&*store, "a", RecordBase::Absent, "7").await, Some(7));
}

/// What was removed is purged once followers had the time between two runs to see it, of every kind; the mark is the last
/// removal that was purged, and what is there stays.
pub async fn removed_records_are_purged_by_the_run_after_the_next(backend: &dyn Backend) {
    let store = backend.open().await;
    for kind in RecordKind::ALL {
        for id in ["a", "b", "c"] {
            store.write_record(kind, id, RecordBase::Any, Some("1".to_owned())).await.unwrap();
        }
        store.write_record(kind, "a", RecordBase::Any, None).await.unwrap();
    }
    let ids = async |kind: RecordKind| -> Vec<String> {
        store.records_after(kind, 0, 10).await.unwrap().into_iter().map(|record| record.id).collect()
    };
    let mut purge = RecordPurge::default();
    purge.run(&*store).await.unwrap();
    assert_eq!(ids(SET).await, ["b", "c", "a"]);
    store.write_record(SET, "b", RecordBase::Any, None).await.unwrap();
    purge.run(&*store).await.unwrap();
    assert_eq!((ids(KEY).await, ids(SESSION).await), (vec!["b".into(), "c".into()], vec!["b".into(), "c".into()]));
    assert_eq!((ids(SET).await, store.purged_records(SET).await.unwrap()), (vec!["c".into(), "b".into()], 4));
    purge.run(&*store).await.unwrap();
    assert_eq!((ids(SET).await, store.purged_records(SET).await.unwrap()), (vec!["c".into()], 5));
    // Later runs, and those of a server that started later, purge nothing more.
    store.purge_removed_records(SET, 5).await.unwrap();
    RecordPurge::default().run(&*store).await.unwrap();
    assert_eq!((ids(SET).await, store.purged_records(SET).await.unwrap()), (vec!["c".into()], 5));
    assert_eq!(store.latest_record_change(SET).await.unwrap(), 5);
}

/// Of several writes from the same base at the same time one succeeds, and those from any base are all counted.
pub async fn racing_writers_of_a_kind_have_one_winner(backend: &dyn Backend) {
    let store = backend.open().await;
    for round in 0..5 {
        let changes = race(&store, 20, |store, number| async move {
            put(&*store, &format!("{round} {number}"), RecordBase::Kind(round), "1").await
        })
        .await;
        let winners: Vec<u64> = changes.into_iter().flatten().collect();
        assert_eq!(winners, [round + 1]);
    }
    let changes =
        race(
            &store,
            20,
            |store, number| async move { put(&*store, &format!("all {number}"), RecordBase::Any, "1").await },
        )
        .await;
    let mut changes: Vec<u64> = changes.into_iter().flatten().collect();
    changes.sort_unstable();
    assert!(changes.into_iter().eq(6..26));
}

/// Changes that are made of a record as it was read, and made again if another was faster, are all kept; a removed record
/// does not come back by one.
pub async fn racing_changes_of_a_record_are_all_kept(backend: &dyn Backend) {
    let store = backend.open().await;
    store.write_record(SET, "a", RecordBase::Absent, Some(String::new())).await.unwrap();
    race(&store, 20, |store, number| async move {
        loop {
            let found = store.record(SET, "a").await.unwrap().unwrap();
            let changed = format!("{} {number}", found.document.unwrap());
            if store.write_record(SET, "a", RecordBase::Record(found.change), Some(changed)).await.unwrap().is_some() {
                return;
            }
        }
    })
    .await;
    let found = store.record(SET, "a").await.unwrap().unwrap();
    assert_eq!(found.change, 21);
    let mut numbers: Vec<usize> =
        found.document.unwrap().split_whitespace().map(|number| number.parse().unwrap()).collect();
    numbers.sort_unstable();
    assert!(numbers.into_iter().eq(0..20));
    assert_eq!(store.write_record(SET, "a", RecordBase::Record(21), None).await.unwrap(), Some(22));
    for base in [RecordBase::Record(21), RecordBase::Record(22)] {
        assert_eq!(store.write_record(SET, "a", base, Some("late".to_owned())).await.unwrap(), None, "{base:?}");
    }
    assert_eq!(store.record(SET, "a").await.unwrap(), None);
}

/// Records are no events, and are there after the store was closed and opened again.
pub async fn records_are_no_events_and_survive_a_restart(backend: &dyn Backend) {
    let store = backend.open().await;
    put(&*store, "a", RecordBase::Any, "1").await.unwrap();
    store.write_record(KEY, "b", RecordBase::Any, None).await.unwrap();
    assert!(all_events(&*store).await.is_empty());
    drop(store);
    let store = backend.open().await;
    let listed = [record("a", 1, Some("1")), record("b", 2, None)];
    assert_eq!(store.records_after(KEY, 0, 10).await.unwrap(), listed);
    assert_eq!(put(&*store, "c", RecordBase::Kind(2), "3").await, Some(3));
}
