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

const SAVE: &str = "mutation { saveSet(type: file, sqon: {}, path: \"name\") { setId } }";

/// Starts a server where everybody may read, with limits of the sets that are saved without a credential.
async fn with_limits(limits: Value) -> Guarded {
    Guarded::open_with_catalogue(&json!({"sets": limits})).await
}

#[tokio::test]
async fn sets_without_an_owner_share_a_limit_in_number() {
    let guarded = with_limits(json!({"maxAnonymous": 2})).await;
    let ada = guarded.key("ada", &["a.READ"]).await;
    let mut ids = Vec::new();
    for _ in 0..2 {
        let saved = ask(&guarded, "", SAVE, json!({})).await.ok();
        ids.push(saved["data"]["saveSet"]["setId"].as_str().unwrap().to_owned());
    }
    let refused = ask(&guarded, "", SAVE, json!({})).await.ok();
    let error = &refused["errors"][0];
    assert_eq!(error["extensions"]["code"], "BAD_USER_INPUT", "{refused}");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("2 sets") && message.contains("MAX_ANONYMOUS_SETS)"), "{message}");
    // Sets of a person do not count, and are not limited by those without an owner.
    let saved = ask(&guarded, &ada, SAVE, json!({})).await.ok();
    assert!(saved["data"]["saveSet"]["setId"].is_string(), "{saved}");
    let delete = "mutation($id: String!) { deleteSet(setId: $id) }";
    assert_eq!(ask(&guarded, "", delete, json!({"id": ids[0]})).await.ok()["data"]["deleteSet"], true);
    let saved = ask(&guarded, "", SAVE, json!({})).await.ok();
    assert!(saved["data"]["saveSet"]["setId"].is_string(), "{saved}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sets_without_an_owner_that_are_saved_at_the_same_time_keep_the_limit() {
    let guarded = with_limits(json!({"maxAnonymous": 1})).await;
    let save = || ask(&guarded, "", SAVE, json!({}));
    let (one, two, three, four) = tokio::join!(save(), save(), save(), save());
    let answers = [one.ok(), two.ok(), three.ok(), four.ok()];
    let saved = answers.iter().filter(|answer| answer["data"]["saveSet"]["setId"].is_string()).count();
    assert_eq!(saved, 1, "{answers:?}");
}

#[tokio::test]
async fn sets_without_an_owner_share_a_limit_in_bytes() {
    // One of these sets has about 200 bytes.
    let guarded = with_limits(json!({"maxAnonymousBytes": 300})).await;
    let answers = [ask(&guarded, "", SAVE, json!({})).await.ok(), ask(&guarded, "", SAVE, json!({})).await.ok()];
    let refused = answers.iter().find(|answer| answer.get("errors").is_some()).unwrap();
    let message = refused["errors"][0]["message"].as_str().unwrap();
    assert!(message.contains("300 bytes") && message.contains("MAX_ANONYMOUS_SETS_BYTES"), "{message}");
    assert!(answers[0]["data"]["saveSet"]["setId"].is_string(), "{answers:?}");
}
