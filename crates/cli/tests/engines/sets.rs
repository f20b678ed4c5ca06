//! Saved sets on a cluster.

use cantata_testkit::engines;
use cantata_testkit::fault_proxy::{Fault, FaultProxy};
use serde_json::{Value, json};

use crate::cluster::Index;
use crate::server::{Server, plants};

const SAVE: &str = "mutation($sqon: JSON!) { saveSet(type: plant, path: \"name\", sqon: $sqon) { setId size ids } }";
const COUNT: &str = "query($filters: JSON) { plant { hits(filters: $filters) { total } } }";
const LIST: &str = "{ sets { hits { total edges { node { setId size } } } } }";

fn named(names: &Value) -> Value {
    json!({ "op": "in", "content": { "fieldName": "name", "value": names } })
}

async fn run(server: &Server, query: &str, variables: Value) -> Value {
    server.graphql("/graphql", query, &variables).await.ok()
}

async fn server(index: &Index, sets: &Index, cluster: &str) -> Server {
    let keys = json!({ "catalogId": "plants", "enableSets": true, "sets": { "index": sets.name } });
    let server = Server::start(&[("base.json", plants(&index.name, &keys))], &[("ES_HOST", cluster)]).await;
    server.until_available(&["plants"]).await;
    server
}

async fn a_set_is_saved_listed_used_and_deleted(cluster: String, made_before: Option<Value>) {
    let (index, sets) = (Index::small(&cluster), Index::named(&cluster));
    if let Some(body) = made_before {
        sets.create(&body);
    }
    let server = server(&index, &sets, &cluster).await;
    let listed = run(&server, LIST, json!({})).await;
    assert_eq!(listed["data"]["sets"]["hits"]["total"], 0, "{listed}");
    let saved =
        run(&server, SAVE, json!({ "sqon": named(&json!(["Daisy", "Moss"])) })).await["data"]["saveSet"].clone();
    assert_eq!((&saved["size"], &saved["ids"]), (&json!(2), &json!(["Daisy", "Moss"])), "{saved}");
    let id = saved["setId"].as_str().unwrap();
    let listed = run(&server, LIST, json!({})).await;
    assert_eq!(listed["data"]["sets"]["hits"]["edges"][0]["node"], json!({ "setId": id, "size": 2 }), "{listed}");
    let filter = named(&json!([format!("set_id:{id}")]));
    let found = run(&server, COUNT, json!({ "filters": filter })).await;
    assert_eq!(found["data"]["plant"]["hits"]["total"], 2, "{found}");
    let deleted = run(&server, &format!("mutation {{ deleteSet(setId: \"{id}\") }}"), json!({})).await;
    assert_eq!(deleted["data"]["deleteSet"], true, "{deleted}");
    let gone = run(&server, COUNT, json!({ "filters": filter })).await;
    assert_eq!(gone["errors"][0]["extensions"]["code"], "BAD_USER_INPUT", "{gone}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sets_work_on_opensearch() {
    a_set_is_saved_listed_used_and_deleted(engines::opensearch(), None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sets_work_on_elasticsearch() {
    a_set_is_saved_listed_used_and_deleted(engines::elasticsearch(), None).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sets_work_in_an_index_that_another_server_made() {
    let keyword = json!({ "type": "keyword" });
    let properties = json!({
        "userId": keyword, "sqon": { "type": "object" }, "setId": keyword, "ids": keyword, "type": keyword,
        "path": keyword, "size": { "type": "long" }, "createdAt": { "type": "date" },
    });
    let made = json!({ "mappings": { "properties": properties } });
    a_set_is_saved_listed_used_and_deleted(engines::opensearch(), Some(made)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_set_that_cannot_be_read_is_neither_unknown_nor_empty() {
    let (index, sets) = (Index::small(&engines::opensearch()), Index::named(&engines::opensearch()));
    let proxy = FaultProxy::start(&engines::opensearch());
    let server = server(&index, &sets, &proxy.url()).await;
    let saved = run(&server, SAVE, json!({ "sqon": named(&json!(["Daisy"])) })).await["data"]["saveSet"].clone();
    let id = saved["setId"].as_str().unwrap();
    let filter = named(&json!([format!("set_id:{id}")]));
    proxy.set_for_path(&format!("/{}/_doc/{id}", sets.name), Fault::Status(500)).await;
    let failed = run(&server, COUNT, json!({ "filters": filter })).await;
    let message = "the search engine failed; the log of the server says why";
    assert_eq!((&failed["errors"][0]["message"], &failed["data"]["plant"]["hits"]), (&json!(message), &Value::Null));
    let save = run(&server, SAVE, json!({ "sqon": filter })).await;
    assert_eq!((&save["errors"][0]["message"], &save["data"]["saveSet"]), (&json!(message), &Value::Null), "{save}");
    let file = json!({ "files": [{ "columns": ["name"], "sqon": filter }] });
    server.post("/download", &file).await.assert_text(502, message);
    proxy.set(Fault::Pass).await;
    assert_eq!(run(&server, COUNT, json!({ "filters": filter })).await["data"]["plant"]["hits"]["total"], 1);
}
