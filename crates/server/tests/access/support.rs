//! A server that checks who sends requests, and keys to send them with.

use std::sync::Arc;

use cantata_access::{AuditLog, Authenticator, KeyRecord, KeyRegistry};
use cantata_server::{AccessControl, MetricsAccess};
use cantata_store::Store;
use cantata_store_sqlite::SqliteStore;
use cantata_testkit::{Payload, TestCatalogues, TestResponse, TestServer};
use http::Method;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A server, and the folder with its keys and its audit log.
pub(crate) struct Guarded {
    pub(crate) server: TestServer,
    pub(crate) folder: TempDir,
    /// The store of the keys.
    pub(crate) store: Arc<dyn Store>,
    pub(crate) keys: Arc<KeyRegistry>,
    pub(crate) administrator: String,
}

impl Guarded {
    /// Starts a server where everybody may read.
    pub(crate) async fn open() -> Self {
        Self::start(false, MetricsAccess::default(), &json!({}), |_| {}).await
    }

    /// Starts a server where everybody may read, and the catalogue has more keys.
    pub(crate) async fn open_with_catalogue(keys: &Value) -> Self {
        Self::start(false, MetricsAccess::default(), keys, |_| {}).await
    }

    /// Starts a server where reading needs a credential.
    pub(crate) async fn closed() -> Self {
        Self::closed_with(|_| {}).await
    }

    /// Starts a server where reading needs a credential, and something else is as the test says.
    pub(crate) async fn closed_with(change: impl FnOnce(&mut AccessControl)) -> Self {
        Self::start(true, MetricsAccess::default(), &json!({}), change).await
    }

    /// Starts a server where reading needs a credential, but for the metrics.
    pub(crate) async fn with_open_metrics() -> Self {
        Self::start(true, MetricsAccess::Open, &json!({}), |_| {}).await
    }

    async fn start(
        closed_reads: bool,
        metrics: MetricsAccess,
        keys_of_catalogue: &Value,
        change: impl FnOnce(&mut AccessControl),
    ) -> Self {
        let folder = TempDir::new().unwrap();
        let store: Arc<dyn Store> = Arc::new(SqliteStore::open(folder.path()).unwrap());
        let keys = Arc::new(KeyRegistry::new(Arc::clone(&store)));
        let administrator = add_key(&keys, "administrator", &["song.WRITE"]).await;
        let mut access = AccessControl {
            authenticator: Authenticator::default().with_keys(keys.clone()),
            closed_reads,
            audit: Some(AuditLog::in_folder(folder.path())),
            ..AccessControl::default()
        };
        change(&mut access);
        let mapping = json!({"properties": {"name": {"type": "keyword"}}});
        let mut base = json!({"documentType": "file", "esIndex": "files", "enableSets": true});
        base.as_object_mut().unwrap().extend(keys_of_catalogue.as_object().unwrap().clone());
        let catalogues =
            TestCatalogues::new().file("base.json", &base).index("files", &mapping, [("f1", json!({"name": "a"}))]);
        let server = TestServer::builder().access(access).metrics(metrics).catalogues(catalogues).start().await;
        Self { server, folder, store, keys, administrator }
    }

    /// Makes a key.
    pub(crate) async fn key(&self, name: &str, scopes: &[&str]) -> String {
        add_key(&self.keys, name, scopes).await
    }

    /// Sends a request with a credential, or without one if it is empty.
    pub(crate) async fn send(
        &self,
        method: Method,
        path: &str,
        credential: &str,
        body: Option<&Value>,
    ) -> TestResponse {
        let authorization = format!("Bearer {credential}");
        let mut headers = vec![("content-type", "application/json")];
        if !credential.is_empty() {
            headers.push(("authorization", &authorization));
        }
        self.server.send(method, path, &headers, body.map(|body| body.to_string().into_bytes())).await
    }

    pub(crate) async fn get(&self, path: &str, credential: &str) -> TestResponse {
        self.send(Method::GET, path, credential, None).await
    }

    /// Registers a study, as the administrator.
    pub(crate) async fn study(&self, study_id: &str) {
        let response = self
            .send(
                Method::POST,
                &format!("/studies/{study_id}"),
                &self.administrator,
                Some(&json!({"studyId": study_id})),
            )
            .await;
        response.assert_status(200);
    }

    /// Submits a payload to the study it names.
    pub(crate) async fn submit(&self, study_id: &str, credential: &str) -> TestResponse {
        let body = Payload::new(study_id).build();
        self.send(Method::POST, &format!("/submit/{study_id}"), credential, Some(&body)).await
    }

    /// Returns the lines of the audit log.
    pub(crate) fn audit(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.folder.path().join("audit.log")).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

async fn add_key(keys: &KeyRegistry, name: &str, scopes: &[&str]) -> String {
    let scopes: Vec<String> = scopes.iter().map(|scope| (*scope).to_owned()).collect();
    let (record, secret) = KeyRecord::new(name, &scopes, None).unwrap();
    keys.add(record).await.unwrap();
    secret.reveal().to_owned()
}

/// Checks that a request was refused because it has no valid credential, and that the answer says nothing
/// about the one that was sent.
#[track_caller]
pub(crate) fn assert_unauthorized(response: &TestResponse) {
    response.assert_error_id(401, "unauthorized.token");
    assert!(response.header("www-authenticate").unwrap().starts_with("Bearer realm="));
}

/// Checks that a credential was accepted, but not for this.
#[track_caller]
pub(crate) fn assert_forbidden(response: &TestResponse) {
    response.assert_error_id(403, "forbidden.token");
    assert!(response.header("www-authenticate").unwrap().contains("insufficient_scope"));
}
