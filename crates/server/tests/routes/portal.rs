//! The pages of the portal, and their files.

use cantata_testkit::TestServer;
use cantata_testkit::raw::{self, RawResponse};

/// Asks as a browser does. Pages are no part of the OpenAPI document.
async fn get(server: &TestServer, target: &str) -> RawResponse {
    let headers = ["accept: text/html,application/xhtml+xml,*/*;q=0.8"];
    raw::exchange(server.address(), &raw::request("GET", target.as_bytes(), &headers, b"")).await.unwrap()
}

#[tokio::test]
async fn pages_load_only_what_is_the_servers_own_and_stand_in_no_frame() {
    let server = TestServer::start().await;
    for path in ["/", "/portal", "/portal/studies/S", "/portal/%3Cscript%3E"] {
        let page = get(&server, path).await;
        assert_eq!(page.status, 200, "{path}");
        let header = |name: &str| {
            let mut headers = page.head.lines().filter_map(|line| line.split_once(": "));
            headers.find(|(given, _)| *given == name).map(|(_, value)| value)
        };
        assert_eq!(header("content-type"), Some("text/html; charset=utf-8"), "{path}");
        let policy = header("content-security-policy").unwrap();
        let directives: Vec<&str> = policy.split("; ").collect();
        for directive in [
            "default-src 'none'",
            "script-src 'self'",
            "connect-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
            "frame-ancestors 'none'",
        ] {
            assert!(directives.contains(&directive), "{path}: {directive} is not in {policy}");
        }
        assert!(!policy.contains("unsafe"), "{policy}");
        // What is searched for is part of the address.
        assert_eq!(header("referrer-policy"), Some("same-origin"), "{path}");
        assert_eq!(header("x-content-type-options"), Some("nosniff"), "{path}");
        assert!(!String::from_utf8(page.body).unwrap().contains("<script>"), "{path}");
    }
}

#[tokio::test]
async fn names_of_files_lead_to_no_other_file() {
    let server = TestServer::start().await;
    for name in ["none.js", "..%2f..%2fCargo.toml", "..", "%2fetc%2fpasswd", "%00", "files.rs", ""] {
        assert_eq!(get(&server, &format!("/assets/portal/{name}")).await.status, 404, "{name}");
    }
}
