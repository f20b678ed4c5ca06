//! What must hold at the end of the day, on every server.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::site::{Journal, STUDY, Site};

/// How often something is looked for until the test gives up.
const MAX_LOOKS: usize = 1_200;

const LOOK_INTERVAL: Duration = Duration::from_millis(250);

/// How many analyses a page of the store has.
const PAGE_SIZE: usize = 1_000;

/// An analysis as a server lists it.
#[derive(PartialEq, Eq)]
struct Listed {
    id: String,
    state: String,
    checksum: String,
    object_id: String,
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

/// Asks a server until it answers.
async fn answer(site: &Site, server: &str, method: Method, path: &str, body: Option<&Value>) -> Value {
    for _ in 0..MAX_LOOKS {
        if let Some((200, answer)) = site.send(server, &site.key, method.clone(), path, body).await {
            return answer;
        }
        tokio::time::sleep(LOOK_INTERVAL).await;
    }
    panic!("{server} does not answer {path}");
}

/// Returns all analyses of a server, in the order of its list.
async fn list(site: &Site, server: &str) -> Vec<Listed> {
    let mut listed: Vec<Listed> = Vec::new();
    loop {
        let after = listed.last().map_or("", |last| last.id.as_str());
        let states = "analysisStates=PUBLISHED,UNPUBLISHED,SUPPRESSED";
        let path = format!("/studies/{STUDY}/analysis/paginated?{states}&limit={PAGE_SIZE}&after={after}");
        let page = answer(site, server, Method::GET, &path, None).await;
        let analyses = page["analyses"].as_array().unwrap();
        if analyses.is_empty() {
            return listed;
        }
        listed.extend(analyses.iter().map(|analysis| Listed {
            id: text(&analysis["analysisId"]),
            state: text(&analysis["analysisState"]),
            checksum: text(&analysis["files"][0]["fileMd5sum"]),
            object_id: text(&analysis["files"][0]["objectId"]),
        }));
    }
}

/// Everything acknowledged is there once, and nothing that was not sent; returns the files of what is published.
pub(crate) async fn check_store(site: &Site, journal: &Journal) -> Vec<String> {
    let listed = list(site, &site.servers[0]).await;
    for server in &site.servers[1..] {
        assert!(list(site, server).await == listed, "{server} does not list the same as {}", site.servers[0]);
    }
    let mut by_checksum = BTreeMap::new();
    let mut states = BTreeMap::new();
    for analysis in &listed {
        let Listed { id, state, checksum, .. } = analysis;
        assert!(journal.sent.contains(checksum), "analysis {id} was never sent");
        states.insert(id, state.as_str());
        let before = by_checksum.insert(checksum, id);
        assert_eq!(before, None, "analysis {id} is doubled");
    }
    for (id, checksum) in &journal.submitted {
        assert_eq!(by_checksum.get(checksum), Some(&id), "an acknowledged submission is lost");
    }
    for id in &journal.published {
        assert_eq!(states.get(id), Some(&"PUBLISHED"), "an acknowledged publish of {id} is lost");
    }
    let published = listed.iter().filter(|analysis| analysis.state == "PUBLISHED");
    published.map(|analysis| analysis.object_id.clone()).collect()
}

/// Every server finds exactly the files of what is published.
pub(crate) async fn check_searches(site: &Site, published: &[String]) {
    let mut expected = published.to_vec();
    expected.sort_unstable();
    for server in &site.servers {
        let mut found: Vec<String> = Vec::new();
        for _ in 0..MAX_LOOKS {
            let rows = answer(site, server, Method::GET, "/download?columns=objectId&fileType=json", None).await;
            found = rows.as_array().into_iter().flatten().map(|row| text(&row["objectId"])).collect();
            found.sort_unstable();
            if found == expected {
                break;
            }
            tokio::time::sleep(LOOK_INTERVAL).await;
        }
        let (finds, count) = (found.len(), expected.len());
        assert!(found == expected, "{server} finds {finds} files, {count} are published");
    }
}

/// Every server has the sets that were saved and not deleted.
pub(crate) async fn check_sets(site: &Site, journal: &Journal) {
    let query = json!({"query": "{ sets { hits(first: 1000) { edges { node { setId } } } } }"});
    for server in &site.servers {
        let mut problem = None;
        for _ in 0..MAX_LOOKS {
            let answer = answer(site, server, Method::POST, "/graphql", Some(&query)).await;
            problem = problem_of_sets(&answer, journal);
            if problem.is_none() {
                break;
            }
            tokio::time::sleep(LOOK_INTERVAL).await;
        }
        assert_eq!(problem, None, "{server}");
    }
}

/// Returns what is wrong with a list of sets.
fn problem_of_sets(answer: &Value, journal: &Journal) -> Option<String> {
    let Some(edges) = answer["data"]["sets"]["hits"]["edges"].as_array() else {
        return Some(format!("no sets are listed: {answer}"));
    };
    let listed: BTreeSet<&str> = edges.iter().filter_map(|edge| edge["node"]["setId"].as_str()).collect();
    let lost = journal.sets.iter().find(|set| !listed.contains(set.as_str()));
    let kept = journal.deleted_sets.iter().find(|set| listed.contains(set.as_str()));
    let lost = lost.map(|set| format!("the acknowledged set {set} is lost"));
    lost.or_else(|| kept.map(|set| format!("the set {set} was deleted and is still there")))
}
