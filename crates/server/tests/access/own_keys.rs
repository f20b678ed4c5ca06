//! `/auth/keys`: keys that people make for themselves.

use std::sync::Arc;
use std::time::Duration;

use cantata_access::{AuthError, Authenticator, KeyRegistry, ScopeRules};
use cantata_testkit::TestResponse;
use http::Method;
use serde_json::{Value, json};

use crate::sign_in::Site;
use crate::support::{assert_forbidden, assert_unauthorized};

/// Sends a request in the browser with this session.
async fn send(site: &Site, session: &str, method: Method, path: &str, body: Option<&Value>) -> TestResponse {
    let cookie = format!("__Host-cantata-session={session}");
    let headers = [("cookie", cookie.as_str()), ("x-cantata-session", "1"), ("content-type", "application/json")];
    site.server.send(method, path, &headers, body.map(|body| body.to_string().into_bytes())).await
}

async fn create(site: &Site, session: &str, name: &str, scopes: &[&str]) -> TestResponse {
    send(site, session, Method::POST, "/auth/keys", Some(&json!({"name": name, "scopes": scopes}))).await
}

async fn list(site: &Site, session: &str) -> Vec<Value> {
    send(site, session, Method::GET, "/auth/keys", None).await.ok()["keys"].as_array().unwrap().clone()
}

/// Registers a study with a key, and returns the response.
async fn register(site: &Site, key: &str, study_id: &str) -> TestResponse {
    let authorization = format!("Bearer {key}");
    let headers = [("authorization", authorization.as_str()), ("content-type", "application/json")];
    let body = json!({"studyId": study_id}).to_string().into_bytes();
    site.server.send(Method::POST, &format!("/studies/{study_id}"), &headers, Some(body)).await
}

#[tokio::test]
async fn a_person_makes_lists_and_revokes_keys_of_their_own() {
    let site = Site::start().await;
    let ada = site.session(json!({"groups": ["curators"]})).await;
    let response = create(&site, &ada, "laptop", &["STUDY.ABC.WRITE"]).await;
    response.assert_status(201);
    assert_eq!(response.header("cache-control"), Some("no-store"));
    let made = response.json();
    assert_eq!(made["owner"], "ada");
    let key = made["key"].as_str().unwrap();
    register(&site, key, "ABC").await.assert_status(200);
    create(&site, &ada, "laptop", &["STUDY.ABC.READ"]).await.assert_error_id(409, "key.already.exists");

    let bob = site.session(json!({"sub": "bob", "groups": ["curators"]})).await;
    create(&site, &bob, "laptop", &["STUDY.ABC.READ"]).await.assert_status(201);
    let id = made["id"].as_str().unwrap();
    let path = format!("/auth/keys/{id}");
    send(&site, &bob, Method::DELETE, &path, None).await.assert_error_id(404, "key.not.found");
    let listed = list(&site, &ada).await;
    assert_eq!((listed.len(), &listed[0]["name"], &listed[0]["owner"]), (1, &json!("laptop"), &json!("ada")));

    send(&site, &ada, Method::DELETE, &path, None).await.assert_status(204);
    assert_unauthorized(&register(&site, key, "XYZ").await);
    assert_eq!(list(&site, &ada).await[0]["state"], "revoked");
}

#[tokio::test]
async fn a_key_gets_no_more_than_its_owner_has() {
    let site = Site::start().await;
    let ada = site.session(json!({"groups": ["curators"]})).await;
    for scope in ["song.WRITE", "song.READ", "STUDY.XYZ.WRITE", "STUDY.XYZ.READ", "other.USE"] {
        let message = create(&site, &ada, "more", &["STUDY.ABC.WRITE", scope]).await;
        assert!(message.assert_error_id(403, "forbidden.token").contains(scope));
    }
    assert!(list(&site, &ada).await.is_empty());
}

#[tokio::test]
async fn a_key_makes_no_keys() {
    let site = Site::start().await;
    let ada = site.session(json!({"groups": ["curators"]})).await;
    let key = create(&site, &ada, "laptop", &["STUDY.ABC.WRITE"]).await.json()["key"].as_str().unwrap().to_owned();
    let authorization = format!("Bearer {key}");
    let headers = [("authorization", authorization.as_str()), ("content-type", "application/json")];
    let body = json!({"name": "more", "scopes": ["STUDY.ABC.WRITE"]}).to_string().into_bytes();
    assert_forbidden(&site.server.send(Method::POST, "/auth/keys", &headers, Some(body)).await);
    assert_unauthorized(&site.server.get("/auth/keys").await);
}

#[tokio::test]
async fn a_key_loses_what_its_owner_has_lost() {
    let site = Site::start().await;
    let ada = site.session(json!({"groups": ["curators"]})).await;
    let key = create(&site, &ada, "laptop", &["STUDY.ABC.WRITE"]).await.json()["key"].as_str().unwrap().to_owned();
    register(&site, &key, "ABC").await.assert_status(200);
    site.session(json!({"groups": []})).await;
    // Servers see it within a moment.
    for _ in 0..6_000 {
        if register(&site, &key, "ABC").await.status == 403 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_forbidden(&register(&site, &key, "ABC").await);
}

#[tokio::test]
async fn a_key_ends_some_time_after_its_owner_has_signed_in() {
    let site = Site::start().await;
    let ada = site.session(json!({"groups": ["curators"]})).await;
    let made = create(&site, &ada, "laptop", &["STUDY.ABC.WRITE"]).await.json();
    let key = made["key"].as_str().unwrap();
    let keys = KeyRegistry::new(Arc::clone(&site.store)).for_owners(ScopeRules::default(), Duration::ZERO);
    let authenticator = Authenticator::default().with_keys(Arc::new(keys));
    assert_eq!(authenticator.identify(key).await.unwrap_err(), AuthError::Invalid);
}
