//! `GET /schemas/{name}`

use cantata_testkit::{TestServer, minimal_type};
use serde_json::json;

use crate::support::keys;

const ORIGIN: &str = "AnalysisTypeService";

async fn server() -> TestServer {
    let server = TestServer::start().await;
    let mut second = minimal_type("t");
    second["schema"]["properties"]["second"] = json!({"type": "string"});
    server.register_minimal("t").await;
    server.post("/schemas", &second).await.ok();
    server
}

#[tokio::test]
async fn one_version_is_one_object() {
    let server = server().await;
    let first = server.get("/schemas/t?version=1").await.ok();
    assert_eq!(keys(&first), ["name", "version", "createdAt", "options", "schema"]);
    assert_eq!((&first["name"], &first["version"]), (&json!("t"), &json!(1)));
    assert_eq!(first["schema"]["properties"].get("second"), None);
    let second = server.get("/schemas/t?version=2&unrenderedOnly=true").await.ok();
    assert_eq!(keys(&second["schema"]["properties"]), ["experiment", "second"]);
}

#[tokio::test]
async fn without_a_version_the_latest_is_at_the_top_and_all_are_listed() {
    let server = server().await;
    let all = server.get("/schemas/t").await.ok();
    assert_eq!(keys(&all), ["name", "version", "createdAt", "options", "schema", "count", "resultSet"]);
    assert_eq!((&all["version"], &all["count"]), (&json!(2), &json!(2)));
    for (index, version) in [(0, 2), (1, 1)] {
        let one = server.get(&format!("/schemas/t?version={version}")).await.ok();
        assert_eq!(all["resultSet"][index], one);
    }
    let unrendered = server.get("/schemas/t?unrenderedOnly=true&version=").await.ok();
    assert_eq!(unrendered["resultSet"][1]["schema"], minimal_type("t")["schema"]);
}

#[tokio::test]
async fn many_versions_are_all_listed() {
    let server = TestServer::start().await;
    for _ in 0..25 {
        server.register_minimal("t").await;
    }
    let all = server.get("/schemas/t").await.ok();
    assert_eq!(all["count"], 25);
    assert_eq!(all["resultSet"].as_array().unwrap().len(), 25);
}

#[tokio::test]
async fn what_is_not_there_is_said() {
    let server = server().await;
    server.get("/schemas/none").await.assert_error(
        404,
        ORIGIN,
        "analysis.type.not.found",
        "The analysisType with name 'none' was not found; GET /schemas lists the registered ones",
    );
    server.get("/schemas/none?version=1").await.assert_error_id(404, "analysis.type.not.found");
    for version in ["3", "4294967296", "99999999999999999999"] {
        let message = server.get(&format!("/schemas/t?version={version}")).await;
        let message = message.assert_error_id(404, "analysis.type.not.found");
        assert!(message.ends_with("was not found; its versions are 1 to 2"), "{message}");
    }
    for version in ["3", "4294967296", "99999999999"] {
        let text =
            format!("The analysisType with name 't' and version '{version}' was not found; its versions are 1 to 2");
        let refused = server.get(&format!("/schemas/t?version={version}")).await;
        refused.assert_error(404, ORIGIN, "analysis.type.not.found", &text);
    }
    let message = server.get("/schemas/T").await.assert_error_id(404, "analysis.type.not.found");
    assert!(message.contains("'T'"), "{message}");
}

#[tokio::test]
async fn values_that_are_not_allowed_are_named() {
    let server = server().await;
    server.get("/schemas/a%20b").await.assert_error(
        400,
        ORIGIN,
        "malformed.parameter",
        "The analysisTypeId name 'a b' does not match the regex: ^[a-zA-Z0-9\\._-]+$",
    );
    for version in ["0", "-1", "x", "1.0"] {
        let text = format!("The parameter 'version' is '{version}', but must be an integer of 1 or more");
        let response = server.get(&format!("/schemas/t?version={version}")).await;
        response.assert_error(400, ORIGIN, "malformed.parameter", &text);
    }
}
