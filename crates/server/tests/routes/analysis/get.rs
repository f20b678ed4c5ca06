//! `GET …/analysis/{id}` and `GET …/analysis/{id}/files`

use cantata_testkit::Payload;
use serde_json::json;

use crate::support::{assert_local_time, keys, server_with_analysis, server_with_study};

const ORIGIN: &str = "AnalysisService";

#[tokio::test]
async fn an_analysis_has_the_members_of_the_original_in_their_order() {
    let server = server_with_study().await;
    let payload = Payload::new("S").with_files(2).with("extra", json!({"b": 1, "a": 2}));
    let analysis_id = server.submit(&payload).await;
    let analysis = server.analysis("S", &analysis_id).await;
    assert_eq!(
        keys(&analysis),
        [
            "analysisId",
            "studyId",
            "analysisState",
            "createdAt",
            "updatedAt",
            "firstPublishedAt",
            "publishedAt",
            "analysisStateHistory",
            "files",
            "analysisType",
            "experiment",
            "extra",
        ]
    );
    assert_eq!(analysis["analysisId"], analysis_id);
    assert_eq!(analysis["studyId"], "S");
    assert_eq!(analysis["analysisState"], "UNPUBLISHED");
    assert_local_time(&analysis["createdAt"]);
    assert_eq!(analysis["updatedAt"], analysis["createdAt"]);
    assert_eq!((&analysis["firstPublishedAt"], &analysis["publishedAt"]), (&json!(null), &json!(null)));
    assert_eq!(analysis["analysisStateHistory"], json!([]));
    assert_eq!(analysis["analysisType"].to_string(), r#"{"name":"variantCall","version":1}"#);
    assert_eq!(analysis["extra"].to_string(), r#"{"b":1,"a":2}"#);
    let file = &analysis["files"][1];
    assert_eq!(
        keys(file),
        [
            "objectId",
            "studyId",
            "analysisId",
            "fileName",
            "fileSize",
            "fileType",
            "fileMd5sum",
            "fileAccess",
            "dataType"
        ]
    );
    assert_eq!((&file["fileName"], &file["fileSize"]), (&json!("file1.vcf"), &json!(101)));
    assert_eq!(file["fileMd5sum"], payload.md5(1));
}

#[tokio::test]
async fn the_files_are_those_of_the_analysis() {
    let (server, analysis_id) = server_with_analysis().await;
    let files = server.get(&format!("/studies/S/analysis/{analysis_id}/files")).await.ok();
    assert_eq!(files, server.analysis("S", &analysis_id).await["files"]);
    assert_eq!(files.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn what_is_not_there_is_said_the_study_first() {
    let (server, analysis_id) = server_with_analysis().await;
    server.create_study("T").await;
    let unknown = "00000000-0000-4000-8000-000000000000";
    for rest in ["", "/files"] {
        let get = async |study: &str, id: &str| server.get(&format!("/studies/{study}/analysis/{id}{rest}")).await;
        let text = "The studyId 'none' does not exist; GET /studies/all lists the registered ones";
        get("none", &analysis_id).await.assert_error(404, "StudyService", "study.id.does.not.exist", text);
        get("none", unknown).await.assert_error(404, "StudyService", "study.id.does.not.exist", text);
        for id in [unknown, "no-id", "%00", &analysis_id.to_uppercase()] {
            let shown = if id == "%00" { "\0" } else { id };
            let text = format!("The analysisId '{shown}' was not found");
            get("S", id).await.assert_error(404, ORIGIN, "analysis.id.not.found", &text);
        }
        let text = format!(
            "The analysisId '{analysis_id}' is not related to the input studyId 'T'. It is actually related to \
             studyId 'S'"
        );
        get("T", &analysis_id).await.assert_error(400, ORIGIN, "entity.not.related.to.study", &text);
    }
}
