//! A server that checks nothing.

use cantata_access::AuditLog;
use cantata_server::AccessControl;
use cantata_testkit::TestServer;
use http::Method;
use tempfile::TempDir;

#[tokio::test]
async fn without_authentication_credentials_are_not_looked_at_and_writing_is_kept() {
    let folder = TempDir::new().unwrap();
    let access = AccessControl { audit: Some(AuditLog::in_folder(folder.path())), ..AccessControl::default() };
    let server = TestServer::builder().access(access).start().await;
    let headers = [("authorization", "Bearer whatever"), ("content-type", "application/json")];
    server
        .send(Method::POST, "/studies/ABC", &headers, Some(b"{\"studyId\":\"ABC\"}".to_vec()))
        .await
        .assert_status(200);
    server.send(Method::GET, "/admin/indexes", &headers, None).await.assert_status(200);
    let text = std::fs::read_to_string(folder.path().join("audit.log")).unwrap();
    assert_eq!(text.lines().count(), 1);
    assert!(text.contains("\"how\":\"not checked\"") && !text.contains("whatever"), "{text}");
}
