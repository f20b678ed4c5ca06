//! `GET /schemas/registration`

use cantata_testkit::TestServer;

use crate::support::keys;

#[tokio::test]
async fn the_schema_of_schemas_is_an_object_schema_or_a_boolean() {
    let server = TestServer::start().await;
    let meta_schema = server.get("/schemas/registration").await.ok();
    assert_eq!(keys(&meta_schema), ["title", "id", "anyOf", "$schema", "default"]);
    assert_eq!(meta_schema["anyOf"][0]["type"], "object");
    assert_eq!(meta_schema["anyOf"][0]["additionalProperties"], false);
    assert_eq!(meta_schema["anyOf"][1]["type"], "boolean");
    let properties = &meta_schema["anyOf"][0]["properties"]["properties"]["properties"];
    for reserved in ["studyId", "analysisId", "analysisState", "analysisType", "analysisTypeId", "files"] {
        assert_eq!(properties[reserved]["not"], serde_json::json!({}), "{reserved}");
    }
}
