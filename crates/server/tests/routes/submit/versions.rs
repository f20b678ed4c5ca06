//! Which version of an analysis type a payload is checked against.

use cantata_testkit::{Payload, TestServer, minimal_type};
use serde_json::{Value, json};

/// Version 2 asks for `experiment.second`, version 1 does not.
async fn prepare(server: &TestServer) {
    server.create_study("S").await;
    server.register_minimal("t").await;
    let mut second = minimal_type("t");
    second["schema"]["properties"]["experiment"]["required"] = json!(["second"]);
    server.post("/schemas", &second).await.ok();
}

fn fits_second() -> Payload {
    Payload::new("S").of_type("t").with("experiment", json!({"second": 1}))
}

#[tokio::test]
async fn any_registered_version_can_be_named_and_is_the_one_that_counts() {
    let server = TestServer::start().await;
    prepare(&server).await;
    let first = server.submit(&Payload::new("S").of_type("t").version(1)).await;
    assert_eq!(server.analysis("S", &first).await["analysisType"], json!({"name": "t", "version": 1}));
    for refused in [Payload::new("S").of_type("t").version(2), Payload::new("S").of_type("t")] {
        let text = "#/experiment: required key [second] not found";
        let refused = server.post("/submit/S", &refused.build()).await;
        refused.assert_error(400, "SubmitService", "schema.violation", text);
    }
    let versions: [Value; 4] = [json!(2), json!(null), json!(2.0), json!(2e0)];
    for payload in versions.map(|version| fits_second().version(version)).into_iter().chain([fits_second()]) {
        let id = server.submit(&payload).await;
        assert_eq!(server.analysis("S", &id).await["analysisType"].to_string(), r#"{"name":"t","version":2}"#);
    }
}

#[tokio::test]
async fn versions_that_are_not_registered() {
    let server = TestServer::start().await;
    prepare(&server).await;
    for version in [json!(3), json!(4_294_967_297_i64), json!(i64::MAX)] {
        let refused = server.post("/submit/S", &fits_second().version(version.clone()).build()).await;
        let text =
            format!("The analysisType with name 't' and version '{version}' was not found; its versions are 1 to 2");
        refused.assert_error(404, "AnalysisTypeService", "analysis.type.not.found", &text);
    }
    for version in [json!(0), json!(-1), json!(i64::MIN)] {
        let refused = server.post("/submit/S", &fits_second().version(version.clone()).build()).await;
        let text = format!("The analysisType version is '{version}', but must be an integer of 1 or more");
        refused.assert_error(400, "ValidationService", "malformed.parameter", &text);
    }
    for version in [json!(1e300), json!(u64::MAX)] {
        let refused = server.post("/submit/S", &fits_second().version(version).build()).await;
        refused.assert_error_id(400, "schema.violation");
    }
}

#[tokio::test]
async fn only_the_latest_counts_where_that_is_enforced() {
    let server = TestServer::builder().enforce_latest().start().await;
    prepare(&server).await;
    for version in [1, 99] {
        let refused = server.post("/submit/S", &fits_second().version(version).build()).await;
        let text = format!(
            "Must use the latest version '2' while enforceLatest=true, but using version '{version}' of analysisType \
             't' instead"
        );
        refused.assert_error(409, "SubmitService", "analysis.type.incorrect.version", &text);
    }
    server.submit(&fits_second().version(2)).await;
    server.submit(&fits_second()).await;
}
