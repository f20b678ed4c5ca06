//! The official clients of Elasticsearch 7 and OpenSearch, for Node and for Python.

use std::path::Path;

use cantata_testkit::TestServer;
use serde_json::json;

use crate::support::count;

#[tokio::test(flavor = "multi_thread")]
async fn official_clients_fill_indexes() {
    let server = TestServer::start().await;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../clients/es-compat/run");
    let output = std::process::Command::new(script).arg(server.base()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for (alias, documents) in
        [("js-elasticsearch", 1001), ("js-opensearch", 1001), ("py-elasticsearch", 501), ("py-opensearch", 501)]
    {
        assert_eq!(count(&server, alias).await, json!(documents), "{alias}");
    }
}
