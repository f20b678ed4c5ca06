//! Indexes that go, come back, change, or lose a part while they are served.

use cantata_testkit::engines;
use serde_json::{Value, json};

use crate::cluster::{DOCUMENTS, Index, small_index};
use crate::server::{Server, until};

async fn server(index: &Index) -> Server {
    Server::of_plants(&index.name, &engines::opensearch()).await
}

fn total(answer: &Value) -> &Value {
    &answer["data"]["plant"]["hits"]["total"]
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_is_deleted_is_missed_and_found_again() {
    let index = Index::small(&engines::opensearch());
    let server = server(&index).await;
    server.until_available(&["plants"]).await;
    assert_eq!(total(&server.ask().await), DOCUMENTS.len());
    index.delete();
    server.until_shown("plants", Some("index_not_found")).await;
    server.get("/ready").await.assert_status(503);
    let answer = server.ask().await;
    assert_eq!(answer["errors"][0]["message"], "the index was not found; the log of the server names it");
    let told = format!("index `{}` was not found; create it, or correct esIndex in base.json", index.name);
    assert!(server.log().contains(&told), "{}", server.log());
    assert_eq!(answer["errors"][0]["extensions"]["code"], "INTERNAL_SERVER_ERROR");
    index.create(&small_index());
    server.until_shown("plants", None).await;
    assert_eq!(total(&server.ask().await), DOCUMENTS.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_comes_later_is_found() {
    let index = Index::named(&engines::opensearch());
    let server = server(&index).await;
    server.until_shown("plants", Some("index_not_found")).await;
    index.create(&small_index());
    server.until_shown("plants", None).await;
    assert_eq!(total(&server.ask().await), DOCUMENTS.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_mapping_is_a_changed_schema() {
    let index = Index::small(&engines::opensearch());
    let server = server(&index).await;
    server.until_available(&["plants"]).await;
    let query = "{ plant { aggregations(include_missing: false) { height { bucket_count } } } }";
    server.graphql("/graphql", query, &json!({})).await.assert_status(400);
    index.fill([("4".to_owned(), json!({ "name": "Oak", "height": 2000 }))]);
    until("the new field", || server.log(), async || server.graphql("/graphql", query, &json!({})).await.status == 200)
        .await;
    let answer = server.graphql("/graphql", query, &json!({})).await.ok();
    assert_eq!(answer, json!({ "data": { "plant": { "aggregations": { "height": { "bucket_count": 1 } } } } }));
    assert_eq!(server.get("/introspection/plants").await.ok()["fields"]["height"]["type"], "long");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_without_its_shards_is_told_of_until_it_has_them() {
    let index = Index::named(&engines::opensearch());
    let mut without_shards = small_index();
    without_shards["settings"] = json!({ "index.routing.allocation.require._name": "nobody" });
    let make = || index.send("PUT", "?wait_for_active_shards=0", &without_shards.to_string());
    let allocate_shards = || {
        let anywhere = json!({ "index.routing.allocation.require._name": null });
        index.send("PUT", "/_settings", &anywhere.to_string())
    };
    make();
    let server = server(&index).await;
    server.until_shown("plants", Some("mapping_fetch_error")).await;
    server.get("/ready").await.assert_status(503);
    allocate_shards();
    server.until_shown("plants", None).await;
    assert_eq!(total(&server.ask().await), 0);
    // The same while it is served.
    index.delete();
    make();
    server.until_shown("plants", Some("mapping_fetch_error")).await;
    let answer = server.ask().await;
    let message = "the search engine failed; the log of the server says why";
    assert_eq!((&answer["errors"][0]["message"], total(&answer)), (&json!(message), &Value::Null));
    allocate_shards();
    server.until_shown("plants", None).await;
    assert_eq!(total(&server.ask().await), 0);
}
