//! A day of three servers on one PostgreSQL behind a round-robin proxy: submissions, publishes, searches, sets and key changes at
//! once, while servers are killed, hang and are restarted, a node of the search cluster is killed and the database crashes.
//!
//! At the end nothing acknowledged is lost or doubled, no answer was 5xx but 503 with `Retry-After`, the indexes are equal to
//! the store, and every revoked key was refused everywhere a second later. A day has half a minute, or as many seconds as
//! `CANTATA_DAY_SECONDS` says, and at least as many as everything needs to fail once.
#![expect(clippy::unwrap_used, reason = "a test helper that fails should fail its test")]
#![expect(clippy::print_stderr, reason = "a test that fails shows the logs of its servers")]
#![expect(clippy::print_stdout, reason = "a test that fails shows what it began with")]

mod cluster;
mod end;
mod fleet;
mod site;

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use cantata_store::LEASE_DURATION;
use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};
use reqwest::Method;
use serde_json::json;
use uuid::Uuid;

use crate::cluster::{Cluster, NODES};
use crate::end::{check_searches, check_sets, check_store};
use crate::fleet::{Fleet, SERVERS, round_robin};
use crate::site::{Journal, STUDY, Site};

const DEFAULT_SECONDS: u64 = 30;

/// How long something is away.
const OUTAGE: Duration = Duration::from_secs(2);

/// How long a server hangs at most: longer than its leases, so that others do what it was doing.
const MAX_HANG: Duration = LEASE_DURATION.saturating_add(Duration::from_secs(5));

/// How long what clients have given up may still be executed.
const LATE_REQUESTS: Duration = Duration::from_secs(15);

/// What happens to one part of the whole.
#[derive(Debug, Clone, Copy)]
enum Disturbance {
    KillServer,
    RestartServer,
    HangServer,
    CrashDatabase,
    KillSearchNode,
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes a minute to ten minutes; `make cluster-day` runs it"]
async fn three_servers_with_copies_of_an_index_lose_nothing() {
    day(None).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes a minute to ten minutes; `make cluster-day` runs it"]
async fn three_servers_on_a_cluster_lose_nothing() {
    day(Some(Arc::new(Cluster::start()))).await;
}

async fn day(cluster: Option<Arc<Cluster>>) {
    let seed: u64 = rand::rng().random();
    println!("seed {seed}");
    let index = format!("day-{}", Uuid::new_v4());
    let nodes = cluster.as_ref().map(|cluster| cluster.addresses());
    let (fleet, key) = Fleet::start(nodes.as_deref(), &index);
    let fleet = Arc::new(fleet);
    let site = Arc::new(Site::new(round_robin(fleet.ports()).await, fleet.bases(), key));
    let study = json!({"studyId": STUDY});
    assert!(matches!(site.ask(Method::POST, &format!("/studies/{STUDY}"), Some(&study)).await, Some((200, _))));
    let mut clients = tokio::task::JoinSet::new();
    for nth in 0..8 {
        let site = Arc::clone(&site);
        clients.spawn(async move {
            match nth {
                0..5 => site.submit_and_publish().await,
                5..7 => site.search_and_save().await,
                _ => site.change_keys().await,
            }
        });
    }
    disturb(&fleet, cluster.as_ref(), &mut StdRng::seed_from_u64(seed)).await;
    site.is_over.store(true, Ordering::Relaxed);
    let mut journal = Journal::default();
    for told in clients.join_all().await {
        journal.merge(told);
    }
    println!("{}", journal.summary());
    assert!(journal.is_telling(), "too little happened to prove anything");
    tokio::time::sleep(LATE_REQUESTS).await;
    if let Some(cluster) = &cluster {
        let cluster = Arc::clone(cluster);
        tokio::task::spawn_blocking(move || cluster.wait_until_complete()).await.unwrap();
    }
    let published = check_store(&site, &journal).await;
    check_searches(&site, &published).await;
    check_sets(&site, &journal).await;
    let problems = site.problems.lock().unwrap();
    assert!(problems.is_empty(), "{} problems, the first: {:#?}", problems.len(), &problems[..problems.len().min(5)]);
}

/// Ends and starts everything, one after the other, until everything has failed once and the day is over; at the end
/// everything runs.
async fn disturb(fleet: &Arc<Fleet>, cluster: Option<&Arc<Cluster>>, random: &mut StdRng) {
    let seconds = std::env::var("CANTATA_DAY_SECONDS").ok().and_then(|text| text.parse().ok());
    let end = Instant::now() + Duration::from_secs(seconds.unwrap_or(DEFAULT_SECONDS));
    let mut all =
        vec![Disturbance::KillServer, Disturbance::RestartServer, Disturbance::HangServer, Disturbance::CrashDatabase];
    all.extend(cluster.map(|_| Disturbance::KillSearchNode));
    let mut nth = 0;
    loop {
        all.shuffle(random);
        for &what in &all {
            tokio::time::sleep(Duration::from_millis(random.random_range(500..3_000))).await;
            nth += 1;
            println!("{what:?}");
            let (fleet, cluster, hang) = (Arc::clone(fleet), cluster.cloned(), random.random_range(OUTAGE..MAX_HANG));
            let disturbed = tokio::task::spawn_blocking(move || match what {
                Disturbance::KillServer | Disturbance::RestartServer => {
                    let server = nth % SERVERS;
                    fleet.end(server, if matches!(what, Disturbance::KillServer) { "KILL" } else { "TERM" });
                    std::thread::sleep(OUTAGE);
                    fleet.restart(server);
                }
                Disturbance::HangServer => fleet.hang(nth % SERVERS, hang),
                Disturbance::CrashDatabase => {
                    fleet.database.crash();
                    std::thread::sleep(OUTAGE);
                    fleet.database.restart();
                }
                Disturbance::KillSearchNode => {
                    let (cluster, node) = (cluster.unwrap(), nth % NODES);
                    cluster.wait_until_complete();
                    cluster.kill_node(node);
                    std::thread::sleep(OUTAGE);
                    cluster.start_node(node);
                }
            });
            disturbed.await.unwrap();
        }
        if Instant::now() >= end {
            return;
        }
    }
}
