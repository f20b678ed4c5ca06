//! A day of three servers on one PostgreSQL behind a round-robin proxy: submissions, publishes, searches, sets and key changes at
//! once, while servers are killed, stopped and started again, the search node goes away and the database crashes.
//!
//! At the end nothing acknowledged is lost or doubled, no answer was 5xx but 503 with `Retry-After`, the indexes are equal to
//! the store, and every revoked key was refused everywhere a second later. A day has half a minute, or as many seconds as
//! `CANTATA_DAY_SECONDS` says.
#![expect(clippy::unwrap_used, reason = "a test helper that fails should fail its test")]
#![expect(clippy::print_stdout, reason = "a test that fails shows what it began with")]

mod fleet;
mod site;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use cantata_testkit::engines;
use cantata_testkit::fault_proxy::{Fault, FaultProxy};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::fleet::{Fleet, SERVERS, round_robin};
use crate::site::{Journal, STUDY, Site};

const DEFAULT_SECONDS: u64 = 30;

/// How long something is away.
const OUTAGE: Duration = Duration::from_secs(2);

/// How often the end is looked for until the test gives up.
const LOOKS: usize = 2_400;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes half a minute to ten minutes; `make cluster-day` runs it"]
async fn three_servers_with_copies_of_an_index_lose_nothing() {
    day(None).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes half a minute to ten minutes; `make cluster-day` runs it"]
async fn three_servers_on_a_cluster_lose_nothing() {
    let node = FaultProxy::start(&engines::opensearch());
    day(Some(&node)).await;
}

async fn day(node: Option<&FaultProxy>) {
    let seed: u64 = rand::rng().random();
    println!("seed {seed}");
    let index = format!("day-{}", Uuid::new_v4());
    let (fleet, key) = Fleet::start(node.map(FaultProxy::url).as_deref(), &index);
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
    disturb(&fleet, node, &mut StdRng::seed_from_u64(seed)).await;
    site.is_over.store(true, Ordering::Relaxed);
    let mut journal = Journal::default();
    for told in clients.join_all().await {
        journal.merge(told);
    }
    let [submitted, published, sets] = [journal.submitted.len(), journal.published.len(), journal.sets.len()];
    println!("{submitted} submitted, {published} published, {sets} sets");
    assert!(published > 0 && sets > 0, "too little happened to prove anything");
    check_store(&site, &journal).await;
    check_searches(&site, &journal).await;
    let problems = site.problems.lock().unwrap();
    assert!(problems.is_empty(), "{} problems, the first: {:#?}", problems.len(), &problems[..problems.len().min(5)]);
}

/// Ends and starts everything, one after the other, for as long as the day has; at the end everything runs.
async fn disturb(fleet: &Arc<Fleet>, node: Option<&FaultProxy>, random: &mut StdRng) {
    let seconds = std::env::var("CANTATA_DAY_SECONDS").ok().and_then(|text| text.parse().ok());
    let end = Instant::now() + Duration::from_secs(seconds.unwrap_or(DEFAULT_SECONDS));
    let mut nth = 0;
    while Instant::now() < end {
        tokio::time::sleep(Duration::from_millis(random.random_range(500..3_000))).await;
        nth += 1;
        let (fleet, server, what) = (Arc::clone(fleet), nth % SERVERS, random.random_range(0..4));
        if let (Some(node), 0) = (node, what) {
            node.set(Fault::Down).await;
            tokio::time::sleep(OUTAGE).await;
            node.set(Fault::Pass).await;
            continue;
        }
        let disturbed = tokio::task::spawn_blocking(move || match what {
            3 => {
                fleet.database.crash();
                std::thread::sleep(OUTAGE);
                fleet.database.restart();
            }
            what => {
                fleet.end(server, if what == 1 { "TERM" } else { "KILL" });
                std::thread::sleep(OUTAGE);
                fleet.restart(server);
            }
        });
        disturbed.await.unwrap();
    }
}

/// Asks a server until it answers.
async fn answer(site: &Site, server: &str, method: Method, path: &str, body: Option<&Value>) -> Value {
    for _ in 0..LOOKS {
        if let Some((200, answer)) = site.send(server, &site.key, method.clone(), path, body).await {
            return answer;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{server} does not answer {path}");
}

/// Everything acknowledged is there once, and nothing that was not sent.
async fn check_store(site: &Site, journal: &Journal) {
    let path = format!("/studies/{STUDY}/analysis?analysisStates=PUBLISHED,UNPUBLISHED,SUPPRESSED");
    let mut listed = Vec::new();
    for server in &site.servers {
        listed.push(answer(site, server, Method::GET, &path, None).await);
    }
    assert!(listed.iter().all(|list| *list == listed[0]), "the servers do not list the same");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mut by_checksum = BTreeMap::new();
    let mut states = BTreeMap::new();
    for analysis in listed[0].as_array().unwrap() {
        let (id, checksum) = (text(&analysis["analysisId"]), text(&analysis["files"][0]["fileMd5sum"]));
        assert!(journal.sent.contains(&checksum), "analysis {id} was never sent");
        states.insert(id.clone(), text(&analysis["analysisState"]));
        let before = by_checksum.insert(checksum, id.clone());
        assert_eq!(before, None, "analysis {id} is doubled");
    }
    for (id, checksum) in &journal.submitted {
        assert_eq!(by_checksum.get(checksum), Some(id), "an acknowledged submission is lost");
    }
    for id in &journal.published {
        assert_eq!(states.get(id).map(String::as_str), Some("PUBLISHED"), "an acknowledged publish of {id} is lost");
    }
}

/// Every server finds exactly what is published, and every set.
async fn check_searches(site: &Site, journal: &Journal) {
    let published = answer(site, &site.servers[0], Method::GET, &format!("/studies/{STUDY}/analysis"), None).await;
    let expected = published.as_array().unwrap().len();
    let query = "{ file { hits { total } } sets { hits(first: 1000) { total edges { node { setId } } } } }";
    let total = json!({"query": query});
    for server in &site.servers {
        let mut found = Value::Null;
        for _ in 0..LOOKS {
            found = answer(site, server, Method::POST, "/graphql", Some(&total)).await;
            if found["data"]["file"]["hits"]["total"] == expected {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(found["data"]["file"]["hits"]["total"], expected, "{server}");
        let edges = found["data"]["sets"]["hits"]["edges"].as_array().unwrap();
        let listed: Vec<&str> = edges.iter().filter_map(|edge| edge["node"]["setId"].as_str()).collect();
        let is_lost = |set: &&String| listed.len() < 1_000 && !listed.contains(&set.as_str());
        assert_eq!(journal.sets.iter().find(is_lost), None, "{server} has lost an acknowledged set");
    }
}
