//! Saved sets belong to those who see what their makers saw.

use serde_json::{Value, json};

use super::support::{Bed, leaf, somebody};

const SAVE: &str = "mutation($f: JSON!, $path: String!) { saveSet(type: file, sqon: $f, path: $path) { setId ids } }";
const LIST: &str =
    "{ sets { hits { total edges { node { setId ids sqon } } } aggregations { setId { bucket_count } } } }";

async fn bed() -> Bed {
    bed_with(rules()).await
}

async fn bed_with(keys: Value) -> Bed {
    let properties =
        json!({ "study": { "type": "keyword" }, "name": { "type": "keyword" }, "hiv": { "type": "keyword" } });
    let documents = [
        ("f1", json!({ "study": "A", "name": "one", "hiv": "yes" })),
        ("f2", json!({ "study": "A", "name": "two", "hiv": "no" })),
        ("f3", json!({ "study": "B", "name": "three", "hiv": "yes" })),
    ];
    Bed::new(keys, properties, &documents.map(|(id, d)| (id.to_owned(), d))).await
}

fn rules() -> Value {
    json!({ "access": {
        "records": [
            { "scope": "all", "filter": null },
            { "scope": "*", "filter": leaf("in", "study", json!("{studies}")) },
        ],
        "fields": [{ "hide": ["hiv"], "unless": ["all"] }],
    } })
}

fn by_set(set: &Value) -> Value {
    leaf("in", "name", json!([format!("set_id:{}", set["setId"].as_str().unwrap())]))
}

#[tokio::test]
async fn a_set_of_somebody_who_sees_more_is_not_there() {
    let bed = bed().await;
    let doctor = somebody(&["all"], json!({}));
    let reader = somebody(&[], json!({ "studies": "A" }));
    let saved = bed.ask(&doctor, SAVE, json!({ "f": leaf("in", "hiv", json!("yes")), "path": "name" })).await;
    let set = &saved["saveSet"];
    assert_eq!(set["ids"], json!(["one", "three"]));
    assert_eq!(bed.ids(&doctor, by_set(set)).await, ["f1", "f3"]);
    let unknown = json!({ "setId": "00000000-0000-0000-0000-000000000000" });
    let query = "query($f: JSON) { file { hits(filters: $f) { total } } }";
    let refusal = async |set: &Value| {
        let answer = bed.body(&reader, query, &json!({ "f": by_set(set) })).await;
        answer.replace(set["setId"].as_str().unwrap(), "…")
    };
    assert_eq!(refusal(set).await, refusal(&unknown).await);
    assert!(refusal(set).await.contains("errors"));
    assert_eq!(bed.ask(&reader, LIST, json!({})).await["sets"]["hits"], json!({ "total": 0, "edges": [] }));
    let change = "mutation($id: String!) { renameSet(setId: $id, name: \"mine\") { ids sqon } }";
    let renamed = bed.body(&reader, change, &json!({ "id": set["setId"] })).await;
    assert!(renamed.contains("there is no set of the id") && !renamed.contains("three"), "{renamed}");
    let delete = "mutation($id: String!) { deleteSet(setId: $id) }";
    assert_eq!(bed.ask(&reader, delete, json!({ "id": set["setId"] })).await["deleteSet"], false);
    assert_eq!(bed.ids(&doctor, by_set(set)).await, ["f1", "f3"]);
}

#[tokio::test]
async fn a_set_from_before_there_were_rules_is_for_those_who_see_everything() {
    let open = bed_with(json!({})).await;
    let doctor = somebody(&["all"], json!({}));
    let saved = open.ask(&doctor, SAVE, json!({ "f": leaf("in", "hiv", json!("yes")), "path": "name" })).await;
    let set = &saved["saveSet"];
    let ruled = open.with_other(rules()).await;
    assert_eq!(ruled.ids(&doctor, by_set(set)).await, ["f1", "f3"]);
    let reader = somebody(&[], json!({ "studies": "A" }));
    let query = "query($f: JSON) { file { hits(filters: $f) { total } } }";
    let answer = ruled.body(&reader, query, &json!({ "f": by_set(set) })).await;
    assert!(answer.contains("errors"), "{answer}");
    assert_eq!(ruled.ask(&reader, LIST, json!({})).await["sets"]["hits"]["total"], 0);
    assert_eq!(ruled.ask(&doctor, LIST, json!({})).await["sets"]["hits"]["total"], 1);
}

#[tokio::test]
async fn sets_are_shared_by_those_who_see_the_same() {
    let bed = bed().await;
    let reader = somebody(&[], json!({ "studies": "A" }));
    let saved = bed.ask(&reader, SAVE, json!({ "f": {}, "path": "name" })).await;
    assert_eq!(saved["saveSet"]["ids"], json!(["one", "two"]));
    let colleague = somebody(&["other"], json!({ "studies": "A" }));
    assert_eq!(bed.ids(&colleague, by_set(&saved["saveSet"])).await, ["f1", "f2"]);
    assert_eq!(bed.ask(&colleague, LIST, json!({})).await["sets"]["hits"]["total"], 1);
    let stranger = somebody(&[], json!({ "studies": "B" }));
    assert_eq!(bed.ask(&stranger, LIST, json!({})).await["sets"]["hits"]["total"], 0);
}

#[tokio::test]
async fn a_set_cannot_be_made_of_what_is_hidden() {
    let bed = bed().await;
    let reader = somebody(&[], json!({ "studies": "A" }));
    // A field that is hidden is one that is not there, of which sets are made of ids.
    for path in ["hiv", "nothing"] {
        let saved = bed.ask(&reader, SAVE, json!({ "f": {}, "path": path })).await;
        assert_eq!(saved["saveSet"]["ids"], json!(["f1", "f2"]), "{path}");
    }
    let refused = bed.body(&reader, SAVE, &json!({ "f": leaf("in", "hiv", json!("yes")), "path": "name" })).await;
    assert!(refused.contains("the catalogue has no field"), "{refused}");
}
