//! `validateOnly`: a batch is checked as it would be stored, each payload with those before it.

use cantata_testkit::Payload;
use serde_json::{Value, json};

use crate::support::{keys, server_with_study};

#[tokio::test]
async fn each_payload_is_judged_and_none_stored() {
    let server = server_with_study().await;
    let twin = Payload::new("S").build();
    let payloads = json!([Payload::new("S").build(), {}, twin, twin, Payload::new("S").build()]);
    let results = server.post("/submit/S/batch?validateOnly=true", &payloads).await.ok();
    let statuses: Vec<&Value> = results.as_array().unwrap().iter().map(|result| &result["status"]).collect();
    assert_eq!(statuses, ["OK", "ERROR", "OK", "ERROR", "OK"]);
    assert_eq!(keys(&results[0]), ["index", "status"]);
    assert_eq!(results[3]["errorId"], "info.already.exists");
    let message = results[3]["message"].as_str().unwrap();
    assert!(message.contains("the payload with index 2 of this batch"), "{message}");
    assert!(server.events_after(0).await.is_empty());

    // It tells what then happens.
    let stored = server.post("/submit/S/batch", &payloads).await.ok();
    let then: Vec<&Value> = stored.as_array().unwrap().iter().map(|result| &result["status"]).collect();
    assert_eq!(then, statuses);
    let again = server.post("/submit/S/batch?validateOnly=true", &payloads).await.ok();
    assert!(again.as_array().unwrap().iter().all(|result| result["status"] == "ERROR"), "{again}");
}

#[tokio::test]
async fn duplicates_that_are_allowed_are_valid() {
    let server = server_with_study().await;
    let twin = Payload::new("S").build();
    let path = "/submit/S/batch?validateOnly=true&allowDuplicates=true";
    let results = server.post(path, &json!([twin, twin])).await.ok();
    assert_eq!(results, json!([{"index": 0, "status": "OK"}, {"index": 1, "status": "OK"}]));
}
