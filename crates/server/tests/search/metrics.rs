//! What `/metrics` says about catalogues.

use cantata_testkit::TestServer;
use serde_json::json;

use crate::support::{base, folders};

#[tokio::test]
async fn searches_and_indexes_are_told_of_by_catalogue() {
    let server = TestServer::with_catalogues(folders()).await;
    for query in ["{__typename}", "{__typename}", "{nothing}"] {
        server.graphql("/alpha/graphql", query, &json!({})).await;
    }
    let line = |text: &str, start: &str| text.lines().any(|line| line == start);
    let text = server.get("/metrics").await.text().to_owned();
    for expected in [
        r#"cantata_searches_total{catalogue="alpha"} 2"#,
        r#"cantata_searches_refused_total{catalogue="alpha"} 1"#,
        r#"cantata_searches_failed_total{catalogue="alpha"} 0"#,
        r#"cantata_index_documents{catalogue="alpha"} 5"#,
        r#"cantata_index_maintenance_failing{catalogue="alpha"} 0"#,
        "cantata_jobs_running 0",
    ] {
        assert!(line(&text, expected), "{expected} in {text}");
    }
    // What the engine cannot answer within its limits is no failure of the server.
    let too_fine = "{ file { aggregations { size { histogram(interval: 0.0000001) { buckets { key } } } } } }";
    server.graphql("/beta/graphql", too_fine, &json!({})).await.assert_status(200);
    let counted = server.get("/metrics").await.text().to_owned();
    for expected in
        [r#"cantata_searches_total{catalogue="beta"} 1"#, r#"cantata_searches_failed_total{catalogue="beta"} 0"#]
    {
        assert!(line(&counted, expected), "{expected} in {counted}");
    }
    // What was counted is not forgotten when the configuration changes.
    server.write_config("alpha/base.json", &base(json!({"maxAliases": 99})).to_string());
    server.send(http::Method::POST, "/admin/catalogues/alpha/reload", &[], None).await.assert_status(200);
    let text = server.get("/metrics").await.text().to_owned();
    assert!(line(&text, r#"cantata_searches_total{catalogue="alpha"} 2"#), "{text}");
}
