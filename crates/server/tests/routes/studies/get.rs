//! `GET /studies/all` and `GET /studies/{studyId}`

use cantata_testkit::TestServer;
use serde_json::json;

#[tokio::test]
async fn all_studies_are_listed_by_id() {
    let server = TestServer::start().await;
    server.get("/studies/all").await.assert_text(200, "[]");
    for study_id in ["NEW1", "ABC123", "MIN"] {
        server.create_study(study_id).await;
    }
    server.get("/studies/all").await.assert_text(200, r#"["ABC123","MIN","NEW1"]"#);
}

#[tokio::test]
async fn a_study_shows_what_it_was_registered_with() {
    let server = TestServer::start().await;
    let body = json!({
        "studyId": "NEW1", "name": "n", "organization": "o", "description": "d", "info": {"foo": {"bar": 1}}, "z": 1,
    });
    server.post("/studies/NEW1/", &body).await.ok();
    server.get("/studies/NEW1").await.assert_text(
        200,
        r#"{"info":{"foo":{"bar":1},"z":1},"studyId":"NEW1","name":"n","organization":"o","description":"d"}"#,
    );
}

#[tokio::test]
async fn what_holds_nothing_is_left_out() {
    let server = TestServer::start().await;
    server.post("/studies/A", &json!({"studyId": "A", "name": "", "organization": null, "info": {}})).await.ok();
    server.get("/studies/A").await.assert_text(200, r#"{"studyId":"A"}"#);
    server.get("/studies/A/").await.assert_text(200, r#"{"studyId":"A"}"#);
}

#[tokio::test]
async fn an_unknown_study_is_not_found() {
    let server = TestServer::start().await;
    let text = "The studyId 'NEWX' does not exist; GET /studies/all lists the registered ones";
    server.get("/studies/NEWX").await.assert_error(404, "StudyService", "study.id.does.not.exist", text);
    server.create_study("newx").await;
    server.get("/studies/NEWX").await.assert_error_id(404, "study.id.does.not.exist");
}
