//! A server below a path of another site: the proxy removes the path, and addresses in answers have it.

use cantata_testkit::TestServer;
use cantata_testkit::raw::{self, RawResponse};
use serde_json::{Value, json};

use crate::support::flat;

/// Asks as a browser does behind a proxy of this name.
async fn get(server: &TestServer, host: &str, path: &str) -> RawResponse {
    let headers = ["accept: text/html,*/*;q=0.8", "x-forwarded-proto: https"];
    let request = String::from_utf8(raw::request("GET", path.as_bytes(), &headers, b"")).unwrap();
    let request = request.replace("host: localhost", &format!("host: {host}"));
    raw::exchange(server.address(), request.as_bytes()).await.unwrap()
}

fn text(response: &RawResponse) -> String {
    String::from_utf8_lossy(&response.body).into_owned()
}

#[tokio::test]
async fn addresses_in_answers_have_the_path_of_the_public_address() {
    let builder = TestServer::builder().public_url("https://www.example/data/catalogue,https://cantata.example");
    let server = builder.catalogues(flat(json!({}))).start().await;
    for (host, base_path) in [("www.example", "/data/catalogue"), ("cantata.example", ""), ("127.0.0.1:5050", "")] {
        for page in ["/", "/portal", "/portal/explore/files", "/portal/record/files/a%2Fb"] {
            let page = text(&get(&server, host, page).await);
            assert!(page.contains(&format!("src=\"{base_path}/assets/portal/")), "{host}: {page}");
        }
        let graphiql = text(&get(&server, host, "/graphql").await);
        assert!(graphiql.contains(&format!("src=\"{base_path}/assets/graphiql/")), "{host}: {graphiql}");
        let documentation = get(&server, host, "/docs").await.head;
        assert!(documentation.contains(&format!("location: {base_path}/docs/index.html\r\n")), "{documentation}");
        let document = get(&server, host, "/openapi.json").await.json();
        let expected = if base_path.is_empty() { Value::Null } else { json!([{"url": base_path}]) };
        assert_eq!(document["servers"], expected, "{host}");
        let error = get(&server, host, "/studies/none?x=1").await.json();
        assert_eq!(error["requestUrl"], format!("https://{host}{base_path}/studies/none?x=1"));
    }
}
