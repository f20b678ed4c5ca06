//! `/admin/catalogues/{id}/display`: what a catalogue shows at first, saved in its files.

use cantata_catalogue::ConfigDefaults;
use cantata_testkit::{TestCatalogues, TestResponse, TestServer};
use http::Method;
use serde_json::{Value, json};

use crate::support::{data, documents, flat, folders, mapping};

async fn save(server: &TestServer, id: &str, body: &str) -> TestResponse {
    let path = format!("/admin/catalogues/{id}/display");
    server.send(Method::PUT, &path, &[("content-type", "application/json")], Some(body.as_bytes().to_vec())).await
}

/// Returns the configuration of facets and table as portals read it.
async fn shown(server: &TestServer, path: &str) -> Value {
    let query = "{ file { configs { facets { aggregations { fieldName displayName isActive show } } table { \
                 columns { fieldName show sortable } defaultSorting { fieldName desc } } } } }";
    data(&server.graphql(path, query, &json!({})).await)["file"]["configs"].take()
}

fn names(entries: &Value, mark: &str) -> Vec<String> {
    let entries = entries.as_array().unwrap().iter();
    entries.filter(|entry| entry[mark] == true).map(|entry| entry["fieldName"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn what_is_saved_is_shown_and_entries_keep_what_they_say() {
    let server = TestServer::with_catalogues(flat(json!({"catalogId": "mine"}))).await;
    server.write_config(
        "facets.json",
        &json!({"facets": {"aggregations": [
            {"fieldName": "donors__gender", "displayName": "Sex", "isActive": true, "show": false},
            {"fieldName": "size", "isActive": true, "show": true},
        ]}})
        .to_string(),
    );
    let choice = json!({
        "facets": ["tags", "donors.gender"],
        "columns": ["name", "quality", "analysis"],
        "sorting": [{"fieldName": "quality", "desc": true}, {"fieldName": "analysis"}],
    });
    assert_eq!(save(&server, "mine", &choice.to_string()).await.ok()["catalogId"], "mine");
    let configs = shown(&server, "/graphql").await;
    let facets = &configs["facets"]["aggregations"];
    assert_eq!(names(facets, "isActive"), ["tags", "donors__gender"]);
    let gender = facets.as_array().unwrap().iter().find(|facet| facet["fieldName"] == "donors__gender").unwrap();
    assert_eq!((&gender["displayName"], &gender["show"]), (&json!("Sex"), &json!(false)));
    let columns = &configs["table"]["columns"];
    assert_eq!(names(columns, "show"), ["name", "quality", "analysis"]);
    assert_eq!(names(columns, "sortable"), ["quality", "analysis"], "not a text");
    let left_out: Vec<&Value> = columns.as_array().unwrap().iter().filter(|column| column["show"] == false).collect();
    assert_eq!(left_out.len(), 2, "{columns}");
    let sorting = json!([{"fieldName": "quality", "desc": true}, {"fieldName": "analysis", "desc": false}]);
    assert_eq!(configs["table"]["defaultSorting"], sorting);
    // It is in the files, and another choice changes only what it names.
    save(&server, "mine", r#"{"facets": []}"#).await.assert_status(200);
    let configs = shown(&server, "/graphql").await;
    assert!(names(&configs["facets"]["aggregations"], "isActive").is_empty());
    assert_eq!(names(&configs["table"]["columns"], "show"), ["name", "quality", "analysis"]);
}

#[tokio::test]
async fn a_choice_that_does_not_fit_changes_nothing() {
    let server = TestServer::with_catalogues(folders()).await;
    let before = shown(&server, "/alpha/graphql").await;
    for (body, problem) in [
        (r#"{"facets": ["nope"]}"#, r#"request, `facets[0]`: found "nope", expected a field that can be counted"#),
        (r#"{"facets": ["tags", "tags"]}"#, r#"request, `facets[1]`: found "tags" a second time"#),
        (r#"{"facets": ["donors"]}"#, "facets[0]"),
        (
            r#"{"facets": ["tags", "name"]}"#,
            "`facets[1]`: found \"name\", expected a field that can be counted; of a text",
        ),
        (r#"{"columns": ["size", "donors"]}"#, "columns[1]"),
        (r#"{"columns": []}"#, "at least one field"),
        (r#"{"sorting": [{"fieldName": "name"}]}"#, "sorting[0]"),
        (r#"{"charts": []}"#, "unknown field `charts`"),
        ("[", "EOF"),
    ] {
        let refused = save(&server, "alpha", body).await;
        refused.assert_status(422);
        assert!(refused.json()["problems"][0].as_str().unwrap().contains(problem), "{}", refused.text());
    }
    save(&server, "nope", r#"{"facets": ["tags"]}"#).await.assert_status(404);
    assert_eq!(shown(&server, "/alpha/graphql").await, before);
}

#[tokio::test]
async fn a_list_stays_in_the_file_that_has_it_and_other_catalogues_stay_as_they_are() {
    let server = TestServer::with_catalogues(folders()).await;
    let other = shown(&server, "/beta/graphql").await;
    let whole = json!({
        "documentType": "file", "esIndex": "files", "maxDepth": 20, "description": "The first",
        "facets": {"aggregations": [{"fieldName": "size", "isActive": true}]},
    });
    server.write_config("alpha/base.json", &whole.to_string());
    save(&server, "alpha", r#"{"facets": ["tags"], "columns": ["size"]}"#).await.assert_status(200);
    // A second list in another file would be a problem of the configuration.
    let now = server.get("/introspection/alpha").await.ok();
    assert_eq!((&now["description"], &now["limits"]["maxDepth"]), (&json!("The first"), &json!(20)));
    let configs = shown(&server, "/alpha/graphql").await;
    assert_eq!(names(&configs["facets"]["aggregations"], "isActive"), ["tags"]);
    assert_eq!(names(&configs["table"]["columns"], "show"), ["size"]);
    assert_eq!(shown(&server, "/beta/graphql").await, other);
}

#[tokio::test]
async fn a_save_that_was_interrupted_is_finished_as_a_whole() {
    let facets = json!({"facets": {"aggregations": [{"fieldName": "tags", "isActive": true}]}}).to_string();
    let table = json!({"table": {"columns": [{"fieldName": "quality", "show": true}]}}).to_string();
    let begun =
        json!({"facets.json": {"before": "{}", "after": facets}, "table.json": {"before": "{}", "after": table}});
    let catalogues = flat(json!({"catalogId": "mine"})).file("facets.json", &json!({})).file("table.json", &json!({}));
    let server = TestServer::with_catalogues(catalogues.file(".changes", &begun)).await;
    let configs = shown(&server, "/graphql").await;
    assert_eq!(names(&configs["facets"]["aggregations"], "isActive"), ["tags"]);
    assert_eq!(names(&configs["table"]["columns"], "show"), ["quality"]);
    // It is not done a second time.
    save(&server, "mine", r#"{"facets": ["size"], "columns": ["name"]}"#).await.assert_status(200);
    save(&server, "mine", r#"{"sorting": [{"fieldName": "size"}]}"#).await.assert_status(200);
    let configs = shown(&server, "/graphql").await;
    assert_eq!(names(&configs["facets"]["aggregations"], "isActive"), ["size"]);
    assert_eq!(names(&configs["table"]["columns"], "show"), ["name"]);
}

#[tokio::test]
async fn a_catalogue_that_only_variables_configure_keeps_its_id() {
    let defaults =
        ConfigDefaults { index: Some("files".into()), document_type: Some("file".into()), ..ConfigDefaults::default() };
    let catalogues = TestCatalogues::new().index("files", &mapping(), documents()).defaults(defaults);
    let server = TestServer::with_catalogues(catalogues).await;
    let id = server.get("/introspection/file").await.ok()["catalogId"].as_str().unwrap().to_owned();
    let saved = save(&server, &id, r#"{"facets": ["tags", "size"]}"#).await.ok();
    assert_eq!(saved["catalogId"], json!(id));
    let configs = shown(&server, "/graphql").await;
    assert_eq!(names(&configs["facets"]["aggregations"], "isActive"), ["tags", "size"]);
}
