//! The database goes away in the middle of writes: nothing acknowledged is lost, nothing refused is there, and the store
//! goes on by itself when the database is back.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use cantata_core::AnalysisId;
use cantata_store::contract::builders::{analysis, study};
use cantata_store::{DuplicateRule, InsertOutcome, NewAnalysis, Revision, Store, StoreError};
use cantata_store_postgres::PostgresStore;
use cantata_testkit::databases::{DedicatedPostgres, TestDatabase, postgres};
use tokio::task::JoinHandle;

use crate::open;

const WRITERS: usize = 8;

/// Far longer than anything here takes.
const WAIT_TIMEOUT: Duration = Duration::from_secs(120);

/// What a writer was told.
#[derive(Default)]
struct Acknowledged {
    stored: HashMap<AnalysisId, Revision>,
    refused: Vec<AnalysisId>,
}

/// Writers that go on whatever they are told, until it is over.
struct Load {
    is_over: Arc<AtomicBool>,
    progress: Progress,
    writers: Vec<JoinHandle<Acknowledged>>,
}

/// How many analyses were acknowledged so far.
#[derive(Clone, Default)]
struct Progress(Arc<AtomicUsize>);

impl Progress {
    fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    /// Waits until there are this many, however slow the machine is.
    fn wait_for(&self, count: usize) {
        let overdue = Instant::now() + WAIT_TIMEOUT;
        while self.count() < count {
            assert!(Instant::now() < overdue, "nothing is stored any more");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Load {
    fn start(store: &Arc<PostgresStore>) -> Self {
        let (is_over, progress) = (Arc::new(AtomicBool::new(false)), Progress::default());
        let write = || tokio::spawn(write_until(Arc::clone(&is_over), progress.clone(), Arc::clone(store)));
        Self { writers: (0..WRITERS).map(|_| write()).collect(), is_over, progress }
    }

    async fn stop(self) -> Acknowledged {
        self.is_over.store(true, Ordering::Relaxed);
        let mut all = Acknowledged::default();
        for writer in self.writers {
            let told = tokio::time::timeout(WAIT_TIMEOUT, writer).await.expect("a write hangs").unwrap();
            all.stored.extend(told.stored);
            all.refused.extend(told.refused);
        }
        all
    }
}

async fn write_until(is_over: Arc<AtomicBool>, progress: Progress, store: Arc<PostgresStore>) -> Acknowledged {
    let mut told = Acknowledged::default();
    while !is_over.load(Ordering::Relaxed) {
        let new = NewAnalysis::of(&analysis("S", 3)).unwrap();
        let id = new.analysis_id;
        match store.insert_analysis(new, DuplicateRule::AnyAnalysis).await {
            Ok(InsertOutcome::Stored(revision)) => {
                assert!(told.stored.insert(id, revision).is_none());
                progress.0.fetch_add(1, Ordering::Relaxed);
            }
            Ok(other) => panic!("{other:?}"),
            Err(StoreError::Unavailable(_)) => told.refused.push(id),
            Err(StoreError::OutcomeUnknown { .. }) => {}
            Err(error) => panic!("{error}"),
        }
        if !told.refused.is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    told
}

async fn check(store: &dyn Store, told: &Acknowledged) {
    let mut events = vec![];
    while let page = store.events_after(events.len() as u64, 1_000).await.unwrap()
        && !page.is_empty()
    {
        events.extend(page);
    }
    for (event, number) in events.iter().zip(1..) {
        assert_eq!(event.seq, number, "event numbers have a gap");
    }
    let by_id: HashMap<AnalysisId, u64> = events.iter().map(|event| (event.analysis_id, event.seq)).collect();
    assert_eq!(by_id.len(), events.len(), "an analysis was stored twice");
    for (id, revision) in &told.stored {
        assert_eq!(by_id.get(id), Some(&revision.0), "{id} was acknowledged");
        assert!(store.analysis(*id).await.unwrap().is_some());
    }
    for id in &told.refused {
        assert_eq!(by_id.get(id), None, "{id} was refused as not stored");
    }
    let files =
        store.list_files(&Default::default(), cantata_store::PageRange { offset: 0, limit: 0 }).await.unwrap().0;
    assert_eq!(files, events.len() as u64 * 3, "each analysis has its files, and there are no others");
}

/// Waits until the store takes writes again, without anybody having done anything to it.
async fn recovered(store: &dyn Store) {
    let works = async {
        loop {
            let new = NewAnalysis::of(&analysis("S", 3)).unwrap();
            if store.insert_analysis(new, DuplicateRule::AnyAnalysis).await.is_ok()
                && store.check_health().await.is_ok()
            {
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    tokio::time::timeout(WAIT_TIMEOUT, works).await.expect("the store does not recover");
}

async fn with_study(address: &str) -> Arc<PostgresStore> {
    let store = open(address).await;
    store.create_study(study("S")).await.unwrap();
    Arc::new(store)
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_are_cut_lose_nothing() {
    let database = postgres();
    let store = with_study(&database.address()).await;
    let mut latest = store.latest_event();
    let load = Load::start(&store);
    let cut = cutting(database, load.progress.clone()).await;
    let told = load.stop().await;
    recovered(&*store).await;
    check(&*store, &told).await;
    assert!(told.stored.len() > 50, "only {} analyses were stored, too few to prove anything", told.stored.len());
    // The connection that listens was cut too, and hears of another server's event all the same.
    let other = open(&cut.address()).await;
    let before = *latest.borrow_and_update();
    recovered(&other).await;
    tokio::time::timeout(WAIT_TIMEOUT, latest.wait_for(|number| *number > before))
        .await
        .expect("not heard of")
        .unwrap();
}

/// Ends all connections to a database, again and again, each time after some writes.
async fn cutting(database: TestDatabase, progress: Progress) -> TestDatabase {
    let cut = move || {
        for _ in 0..25 {
            let before = progress.count();
            database.run(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE datname = current_database() AND pid <> pg_backend_pid()",
            );
            std::thread::sleep(Duration::from_millis(40));
            progress.wait_for(before + 3);
        }
        database
    };
    tokio::task::spawn_blocking(cut).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crash_of_the_database_loses_nothing() {
    let server = Arc::new(DedicatedPostgres::start());
    let store = with_study(server.address()).await;
    let load = Load::start(&store);
    for _ in 0..4 {
        let progress = load.progress.clone();
        let before = progress.count();
        tokio::time::sleep(Duration::from_millis(400)).await;
        let crashing = Arc::clone(&server);
        let crash = move || {
            progress.wait_for(before + 15);
            crashing.crash();
        };
        tokio::task::spawn_blocking(crash).await.unwrap();
        let refused = store.check_health().await;
        assert!(matches!(refused, Err(StoreError::Unavailable(_))), "{refused:?}");
        let starting = Arc::clone(&server);
        tokio::task::spawn_blocking(move || starting.restart()).await.unwrap();
        recovered(&*store).await;
    }
    let told = load.stop().await;
    check(&*store, &told).await;
    assert!(told.stored.len() > 50, "only {} analyses were stored, too few to prove anything", told.stored.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_writer_that_hangs_holds_nobody_up_for_ever() {
    let database = Arc::new(postgres());
    let store = with_study(&database.address()).await;
    database.run("CREATE TABLE end_of_hanging (n INTEGER)");
    let hanging = Arc::clone(&database);
    let hanging = tokio::task::spawn_blocking(move || {
        hanging.run(
            "BEGIN; SELECT FROM cantata.event_counter FOR UPDATE;
             DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM end_of_hanging) LOOP PERFORM pg_sleep(0.05); END LOOP; END $$;
             COMMIT",
        );
    });
    while !matches!(
        store.insert_analysis(NewAnalysis::of(&analysis("S", 3)).unwrap(), DuplicateRule::Allow).await,
        Err(StoreError::Unavailable(_))
    ) {}
    database.run("INSERT INTO end_of_hanging VALUES (1)");
    hanging.await.unwrap();
    recovered(&*store).await;
}
