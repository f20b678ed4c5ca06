//! The clients of the servers, and what they were told.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use cantata_testkit::Payload;
use reqwest::header::RETRY_AFTER;
use reqwest::{Client, Method};
use serde_json::{Value, json};

pub(crate) const STUDY: &str = "DAY";

/// How long a revoked key may count at most.
const REVOKED_AFTER: Duration = Duration::from_secs(1);

/// How long a client waits between two requests: a day is about failures, and what it leaves must be compared in the end.
const PAUSE: Duration = Duration::from_millis(50);

/// How long a client waits for an answer: a server that hangs must not keep all of them from what the others do.
const TIMEOUT: Duration = Duration::from_secs(10);

/// How long it waits when the day is over: nothing hangs any more, and answers are long.
const END_TIMEOUT: Duration = Duration::from_secs(120);

/// How many sets a client keeps; the server allows 1,000 to all of them.
const MAX_KEPT_SETS: usize = 50;

/// Where requests go, and what was wrong with the answers.
pub(crate) struct Site {
    http: Client,
    /// The proxy.
    pub(crate) base: String,
    /// The servers themselves.
    pub(crate) servers: Vec<String>,
    pub(crate) key: String,
    pub(crate) is_over: AtomicBool,
    pub(crate) problems: Mutex<Vec<String>>,
    made_keys: AtomicU64,
}

/// What a client was told.
#[derive(Default)]
pub(crate) struct Journal {
    /// The checksums of all files that were sent.
    pub(crate) sent: BTreeSet<String>,
    /// The analyses that were acknowledged, with the checksums of their files.
    pub(crate) submitted: BTreeMap<String, String>,
    pub(crate) published: BTreeSet<String>,
    pub(crate) sets: BTreeSet<String>,
    pub(crate) deleted_sets: BTreeSet<String>,
    /// The searches that found something, and those that failed.
    searches: usize,
    failed_searches: usize,
    /// How often a revoked key was refused.
    refusals: usize,
}

impl Journal {
    /// Takes what another client was told.
    pub(crate) fn merge(&mut self, other: Self) {
        self.sent.extend(other.sent);
        self.submitted.extend(other.submitted);
        self.published.extend(other.published);
        self.sets.extend(other.sets);
        self.deleted_sets.extend(other.deleted_sets);
        self.searches += other.searches;
        self.failed_searches += other.failed_searches;
        self.refusals += other.refusals;
    }

    /// Returns whether everything happened that is checked.
    pub(crate) fn is_telling(&self) -> bool {
        !self.published.is_empty() && !self.sets.is_empty() && self.searches > 0 && self.refusals > 0
    }

    /// Returns how often what happened.
    pub(crate) fn summary(&self) -> String {
        format!(
            "{} submitted, {} published, {} sets saved and {} deleted, {} searches and {} that failed, {} refusals of revoked \
             keys",
            self.submitted.len(),
            self.published.len(),
            self.sets.len() + self.deleted_sets.len(),
            self.deleted_sets.len(),
            self.searches,
            self.failed_searches,
            self.refusals
        )
    }
}

impl Site {
    pub(crate) fn new(base: String, servers: Vec<String>, key: String) -> Self {
        // Fails when an earlier call has installed it, which is just as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // A connection for each request, so that the proxy chooses a server for each.
        let http = Client::builder().no_proxy().pool_max_idle_per_host(0);
        Self {
            http: http.build().unwrap(),
            base,
            servers,
            key,
            is_over: AtomicBool::new(false),
            problems: Mutex::default(),
            made_keys: AtomicU64::new(0),
        }
    }

    fn goes_on(&self) -> bool {
        !self.is_over.load(Ordering::Relaxed)
    }

    fn complain(&self, problem: String) {
        self.problems.lock().unwrap().push(problem);
    }

    /// Sends a request; nothing is returned if the connection broke, so that the outcome is unknown. An answer of 5xx must
    /// be 503 and say when to try again.
    pub(crate) async fn send(
        &self,
        base: &str,
        key: &str,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Option<(u16, Value)> {
        let timeout = if self.goes_on() { TIMEOUT } else { END_TIMEOUT };
        let mut request = self.http.request(method.clone(), format!("{base}{path}")).bearer_auth(key).timeout(timeout);
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_string());
        }
        let response = request.send().await.ok()?;
        let status = response.status().as_u16();
        let says_when = response.headers().contains_key(RETRY_AFTER);
        let text = response.text().await.ok()?;
        if status >= 500 && !(status == 503 && says_when) {
            self.complain(format!("{method} {path}: {status} {text}"));
        }
        Some((status, serde_json::from_str(&text).unwrap_or(Value::Null)))
    }

    /// Sends a request through the proxy with the first key.
    pub(crate) async fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> Option<(u16, Value)> {
        self.send(&self.base, &self.key, method, path, body).await
    }

    /// Submits and publishes analyses until the day is over.
    pub(crate) async fn submit_and_publish(&self) -> Journal {
        let mut journal = Journal::default();
        while self.goes_on() {
            let payload = Payload::new(STUDY);
            let checksum = payload.md5(0).to_owned();
            journal.sent.insert(checksum.clone());
            match self.ask(Method::POST, &format!("/submit/{STUDY}"), Some(&payload.build())).await {
                Some((200, answer)) => {
                    let id = answer["analysisId"].as_str().unwrap().to_owned();
                    journal.submitted.insert(id.clone(), checksum);
                    if self.publish(&id).await {
                        journal.published.insert(id);
                    }
                }
                Some((503, _)) | None => {}
                Some((status, answer)) => self.complain(format!("a submission: {status} {answer}")),
            }
            tokio::time::sleep(PAUSE).await;
        }
        journal
    }

    /// Publishes an analysis; returns whether that was acknowledged.
    async fn publish(&self, id: &str) -> bool {
        let path = format!("/studies/{STUDY}/analysis/publish/{id}");
        while self.goes_on() {
            match self.ask(Method::PUT, &path, None).await {
                Some((200, _)) => return true,
                Some((503, _)) | None => tokio::time::sleep(PAUSE).await,
                Some((status, answer)) => {
                    // An attempt before may have done it.
                    let state = self.ask(Method::GET, &format!("/studies/{STUDY}/analysis/{id}"), None).await;
                    let is_published = state.is_some_and(|(_, analysis)| analysis["analysisState"] == "PUBLISHED");
                    if !is_published {
                        self.complain(format!("publishing {id}: {status} {answer}"));
                    }
                    return is_published;
                }
            }
        }
        false
    }

    /// Sends a GraphQL request; returns its data, unless there are errors.
    async fn graphql(&self, query: &str, variables: &Value) -> Option<Value> {
        let body = json!({"query": query, "variables": variables});
        match self.ask(Method::POST, "/graphql", Some(&body)).await {
            Some((200, mut answer)) if answer["errors"].is_null() => Some(answer["data"].take()),
            _ => None,
        }
    }

    /// Searches, saves what was found as a set now and then, and deletes the sets that are too many.
    pub(crate) async fn search_and_save(&self) -> Journal {
        let mut journal = Journal::default();
        let page = "{ file { hits(first: 5) { total edges { node { objectId } } } \
                    aggregations { fileType { buckets { key doc_count } } } } }";
        let save = "mutation($sqon: JSON!) { saveSet(type: file, path: \"objectId\", sqon: $sqon) { setId } }";
        let delete = "mutation($id: String!) { deleteSet(setId: $id) }";
        while self.goes_on() {
            tokio::time::sleep(PAUSE).await;
            let Some(found) = self.graphql(page, &json!({})).await else {
                journal.failed_searches += 1;
                continue;
            };
            let edges = found["file"]["hits"]["edges"].as_array().unwrap();
            if edges.is_empty() {
                continue;
            }
            journal.searches += 1;
            if !journal.searches.is_multiple_of(10) {
                continue;
            }
            let ids: Vec<&Value> = edges.iter().map(|edge| &edge["node"]["objectId"]).collect();
            let sqon = json!({"op": "in", "content": {"fieldName": "objectId", "value": ids}});
            // Without an answer it is not known whether it was saved.
            if let Some(saved) = self.graphql(save, &json!({"sqon": sqon})).await {
                journal.sets.insert(saved["saveSet"]["setId"].as_str().unwrap().to_owned());
            }
            if journal.sets.len() > MAX_KEPT_SETS
                && let Some(id) = journal.sets.pop_first()
                && self.graphql(delete, &json!({"id": id})).await.is_some()
            {
                journal.deleted_sets.insert(id);
            }
        }
        journal
    }

    /// Makes keys and revokes them; a revoked one must be refused by every server a second later.
    pub(crate) async fn change_keys(&self) -> Journal {
        let mut journal = Journal::default();
        while self.goes_on() {
            let name = format!("key {}", self.made_keys.fetch_add(1, Ordering::Relaxed));
            let wanted = json!({"name": name, "scopes": ["song.READ"]});
            let Some((201, made)) = self.ask(Method::POST, "/admin/keys", Some(&wanted)).await else {
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            let path = format!("/admin/keys/{}", made["id"].as_str().unwrap());
            self.send(&self.base, made["key"].as_str().unwrap(), Method::GET, "/studies/all", None).await;
            if !matches!(self.ask(Method::DELETE, &path, None).await, Some((204, _))) {
                continue;
            }
            tokio::time::sleep(REVOKED_AFTER).await;
            for server in &self.servers {
                let key = made["key"].as_str().unwrap();
                match self.send(server, key, Method::GET, "/studies/all", None).await {
                    Some((401, _)) => journal.refusals += 1,
                    Some((503, _)) | None => {}
                    Some((status, _)) => self.complain(format!("{server}: {status} for {name}, which is revoked")),
                }
            }
        }
        journal
    }
}
