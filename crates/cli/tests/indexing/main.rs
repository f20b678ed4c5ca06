//! From a submission to a count in a facet, through the real server: killed in the middle, started again, reindexed.
#![expect(clippy::unwrap_used, reason = "a test helper that fails should fail its test")]
#![expect(clippy::print_stderr, reason = "a test that fails shows the log of its server")]
#![expect(clippy::print_stdout, reason = "a test that fails shows what it began with")]

mod copies;
mod jobs;
mod refreshes;
mod server;
mod song;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cantata_testkit::{Payload, engines};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::server::{Data, Server};

/// How many analyses each round submits and changes.
const ANALYSES: usize = 40;

const ROUNDS: usize = 4;

/// How long the changes of a round may take. It only ends a test that hangs.
const WAIT_TIMEOUT: Duration = Duration::from_secs(120);

/// What a portal asks for.
const PAGE: &str = "{ file { hits { total } aggregations {
    fileType { buckets { key doc_count } }
    studyId { buckets { key doc_count } }
    analysis__analysisState { buckets { key doc_count } }
} } }";

#[tokio::test(flavor = "multi_thread")]
async fn what_is_published_is_counted_on_the_embedded_engine() {
    killed_and_counted(&Data::new("files", &[])).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_published_is_counted_on_opensearch() {
    let cluster = engines::opensearch();
    killed_and_counted(&Data::new(&format!("fed-{}", Uuid::new_v4()), &[("ES_HOST", &cluster)])).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_published_is_counted_on_elasticsearch() {
    let cluster = engines::elasticsearch();
    let host = [("ES_HOST", cluster.as_str()), ("SEARCH_ENGINE", "elasticsearch")];
    killed_and_counted(&Data::new(&format!("fed-{}", Uuid::new_v4()), &host)).await;
}

async fn killed_and_counted(data: &Data) {
    let seed: u64 = rand::rng().random();
    println!("seed {seed}");
    let mut random = StdRng::seed_from_u64(seed);
    for round in 0..ROUNDS {
        let mut server = Server::start(data).await;
        if round == 0 {
            server.create_study("S").await;
        }
        let mut ids = Vec::new();
        for _ in 0..ANALYSES {
            ids.push(server.submit(&Payload::new("S").with_files(random.random_range(1..4))).await);
        }
        // Some of these happen and some do not; whatever the store has then is what counts.
        let answered = Arc::new(AtomicUsize::new(0));
        let changes: Vec<_> = ids
            .into_iter()
            .map(|id| {
                let (base, answered) = (server.base.clone(), Arc::clone(&answered));
                let last = if random.random_range(0..4) == 0 { "unpublish" } else { "publish" };
                tokio::spawn(async move {
                    for change in ["publish", last] {
                        let url = format!("{base}/studies/S/analysis/{change}/{id}");
                        let is_answered = server::http().put(url).send().await.is_ok();
                        answered.fetch_add(usize::from(is_answered), Ordering::Relaxed);
                    }
                })
            })
            .collect();
        let some = random.random_range(ANALYSES / 4..ANALYSES);
        let have_happened = async {
            while answered.load(Ordering::Relaxed) < some {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        tokio::time::timeout(WAIT_TIMEOUT, have_happened).await.expect("changes are answered");
        tokio::time::sleep(Duration::from_millis(random.random_range(0..100))).await;
        server.kill();
        for change in changes {
            change.await.unwrap();
        }
    }
    let server = Server::start(data).await;
    let files = assert_counted(&server).await;
    assert!(files > 0, "too few were published to prove anything");

    // The same again in a new index generation.
    let (code, stdout) = server.command(&["reindex", "files", "--wait", "--json"]);
    assert_eq!(code, 0, "{stdout}");
    let jobs: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(jobs[0]["status"], "succeeded", "{jobs}");
    assert_eq!(assert_counted(&server).await, files);
}

/// Waits until the catalogue counts what the store has, and returns how many files that are.
async fn assert_counted(server: &Server<'_>) -> u64 {
    let published: Value = server.get("/studies/S/analysis?analysisStates=PUBLISHED").await.ok();
    let files: usize = published.as_array().unwrap().iter().map(|one| one["files"].as_array().unwrap().len()).sum();
    server.until_indexed("files").await;
    let answer = server.graphql("/graphql", PAGE, &json!({})).await.ok();
    let page = &answer["data"]["file"];
    assert_eq!(page["hits"]["total"], files, "{answer}");
    let count =
        |field: &str, key: &str| json!({"buckets": [{"key": key, "doc_count": files}]}) == page["aggregations"][field];
    assert!(count("fileType", "vcf") && count("studyId", "S"), "{answer}");
    assert!(count("analysis__analysisState", "PUBLISHED"), "{answer}");
    files as u64
}
