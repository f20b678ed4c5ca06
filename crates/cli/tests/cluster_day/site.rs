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

/// How long a client waits after an answer that asks it to.
const PAUSE: Duration = Duration::from_millis(100);

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
}

impl Journal {
    /// Takes what another client was told.
    pub(crate) fn merge(&mut self, other: Self) {
        self.sent.extend(other.sent);
        self.submitted.extend(other.submitted);
        self.published.extend(other.published);
        self.sets.extend(other.sets);
    }
}

impl Site {
    pub(crate) fn new(base: String, servers: Vec<String>, key: String) -> Self {
        // Fails when an earlier call has installed it, which is just as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        // A connection for each request, so that the proxy chooses a server for each.
        let http = Client::builder().no_proxy().pool_max_idle_per_host(0).timeout(Duration::from_secs(60));
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
        let mut request = self.http.request(method.clone(), format!("{base}{path}")).bearer_auth(key);
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
                Some((503, _)) | None => tokio::time::sleep(PAUSE).await,
                Some((status, answer)) => self.complain(format!("a submission: {status} {answer}")),
            }
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

    /// Searches, and saves a set now and then.
    pub(crate) async fn search_and_save(&self) -> Journal {
        let mut journal = Journal::default();
        let page = json!({"query": "{ file { hits(first: 5) { total edges { node { objectId } } } \
                                    aggregations { fileType { buckets { key doc_count } } } } }"});
        let save = "mutation { saveSet(type: file, userId: \"day\", path: \"objectId\", sqon: {}) { setId } }";
        let save = json!({"query": save});
        while self.goes_on() {
            for _ in 0..10 {
                self.ask(Method::POST, "/graphql", Some(&page)).await;
            }
            // Without an answer it is not known whether it was saved; an error is part of the answer.
            if let Some((200, answer)) = self.ask(Method::POST, "/graphql", Some(&save)).await
                && let Some(id) = answer["data"]["saveSet"]["setId"].as_str()
            {
                journal.sets.insert(id.to_owned());
            }
            tokio::time::sleep(PAUSE).await;
        }
        journal
    }

    /// Makes keys and revokes them; a revoked one must be refused by every server a second later.
    pub(crate) async fn change_keys(&self) -> Journal {
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
                    Some((401 | 503, _)) | None => {}
                    Some((status, _)) => self.complain(format!("{server}: {status} for {name}, which is revoked")),
                }
            }
        }
        Journal::default()
    }
}
