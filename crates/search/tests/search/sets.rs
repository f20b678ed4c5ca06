//! Saved sets: made, found, named and deleted.

use serde_json::{Value, json};

use crate::download::support::Fixture;

async fn run(fixture: &Fixture, query: &str, variables: Value) -> Value {
    let request = serde_json::from_value(json!({ "query": query, "variables": variables })).unwrap();
    let prepared = fixture.served.prepare(&request);
    let prepared = prepared.unwrap_or_else(|refused| panic!("{}", String::from_utf8_lossy(&refused.bytes)));
    serde_json::from_slice(&fixture.served.execute(&prepared).await).unwrap()
}

#[tokio::test]
async fn the_moment_of_a_set_is_a_date_wherever_it_is_shown() {
    let fixture = Fixture::new(json!({ "enableSets": true }), &[json!({ "_id": "1", "object_id": "FI1" })]).await;
    let save = "mutation { saveSet(type: file, path: \"object_id\", sqon: {}) { setId createdAt ids } }";
    let saved = run(&fixture, save, json!({})).await["data"]["saveSet"].clone();
    assert_eq!(saved["ids"], json!(["FI1"]));
    let moment = saved["createdAt"].as_str().unwrap();
    assert!(moment.parse::<jiff::Timestamp>().is_ok() && moment.len() == "2024-05-31T12:00:00.000Z".len(), "{moment}");
    let listed = run(&fixture, "{ sets { hits { edges { node { setId createdAt } } } } }", json!({})).await;
    let listed = &listed["data"]["sets"]["hits"]["edges"][0]["node"];
    assert_eq!(*listed, json!({ "setId": saved["setId"], "createdAt": moment }));
    let filter = json!({ "op": "between", "content": { "fieldName": "createdAt", "value": [moment, moment] } });
    let found = run(&fixture, "query($f: JSON) { sets { hits(filters: $f) { total } } }", json!({ "f": filter })).await;
    assert_eq!(found["data"]["sets"]["hits"]["total"], 1);
}
