//! Which catalogue an address means, by the layout of the folder.

use cantata_testkit::{Payload, TestCatalogues, TestServer, raw};
use http::Method;
use serde_json::{Value, json};

use crate::support::{base, data, documents, flat, folders, mapping, server};

const TOTAL: &str = "{ file { hits { total } } }";
const DOWNLOAD: &str = "{\"files\":[{\"columns\":[\"analysis\"]}]}";

async fn total(server: &TestServer, path: &str, document_type: &str) -> Value {
    let query = format!("{{ {document_type} {{ hits {{ total }} }} }}");
    data(&server.graphql(path, &query, &json!({})).await)[document_type]["hits"]["total"].take()
}

#[tokio::test]
async fn a_flat_folder_is_one_catalogue_at_graphql() {
    let server =
        TestServer::with_catalogues(flat(json!({"catalogId": "mine"})).file("ignored/base.json", &json!({}))).await;
    for path in ["/graphql", "/graphql/", "/graphql/Arranger-Table", "/graphql/a/b/c", "/mine/graphql", "/file/graphql"]
    {
        assert_eq!(total(&server, path, "file").await, 5, "{path}");
    }
    server.post_form("/download", &[("params", DOWNLOAD)]).await.assert_status(200);
    server.post_form("/mine/download", &[("params", DOWNLOAD)]).await.assert_status(200);
    assert_eq!(server.get("/introspection").await.ok()["catalogCount"], 1);
}

#[tokio::test]
async fn one_folder_is_one_catalogue_at_graphql() {
    let catalogues = TestCatalogues::new().file("only/base.json", &base(json!({})));
    let server = TestServer::with_catalogues(catalogues.index("files", &mapping(), documents())).await;
    assert_eq!(total(&server, "/graphql", "file").await, 5);
    let body = server.get("/introspection").await.ok();
    assert_eq!((&body["mode"], &body["catalogs"]["only"]["paths"]["graphql"]), (&json!("single"), &json!("/graphql")));
    server.post_form("/download", &[("params", DOWNLOAD)]).await.assert_status(200);
}

#[tokio::test]
async fn several_folders_are_catalogues_by_name() {
    let named = base(json!({"catalogId": "other", "documentType": "sample"}));
    let server = TestServer::with_catalogues(folders().file("delta/base.json", &named)).await;
    for (path, document_type) in [
        ("/alpha/graphql", "file"),
        ("/alpha/graphql/Arranger-Table", "file"),
        ("/alpha/graphql/", "file"),
        ("/beta/graphql", "file"),
        ("/gamma/graphql", "donor"),
        ("/donor/graphql", "donor"),
        ("/donor/graphql/Arranger-Table", "donor"),
        ("/other/graphql", "sample"),
        ("/sample/graphql", "sample"),
    ] {
        assert_eq!(total(&server, path, document_type).await, 5, "{path}");
    }
    let none = server.graphql("/delta/graphql", TOTAL, &json!({})).await;
    none.assert_status(404);
    assert_eq!(none.json(), json!({"error": "Catalogue \"delta\" was not found."}));
    for (path, status) in [("/file/graphql", 409), ("/file/graphql/x", 409), ("/nope/graphql", 404)] {
        assert_eq!(server.graphql(path, TOTAL, &json!({})).await.status, status, "{path}");
        assert_eq!(server.get(&format!("{path}?query=%7B__typename%7D")).await.status, status, "{path}");
    }
    for (path, status) in
        [("/alpha/download", 200), ("/donor/download", 200), ("/file/download", 409), ("/x/download", 404)]
    {
        assert_eq!(server.post_form(path, &[("params", DOWNLOAD)]).await.status, status, "{path}");
    }
    for path in ["/graphql", "/graphql/Arranger-Table", "/Arranger-Table", "/"] {
        let none = server.graphql(path, TOTAL, &json!({})).await;
        none.assert_status(404);
        for told in ["/alpha/graphql, /beta/graphql, ", "/gamma/graphql", "/introspection"] {
            assert!(none.json()["error"].as_str().unwrap().contains(told), "{path}: {}", none.text());
        }
    }
    let none = server.post_form("/download", &[("params", DOWNLOAD)]).await;
    none.assert_status(404);
    assert!(none.text().contains("/alpha/download"), "{}", none.text());
    server.get("/introspection/fields").await.assert_status(404);
}

#[tokio::test]
async fn a_failed_catalogue_stands_beside_good_ones() {
    let broken = base(json!({"documentType": "thing", "esIndex": "none"}));
    let catalogues = TestCatalogues::new()
        .file("bad/base.json", &broken)
        .file("good/base.json", &base(json!({})))
        .index("files", &mapping(), documents());
    let server = TestServer::with_catalogues(catalogues).await;
    assert_eq!(total(&server, "/good/graphql", "file").await, 5);
    for path in ["/bad/graphql", "/thing/graphql/Arranger-Table", "/bad/download"] {
        let failed = server.send(Method::POST, path, &[], Some(b"{}".to_vec())).await;
        failed.assert_status(404);
        let body = failed.json();
        assert_eq!((&body["catalogueId"], &body["status"]), (&json!("bad"), &json!("failed")), "{path}");
        assert_eq!(
            (&body["details"], &body["error"]["code"]),
            (&json!("/introspection/bad"), &json!("index_not_found"))
        );
    }
    // The layout makes the mode, not what happened to load.
    let one = TestCatalogues::new().text_file("bad/base.json", "no").file("good/base.json", &base(json!({})));
    let server = TestServer::with_catalogues(one.index("files", &mapping(), documents())).await;
    assert_eq!(total(&server, "/good/graphql", "file").await, 5);
    server.graphql("/graphql", TOTAL, &json!({})).await.assert_status(404);
}

#[tokio::test]
async fn a_failed_catalogue_alone_answers_at_its_addresses() {
    let server =
        TestServer::with_catalogues(TestCatalogues::new().text_file("base.json", "{\"documentType\": 5}")).await;
    let failed = server.graphql("/graphql", TOTAL, &json!({})).await;
    failed.assert_status(404);
    let message = failed.json()["error"]["message"].as_str().unwrap().to_owned();
    for part in ["base.json", "documentType", "5", "esIndex"] {
        assert!(message.contains(part), "{part}: {message}");
    }
    server.post_form("/download", &[("params", "{}")]).await.assert_status(404);
}

#[tokio::test]
async fn ids_that_are_addresses_of_the_server_fail() {
    let catalogues = TestCatalogues::new()
        .file("studies/base.json", &base(json!({})))
        .file("good/base.json", &base(json!({})))
        .index("files", &mapping(), documents());
    let server = TestServer::with_catalogues(catalogues).await;
    let body = server.get("/introspection").await.ok();
    assert_eq!(body["catalogs"]["studies"]["status"], "failed");
    assert_eq!(body["catalogs"]["good"]["status"], "available");
}

#[tokio::test]
async fn portals_may_leave_out_graphql_where_there_is_one_catalogue() {
    let server = server().await;
    for path in ["/", "/Arranger-Table", "/Arranger-fileAggregations"] {
        assert_eq!(total(&server, path, "file").await, 5, "{path}");
    }
    let home = server.get("/").await;
    assert_eq!((home.status, home.header("location")), (307, Some("/docs/index.html")));
    for path in ["/Arranger", "/arranger-Table", "/unknown", "/Arranger-Table/more"] {
        server.graphql(path, TOTAL, &json!({})).await.assert_error_id(404, "path.not.found");
    }
    server.get("/unknown").await.assert_error_id(404, "path.not.found");
}

#[tokio::test]
async fn configurations_are_compared_by_has_valid_config() {
    let server = server().await;
    let ask = async |arguments: &str| {
        server.graphql("/graphql", &format!("{{ hasValidConfig({arguments}) }}"), &json!({})).await
    };
    for (index, is_valid) in [("files", true), ("other", false)] {
        let answer = data(&ask(&format!("documentType: \"file\", index: \"{index}\"")).await);
        assert_eq!(answer, json!({"hasValidConfig": is_valid}));
    }
    for (arguments, message) in [
        ("documentType: \"thing\", index: \"files\"", "No index was found by the name/alias \"files\""),
        ("documentType: \"\", index: \"files\"", "This endpoint requires a \"Document Type\""),
    ] {
        assert_eq!(ask(arguments).await.ok()["errors"][0]["message"], message);
    }
    assert!(ask("documentType: \"file\", index: \"\"").await.ok()["errors"][0]["message"].is_string());
}

#[tokio::test]
async fn the_addresses_of_the_metadata_service_stay_its_own() {
    let server = server().await;
    for study in ["S", "graphql", "download", "introspection"] {
        server.create_study(study).await;
        assert_eq!(server.get(&format!("/studies/{study}")).await.ok()["studyId"], study);
    }
    server.submit(&Payload::new("S")).await;
    assert_eq!(server.get("/entities").await.ok()["totalElements"], 1);
    server.get("/schemas/graphql").await.assert_error_id(404, "analysis.type.not.found");
    server.get("/isAlive").await.assert_text(200, "true");
}

/// The names that no catalogue can have, and the paths that the portal's development server forwards, are those of the
/// routes.
#[tokio::test]
async fn the_first_segment_of_every_path_is_reserved() {
    let server = server().await;
    for segment in server.first_segments() {
        assert!(cantata_catalogue::is_own_address(segment), "{segment}");
    }
    let forwarded = include_str!("../../../../web/portal/server-paths.json");
    let forwarded: Vec<&str> = serde_json::from_str(forwarded).unwrap();
    // The portal itself is what the development server serves.
    let own = server.first_segments().iter().filter(|segment| !matches!(segment.as_str(), "assets" | "portal"));
    assert_eq!(forwarded, own.collect::<Vec<_>>());
}

/// Sends a request as it is written here.
async fn raw_request(server: &TestServer, method: &str, path: &str) -> raw::RawResponse {
    let query = json!({"query": TOTAL}).to_string();
    let body = match method {
        "POST" if path.ends_with("ownload") => DOWNLOAD,
        "POST" => query.as_str(),
        _ => "",
    };
    let request = raw::request(method, path.as_bytes(), &["content-type: application/json"], body.as_bytes());
    raw::exchange(server.address(), &request).await.unwrap()
}

#[tokio::test]
async fn addresses_of_the_search_service_do_not_depend_on_case() {
    let one = TestServer::with_catalogues(flat(json!({"catalogId": "mine"}))).await;
    for (method, path) in [
        ("POST", "/GraphQL"),
        ("POST", "/GRAPHQL/Arranger-Table"),
        ("POST", "/Mine/graphql"),
        ("POST", "/File/GraphQL/"),
        ("POST", "/Download"),
        ("GET", "/Introspection"),
        ("GET", "/Introspection/SQON"),
        ("GET", "/introspection/Fields"),
        ("GET", "/Introspection/MINE"),
        ("GET", "/Mine/Introspection"),
        ("GET", "/Ping"),
        ("GET", "/READY"),
    ] {
        assert_eq!(raw_request(&one, method, path).await.status, 200, "{method} {path}");
    }
    let several = TestServer::with_catalogues(folders()).await;
    for (path, status) in
        [("/Alpha/graphql", 200), ("/ALPHA/Download", 200), ("/File/graphql", 409), ("/x/GraphQL", 404)]
    {
        assert_eq!(raw_request(&several, "POST", path).await.status, status, "{path}");
    }
    // Names in the metadata service keep their case.
    one.create_study("GraphQL").await;
    assert_eq!(one.get("/studies/GraphQL").await.ok()["studyId"], "GraphQL");
    one.get("/studies/graphql").await.assert_status(404);
    assert_eq!(raw_request(&one, "GET", "/Studies/all").await.status, 404);
}

#[tokio::test]
async fn what_is_not_there_allows_no_method() {
    let server = server().await;
    for path in ["/nothing", "/nothing/here", "/Arranger-Table"] {
        let none = raw_request(&server, "GET", path).await;
        assert_eq!(none.status, 404, "{path}");
        assert!(!none.head.to_lowercase().contains("\r\nallow:"), "{path}: {}", none.head);
    }
}
