//! `/admin/indexes`: making, filling, checking and removing indexes.

use cantata_testkit::{TestResponse, TestServer};
use http::Method;
use serde_json::{Value, json};

const FILES: &str = "/admin/indexes/files";

async fn server_with_index() -> TestServer {
    let server = TestServer::start().await;
    server.put_empty(FILES).await.assert_status(201);
    server
}

async fn import(server: &TestServer, query: &str, lines: &str) -> TestResponse {
    let headers = [("content-type", "application/x-ndjson")];
    server.send(Method::POST, &format!("{FILES}/import{query}"), &headers, Some(lines.into())).await
}

async fn documents(server: &TestServer) -> Value {
    server.get(FILES).await.ok()["documents"].clone()
}

#[tokio::test]
async fn an_index_is_made_listed_and_removed() {
    let server = TestServer::start().await;
    assert_eq!(server.get("/admin/indexes").await.ok(), json!([]));
    let mapping = json!({"properties": {"size": {"type": "long"}, "donors": {"type": "nested", "properties": {
        "age": {"type": "integer"}}}}});
    let made = server.put(FILES, &mapping).await;
    made.assert_status(201);
    let made = made.json();
    let figures = json!({"name": "files", "documents": 0, "deleted": 0, "segments": 0, "bytes": made["bytes"],
        "fields": 2});
    assert_eq!(made, figures);
    assert_eq!(server.get(FILES).await.ok(), figures);
    assert_eq!(server.get(&format!("{FILES}/mapping")).await.ok(), mapping);
    server.put_empty("/admin/indexes/donors").await.assert_status(201);
    let listed = server.get("/admin/indexes").await.ok();
    let names: Vec<&Value> = listed.as_array().unwrap().iter().map(|index| &index["name"]).collect();
    assert_eq!(names, ["donors", "files"]);
    server.delete(FILES).await.assert_status(204);
    assert_eq!(server.get("/admin/indexes").await.ok().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn unusable_names_and_mappings_are_refused() {
    let server = server_with_index().await;
    server.put_empty(FILES).await.assert_error_id(409, "index.already.exists");
    for name in ["%20", ".hidden", "a%2Fb", "..%2Fup", &"n".repeat(300)] {
        let path = format!("/admin/indexes/{name}");
        server.put_empty(&path).await.assert_error_id(400, "illegal.index.request");
        server.delete(&path).await.assert_error_id(404, "index.not.found");
    }
    for mapping in [json!([]), json!({"properties": {"a": {"type": 5}}}), json!({"properties": 5})] {
        server.put("/admin/indexes/other", &mapping).await.assert_error_id(400, "illegal.index.request");
    }
    let text = server.send(Method::PUT, "/admin/indexes/other", &[], Some(b"{".to_vec())).await;
    text.assert_error_id(400, "malformed.request.body");
    assert_eq!(server.get("/admin/indexes").await.ok().as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn everything_asked_of_no_index_is_not_found() {
    let server = TestServer::start().await;
    let name = "/admin/indexes/none";
    for path in [name.to_owned(), format!("{name}/mapping"), format!("{name}/import?source=a")] {
        server.get(&path).await.assert_error_id(404, "index.not.found");
    }
    for path in [format!("{name}/import"), format!("{name}/compact"), format!("{name}/verify")] {
        let answer = server.send(Method::POST, &path, &[], Some(b"{}".to_vec())).await;
        answer.assert_error_id(404, "index.not.found");
    }
    server.delete(&format!("{name}/import?source=a")).await.assert_error_id(404, "index.not.found");
}

#[tokio::test]
async fn lines_are_taken_or_refused_one_by_one() {
    let server = server_with_index().await;
    let lines = "{\"_id\":\"a\",\"n\":1}\n\n  \r\n{\"n\":\n{\"n\":\"x\"}\n[1]\n{\"n\":2}\r\n{\"_id\":\"a\",\"n\":3}";
    let report = import(&server, "?line=10&source=s&end=99", lines).await.ok();
    assert_eq!(report["taken"], 2);
    let refused: Vec<(&Value, &Value)> =
        report["refused"].as_array().unwrap().iter().map(|refusal| (&refusal["source"], &refusal["line"])).collect();
    assert_eq!(refused, [13, 14, 15].map(|line| (json!("s"), json!(line))).each_ref().map(|(s, l)| (s, l)));
    assert_eq!(documents(&server).await, 2);
    for lines in ["", "\n\n", "nothing\n"] {
        assert_eq!(import(&server, "", lines).await.ok()["taken"], 0);
    }
    assert_eq!(documents(&server).await, 2);
}

#[tokio::test]
async fn the_id_comes_from_the_document_the_field_or_the_server() {
    let server = server_with_index().await;
    let lines = "{\"_id\":\"a\",\"key\":\"b\"}\n{\"key\":\"c\"}\n{\"other\":1}\n";
    let report = import(&server, "?id=key", lines).await.ok();
    assert_eq!((&report["taken"], report["refused"].as_array().unwrap().len()), (&json!(2), 1));
    import(&server, "?id=key", "{\"_id\":\"c\"}\n{\"key\":\"a\"}\n").await.ok();
    assert_eq!(documents(&server).await, 2);
    // Of the same source the same line has the same id; requests that name none are different sources.
    for (query, expected) in [("?source=s", 3), ("?source=s", 3), ("?source=s&line=2", 4), ("", 5), ("", 6)] {
        import(&server, query, "{\"n\":1}\n").await.ok();
        assert_eq!(documents(&server).await, expected, "{query}");
    }
}

#[tokio::test]
async fn the_position_is_kept_until_the_import_ends() {
    let server = server_with_index().await;
    let path = format!("{FILES}/import?source=%2Ftmp%2Fa+b");
    assert_eq!(server.get(&path).await.ok(), json!({"position": 0}));
    import(&server, "?source=%2Ftmp%2Fa+b&end=1234", "{}\n").await.ok();
    assert_eq!(server.get(&path).await.ok(), json!({"position": 1234}));
    assert_eq!(server.get(&format!("{FILES}/import?source=other")).await.ok(), json!({"position": 0}));
    server.delete(&path).await.assert_status(204);
    assert_eq!(server.get(&path).await.ok(), json!({"position": 0}));
    for query in ["?source=", ""] {
        let missing = server.get(&format!("{FILES}/import{query}")).await;
        missing.assert_error_id(400, "malformed.parameter");
    }
    for query in ["?end=x", "?line=0", "?line=-1"] {
        import(&server, query, "{}\n").await.assert_error_id(400, "malformed.parameter");
    }
}

#[tokio::test]
async fn compacting_drops_what_was_replaced_and_all_stays_sound() {
    let server = server_with_index().await;
    for round in 0..3 {
        let lines: String = (0..50).map(|id| format!("{{\"_id\":\"{id}\",\"round\":{round}}}\n")).collect();
        import(&server, "", &lines).await.ok();
    }
    let compact = server.send(Method::POST, &format!("{FILES}/compact"), &[], None).await.ok();
    assert_eq!((&compact["documents"], &compact["deleted"], &compact["segments"]), (&json!(50), &json!(0), &json!(1)));
    let verified = server.send(Method::POST, &format!("{FILES}/verify"), &[], None).await.ok();
    assert_eq!(verified, json!({"problems": []}));
}

#[tokio::test]
async fn imports_at_the_same_time_keep_the_fields_of_each_other() {
    let server = server_with_index().await;
    let lines = |field: &str| -> String { (0..500).map(|number| format!("{{\"{field}\": {number}}}\n")).collect() };
    for round in 0..5 {
        let fields = ["a", "b", "c", "d"].map(|name| format!("{name}{round}"));
        let imports = fields.each_ref().map(|field| {
            let lines = lines(field);
            let server = &server;
            async move { import(server, "", &lines).await.ok() }
        });
        let [one, two, three, four] = imports;
        tokio::join!(one, two, three, four);
        let mapping = server.get(&format!("{FILES}/mapping")).await.ok();
        for field in fields {
            assert_eq!(mapping["properties"][&field]["type"], "long", "{field} in round {round}");
        }
    }
}

#[tokio::test]
async fn a_part_that_is_too_large_is_refused_whole() {
    let server = server_with_index().await;
    let lines = "{\"a\":1}\n".repeat(11 << 20);
    import(&server, "", &lines).await.assert_error_id(413, "payload.too.large");
    assert_eq!(documents(&server).await, 0);
}
