//! Credentials that do not count, and places where none is looked for.

use cantata_testkit::raw;
use http::Method;
use serde_json::json;

use crate::support::{Guarded, assert_unauthorized};

#[tokio::test]
async fn whatever_is_wrong_with_a_credential_the_answer_is_the_same() {
    let guarded = Guarded::open().await;
    guarded.study("ABC").await;
    let revoked = guarded.key("revoked", &["song.WRITE"]).await;
    guarded.keys.revoke("revoked").await.unwrap();
    let unknown = format!("cantata_{}", "0".repeat(64));
    let mut answers = Vec::new();
    for credential in [revoked.as_str(), &unknown, "nonsense", "a.b.c", "7d2c1a34-2a6f-4c0b-9d59-64d9d7d0a1b2"] {
        let response = guarded.submit("ABC", credential).await;
        assert_unauthorized(&response);
        let body = response.json();
        answers.push((body["message"].clone(), response.header("www-authenticate").unwrap().to_owned()));
        assert!(!body.to_string().contains(credential));
    }
    assert!(answers.windows(2).all(|pair| pair[0] == pair[1]), "{answers:?}");
}

#[tokio::test]
async fn a_wrong_credential_is_refused_even_where_none_is_needed() {
    let guarded = Guarded::open().await;
    guarded.get("/studies/all", "").await.assert_status(200);
    assert_unauthorized(&guarded.get("/studies/all", "nonsense").await);
    guarded.get("/isAlive", "nonsense").await.assert_status(200);
}

#[tokio::test]
async fn a_key_counts_from_its_creation_to_its_revocation() {
    let guarded = Guarded::open().await;
    guarded.study("ABC").await;
    let key = guarded.key("ada", &["STUDY.ABC.WRITE"]).await;
    guarded.submit("ABC", &key).await.assert_status(200);
    guarded.keys.revoke("ada").await.unwrap();
    assert_unauthorized(&guarded.submit("ABC", &key).await);
}

#[tokio::test]
async fn a_key_in_the_address_in_a_cookie_or_in_the_body_is_not_looked_at() {
    let guarded = Guarded::open().await;
    let key = &guarded.administrator;
    let body = json!({"studyId": "ABC", "apiKey": key, "access_token": key, "token": key});
    for query in ["access_token", "apiKey", "api_key", "token", "key", "Authorization"] {
        let path = format!("/studies/ABC?{query}={key}");
        assert_unauthorized(&guarded.send(Method::POST, &path, "", Some(&body)).await);
    }
    for header in ["cookie", "x-api-key", "proxy-authorization", "x-authorization", "api-key"] {
        for value in [format!("Bearer {key}"), key.clone(), format!("access_token={key}")] {
            let headers = [(header, value.as_str()), ("content-type", "application/json")];
            let bytes = Some(body.to_string().into_bytes());
            assert_unauthorized(&guarded.server.send(Method::POST, "/studies/ABC", &headers, bytes).await);
        }
    }
    let written = std::fs::read_to_string(guarded.folder.path().join("audit.log")).unwrap();
    assert!(written.lines().count() > 10 && !written.contains(key.as_str()));
}

#[tokio::test]
async fn a_header_counts_only_as_a_single_bearer() {
    let guarded = Guarded::open().await;
    let key = &guarded.administrator;
    let request = |headers: &[String]| {
        let mut headers: Vec<&str> = headers.iter().map(String::as_str).collect();
        headers.push("content-type: application/json");
        raw::request("POST", b"/studies/ABC", &headers, br#"{"studyId":"ABC"}"#)
    };
    let address = guarded.server.address();
    for headers in [
        vec![format!("authorization: Basic {key}")],
        vec![format!("authorization: Digest {key}")],
        vec![format!("authorization: Bearer {key} {key}")],
        vec![format!("authorization: Bearer {key}"), format!("authorization: Bearer {key}")],
        vec!["authorization: Bearer nonsense".to_owned(), format!("authorization: Bearer {key}")],
        vec![format!("authorization: Bearer {key},Bearer x")],
        vec!["authorization:".to_owned()],
        vec!["authorization: Bearer \u{e9}".to_owned()],
    ] {
        let response = raw::exchange(address, &request(&headers)).await.unwrap();
        assert_eq!(response.status, 401, "{headers:?}");
    }
    for header in [format!("authorization: bEaReR   {key}"), format!("Authorization: {key}")] {
        let response = raw::exchange(address, &request(std::slice::from_ref(&header))).await.unwrap();
        assert!([200, 409].contains(&response.status), "{header}: {}", response.status);
    }
}
