//! Groups that wait for the lock of another server, and what is queued meanwhile.

use std::sync::Arc;
use std::time::Duration;

use cantata_core::Analysis;
use cantata_store::contract::builders::{analysis, study};
use cantata_store::{DuplicateRule, InsertOutcome, NewAnalysis, Store, StoreError};
use cantata_store_postgres::{DatabaseUrl, PostgresStore};
use cantata_testkit::databases::{TestDatabase, postgres};
use futures_util::future::join_all;

use crate::open;

const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// More than every task here needs to send its change.
const QUEUEING_TURNS: usize = 1_000;

const WAITING_FOR_LOCKS: &str =
    "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

/// A store with a study and an analysis, and how often it has committed until then.
async fn store_with_analysis(database: &TestDatabase) -> (Arc<PostgresStore>, Analysis, u64) {
    let store = Arc::new(open(&database.address()).await);
    store.create_study(study("S")).await.unwrap();
    let stored = analysis("S", 1);
    assert!(matches!(insert(&store, &stored).await, Ok(InsertOutcome::Stored(_))));
    let commits = store.commit_count();
    (store, stored, commits)
}

async fn insert(store: &PostgresStore, analysis: &Analysis) -> Result<InsertOutcome, StoreError> {
    store.insert_analysis(NewAnalysis::of(analysis).unwrap(), DuplicateRule::AnyAnalysis).await
}

/// Submits the first analysis while another server has the lock, then the others, and then ends the transaction of the
/// other server. Returns the answers. All tasks share this thread, so that the others are queued by then.
async fn insert_behind_another_server(
    store: &Arc<PostgresStore>,
    database: &TestDatabase,
    analyses: Vec<Analysis>,
) -> Vec<Result<InsertOutcome, StoreError>> {
    let other = DatabaseUrl::parse(&database.address()).unwrap().connect().await.unwrap();
    other.batch_execute("BEGIN; SELECT last FROM cantata.event_counter FOR UPDATE").await.unwrap();
    let mut submitting = Vec::new();
    for (number, analysis) in analyses.into_iter().enumerate() {
        let store = Arc::clone(store);
        submitting.push(tokio::spawn(async move { insert(&store, &analysis).await }));
        while number == 0 && other.query_one(WAITING_FOR_LOCKS, &[]).await.unwrap().get::<_, i64>(0) == 0 {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }
    for _ in 0..QUEUEING_TURNS {
        tokio::task::yield_now().await;
    }
    other.batch_execute("COMMIT").await.unwrap();
    join_all(submitting).await.into_iter().map(Result::unwrap).collect()
}

#[tokio::test]
async fn what_is_queued_while_another_server_commits_shares_the_next_commit() {
    let database = postgres();
    let (store, _, commits) = store_with_analysis(&database).await;
    let analyses: Vec<Analysis> = (0..21).map(|_| analysis("S", 2)).collect();
    for answer in insert_behind_another_server(&store, &database, analyses).await {
        assert!(matches!(answer, Ok(InsertOutcome::Stored(_))), "{answer:?}");
    }
    assert_eq!(store.commit_count() - commits, 1);
    let numbers: Vec<u64> = store.events_after(0, 100).await.unwrap().iter().map(|event| event.seq).collect();
    assert_eq!(numbers, (1..=22).collect::<Vec<_>>());
}

#[tokio::test]
async fn of_a_group_that_has_grown_only_what_cannot_be_stored_fails() {
    let database = postgres();
    let (store, stored, _) = store_with_analysis(&database).await;
    let mut analyses: Vec<Analysis> = (0..12).map(|_| analysis("S", 2)).collect();
    // One takes an object id, one is a duplicate of the one before it.
    analyses[7].files[1].object_id = stored.files[0].object_id;
    analyses[9].files[0].file_md5sum = analyses[8].files[0].file_md5sum.clone();
    let answers = insert_behind_another_server(&store, &database, analyses).await;
    for (number, answer) in answers.iter().enumerate() {
        let is_expected = match number {
            7 => matches!(answer, Err(StoreError::Failed { .. })),
            9 => matches!(answer, Ok(InsertOutcome::Duplicate { .. })),
            _ => matches!(answer, Ok(InsertOutcome::Stored(_))),
        };
        assert!(is_expected, "{number}: {answer:?}");
    }
    assert_eq!(store.events_after(0, 100).await.unwrap().len(), 11);
}
