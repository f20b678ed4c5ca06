//! `/admin/keys`: keys that are made and revoked while the server runs.

use std::sync::Arc;

use cantata_access::{KeyRecord, KeyRegistry};
use cantata_testkit::{TestResponse, TestServer};
use http::Method;
use serde_json::{Value, json};

use crate::support::{Guarded, assert_forbidden, assert_unauthorized};

async fn create(guarded: &Guarded, body: &Value) -> TestResponse {
    guarded.send(Method::POST, "/admin/keys", &guarded.administrator, Some(body)).await
}

async fn list(guarded: &Guarded) -> Vec<Value> {
    guarded.get("/admin/keys", &guarded.administrator).await.ok()["keys"].as_array().unwrap().clone()
}

async fn revoke(guarded: &Guarded, id: &str) -> TestResponse {
    guarded.send(Method::DELETE, &format!("/admin/keys/{id}"), &guarded.administrator, None).await
}

#[tokio::test]
async fn a_key_counts_from_its_creation_to_its_revocation_at_once() {
    let guarded = Guarded::closed().await;
    let response = create(&guarded, &json!({"name": "ada", "scopes": ["STUDY.ABC.READ"], "expiresInDays": 30})).await;
    response.assert_status(201);
    assert_eq!(response.header("cache-control"), Some("no-store"));
    let made = response.json();
    let (secret, id) = (made["key"].as_str().unwrap(), made["id"].as_str().unwrap());
    assert!(made["expires"].is_string() && made["state"] == "in force", "{made}");
    guarded.get("/studies/all", secret).await.assert_status(200);
    assert_forbidden(&guarded.get("/admin/keys", secret).await);

    revoke(&guarded, id).await.assert_status(204);
    assert_unauthorized(&guarded.get("/studies/all", secret).await);
    let listed = list(&guarded).await;
    let ada = listed.iter().find(|key| key["id"] == id).unwrap();
    assert!(ada["state"] == "revoked" && ada["revoked"].is_string(), "{ada}");
    // To revoke it again changes nothing, not even since when it is revoked.
    revoke(&guarded, id).await.assert_status(204);
    let again = list(&guarded).await;
    assert_eq!(again.iter().find(|key| key["id"] == id).unwrap()["revoked"], ada["revoked"]);
}

#[tokio::test]
async fn nothing_but_the_answer_to_its_creation_has_the_secret() {
    let guarded = Guarded::closed().await;
    let made = create(&guarded, &json!({"name": "ada", "scopes": ["song.READ"]})).await.json();
    let secret = made["key"].as_str().unwrap();
    guarded.get("/studies/all", secret).await.assert_status(200);
    for key in list(&guarded).await {
        assert!(key.get("key").is_none() && key.get("digest").is_none(), "{key}");
        assert_eq!(key["expires"], Value::Null);
    }
    revoke(&guarded, made["id"].as_str().unwrap()).await.assert_status(204);
    let audit: Vec<_> = guarded.audit().iter().map(|line| (line["method"].clone(), line["result"].clone())).collect();
    assert_eq!(audit, [(json!("POST"), json!("done")), (json!("DELETE"), json!("done"))]);
    for file in std::fs::read_dir(guarded.folder.path()).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap_or_default();
        assert!(!text.contains(secret), "{text}");
    }
}

#[tokio::test]
async fn only_who_looks_after_the_server_looks_after_keys() {
    let guarded = Guarded::open().await;
    let writer = guarded.key("writer", &["STUDY.ABC.WRITE", "song.READ"]).await;
    let body = json!({"name": "more", "scopes": ["song.WRITE"]});
    for (method, path) in
        [(Method::GET, "/admin/keys"), (Method::POST, "/admin/keys"), (Method::DELETE, "/admin/keys/x")]
    {
        assert_unauthorized(&guarded.send(method.clone(), path, "", Some(&body)).await);
        assert_forbidden(&guarded.send(method, path, &writer, Some(&body)).await);
    }
    assert_eq!(guarded.keys.list().await.unwrap().len(), 2);
}

#[tokio::test]
async fn what_cannot_be_made_is_told_by_its_place() {
    let guarded = Guarded::open().await;
    let scopes = json!(["song.READ"]);
    for (body, part) in [
        (json!({"scopes": scopes}), "name: found nothing; expected"),
        (json!({"name": 5, "scopes": scopes}), "name: found 5; expected"),
        (json!({"name": "", "scopes": scopes}), "name: found ''; expected 1 to 100 characters"),
        (json!({"name": "  ", "scopes": scopes}), "name: found '  '"),
        (json!({"name": "a\nb", "scopes": scopes}), "none of them a control character"),
        (json!({"name": "x".repeat(101), "scopes": scopes}), "1 to 100"),
        (json!({"name": "a"}), "scopes: found nothing; expected a list"),
        (json!({"name": "a", "scopes": "song.READ"}), "scopes: found 'song.READ'; expected a list"),
        (json!({"name": "a", "scopes": []}), "scopes: found 0 scopes; expected 1 to"),
        (json!({"name": "a", "scopes": ["x", 1]}), "scopes[1]: found 1; expected a text"),
        (json!({"name": "a", "scopes": ["x", "a b"]}), "scopes[1]: found 'a b'; expected a text without spaces"),
        (json!({"name": "a", "scopes": [""]}), "scopes[0]: found ''"),
        (json!({"name": "a", "scopes": ["x", "STUDY.XYZ"]}), "scopes[1]: found 'STUDY.XYZ'; expected a scope"),
        (json!({"name": "a", "scopes": scopes, "expiresInDays": 0}), "expiresInDays: found 0; expected a whole number"),
        (json!({"name": "a", "scopes": scopes, "expiresInDays": -3}), "expiresInDays: found -3"),
        (json!({"name": "a", "scopes": scopes, "expiresInDays": 1.5}), "expiresInDays: found 1.5"),
        (json!({"name": "a", "scopes": scopes, "expiresInDays": 36_501}), "1 to 36500"),
        (json!({"name": "a", "scopes": scopes, "expiresInDays": u64::MAX}), "expiresInDays: found"),
        (json!({"name": "a", "scopes": scopes, "expiresInDays": "30"}), "expiresInDays: found '30'"),
        (
            json!({"name": "a", "scopes": scopes, "expires": "30d"}),
            "expires: found a member that is not known; expected name",
        ),
    ] {
        let message = create(&guarded, &body).await.assert_error_id(400, "malformed.parameter");
        assert!(message.contains(part), "{body}: {message}");
    }
    let message = create(&guarded, &json!({"name": "administrator", "scopes": scopes})).await;
    assert!(message.assert_error_id(409, "key.already.exists").contains("'administrator'"));
    create(&guarded, &json!([])).await.assert_error_id(400, "malformed.request.body");
    let message = revoke(&guarded, "nothing").await.assert_error_id(404, "key.not.found");
    assert!(message.contains("'nothing'"), "{message}");
    assert_eq!(guarded.keys.list().await.unwrap().len(), 1);
}

#[tokio::test]
async fn a_key_is_revoked_by_its_id_whatever_others_are_named() {
    let guarded = Guarded::open().await;
    let first = create(&guarded, &json!({"name": "first", "scopes": ["a"]})).await.json();
    let id = first["id"].as_str().unwrap();
    let second = create(&guarded, &json!({"name": id, "scopes": ["a"]})).await.json();
    revoke(&guarded, "first").await.assert_error_id(404, "key.not.found");
    revoke(&guarded, id).await.assert_status(204);
    let states: Vec<_> = list(&guarded).await.iter().map(|key| (key["id"].clone(), key["state"].clone())).collect();
    assert!(states.contains(&(first["id"].clone(), json!("revoked"))), "{states:?}");
    assert!(states.contains(&(second["id"].clone(), json!("in force"))), "{states:?}");
}

#[tokio::test]
async fn changes_of_another_server_at_the_same_moment_are_not_lost() {
    let guarded = Guarded::open().await;
    let other = KeyRegistry::new(Arc::clone(&guarded.store));
    let beside = tokio::spawn(async move {
        for number in 0..20 {
            let (record, _) = KeyRecord::new(&format!("other-{number}"), &[], None).unwrap();
            other.add(record).await.unwrap();
        }
    });
    for number in 0..20 {
        create(&guarded, &json!({"name": format!("server-{number}"), "scopes": ["a"]})).await.assert_status(201);
    }
    beside.await.unwrap();
    assert_eq!(list(&guarded).await.len(), 41);
}

#[tokio::test]
async fn the_end_of_a_key_may_be_a_moment() {
    let guarded = Guarded::open().await;
    let scopes = json!(["song.READ"]);
    let made = create(&guarded, &json!({"name": "a", "scopes": scopes, "expiresAt": "2999-01-31T12:00:00"})).await;
    assert_eq!(made.json()["expires"], "2999-01-31T12:00:00");
    for (body, part) in [
        (json!({"name": "b", "scopes": scopes, "expiresAt": "1999-01-31"}), "expiresAt: found '1999-01-31'; expected"),
        (json!({"name": "b", "scopes": scopes, "expiresAt": 5}), "expiresAt: found 5; expected a moment in the future"),
        (json!({"name": "b", "scopes": scopes, "expiresAt": "2999-01-31", "expiresInDays": 3}), "expiresInDays says"),
    ] {
        let message = create(&guarded, &body).await.assert_error_id(400, "malformed.parameter");
        assert!(message.contains(part), "{body}: {message}");
    }
}

#[tokio::test]
async fn a_server_that_takes_no_keys_makes_none() {
    let server = TestServer::start().await;
    let body = json!({"name": "ada", "scopes": ["song.WRITE"]});
    for response in
        [server.get("/admin/keys").await, server.post("/admin/keys", &body).await, server.delete("/admin/keys/x").await]
    {
        assert!(response.assert_error_id(409, "keys.not.taken").contains("AUTH_MODE"));
    }
}
