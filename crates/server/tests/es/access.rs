//! Who may write: only identities with the scope of the system.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use cantata_access::{Authenticator, KeyRecord, KeyRegistry};
use cantata_server::AccessControl;
use cantata_store_sqlite::SqliteStore;
use cantata_testkit::TestServer;
use http::Method;
use tempfile::TempDir;

use crate::support::assert_es_error;

const ROUTES: [(Method, &str); 33] = [
    (Method::GET, "/_es"),
    (Method::HEAD, "/_es"),
    (Method::GET, "/_es/_cluster/health"),
    (Method::POST, "/_es/_bulk"),
    (Method::PUT, "/_es/x/_bulk"),
    (Method::GET, "/_es/x"),
    (Method::HEAD, "/_es/x"),
    (Method::PUT, "/_es/x"),
    (Method::DELETE, "/_es/x"),
    (Method::POST, "/_es/_refresh"),
    (Method::GET, "/_es/x/_refresh"),
    (Method::GET, "/_es/_count"),
    (Method::POST, "/_es/x/_count"),
    (Method::GET, "/_es/_mapping"),
    (Method::GET, "/_es/x/_mapping"),
    (Method::PUT, "/_es/x/_mapping"),
    (Method::POST, "/_es/x/_doc"),
    (Method::GET, "/_es/x/_doc/1"),
    (Method::PUT, "/_es/x/_doc/1"),
    (Method::DELETE, "/_es/x/_doc/1"),
    (Method::PUT, "/_es/x/_create/1"),
    (Method::POST, "/_es/x/_update/1"),
    (Method::GET, "/_es/x/_source/1"),
    (Method::POST, "/_es/_aliases"),
    (Method::GET, "/_es/_alias"),
    (Method::GET, "/_es/_alias/a"),
    (Method::GET, "/_es/x/_alias"),
    (Method::PUT, "/_es/x/_alias/a"),
    (Method::DELETE, "/_es/x/_alias/a"),
    (Method::GET, "/_es/_cat/aliases"),
    (Method::GET, "/_es/_cat/indices"),
    (Method::POST, "/_es/x/_search"),
    (Method::GET, "/_es/anything/at/all"),
];

/// A server with an administrator and an identity that may only write a study.
async fn guarded() -> (TestServer, TempDir, String, String) {
    let folder = TempDir::new().unwrap();
    let keys = Arc::new(KeyRegistry::new(Arc::new(SqliteStore::open(folder.path()).unwrap())));
    let key = async |name: &str, scope: &str| {
        let (record, secret) = KeyRecord::new(name, &[scope.to_owned()], None).unwrap();
        keys.add(record).await.unwrap();
        secret.reveal().to_owned()
    };
    let (strong, weak) = (key("strong", "song.WRITE").await, key("weak", "STUDY.x.WRITE").await);
    let authenticator = Authenticator::default().with_keys(keys.clone());
    let access = AccessControl { authenticator, ..AccessControl::default() };
    (TestServer::builder().access(access).start().await, folder, strong, weak)
}

#[tokio::test]
async fn every_address_needs_the_scope_of_the_system() {
    let (server, _folder, strong, weak) = guarded().await;
    for (method, path) in ROUTES {
        let send = async |credential: &str| {
            let headers = [("authorization", credential)];
            let headers = if credential.is_empty() { &headers[..0] } else { &headers[..] };
            server.send(method.clone(), path, headers, None).await
        };
        for (credential, status) in [("", 401), ("Bearer nobody", 401), (&format!("Bearer {weak}"), 403)] {
            let refused = send(credential).await;
            refused.assert_status(status);
            assert!(refused.header("www-authenticate").is_some());
            if method != Method::HEAD {
                assert_es_error(&refused, status, "security_exception");
            }
        }
        let status = send(&format!("Bearer {strong}")).await.status;
        assert!(![401, 403].contains(&status) && status < 500, "{method} {path} -> {status}");
    }
}

#[tokio::test]
async fn credentials_come_in_the_forms_of_clients_of_elasticsearch_and_only_here() {
    let (server, _folder, strong, weak) = guarded().await;
    let status = async |path: &str, credential: String| {
        server.send(Method::GET, path, &[("authorization", &credential)], None).await.status
    };
    for scheme in ["Basic", "ApiKey"] {
        let of = |key: &str| format!("{scheme} {}", STANDARD.encode(format!("name:{key}")));
        assert_eq!(status("/_es", of(&strong)).await, 200, "{scheme}");
        assert_eq!(status("/_es", of(&weak)).await, 403, "{scheme}");
        assert_eq!(status("/_es", of("nobody")).await, 401, "{scheme}");
        assert_eq!(status("/admin/indexes", of(&strong)).await, 401, "{scheme}");
        assert_eq!(status("/_esx", of(&strong)).await, 404, "{scheme}");
    }
    assert_eq!(status("/_es", "Basic !".to_owned()).await, 401);
}
