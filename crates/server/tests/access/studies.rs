//! What a credential of one study can do to another.

use cantata_testkit::Payload;
use http::Method;
use serde_json::json;

use crate::support::{Guarded, assert_forbidden};

#[tokio::test]
async fn a_scope_reaches_no_study_with_a_similar_name() {
    let guarded = Guarded::open().await;
    for study in ["ABC", "ABC-2", "AB", "abc", "A.C", "ABC.WRITE"] {
        guarded.study(study).await;
    }
    let key = guarded.key("abc", &["STUDY.ABC.WRITE"]).await;
    guarded.submit("ABC", &key).await.assert_status(200);
    for study in ["ABC-2", "AB", "abc", "A.C", "ABC.WRITE"] {
        assert_forbidden(&guarded.submit(study, &key).await);
    }
    let pattern = guarded.key("pattern", &["STUDY.A.C.WRITE"]).await;
    guarded.submit("A.C", &pattern).await.assert_status(200);
    assert_forbidden(&guarded.submit("ABC", &pattern).await);
}

#[tokio::test]
async fn a_payload_for_another_study_does_not_get_there() {
    let guarded = Guarded::open().await;
    guarded.study("ABC").await;
    guarded.study("XYZ").await;
    let key = guarded.key("abc", &["STUDY.ABC.WRITE"]).await;
    let payload = cantata_testkit::Payload::new("XYZ").build();
    let response = guarded.send(Method::POST, "/submit/ABC", &key, Some(&payload)).await;
    assert_eq!(response.status, 409, "{}", response.text());
    let batch = guarded.send(Method::POST, "/submit/ABC/batch", &key, Some(&json!([payload]))).await.ok();
    assert_eq!(batch[0]["errorId"], "study.id.mismatch", "{batch}");
    let listed = guarded.get("/studies/XYZ/analysis?analysisStates=UNPUBLISHED", "").await.ok();
    assert_eq!(listed, json!([]));
}

#[tokio::test]
async fn an_analysis_of_another_study_cannot_be_changed_through_ones_own() {
    let guarded = Guarded::open().await;
    guarded.study("ABC").await;
    guarded.study("XYZ").await;
    let submitted = guarded.submit("XYZ", &guarded.administrator).await.ok();
    let id = submitted["analysisId"].as_str().unwrap();
    let before = guarded.get(&format!("/studies/XYZ/analysis/{id}"), "").await.ok();
    let object_id = before["files"][0]["objectId"].as_str().unwrap();
    let key = guarded.key("abc", &["STUDY.ABC.WRITE"]).await;
    for (method, path) in [
        (Method::PUT, format!("/studies/ABC/analysis/publish/{id}")),
        (Method::PUT, format!("/studies/ABC/analysis/suppress/{id}")),
        (Method::PUT, format!("/studies/ABC/analysis/{id}")),
        (Method::PATCH, format!("/studies/ABC/analysis/{id}")),
        (Method::PUT, format!("/studies/ABC/files/{object_id}")),
        (Method::DELETE, format!("/studies/ABC/files/{object_id}")),
    ] {
        let response = guarded.send(method.clone(), &path, &key, Some(&json!({}))).await;
        assert!((400..500).contains(&response.status), "{method} {path}: {}", response.status);
        let foreign = path.replace("ABC", "XYZ");
        assert_forbidden(&guarded.send(method, &foreign, &key, Some(&json!({}))).await);
    }
    assert_eq!(guarded.get(&format!("/studies/XYZ/analysis/{id}"), "").await.ok(), before);
}

#[tokio::test]
async fn what_a_credential_cannot_read_is_not_named() {
    for is_closed in [false, true] {
        let guarded = if is_closed { Guarded::closed().await } else { Guarded::open().await };
        guarded.study("ABC").await;
        guarded.study("XYZ").await;
        let foreign = Payload::new("XYZ");
        let stored =
            guarded.send(Method::POST, "/submit/XYZ", &guarded.administrator, Some(&foreign.build())).await.ok();
        let id = stored["analysisId"].as_str().unwrap();
        let stored = guarded.get(&format!("/studies/XYZ/analysis/{id}"), &guarded.administrator).await.ok();
        let object_id = stored["files"][0]["objectId"].as_str().unwrap();
        let key = guarded.key("abc", &["STUDY.ABC.WRITE"]).await;
        let own = Payload::new("ABC").with_file_member(0, "fileMd5sum", foreign.md5(0)).build();
        let empty = json!({});
        for (method, path, body, error_id) in [
            (Method::POST, "/submit/ABC".to_owned(), &own, "info.already.exists"),
            (Method::POST, "/submit/ABC?validateOnly=true".to_owned(), &own, "info.already.exists"),
            (Method::PUT, format!("/studies/ABC/analysis/publish/{id}"), &empty, "analysis.id.not.found"),
            (Method::PATCH, format!("/studies/ABC/analysis/{id}"), &empty, "analysis.id.not.found"),
            (Method::GET, format!("/studies/ABC/analysis/{id}"), &empty, "analysis.id.not.found"),
            (Method::PUT, format!("/studies/ABC/files/{object_id}"), &empty, "file.not.found"),
            (Method::DELETE, format!("/studies/ABC/files/{object_id}"), &empty, "file.not.found"),
        ] {
            let refused = guarded.send(method.clone(), &path, &key, Some(body)).await;
            let message = refused.json()["message"].as_str().unwrap().to_owned();
            let sent = format!("{path} {body}");
            let is_named = [id, object_id, "XYZ"].iter().any(|text| message.contains(text) && !sent.contains(text));
            assert_eq!(is_named, !is_closed, "{method} {path}: {message}");
            if is_closed {
                assert_eq!(refused.json()["errorId"], error_id, "{method} {path}: {message}");
            }
        }
        let batch = guarded.send(Method::POST, "/submit/ABC/batch", &key, Some(&json!([own]))).await.ok();
        assert_eq!(batch[0]["errorId"], "info.already.exists", "{batch}");
        let is_named = [id, object_id, "XYZ"].iter().any(|text| batch.to_string().contains(text));
        assert_eq!(is_named, !is_closed, "{batch}");
        // What is in one's own study is named.
        let own = Payload::new("ABC").build();
        guarded.send(Method::POST, "/submit/ABC", &key, Some(&own)).await.assert_status(200);
        let refused = guarded.send(Method::POST, "/submit/ABC", &key, Some(&own)).await;
        let message = refused.assert_error_id(409, "info.already.exists");
        assert!(message.contains("the stored file with objectId '"), "{message}");
    }
}

#[tokio::test]
async fn a_denied_study_is_closed_to_administrators_too() {
    let guarded = Guarded::closed().await;
    guarded.study("ABC").await;
    guarded.study("XYZ").await;
    let key = guarded.key("some", &["song.WRITE", "STUDY.ABC.WRITE", "STUDY.ABC.DENY"]).await;
    assert_forbidden(&guarded.submit("ABC", &key).await);
    assert_forbidden(&guarded.get("/studies/ABC", &key).await);
    guarded.submit("XYZ", &key).await.assert_status(200);
}
