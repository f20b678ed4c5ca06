//! `GET` and `POST …/analysis/search/id`

use cantata_testkit::{Payload, TestServer};
use serde_json::{Value, json};

use crate::support::{column, object_id, server_with_study};

const PATH: &str = "/studies/S/analysis/search/id";

async fn server() -> (TestServer, Vec<String>) {
    let server = server_with_study().await;
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(server.submit(&Payload::new("S").with_files(2)).await);
    }
    server.create_study("T").await;
    server.submit(&Payload::new("T")).await;
    (server, ids)
}

fn found(answer: &Value) -> Vec<String> {
    let mut ids: Vec<String> = column(answer, "analysisId").into_iter().map(str::to_owned).collect();
    ids.sort();
    ids
}

#[tokio::test]
async fn an_object_id_finds_its_analysis_in_any_state() {
    let (server, ids) = server().await;
    server.put_empty(&format!("/studies/S/analysis/suppress/{}", ids[1])).await.ok();
    let object_id = object_id(&server, &ids[1], 1).await;
    for expression in
        [object_id.clone(), object_id.to_uppercase(), format!("^{object_id}$"), object_id[3..30].to_owned()]
    {
        let by_query = server.get(&format!("{PATH}?fileId={expression}")).await.ok();
        assert_eq!(by_query, json!([server.analysis("S", &ids[1]).await]), "{expression}");
        for name in ["objectId", "fileId"] {
            let by_body = server.post(PATH, &json!({name: expression})).await.ok();
            assert_eq!(by_body, by_query);
        }
    }
}

#[tokio::test]
async fn without_an_expression_all_of_the_study_are_found_once() {
    let (server, mut ids) = server().await;
    ids.sort();
    for query in ["", "?fileId=", "?fileId=.*", "?fileId=-", "?fileId=%5B0-9a-f%5D%7B8%7D"] {
        assert_eq!(found(&server.get(&format!("{PATH}{query}")).await.ok()), ids, "{query}");
    }
    for body in [json!({}), json!({"objectId": null, "fileId": ""}), json!({"objectId": ".*"})] {
        assert_eq!(found(&server.post(PATH, &body).await.ok()), ids, "{body}");
    }
    assert_eq!(server.get(&format!("{PATH}?fileId=zzz")).await.ok(), json!([]));
}

#[tokio::test]
async fn members_that_older_clients_send_empty_are_not_minded() {
    let (server, ids) = server().await;
    let object_id = object_id(&server, &ids[0], 0).await;
    let body = json!({"analysisId": "", "donorId": "", "specimenId": null, "sampleId": "", "fileId": object_id});
    assert_eq!(found(&server.post(PATH, &body).await.ok()), [ids[0].clone()]);
    for body in [json!({"donorId": "DO1"}), json!({"donorId": ""}), json!({"donorId": null, "fileId": ""})] {
        let refused = server.post(PATH, &body).await;
        let text = "Analyses cannot be searched by 'donorId'; search by objectId or fileId";
        refused.assert_error(400, "AnalysisService", "malformed.parameter", text);
    }
    for query in [
        "sampleId=SA1",
        "donorId=DO1&specimenId=",
        "fileId=&submitterSampleId=x",
        "fileId=.*&sampleId=SA1",
        // None of these may mean the whole study.
        "sampleId=",
        "sampleId=&fileId=",
        "fileId=.*&sampleId=&sampleId=SA1",
    ] {
        let message = server.get(&format!("{PATH}?{query}")).await.assert_error_id(400, "malformed.parameter");
        assert!(
            message.starts_with("[AnalysisService::malformed.parameter] - Analyses cannot be searched by '"),
            "{message}"
        );
        assert!(message.ends_with("'; search by fileId"), "{message}");
    }
    let by_query = server.get(&format!("{PATH}?sampleId=&fileId={object_id}")).await.ok();
    assert_eq!(found(&by_query), [ids[0].clone()]);
}

#[tokio::test]
async fn expressions_that_cannot_be_read() {
    let (server, _) = server().await;
    for expression in ["(", "[", "*", "a{1000000000}", "(?<x"] {
        let refused = server.post(PATH, &json!({"objectId": expression})).await;
        let message = refused.assert_error_id(400, "search.term.syntax");
        let begin = format!(
            "[AnalysisService::search.term.syntax] - The expression '{expression}' for object ids is not a regular \
             expression: "
        );
        assert!(message.starts_with(&begin), "{message}");
    }
    server.get(&format!("{PATH}?fileId=(")).await.assert_error_id(400, "search.term.syntax");
    let refused = server.post(PATH, &json!({"objectId": 5})).await;
    let text = "#/objectId: expected a regular expression as a string, found: 5";
    refused.assert_error(400, "AnalysisService", "malformed.request.body", text);
}
