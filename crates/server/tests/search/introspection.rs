//! `/introspection` and below.

use cantata_testkit::{TestCatalogues, TestServer};
use serde_json::{Value, json};

use crate::support::{base, flat, folders, mapping, server};

#[tokio::test]
async fn one_catalogue_is_listed_without_its_name_in_the_paths() {
    let server = TestServer::with_catalogues(flat(json!({"catalogId": "mine", "maxAliases": 3}))).await;
    let limits = json!({"maxAliases": 3, "maxDepth": 20, "maxCost": 10_000_000, "maxResponseBytes": 268_435_456,
        "maxResultsWindow": 10000});
    assert_eq!(
        server.get("/introspection").await.ok(),
        json!({"catalogCount": 1, "catalogs": {"mine": {"documentType": "file", "limits": limits, "paths": {
            "fields": "/introspection/fields", "graphql": "/graphql", "introspection": "/introspection/mine"},
            "status": "available"}}, "mode": "single", "sqonSchemaPath": "/introspection/sqon", "status": "healthy"})
    );
    assert_eq!(server.get("/introspection/").await.status, 200);
}

#[tokio::test]
async fn several_catalogues_are_listed_in_their_order_whether_they_work_or_not() {
    let broken = base(json!({"documentType": "thing", "esIndex": "none"}));
    let catalogues = folders().file("omega/base.json", &broken).text_file("psi/base.json", "{");
    let server = TestServer::with_catalogues(catalogues).await;
    let body = server.get("/introspection").await.ok();
    let ids: Vec<&String> = body["catalogs"].as_object().unwrap().keys().collect();
    assert_eq!(ids, ["alpha", "beta", "gamma", "omega", "psi"]);
    assert_eq!(
        (&body["catalogCount"], &body["mode"], &body["status"]),
        (&json!(5), &json!("multiple"), &json!("degraded"))
    );
    assert_eq!(body["catalogs"]["alpha"]["description"], "The first");
    assert_eq!(body["catalogs"]["beta"].get("description"), None);
    assert_eq!(
        body["catalogs"]["alpha"]["paths"],
        json!({"graphql": "/alpha/graphql", "introspection": "/introspection/alpha"})
    );
    let failed = &body["catalogs"]["omega"];
    assert_eq!((&failed["status"], &failed["error"]["code"]), (&json!("failed"), &json!("index_not_found")));
    assert_eq!(body["catalogs"]["psi"]["error"]["code"], "unknown_error");
    let message = body["catalogs"]["psi"]["error"]["message"].as_str().unwrap();
    assert!(message.contains("base.json"), "{message}");
}

#[tokio::test]
async fn the_fields_of_a_catalogue_are_listed() {
    let server = server().await;
    let body = server.get("/introspection/fields").await.ok();
    assert_eq!(body["documentType"], "file");
    let fields: Vec<&String> = body["fields"].as_object().unwrap().keys().collect();
    let in_order = ["analysis", "created", "donors", "donors.age", "donors.donor_id", "donors.gender"];
    assert_eq!(fields[..6], in_order);
    assert_eq!(body["fields"]["donors"]["type"], "nested");
    assert_eq!(body["fields"]["size"], json!({"displayName": "Size", "type": "long", "unit": "bytes"}));
    assert_eq!(body["fields"]["donors.gender"]["displayName"], "Gender");
    assert_eq!(body["fields"]["donors.age"]["unit"], Value::Null);
    assert_eq!(body["fields"]["file.format"]["displayName"], "File Format");
    assert_eq!(body["fields"]["name.keyword"]["multiFieldOf"], "name");
    let range = ["in", "not-in", "gt", "gte", "lt", "lte", "between"];
    for type_name in ["long", "integer", "double", "date"] {
        let operators: Vec<&str> =
            body["operators"][type_name].as_array().unwrap().iter().map(|op| op.as_str().unwrap()).collect();
        assert!(range.iter().all(|op| operators.contains(op)), "{type_name}: {operators:?}");
    }
    assert_eq!(body["meta"], json!({"authFiltered": false}));
    let id = body["catalogId"].as_str().unwrap();
    assert!(!id.is_empty());
    let mut again = server.get(&format!("/introspection/{id}")).await.ok();
    assert_eq!(again["generatedAt"].take(), body["generatedAt"]);
    for path in ["/introspection/file".to_owned(), format!("/{id}/introspection"), "/file/introspection".to_owned()] {
        assert_eq!(server.get(&path).await.ok(), body, "{path}");
    }
}

#[tokio::test]
async fn a_name_leads_to_one_catalogue_to_several_or_to_none() {
    let server = TestServer::with_catalogues(folders()).await;
    for form in ["/introspection/{}", "/{}/introspection"] {
        let get = async |name: &str| server.get(&form.replace("{}", name)).await;
        assert_eq!(get("alpha").await.ok()["catalogId"], "alpha");
        assert_eq!(get("donor").await.ok()["catalogId"], "gamma");
        let several = get("file").await;
        several.assert_status(409);
        let message = "documentType \"file\" matches multiple catalogues; use the catalogue id instead.";
        assert_eq!(
            several.json(),
            json!({"documentType": "file", "error": {"code": "ambiguous_document_type", "message": message},
                "matchingCatalogueIds": ["alpha", "beta"]})
        );
        assert_eq!(get("Alpha").await.ok()["catalogId"], "alpha");
        for name in ["nope", "alph", "fields"] {
            let none = get(name).await;
            none.assert_status(404);
            assert_eq!(none.json(), json!({"error": format!("Catalogue \"{name}\" was not found.")}));
        }
    }
}

#[tokio::test]
async fn a_failed_catalogue_says_why() {
    let broken = base(json!({"documentType": "thing", "esIndex": "none", "description": "Broken"}));
    let server = TestServer::with_catalogues(folders().file("omega/base.json", &broken)).await;
    for path in ["/introspection/omega", "/omega/introspection", "/introspection/thing"] {
        let failed = server.get(path).await;
        failed.assert_status(503);
        let body = failed.json();
        let message = "the index was not found; the log of the server names it";
        assert_eq!(
            body,
            json!({"catalogueId": "omega", "description": "Broken", "documentType": "thing",
                "error": {"code": "index_not_found", "message": message}, "status": "failed"})
        );
    }
}

#[tokio::test]
async fn a_mapping_without_the_nesting_prefix_fails_by_name() {
    let catalogues = TestCatalogues::new().file("base.json", &base(json!({"nestingPrefix": "data"})));
    let server = TestServer::with_catalogues(catalogues.index("files", &mapping(), [])).await;
    let failed = server.get("/introspection/fields").await;
    failed.assert_status(503);
    assert_eq!(failed.json()["error"]["code"], "nesting_prefix_not_found");
    let wrapped = json!({"properties": {"data": {"properties": {"a": {"type": "keyword"}}}}});
    let catalogues = TestCatalogues::new().file("base.json", &base(json!({"nestingPrefix": "data"})));
    let documents = [("1", json!({"data": {"a": "x"}}))];
    let server = TestServer::with_catalogues(catalogues.index("files", &wrapped, documents)).await;
    let fields = server.get("/introspection/fields").await.ok()["fields"].clone();
    assert_eq!(fields.as_object().unwrap().keys().collect::<Vec<_>>(), ["a", "_id"]);
    let answer = crate::support::ask(
        &server,
        "hits { edges { node { a } } } aggregations { a { buckets { key } } }",
        &json!({}),
    )
    .await;
    assert_eq!(answer["hits"]["edges"], json!([{"node": {"a": "x"}}]));
    assert_eq!(answer["aggregations"]["a"]["buckets"], json!([{"key": "x"}]));
}

#[tokio::test]
async fn the_filter_language_is_described() {
    let body = server().await.get("/introspection/sqon").await.ok();
    assert_eq!(body["title"], "Serialized Query Object Notation");
    assert!(body["version"].is_string() && body["description"].is_string() && body["$schema"].is_string());
    assert_eq!((&body["$ref"], &body["schema"]["$ref"]), (&json!("#/$defs/SQON"), &json!("#/$defs/SQON")));
    assert_eq!(body["aliases"]["filter"], "wildcard");
    assert_eq!(body["operators"]["combination"], json!(["and", "or", "not"]));
    let operators = body["operators"]["field"].as_array().unwrap();
    let names: Vec<&str> = operators.iter().map(|operator| operator["op"].as_str().unwrap()).collect();
    let known = ["in", "not-in", "some-not-in", "all", "gt", "gte", "lt", "lte", "between", "wildcard"];
    assert_eq!(names[..10], known);
    for operator in operators {
        assert!(operator["applicableTo"].is_string() || operator["applicableTo"].is_array(), "{operator}");
        assert!(operator["valueType"].is_string() && operator["fieldRef"].is_string(), "{operator}");
    }
    for name in ["SQON", "Group", "Leaf", "InLike", "All", "RangeLike", "Between", "Wildcard"] {
        assert!(body["$defs"][name].is_object() && body["schema"]["$defs"][name].is_object(), "{name}");
    }
}
