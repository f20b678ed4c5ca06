//! `PUT /studies/{studyId}/files/{objectId}`

use cantata_testkit::{Payload, TestServer, unique_md5};
use serde_json::{Value, json};

use crate::support::{keys, object_id, server_with_study};

const ORIGIN: &str = "FileModificationService";

struct Fixture {
    server: TestServer,
    analysis_id: String,
    object_id: String,
}

impl Fixture {
    async fn new() -> Self {
        let server = server_with_study().await;
        let payload = Payload::new("S").with_file_member(0, "info", json!({"k": "v", "deep": {"a": 1}}));
        let analysis_id = server.submit(&payload).await;
        let object_id = object_id(&server, &analysis_id, 0).await;
        Self { server, analysis_id, object_id }
    }

    async fn call(&self, verb: &str) {
        self.server.put_empty(&format!("/studies/S/analysis/{verb}/{}", self.analysis_id)).await.ok();
    }

    async fn put(&self, body: &Value) -> cantata_testkit::TestResponse {
        self.server.put(&format!("/studies/S/files/{}", self.object_id), body).await
    }

    async fn file(&self) -> Value {
        self.server.get(&format!("/studies/S/files/{}", self.object_id)).await.ok()
    }
}

#[tokio::test]
async fn an_update_tells_what_it_did_and_what_was_there_before() {
    let fixture = Fixture::new().await;
    let before = fixture.file().await;
    let answer = fixture.put(&json!({"dataType": "other"})).await.ok();
    assert_eq!(
        keys(&answer),
        ["fileUpdateType", "originalAnalysisState", "unpublishedAnalysis", "message", "originalFile"]
    );
    assert_eq!(answer["fileUpdateType"], "METADATA_UPDATE");
    assert_eq!(answer["originalAnalysisState"], "UNPUBLISHED");
    assert_eq!(answer["unpublishedAnalysis"], false);
    let about = format!("file with objectId '{}' and analysisId '{}'", fixture.object_id, fixture.analysis_id);
    assert_eq!(answer["message"], format!("Updated {about}"));
    assert_eq!(answer["originalFile"], before);
    let again = fixture.put(&json!({"dataType": "other"})).await.ok();
    assert_eq!(again["fileUpdateType"], "NO_UPDATE");
    assert_eq!(again["message"], format!("No update for {about}"));
}

#[tokio::test]
async fn each_kind_of_change_has_its_name() {
    let fixture = Fixture::new().await;
    let md5 = fixture.file().await["fileMd5sum"].clone();
    for (body, kind) in [
        (json!({}), "NO_UPDATE"),
        (json!({"fileSize": 100, "fileMd5sum": md5, "fileAccess": "open", "dataType": null}), "NO_UPDATE"),
        (json!({"fileName": "other", "fileType": "bam", "objectId": "x", "unknown": 1}), "NO_UPDATE"),
        (json!({"info": {}}), "NO_UPDATE"),
        (json!({"info": {"k": "v"}}), "NO_UPDATE"),
        (json!({"fileSize": 101}), "CONTENT_UPDATE"),
        (json!({"fileMd5sum": unique_md5()}), "CONTENT_UPDATE"),
        (json!({"fileAccess": "controlled"}), "METADATA_UPDATE"),
        (json!({"info": {"k": "w"}}), "METADATA_UPDATE"),
        (json!({"fileSize": 102, "fileAccess": "open"}), "CONTENT_UPDATE"),
    ] {
        assert_eq!(fixture.put(&body).await.ok()["fileUpdateType"], kind, "{body}");
    }
    let file = fixture.file().await;
    assert_eq!((&file["fileName"], &file["fileType"]), (&json!("file0.vcf"), &json!("vcf")));
    assert_eq!((&file["fileSize"], &file["fileAccess"]), (&json!(102), &json!("open")));
}

#[tokio::test]
async fn info_is_merged_one_level_deep() {
    let fixture = Fixture::new().await;
    fixture.put(&json!({"info": {"deep": {"b": 2}, "new": null}})).await.ok();
    assert_eq!(fixture.file().await["info"], json!({"k": "v", "deep": {"b": 2}, "new": null}));
}

#[tokio::test]
async fn the_time_of_the_analysis_does_not_move() {
    let fixture = Fixture::new().await;
    let before = fixture.server.analysis("S", &fixture.analysis_id).await;
    fixture.put(&json!({"fileSize": 7})).await.ok();
    let after = fixture.server.analysis("S", &fixture.analysis_id).await;
    assert_eq!(after["updatedAt"], before["updatedAt"]);
    assert_eq!(after["files"][0]["fileSize"], 7);
}

#[tokio::test]
async fn values_that_are_not_allowed_are_all_named() {
    let fixture = Fixture::new().await;
    let body = json!({"fileSize": 0, "fileMd5sum": "x", "fileAccess": "pub", "dataType": 5, "info": []});
    let text = format!(
        "The file update request for objectId '{}' failed with the following errors: #/fileSize: 0 is not an integer \
         greater than 0|#/fileMd5sum: \"x\" is not an MD5 checksum of 32 hexadecimal digits|#/fileAccess: \"pub\" is \
         not one of open, controlled|#/dataType: 5 is not a string|#/info: [] is not an object",
        fixture.object_id
    );
    fixture.put(&body).await.assert_error(400, ORIGIN, "invalid.file.update.request", &text);
    let text = format!(
        "The file update request for objectId '{}' failed with the following errors: #/info: null is not an object",
        fixture.object_id
    );
    fixture.put(&json!({"info": null})).await.assert_error(400, ORIGIN, "invalid.file.update.request", &text);
    for size in [json!(-1), json!(1.5), json!("1"), json!(1e300), json!(u64::MAX)] {
        let refused = fixture.put(&json!({"fileSize": size})).await;
        refused.assert_error_id(400, "invalid.file.update.request");
    }
}

#[tokio::test]
async fn the_state_of_the_analysis_says_what_may_change() {
    let fixture = Fixture::new().await;
    let refusal = |reason: &str| {
        format!(
            "The file with objectId '{}' and analysisId '{}' cannot be updated since its analysisState is {reason}",
            fixture.object_id, fixture.analysis_id
        )
    };
    fixture.call("publish").await;
    let text = refusal("'PUBLISHED' and 'UNPUBLISHED' is required");
    for body in [json!({"fileSize": 7}), json!({"fileMd5sum": unique_md5()}), json!({"fileSize": 7, "dataType": "x"})] {
        fixture.put(&body).await.assert_error(400, ORIGIN, "illegal.file.update.request", &text);
    }
    let changed = fixture.put(&json!({"fileAccess": "controlled", "fileSize": 100})).await.ok();
    assert_eq!(changed["fileUpdateType"], "METADATA_UPDATE");
    assert_eq!(
        (&changed["originalAnalysisState"], &changed["unpublishedAnalysis"]),
        (&json!("PUBLISHED"), &json!(false))
    );
    assert_eq!(fixture.server.analysis("S", &fixture.analysis_id).await["analysisState"], "PUBLISHED");
    fixture.call("suppress").await;
    let text = refusal("'SUPPRESSED'");
    for body in [json!({"fileSize": 7}), json!({"dataType": "x"}), json!({})] {
        fixture.put(&body).await.assert_error(400, ORIGIN, "illegal.file.update.request", &text);
    }
}

#[tokio::test]
async fn what_is_not_there_is_said() {
    let fixture = Fixture::new().await;
    fixture.server.create_study("T").await;
    for (path, status, error_id) in [
        (format!("/studies/none/files/{}", fixture.object_id), 404, "study.id.does.not.exist"),
        (format!("/studies/T/files/{}", fixture.object_id), 400, "entity.not.related.to.study"),
        ("/studies/S/files/none".to_owned(), 404, "file.not.found"),
    ] {
        fixture.server.put(&path, &json!({"fileSize": 0})).await.assert_error_id(status, error_id);
    }
}
