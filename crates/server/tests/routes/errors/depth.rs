//! Bodies nested as deep as can be sent: whatever is accepted can be read, changed and published afterwards.

use cantata_testkit::{Payload, TestServer};
use serde_json::{Value, json};

use crate::support::server_with_analysis;

const DEPTHS: std::ops::Range<usize> = 90..130;

fn nested(depth: usize) -> Value {
    (0..depth).fold(json!("bottom"), |inside, _| json!([inside]))
}

#[tokio::test]
async fn deep_members_of_a_study_are_refused_or_readable() {
    let server = TestServer::start().await;
    for depth in DEPTHS {
        let path = format!("/studies/D{depth}");
        let body = json!({"studyId": format!("D{depth}"), "unknown": nested(depth)});
        let answer = server.post(&path, &body).await;
        if answer.status == 200 {
            server.get(&path).await.ok();
        } else {
            answer.assert_error_id(400, "malformed.request.body");
        }
    }
}

#[tokio::test]
async fn deep_members_of_a_payload_are_refused_or_publishable() {
    let server = TestServer::start().await;
    server.create_study("S").await;
    let mut accepted = 0;
    for depth in DEPTHS {
        for payload in [
            Payload::new("S").with("unknown", nested(depth)),
            Payload::new("S").with_file_member(0, "unknown", nested(depth)),
        ] {
            let answer = server.post("/submit/S", &payload.build()).await;
            if answer.status == 200 {
                accepted += 1;
                let analysis_id = answer.json()["analysisId"].as_str().unwrap().to_owned();
                server.put_empty(&format!("/studies/S/analysis/publish/{analysis_id}")).await.ok();
                server.get(&format!("/export/analysis/{analysis_id}")).await.ok();
            } else {
                answer.assert_error_id(422, "payload.parsing");
            }
        }
    }
    assert!(accepted > 0);
}

#[tokio::test]
async fn deep_changes_are_refused_or_changeable_again() {
    let (server, analysis_id) = server_with_analysis().await;
    let object_id = crate::support::object_id(&server, &analysis_id, 0).await;
    let (analysis, file) = (format!("/studies/S/analysis/{analysis_id}"), format!("/studies/S/files/{object_id}"));
    for depth in DEPTHS {
        for answer in [
            server.patch(&analysis, &json!({"unknown": nested(depth)})).await,
            server.put(&file, &json!({"info": {"deep": nested(depth)}})).await,
        ] {
            if answer.status != 200 {
                answer.assert_error_id(400, "malformed.request.body");
            }
        }
        server.put_empty(&format!("/studies/S/analysis/unpublish/{analysis_id}")).await.ok();
    }
}
