//! Spellings of addresses: whichever is used, the study that is checked is the study that is changed.

use cantata_testkit::raw;
use serde_json::json;

use crate::support::Guarded;

/// Sends a request to a target that no client would write, and returns the status.
async fn post(guarded: &Guarded, target: &str, key: &str, body: &str) -> u16 {
    let authorization = format!("authorization: Bearer {key}");
    let headers = [authorization.as_str(), "content-type: application/json"];
    let request = raw::request("POST", target.as_bytes(), &headers, body.as_bytes());
    raw::exchange(guarded.server.address(), &request).await.unwrap().status
}

#[tokio::test]
async fn no_spelling_of_a_path_changes_which_study_is_checked() {
    let guarded = Guarded::open().await;
    guarded.study("ABC").await;
    let key = guarded.key("abc", &["STUDY.ABC.WRITE"]).await;
    for target in [
        "/studies/XYZ",
        "/studies/XYZ/",
        "//studies/XYZ",
        "/studies//XYZ",
        "/studies/ABC/../XYZ",
        "/studies/ABC/%2e%2e/XYZ",
        "/studies/ABC%2f..%2fXYZ",
        "/studies/ABC%2F%2E%2E%2FXYZ",
        "/studies/./XYZ",
        "/studies/X%59Z",
        "/studies/%58%59%5a",
        "/studies/XYZ.",
        "/studies/XYZ%20",
        "/studies/XYZ%00",
        "/studies/ABC%00XYZ",
        "/studies/XYZ%00ABC",
        "/studies/XYZ;ABC",
        "/studies/XYZ;studyId=ABC",
        "/studies/XYZ?studyId=ABC",
        "/studies/XYZ#ABC",
        "/STUDIES/XYZ",
        "/studies/xyz",
        "/studies/abc",
        "/studies/ABC%c0%ae",
        "/studies/%ff",
        "/studies/XYZ%252fABC",
        "/studies\\XYZ",
        "/studies/ABC\\..\\XYZ",
        "http://localhost/studies/XYZ",
        "http://ABC/studies/XYZ",
    ] {
        let status = post(&guarded, target, &key, "{}").await;
        assert!([400, 403, 404, 405].contains(&status), "{target}: {status}");
    }
    assert_eq!(guarded.get("/studies/all", "").await.ok(), json!(["ABC"]));
}

#[tokio::test]
async fn other_spellings_of_ones_own_study_are_that_study() {
    let guarded = Guarded::open().await;
    let key = guarded.key("ab", &["STUDY.A/B.WRITE", "STUDY.ABC.WRITE", "STUDY.Ä.WRITE"]).await;
    assert_eq!(post(&guarded, "/studies/%41B%43", &key, r#"{"studyId":"ABC"}"#).await, 200);
    assert_eq!(post(&guarded, "/studies/ABC/", &key, r#"{"studyId":"ABC"}"#).await, 409);
    assert_eq!(post(&guarded, "/submit/AB%43", &key, "{}").await, 400);
    // What an encoded slash makes of it is one name, for the check and for the handler.
    assert_ne!(post(&guarded, "/studies/A%2FB", &key, "{}").await, 403);
    assert_eq!(post(&guarded, "/studies/A%2FC", &key, "{}").await, 403);
    assert_ne!(post(&guarded, "/studies/%C3%84", &key, "{}").await, 403);
    assert_eq!(post(&guarded, "/studies/A%CC%88", &key, "{}").await, 403);
}
