//! Several servers on one database: together they keep what one store promises alone.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use cantata_core::{AnalysisState, Event};
use cantata_store::contract::builders::{AnalysisBuilder, analysis, new_type, study, unique_md5};
use cantata_store::{DuplicateRule, InsertOutcome, NewAnalysis, RecordBase, RecordKind, StateSet, Store, StoreError};
use cantata_store_postgres::PostgresStore;
use cantata_testkit::databases::{TestDatabase, postgres};
use tokio::task::JoinSet;

use crate::open;

/// Far longer than anything here takes.
const WAIT_TIMEOUT: Duration = Duration::from_secs(120);

async fn two(database: &TestDatabase) -> [Arc<PostgresStore>; 2] {
    [Arc::new(open(&database.address()).await), Arc::new(open(&database.address()).await)]
}

async fn insert(store: &dyn Store, new: NewAnalysis) -> Result<InsertOutcome, StoreError> {
    store.insert_analysis(new, DuplicateRule::AnyAnalysis).await
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_start_at_once_make_the_tables_once() {
    let database = postgres();
    let address = database.address();
    let mut starting = JoinSet::new();
    for _ in 0..6 {
        let address = address.clone();
        starting.spawn(async move { open(&address).await });
    }
    for store in starting.join_all().await {
        store.check_health().await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn versions_of_a_type_are_unique() {
    let database = postgres();
    let stores = two(&database).await;
    let mut racers = JoinSet::new();
    for number in 0..40 {
        let store = Arc::clone(&stores[number % 2]);
        racers.spawn(async move { store.register_type(new_type("t")).await.unwrap().id.version });
    }
    let versions: BTreeSet<u32> = racers.join_all().await.into_iter().collect();
    assert_eq!(versions, (1..=40).collect());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_registration_is_seen_by_the_others() {
    let database = postgres();
    let [here, there] = two(&database).await;
    for version in 1..=5 {
        here.register_type(new_type("t")).await.unwrap();
        assert_eq!(here.latest_type_version("t").await.unwrap(), Some(version), "who registers knows it at once");
        let seen = async {
            while there.latest_type_version("t").await.unwrap() != Some(version) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        tokio::time::timeout(WAIT_TIMEOUT, seen).await.expect("the other server never hears of it");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_checksum_is_stored_once() {
    let database = postgres();
    let stores = two(&database).await;
    stores[0].create_study(study("S")).await.unwrap();
    assert!(!stores[1].create_study(study("S")).await.unwrap());
    for _ in 0..10 {
        let md5 = unique_md5();
        let mut racers = JoinSet::new();
        for number in 0..12 {
            let store = Arc::clone(&stores[number % 2]);
            let new = NewAnalysis::of(&AnalysisBuilder::in_study("S").file("f", &md5).build()).unwrap();
            racers.spawn(async move { insert(&*store, new).await.unwrap() });
        }
        let answers = racers.join_all().await;
        let stored = answers.iter().filter(|answer| matches!(answer, InsertOutcome::Stored(_))).count();
        assert_eq!(stored, 1, "{answers:?}");
        assert!(!answers.contains(&InsertOutcome::UnknownStudy));
    }
    assert_eq!(stores[1].count_analyses("S", StateSet::from_iter([AnalysisState::Unpublished])).await.unwrap(), 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn followers_on_every_server_see_each_event_once_and_in_order() {
    const WRITERS: usize = 16;
    const ROUNDS: usize = 25;
    let database = postgres();
    let stores = two(&database).await;
    stores[0].create_study(study("S")).await.unwrap();
    let mut followers = JoinSet::new();
    for store in stores.iter().cloned() {
        followers.spawn(async move { follow(&*store, WRITERS * ROUNDS).await });
    }
    let mut writers = JoinSet::new();
    for number in 0..WRITERS {
        let store = Arc::clone(&stores[number % 2]);
        writers.spawn(async move {
            for _ in 0..ROUNDS {
                let stored = insert(&*store, NewAnalysis::of(&analysis("S", 1)).unwrap()).await.unwrap();
                assert!(matches!(stored, InsertOutcome::Stored(_)), "{stored:?}");
            }
        });
    }
    writers.join_all().await;
    let seen = tokio::time::timeout(WAIT_TIMEOUT, followers.join_all()).await.expect("a follower misses events");
    assert_eq!(seen[0], seen[1]);
    let numbers: Vec<u64> = seen[0].iter().map(|event| event.seq).collect();
    assert_eq!(numbers, (1..=(WRITERS * ROUNDS) as u64).collect::<Vec<_>>());
}

/// Follows as a relay does: whatever is there above the last number it saw.
async fn follow(store: &dyn Store, count: usize) -> Vec<Event> {
    let mut latest = store.latest_event();
    let mut events: Vec<Event> = vec![];
    while events.len() < count {
        let seen = events.last().map_or(0, |event| event.seq);
        latest.wait_for(|number| *number > seen).await.unwrap();
        events.extend(store.events_after(seen, 7).await.unwrap());
    }
    events
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lease_is_held_on_one_server() {
    let database = postgres();
    let [here, there] = two(&database).await;
    let long = Duration::from_secs(3_600);
    assert!(here.acquire_lease("r", "here", long).await.unwrap());
    assert!(!there.acquire_lease("r", "there", long).await.unwrap());
    assert!(here.advance_cursor("r", "here", 4).await.unwrap());
    assert!(here.acquire_lease("r", "here", Duration::ZERO).await.unwrap());
    assert!(there.acquire_lease("r", "there", long).await.unwrap());
    assert!(!here.advance_cursor("r", "here", 9).await.unwrap());
    assert_eq!(there.cursor("r").await.unwrap(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_several_servers_writes_a_shared_record_from_a_base() {
    let database = postgres();
    let stores = two(&database).await;
    for round in 0..10 {
        let mut racers = JoinSet::new();
        for number in 0..12 {
            let store = Arc::clone(&stores[number % 2]);
            let id = format!("{round} {number}");
            let base = RecordBase::Kind(round);
            racers.spawn(
                async move { store.write_record(RecordKind::Key, &id, base, Some("1".to_owned())).await.unwrap() },
            );
        }
        let winners: Vec<u64> = racers.join_all().await.into_iter().flatten().collect();
        assert_eq!(winners, [round + 1]);
        for store in &stores {
            assert_eq!(store.latest_record_change(RecordKind::Key).await.unwrap(), round + 1);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_default_isolation_level_of_the_database_does_not_count() {
    let database = postgres();
    database.run(
        "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_isolation TO %L', current_database(), \
         'serializable'); END $$",
    );
    let stores = two(&database).await;
    let mut racers = JoinSet::new();
    for number in 0..40 {
        let store = Arc::clone(&stores[number % 2]);
        racers.spawn(async move { store.register_type(new_type("t")).await.unwrap().id.version });
    }
    let versions: BTreeSet<u32> = racers.join_all().await.into_iter().collect();
    assert_eq!(versions, (1..=40).collect());
}
