//! Where reading needs a credential: what is published of public studies, and what storage servers ask for.

use std::collections::BTreeSet;

use cantata_testkit::Payload;
use http::Method;
use serde_json::{Value, json};

use crate::support::{Guarded, assert_forbidden, assert_unauthorized};

/// Submits an analysis, and publishes it if asked to; returns it.
async fn analysis(guarded: &Guarded, study_id: &str, is_published: bool) -> Value {
    let administrator = &guarded.administrator;
    let payload = Payload::new(study_id).build();
    let path = format!("/submit/{study_id}");
    let submitted = guarded.send(Method::POST, &path, administrator, Some(&payload)).await.ok();
    let id = submitted["analysisId"].as_str().unwrap();
    if is_published {
        let path = format!("/studies/{study_id}/analysis/publish/{id}");
        guarded.send(Method::PUT, &path, administrator, None).await.assert_status(200);
    }
    guarded.get(&format!("/studies/{study_id}/analysis/{id}"), administrator).await.ok()
}

/// Returns the paths of an analysis, of its files, and of one of them.
fn paths(analysis: &Value) -> [String; 3] {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let study = format!("/studies/{}", text(&analysis["studyId"]));
    let id = text(&analysis["analysisId"]);
    let file = text(&analysis["files"][0]["objectId"]);
    [format!("{study}/analysis/{id}"), format!("{study}/analysis/{id}/files"), format!("{study}/files/{file}")]
}

#[tokio::test]
async fn everybody_reads_what_is_published_of_a_public_study_and_nothing_else() {
    let guarded = Guarded::closed_with(|access| access.public_studies = "ABC".parse().unwrap()).await;
    guarded.study("ABC").await;
    guarded.study("XYZ").await;
    let (published, hidden) = (analysis(&guarded, "ABC", true).await, analysis(&guarded, "ABC", false).await);
    let elsewhere = analysis(&guarded, "XYZ", true).await;
    let of_another = guarded.key("other", &["STUDY.XYZ.READ"]).await;
    for credential in ["", &of_another] {
        guarded.get("/studies/ABC", credential).await.assert_status(200);
        for path in paths(&published) {
            guarded.get(&path, credential).await.assert_status(200);
        }
        let [one, files, file] = paths(&hidden);
        guarded.get(&one, credential).await.assert_error_id(404, "analysis.id.not.found");
        guarded.get(&files, credential).await.assert_error_id(404, "analysis.id.not.found");
        guarded.get(&file, credential).await.assert_error_id(404, "file.not.found");
        for (query, expected) in [
            ("", 1),
            ("?analysisStates=PUBLISHED,UNPUBLISHED,SUPPRESSED", 1),
            ("?analysisStates=UNPUBLISHED", 0),
            ("?analysisStates=SUPPRESSED", 0),
        ] {
            let listed = guarded.get(&format!("/studies/ABC/analysis{query}"), credential).await.ok();
            assert_eq!(listed.as_array().unwrap().len(), expected, "{query}");
            let page = guarded.get(&format!("/studies/ABC/analysis/paginated{query}"), credential).await.ok();
            assert_eq!(page["totalAnalyses"], expected, "{query}");
        }
    }
    for path in paths(&elsewhere).iter().map(String::as_str).chain([
        "/studies/XYZ",
        "/studies/abc",
        "/studies/all",
        "/studies/ABC/analysis/search/id",
        "/export/studies/ABC",
        "/events?follow=false",
    ]) {
        assert_unauthorized(&guarded.get(path, "").await);
    }
    assert_unauthorized(&guarded.send(Method::PATCH, &paths(&published)[0], "", Some(&json!({}))).await);
    let reader = guarded.key("reader", &["STUDY.ABC.READ"]).await;
    guarded.get(&paths(&hidden)[0], &reader).await.assert_status(200);
    let denied = guarded.key("denied", &["STUDY.ABC.DENY"]).await;
    assert_forbidden(&guarded.get(&paths(&published)[0], &denied).await);

    let id = published["analysisId"].as_str().unwrap();
    let path = format!("/studies/ABC/analysis/unpublish/{id}");
    guarded.send(Method::PUT, &path, &guarded.administrator, None).await.assert_status(200);
    guarded.get(&paths(&published)[0], "").await.assert_error_id(404, "analysis.id.not.found");
}

#[tokio::test]
async fn storage_servers_read_entities_and_analyses_without_a_credential() {
    let guarded = Guarded::closed_with(|access| access.storage_servers = "127.0.0.1".parse().unwrap()).await;
    guarded.study("ABC").await;
    let hidden = analysis(&guarded, "ABC", false).await;
    let entity = format!("/entities/{}", hidden["files"][0]["objectId"].as_str().unwrap());
    guarded.get(&entity, "").await.assert_status(200);
    assert_eq!(guarded.get(&paths(&hidden)[0], "").await.ok()["analysisState"], "UNPUBLISHED");
    for path in ["/events?follow=false", "/export/studies/ABC", "/studies/all", "/admin/keys"] {
        assert_unauthorized(&guarded.get(path, "").await);
    }
    assert_unauthorized(&guarded.get(&entity, "nonsense").await);
    // A person at the same address is no storage server: what their session allows counts.
    let session = [("cookie", "__Host-cantata-session=nonsense"), ("x-cantata-session", "1")];
    assert_unauthorized(&guarded.server.send(Method::GET, &entity, &session, None).await);
}

#[tokio::test]
async fn nobody_becomes_a_storage_server_by_a_header() {
    let guarded = Guarded::closed_with(|access| access.storage_servers = "10.0.0.1".parse().unwrap()).await;
    guarded.study("ABC").await;
    let hidden = analysis(&guarded, "ABC", false).await;
    let entity = format!("/entities/{}", hidden["files"][0]["objectId"].as_str().unwrap());
    for header in ["x-forwarded-for", "forwarded", "x-real-ip"] {
        assert_unauthorized(&guarded.server.send(Method::GET, &entity, &[(header, "10.0.0.1")], None).await);
    }
}

#[tokio::test]
async fn events_exports_and_entities_are_shown_by_study() {
    let guarded = Guarded::closed().await;
    guarded.study("ABC").await;
    guarded.study("XYZ").await;
    let (own, foreign) = (analysis(&guarded, "ABC", true).await, analysis(&guarded, "XYZ", false).await);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let (own_id, foreign_id) = (text(&own["analysisId"]), text(&foreign["analysisId"]));
    let reader = guarded.key("reader", &["STUDY.ABC.READ"]).await;
    let denied = guarded.key("denied", &["song.READ", "STUDY.XYZ.DENY"]).await;
    for credential in [&reader, &denied] {
        let events = guarded.get("/events?follow=false", credential).await;
        let studies: Vec<&str> = events.text().lines().filter(|line| line.starts_with("data:")).collect();
        assert_eq!(studies.len(), 2, "{studies:?}");
        assert!(studies.iter().all(|event| event.contains(&own_id) && !event.contains(&foreign_id)), "{studies:?}");
        let exported = guarded.get(&format!("/export/analysis/{own_id}"), credential).await.ok();
        assert_eq!(exported[0]["studyId"], "ABC");
        for ids in [foreign_id.clone(), format!("{own_id},{foreign_id}")] {
            let refused = guarded.get(&format!("/export/analysis/{ids}"), credential).await;
            assert!(refused.assert_error_id(404, "analysis.id.not.found").contains(&foreign_id));
        }
        let entity = |analysis: &Value| format!("/entities/{}", text(&analysis["files"][0]["objectId"]));
        guarded.get(&entity(&own), credential).await.assert_status(200);
        guarded.get(&entity(&foreign), credential).await.assert_error_id(404, "legacy.entity.not.found");
    }
}

/// Returns the ids of the analyses whose files a query of `/entities` lists, by number and after each other.
async fn listed(guarded: &Guarded, query: &str, credential: &str) -> BTreeSet<String> {
    let analyses = |page: &Value| -> Vec<String> {
        page["content"].as_array().unwrap().iter().map(|file| file["gnosId"].as_str().unwrap().to_owned()).collect()
    };
    let page = guarded.get(&format!("/entities?size=2000{query}"), credential).await.ok();
    let by_number = analyses(&page);
    assert_eq!(page["totalElements"], by_number.len());
    let (mut by_key, mut after) = (Vec::new(), String::new());
    loop {
        let page = guarded.get(&format!("/entities?size=1&after={after}{query}"), credential).await.ok();
        by_key.extend(analyses(&page));
        match page["next"].as_str() {
            Some(next) => after = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(by_key, by_number);
    by_key.into_iter().collect()
}

#[tokio::test]
async fn entities_are_listed_as_far_as_their_analyses_may_be_read() {
    let guarded = Guarded::closed_with(|access| access.public_studies = "PUB".parse().unwrap()).await;
    let mut analyses = Vec::new();
    for study_id in ["ABC", "XYZ", "PUB"] {
        guarded.study(study_id).await;
        for is_published in [false, true] {
            analyses.push(analysis(&guarded, study_id, is_published).await);
        }
    }
    let ids: Vec<&str> = analyses.iter().map(|analysis| analysis["analysisId"].as_str().unwrap()).collect();
    let some =
        |numbers: &[usize]| -> BTreeSet<String> { numbers.iter().map(|number| ids[*number].to_owned()).collect() };
    let reader = guarded.key("reader", &["STUDY.ABC.READ"]).await;
    let denied = guarded.key("denied", &["song.READ", "STUDY.XYZ.DENY", "STUDY.PUB.DENY"]).await;
    let nothing = guarded.key("nothing", &["other.READ"]).await;
    for (credential, expected) in [
        (guarded.administrator.as_str(), some(&[0, 1, 2, 3, 4, 5])),
        (reader.as_str(), some(&[0, 1, 5])),
        (denied.as_str(), some(&[0, 1])),
        (nothing.as_str(), some(&[5])),
        ("", some(&[5])),
    ] {
        assert_eq!(listed(&guarded, "", credential).await, expected);
        for (study_id, of_study) in [("ABC", some(&[0, 1])), ("XYZ", some(&[2, 3])), ("PUB", some(&[4, 5]))] {
            let expected: BTreeSet<String> = of_study.intersection(&expected).cloned().collect();
            assert_eq!(listed(&guarded, &format!("&projectCode={study_id}"), credential).await, expected, "{study_id}");
        }
        for analysis in &analyses {
            let id = analysis["analysisId"].as_str().unwrap();
            let object_id = analysis["files"][0]["objectId"].as_str().unwrap();
            let is_expected = expected.contains(id);
            for query in [format!("&gnosId={id}"), format!("&id={object_id}")] {
                assert_eq!(!listed(&guarded, &query, credential).await.is_empty(), is_expected, "{query}");
            }
            let entity = guarded.get(&format!("/entities/{object_id}"), credential).await;
            entity.assert_status(if is_expected { 200 } else { 404 });
        }
    }
}

#[tokio::test]
async fn a_stream_of_events_ends_with_its_credential() {
    let guarded = Guarded::closed().await;
    guarded.study("ABC").await;
    let reader = guarded.key("reader", &["STUDY.ABC.READ"]).await;
    let authorization = format!("Bearer {reader}");
    let mut events = guarded.server.event_stream("", &[("authorization", authorization.as_str())]).await;
    analysis(&guarded, "ABC", false).await;
    assert!(events.next().await.is_some());
    guarded.keys.revoke("reader").await.unwrap();
    analysis(&guarded, "ABC", false).await;
    assert_eq!(events.next().await, None);
}
