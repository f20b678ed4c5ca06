//! `/admin/catalogues/{id}/reload`, and changes that are followed without being told.

use std::time::Duration;

use cantata_testkit::{TestCatalogues, TestClient, TestServer, put_documents};
use http::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::{base, data, documents, flat, folders, mapping, matching};

/// How often a change is looked for until the test gives up.
const MAX_POLLS: usize = 1_200;

async fn reload(server: &TestServer, id: &str) -> cantata_testkit::TestResponse {
    server.send(Method::POST, &format!("/admin/catalogues/{id}/reload"), &[], None).await
}

/// Waits until something is as it should be.
async fn until(mut is_so: impl AsyncFnMut() -> bool) {
    for _ in 0..MAX_POLLS {
        if is_so().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("it did not come to pass");
}

#[tokio::test]
async fn a_reload_takes_in_the_configuration_and_the_mapping() {
    let server = TestServer::with_catalogues(folders()).await;
    server.write_config("alpha/base.json", &base(json!({"maxAliases": 99})).to_string());
    let unchanged = server.get("/introspection/alpha").await.ok();
    assert_eq!(unchanged["limits"]["maxAliases"], 15);
    let body = reload(&server, "alpha").await.ok();
    assert_eq!((&body["catalogId"], &body["limits"]["maxAliases"]), (&json!("alpha"), &json!(99)));
    assert_eq!(server.get("/introspection/alpha").await.ok(), body);
    put_documents(server.engine(), "files", [("f6".to_owned(), json!({"analysis": "A9", "fresh": "new"}))]).await;
    let body = reload(&server, "alpha").await.ok();
    assert!(body["fields"]["fresh"].is_object(), "{body}");
    let query = "{ file { aggregations(include_missing: false) { fresh { buckets { doc_count } } } } }";
    let answer = data(&server.graphql("/alpha/graphql", query, &json!({})).await);
    assert_eq!(answer["file"]["aggregations"]["fresh"]["buckets"], json!([{"doc_count": 1}]));
}

#[tokio::test]
async fn a_reload_of_a_broken_catalogue_fails_only_that_one() {
    let server = TestServer::with_catalogues(folders()).await;
    server.write_config("alpha/base.json", "{");
    let failed = reload(&server, "alpha").await;
    failed.assert_status(503);
    let failed = failed.json();
    assert_eq!((&failed["status"], &failed["catalogueId"]), (&json!("failed"), &json!("alpha")));
    assert_eq!(server.get("/ready").await.ok(), json!({"status": "degraded"}));
    server.graphql("/beta/graphql", "{ file { hits { total } } }", &json!({})).await.assert_status(200);
    server.write_config("alpha/base.json", &base(json!({})).to_string());
    assert_eq!(reload(&server, "alpha").await.ok()["catalogId"], "alpha");
    assert_eq!(server.get("/ready").await.ok(), json!({"status": "healthy"}));
}

#[tokio::test]
async fn a_reload_that_finds_nothing_leaves_everything_as_it_is() {
    let server = TestServer::with_catalogues(folders()).await;
    let unknown = reload(&server, "nope").await;
    unknown.assert_status(404);
    assert_eq!(unknown.json(), json!({"error": "Catalogue \"nope\" was not found."}));
    assert_eq!(reload(&server, "file").await.status, 409);
    for folder in ["alpha", "beta", "gamma"] {
        server.remove_config(folder);
    }
    let refused = reload(&server, "alpha").await;
    refused.assert_status(422);
    assert!(!refused.json()["problems"].as_array().unwrap().is_empty());
    server.graphql("/alpha/graphql", "{ file { hits { total } } }", &json!({})).await.assert_status(200);
}

#[tokio::test]
async fn an_index_that_comes_later_is_found_by_a_reload() {
    let server =
        TestServer::with_catalogues(folders().file("omega/base.json", &base(json!({"esIndex": "later"})))).await;
    assert_eq!(server.get("/introspection/omega").await.json()["status"], "failed");
    server.engine().create_index("later", Some(&mapping())).await.unwrap();
    assert_eq!(reload(&server, "omega").await.ok()["catalogId"], "omega");
}

#[tokio::test]
async fn an_index_that_is_gone_leaves_what_is_known_and_no_success() {
    let server = TestServer::with_catalogues(folders()).await;
    let before = server.get("/introspection/alpha").await.ok();
    server.engine().delete_index("files").await.unwrap();
    reload(&server, "alpha").await.assert_status(503);
    for path in ["/introspection/alpha", "/alpha/introspection"] {
        let failed = server.get(path).await;
        failed.assert_status(503);
        let body = failed.json();
        assert_eq!((&body["status"], &body["error"]["code"]), (&json!("failed"), &json!("index_not_found")), "{path}");
        assert_eq!((&body["catalogId"], &body["fields"]), (&json!("alpha"), &before["fields"]), "{path}");
    }
}

#[tokio::test]
async fn changed_files_are_followed() {
    let server = TestServer::with_catalogues(flat(json!({})).watched()).await;
    let limit = async || server.get("/introspection/fields").await.json()["limits"]["maxDepth"].clone();
    assert_eq!(limit().await, 20);
    server.write_config("base.json", &base(json!({"maxDepth": 21})).to_string());
    until(async || limit().await == 21).await;
    // A broken file fails the catalogue, and it comes back once the file is corrected.
    server.write_config("base.json", "{");
    until(async || server.get("/ready").await.status == 503).await;
    server.write_config("base.json", &base(json!({"maxDepth": 23})).to_string());
    until(async || server.get("/ready").await.status == 200 && limit().await == 23).await;
}

#[tokio::test]
async fn new_folders_and_changed_mappings_are_followed() {
    let server = TestServer::with_catalogues(folders().watched()).await;
    server.write_config("delta/base.json", &base(json!({"documentType": "sample"})).to_string());
    until(async || server.get("/introspection/delta").await.status == 200).await;
    server.remove_config("beta");
    until(async || server.get("/introspection/beta").await.status == 404).await;
    put_documents(server.engine(), "files", [("f6".to_owned(), json!({"fresh": 1}))]).await;
    until(async || server.get("/introspection/alpha").await.ok()["fields"]["fresh"].is_object()).await;
}

#[tokio::test]
async fn a_folder_that_is_empty_is_followed_until_it_has_catalogues() {
    let catalogues = TestCatalogues::new().index("files", &mapping(), documents()).watched();
    let server = TestServer::with_catalogues(catalogues).await;
    let directory = server.get("/introspection").await.ok();
    assert_eq!((&directory["catalogCount"], &directory["status"]), (&json!(0), &json!("unhealthy")));
    server.get("/ready").await.assert_status(503);
    let ask = async || server.graphql("/graphql", "{ file { hits { total } } }", &json!({})).await;
    let none = ask().await;
    none.assert_status(404);
    assert!(none.json()["error"].as_str().unwrap().contains("CONFIGS_PATH"), "{}", none.text());
    server.write_config("alpha/base.json", &base(json!({})).to_string());
    until(async || server.get("/ready").await.status == 200).await;
    assert_eq!(data(&ask().await)["file"]["hits"]["total"], 5);
    // A second one moves the address, which says where it is.
    server.write_config("beta/base.json", &base(json!({})).to_string());
    until(async || ask().await.status == 404).await;
    assert!(ask().await.json()["error"].as_str().unwrap().contains("/alpha/graphql, /beta/graphql"));
}

#[tokio::test]
async fn an_index_that_is_deleted_is_missed_and_found_again() {
    let server = TestServer::with_catalogues(folders().watched()).await;
    let ask = async || server.graphql("/alpha/graphql", "{ file { hits { total } } }", &json!({})).await;
    server.engine().delete_index("files").await.unwrap();
    let shown = async || server.get("/introspection/alpha").await.json()["error"]["code"].clone();
    until(async || shown().await == "index_not_found").await;
    let answer = ask().await.ok();
    assert_eq!(answer["errors"][0]["extensions"]["code"], "INTERNAL_SERVER_ERROR", "{answer}");
    server.engine().create_index("files", Some(&mapping())).await.unwrap();
    until(async || shown().await.is_null()).await;
    assert_eq!(data(&ask().await)["file"]["hits"]["total"], 0);
}

#[tokio::test]
async fn a_request_under_way_finishes_on_the_catalogue_it_began_with() {
    let server = TestServer::with_catalogues(flat(json!({"catalogId": "mine"}))).await;
    let body = json!({"query": "{ file { hits { total } } }"}).to_string();
    let mut stream = TcpStream::connect(server.address()).await.unwrap();
    let head = format!(
        "POST /graphql HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nexpect: 100-continue\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    // The server asks for the body once it has found the catalogue.
    let mut interim = [0; 25];
    stream.read_exact(&mut interim).await.unwrap();
    assert_eq!(&interim, b"HTTP/1.1 100 Continue\r\n\r\n");
    server.write_config("base.json", &base(json!({"catalogId": "mine", "documentType": "thing"})).to_string());
    assert_eq!(reload(&server, "mine").await.ok()["documentType"], "thing");
    server.graphql("/graphql", "{ file { hits { total } } }", &json!({})).await.assert_status(400);
    stream.write_all(body.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let answer: Value = serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    assert_eq!(answer, json!({"data": {"file": {"hits": {"total": 5}}}}));
}

#[tokio::test]
async fn no_request_fails_while_catalogues_are_reloaded() {
    let server = TestServer::with_catalogues(folders()).await;
    let client: TestClient = (*server).clone();
    let asking: Vec<_> = (0..4)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move {
                for _ in 0..50 {
                    let answer = client.graphql("/alpha/graphql", "{ file { hits { total } } }", &json!({})).await;
                    assert_eq!(data(&answer)["file"]["hits"]["total"], 5);
                }
            })
        })
        .collect();
    for depth in 0..20 {
        server.write_config("alpha/base.json", &base(json!({"maxDepth": 10 + depth})).to_string());
        assert_eq!(reload(&server, "alpha").await.ok()["limits"]["maxDepth"], 10 + depth);
    }
    for task in asking {
        task.await.unwrap();
    }
}

#[tokio::test]
async fn documents_change_while_they_are_searched() {
    let server = TestServer::with_catalogues(flat(json!({}))).await;
    let everything = json!(null);
    assert_eq!(matching(&server, &everything).await.len(), documents().len());
    put_documents(server.engine(), "files", [("f9".to_owned(), json!({"analysis": "A9"}))]).await;
    assert_eq!(matching(&server, &everything).await.len(), documents().len() + 1);
}
