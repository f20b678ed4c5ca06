//! `GET /studies/{studyId}/files/{objectId}`

use crate::support::{object_id, server_with_analysis};

const ORIGIN: &str = "FileService";

#[tokio::test]
async fn a_file_is_what_its_analysis_shows() {
    let (server, analysis_id) = server_with_analysis().await;
    let object_id = object_id(&server, &analysis_id, 0).await;
    let file = server.get(&format!("/studies/S/files/{object_id}")).await.ok();
    assert_eq!(file, server.analysis("S", &analysis_id).await["files"][0]);
}

#[tokio::test]
async fn what_is_not_there_is_said() {
    let (server, analysis_id) = server_with_analysis().await;
    let object_id = object_id(&server, &analysis_id, 0).await;
    server.create_study("T").await;
    let unknown = server.get(&format!("/studies/none/files/{object_id}")).await;
    unknown.assert_error(
        404,
        "StudyService",
        "study.id.does.not.exist",
        "The studyId 'none' does not exist; GET /studies/all lists the registered ones",
    );
    for id in ["none", "00000000-0000-4000-8000-000000000000", analysis_id.as_str(), &object_id.to_uppercase()] {
        let text = format!("The file with objectId '{id}' does not exist");
        server.get(&format!("/studies/S/files/{id}")).await.assert_error(404, ORIGIN, "file.not.found", &text);
    }
    let text = format!(
        "The objectId '{object_id}' is not related to the input studyId 'T'. It is actually related to studyId 'S'"
    );
    let other = server.get(&format!("/studies/T/files/{object_id}")).await;
    other.assert_error(400, ORIGIN, "entity.not.related.to.study", &text);
}
