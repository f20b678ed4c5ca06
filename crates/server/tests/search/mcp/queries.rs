//! From a question to records: the tools about catalogues.

use cantata_testkit::TestServer;
use serde_json::{Value, json};

use super::{call, call_error};
use crate::support::{folders, leaf, server, server_with};

/// A filter that selects everything.
fn all() -> Value {
    json!({"op": "and", "content": []})
}

#[tokio::test]
async fn catalogues_fields_and_language_are_those_of_the_introspection() {
    let server = TestServer::with_catalogues(folders()).await;
    assert_eq!(call(&server, "list_catalogues", json!({})).await, server.get("/introspection").await.ok());
    assert_eq!(call(&server, "get_sqon_schema", json!({})).await, server.get("/introspection/sqon").await.ok());
    let fields = call(&server, "get_catalogue_fields", json!({"catalogueId": "beta"})).await;
    assert_eq!(fields, server.get("/introspection/beta").await.ok());
    let text = call_error(&server, "get_catalogue_fields", json!({"catalogueId": "delta"})).await;
    assert!(text.contains("list_catalogues"), "{text}");
    let text = call_error(&server, "get_catalogue_fields", json!({"catalogueId": "file"})).await;
    assert!(text.contains("alpha, beta"), "{text}");
}

#[tokio::test]
async fn a_filter_is_built_reduced_and_told_in_english() {
    let server = server().await;
    let arguments = json!({"catalogueId": "file", "combination": "and", "clauses": [
        {"fieldName": "donors__gender", "operator": "in", "value": "Male"},
        {"fieldName": "size", "operator": ">=", "value": 10},
        {"fieldName": "size", "operator": "gte", "value": 20},
        {"fieldName": "donors.gender", "operator": "in", "value": "Male"},
        {"fieldName": "analysis", "operator": "in", "value": ["A3"], "negate": true},
    ]});
    let built = call(&server, "build_sqon", arguments).await;
    assert_eq!(built["clauseCount"], 5);
    assert_eq!(built["filterCount"], 3);
    let content = built["sqon"]["content"].as_array().unwrap();
    assert_eq!(content[0]["content"], json!({"fieldName": "donors.gender", "value": ["Male"]}));
    assert_eq!(content[1]["content"]["value"], json!([20]));
    assert!(built["summary"].as_str().unwrap().contains("donors.gender"), "{built}");
    let more = json!({"catalogueId": "file", "combination": "or", "existingSqon": built["sqon"], "clauses": [
        {"fieldName": "analysis", "operator": "in", "value": "A3"}]});
    let wider = call(&server, "build_sqon", more).await;
    assert_eq!(wider["sqon"]["op"], "or");
    for (sqon, total) in [(&built["sqon"], 2), (&wider["sqon"], 3)] {
        let found = call(&server, "execute_query", json!({"catalogueId": "file", "sqon": sqon})).await;
        assert_eq!(found["total"], total, "{sqon}");
        assert_eq!(found.get("hits"), None);
    }
}

#[tokio::test]
async fn a_filter_that_does_not_fit_says_what_to_mend() {
    let server = server().await;
    let build = |field: &str, operator: &str, value: Value| {
        json!({"catalogueId": "file", "combination": "and",
            "clauses": [{"fieldName": field, "operator": operator, "value": value}]})
    };
    for (arguments, words) in [
        (build("donors.gendre", "in", json!("x")), "donors.gender"),
        (build("size", "like", json!("x")), "one of in, not-in"),
        (build("size", "between", json!([1])), "/clauses/0/value"),
        (build("donors", "gt", json!(1)), "donors"),
        (json!({"catalogueId": "file", "combination": "xor", "clauses": []}), "xor"),
        (json!({"catalogueId": "file", "clauses": []}), "combination"),
        (json!({"catalogueId": "file", "combination": "and", "clauses": [], "existingSqon": 7}), "existingSqon"),
    ] {
        let text = call_error(&server, "build_sqon", arguments.clone()).await;
        assert!(text.contains(words), "{arguments} -> {text}");
    }
}

#[tokio::test]
async fn records_are_shown_without_the_wrapping_of_graphql() {
    let server = server().await;
    let arguments = json!({"catalogueId": "file", "sqon": leaf("in", "analysis", json!(["A1"])), "queryType": "hits",
        "fields": ["analysis", "size", "file.format", "tags", "donors.donor_id", "donors.specimens.kind"],
        "sort": [{"fieldName": "size", "order": "desc"}]});
    let found = call(&server, "execute_query", arguments).await;
    let expected = json!([
        {"analysis": "A1", "size": 5_000_000_000_i64, "file": {"format": "bam"}, "tags": ["y"], "donors": [
            {"donor_id": "D2", "specimens": [{"kind": "Normal"}]}, {"donor_id": "D3", "specimens": []}]},
        {"analysis": "A1", "size": 10, "file": {"format": "bam"}, "tags": ["x", "y"], "donors": [
            {"donor_id": "D1", "specimens": [{"kind": "Tumour"}]}]},
    ]);
    assert_eq!(found["hits"], expected);
    assert_eq!(
        (&found["total"], &found["documentType"], &found["queryType"]),
        (&json!(2), &json!("file"), &json!("hits"))
    );
    assert_eq!(found.get("aggregations"), None);
    let page = json!({"catalogueId": "file", "sqon": all(), "fields": ["analysis"], "first": 2, "offset": 4,
        "sort": [{"fieldName": "analysis"}]});
    let found = call(&server, "execute_query", page).await;
    assert_eq!((&found["hits"], &found["total"]), (&json!([{"analysis": "A3"}]), &json!(5)));
    let sqon = json!({"op": "wildcard", "content": {"fieldNames": ["name"], "value": "*read*"}});
    let best = json!({"catalogueId": "file", "sqon": sqon, "fields": ["name"], "sort": [{"fieldName": "_score"}]});
    let found = call(&server, "execute_query", best).await;
    assert_eq!(found["hits"], json!([{"name": "Beta read"}, {"name": "Alpha read"}]));
}

#[tokio::test]
async fn fields_that_lie_too_deep_come_as_lists_and_a_note_says_so() {
    let server = server_with(json!({"maxDepth": 7})).await;
    let arguments = json!({"catalogueId": "file", "sqon": leaf("in", "size", json!([5_000_000_000_i64])),
        "fields": ["file.format", "donors.donor_id"]});
    let found = call(&server, "execute_query", arguments).await;
    assert_eq!(found["hits"], json!([{"file": {"format": "bam"}, "donors.donor_id": ["D2", "D3"]}]));
    assert!(found["notes"][0].as_str().unwrap().starts_with("donors.donor_id: "), "{found}");
}

#[tokio::test]
async fn fields_are_summarised_by_what_they_hold() {
    let server = server().await;
    let filter = leaf("in", "donors.gender", json!(["Male"]));
    let mut arguments = json!({"catalogueId": "file", "sqon": filter, "queryType": "both", "fields": ["analysis"],
        "first": 1, "aggregationFields": ["donors__gender", "donors.gender", "size", "created", "tags"]});
    let found = call(&server, "execute_query", arguments.clone()).await;
    assert_eq!(found["total"], 3);
    assert_eq!(found["hits"].as_array().unwrap().len(), 1);
    let values = |found: &Value, field: &str| {
        let buckets = found["aggregations"][field]["buckets"].as_array().unwrap().clone();
        buckets.iter().map(|bucket| bucket["key"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(found["aggregations"]["size"]["stats"]["max"], 5e9);
    assert_eq!(found["aggregations"]["created"]["stats"]["count"], 3);
    // A filter does not limit the summary of its own field.
    assert_eq!(values(&found, "donors__gender"), ["Male", "Female"]);
    arguments["sqon"] = all();
    let found = call(&server, "execute_query", arguments.clone()).await;
    assert!(values(&found, "tags").contains(&"__missing__".to_owned()));
    arguments["includeMissing"] = false.into();
    let found = call(&server, "execute_query", arguments.clone()).await;
    assert_eq!(values(&found, "tags"), ["y", "x", "z"]);
    arguments["queryType"] = "aggregations".into();
    let found = call(&server, "execute_query", arguments).await;
    assert_eq!((found.get("total"), found.get("hits")), (None, None));
}

#[tokio::test]
async fn a_query_that_cannot_be_run_says_everything_that_is_wrong() {
    let server = server().await;
    let arguments = json!({"catalogueId": "file", "sqon": leaf("in", "colour", json!(["red"])), "queryType": "both",
        "fields": ["colour", "donors", "name.keyword"], "sort": [{"fieldName": "shade"}],
        "aggregationFields": ["hue", "donors"], "first": 1001, "offset": 10001});
    let text = call_error(&server, "execute_query", arguments).await;
    for words in ["sqon", "\"colour\"", "donors.age", "\"name\" has the values", "shade", "hue", "1001", "10001"] {
        assert!(text.contains(words), "{words} in {text}");
    }
    let text = call_error(&server, "execute_query", json!({"catalogueId": "file"})).await;
    assert!(text.contains("sqon"), "{text}");
    let empty = json!({"catalogueId": "file", "sqon": all(), "queryType": "aggregations"});
    assert!(call_error(&server, "execute_query", empty).await.contains("aggregationFields"));
    let misspelt = json!({"catalogueId": "file", "sqon": all(), "field": ["size"]});
    assert!(call_error(&server, "execute_query", misspelt).await.contains("unknown field `field`"));
}

#[tokio::test]
async fn a_server_without_catalogues_says_so() {
    let server = TestServer::start().await;
    for (tool, arguments) in [
        ("list_catalogues", json!({})),
        ("get_catalogue_fields", json!({"catalogueId": "file"})),
        ("execute_query", json!({"catalogueId": "file", "sqon": all()})),
    ] {
        assert!(call_error(&server, tool, arguments).await.contains("no catalogues"), "{tool}");
    }
}

#[tokio::test]
async fn a_network_gives_counts_and_says_which_nodes_failed() {
    let network = json!({"localNode": {"displayName": "own", "nodeId": "own"}, "remoteNodes": [{
        "displayName": "down", "documentType": "file", "graphqlUrl": "http://127.0.0.1:1/graphql",
    }]});
    let server = server_with(json!({"network": network})).await;
    let arguments = json!({"catalogueId": "file", "sqon": all(), "aggregationFields": ["donors.gender", "size"]});
    let found = call(&server, "query_network", arguments).await;
    assert_eq!((&found["complete"], &found["suppressedBelow"]), (&json!(false), &Value::Null));
    assert_eq!((&found["nodes"][0]["name"], &found["nodes"][0]["status"]), (&json!("down"), &json!("ERROR")));
    assert_eq!((&found["nodes"][1]["name"], &found["nodes"][1]["hits"]), (&json!("own"), &json!(5)));
    assert_eq!(found["aggregations"]["donors__gender"]["buckets"][0], json!({"key": "Male", "doc_count": 3}));
    assert_eq!(found["aggregations"]["size"]["stats"]["count"], 4);
    let unknown = json!({"catalogueId": "file", "sqon": all(), "aggregationFields": ["nothing"]});
    assert!(call_error(&server, "query_network", unknown).await.contains("no node of the network has a field"));
    let alone = server_with(json!({})).await;
    let text = call_error(&alone, "query_network", json!({"catalogueId": "file", "sqon": all()})).await;
    assert!(text.contains("has no network"), "{text}");
}
