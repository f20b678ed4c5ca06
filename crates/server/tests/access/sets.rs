//! Saved sets over HTTP: those of others cannot be used by their id, nor by a link that was taken back.

use cantata_testkit::TestResponse;
use http::Method;
use serde_json::{Value, json};

use crate::support::Guarded;

async fn ask(guarded: &Guarded, credential: &str, query: &str, variables: Value) -> TestResponse {
    let body = json!({"query": query, "variables": variables});
    guarded.send(Method::POST, "/graphql", credential, Some(&body)).await
}

#[tokio::test]
async fn a_set_of_another_owner_is_not_there_by_id_nor_by_a_link_that_was_taken_back() {
    let guarded = Guarded::closed().await;
    let (ada, bob) = (guarded.key("ada", &["a.READ"]).await, guarded.key("bob", &["b.READ"]).await);
    let save = "mutation { saveSet(type: file, sqon: {}, path: \"name\") { setId } }";
    let saved = ask(&guarded, &ada, save, json!({})).await.ok();
    let id = saved["data"]["saveSet"]["setId"].as_str().unwrap();
    let filter = json!({"op": "in", "content": {"fieldName": "name", "value": [format!("set_id:{id}")]}});
    let count = "query($f: JSON) { file { hits(filters: $f) { total } } }";
    let used = async |credential: &str| {
        let answer = ask(&guarded, credential, count, json!({"f": filter})).await.ok();
        answer["data"]["file"]["hits"]["total"].as_u64()
    };
    let share = async |with: Value| {
        let query = "mutation($id: String!, $with: [String!]!) { shareSet(setId: $id, with: $with) { setId } }";
        let answer = ask(&guarded, &ada, query, json!({"id": id, "with": with})).await.ok();
        assert_eq!(answer.get("errors"), None, "{answer}");
    };
    assert_eq!((used(&ada).await, used(&bob).await), (Some(1), None));
    share(json!(["link"])).await;
    assert_eq!(used(&bob).await, Some(1));
    share(json!([])).await;
    assert_eq!(used(&bob).await, None);
    let delete = "mutation($id: String!) { deleteSet(setId: $id) }";
    assert_eq!(ask(&guarded, &bob, delete, json!({"id": id})).await.ok()["data"]["deleteSet"], false);
    assert_eq!(used(&ada).await, Some(1));
    let changes = guarded.audit().into_iter().filter(|entry| entry["path"] == "/graphql");
    assert_eq!(changes.map(|entry| entry["who"].clone()).collect::<Vec<_>>(), ["ada", "ada", "ada", "bob"]);
}
