//! Requests at the same time: each counts, none is lost.

use std::collections::HashSet;
use std::future::Future;

use cantata_testkit::{Payload, TestClient};
use serde_json::{Value, json};

use crate::support::{server_with_analysis, server_with_study};

/// Makes calls at the same time and returns what each gave.
async fn at_once<T: Send + 'static, F: Future<Output = T> + Send + 'static>(
    client: &TestClient,
    count: usize,
    call: impl Fn(TestClient, usize) -> F,
) -> Vec<T> {
    let tasks: Vec<_> = (0..count).map(|nth| tokio::spawn(call(client.clone(), nth))).collect();
    let mut results = Vec::new();
    for task in tasks {
        results.push(task.await.unwrap());
    }
    results
}

#[tokio::test(flavor = "multi_thread")]
async fn registrations_of_one_type_get_consecutive_versions() {
    let server = server_with_study().await;
    let versions = at_once(&server, 40, |client, _| async move {
        client.post("/schemas", &cantata_testkit::minimal_type("t")).await.ok()["version"].as_u64().unwrap()
    });
    let mut versions = versions.await;
    versions.sort_unstable();
    assert_eq!(versions, (1..=40).collect::<Vec<_>>());
    assert_eq!(server.get("/schemas/t").await.ok()["count"], 40);
}

#[tokio::test(flavor = "multi_thread")]
async fn state_changes_of_one_analysis_are_all_recorded() {
    let (server, id) = server_with_analysis().await;
    let path = format!("/studies/S/analysis/publish/{id}");
    at_once(&server, 24, |client, nth| {
        let path = if nth % 2 == 0 { path.clone() } else { path.replace("publish", "unpublish") };
        async move { client.put_empty(&path).await.ok() }
    })
    .await;
    let analysis = server.analysis("S", &id).await;
    let history = analysis["analysisStateHistory"].as_array().unwrap();
    assert_eq!(history.len(), 24);
    let mut state = &json!("UNPUBLISHED");
    for entry in history {
        assert_eq!(entry["initialState"], *state, "each begins where the one before ended");
        state = &entry["updatedState"];
    }
    assert_eq!(analysis["analysisState"], *state);
    assert_eq!(server.events_after(0).await.len(), 25);
}

#[tokio::test(flavor = "multi_thread")]
async fn patches_of_one_analysis_all_apply() {
    let (server, id) = server_with_analysis().await;
    let path = format!("/studies/S/analysis/{id}");
    at_once(&server, 24, |client, nth| {
        let path = path.clone();
        async move { client.patch(&path, &json!({"marks": {format!("m{nth}"): nth}})).await.assert_status(200) }
    })
    .await;
    let analysis = server.analysis("S", &id).await;
    let marks: HashSet<u64> =
        analysis["marks"].as_object().unwrap().values().map(|mark| mark.as_u64().unwrap()).collect();
    assert_eq!(marks, (0..24).collect());
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_many_equal_submissions_wins() {
    let server = server_with_study().await;
    let payload = Payload::new("S").build();
    let statuses = at_once(&server, 20, |client, _| {
        let payload: Value = payload.clone();
        async move { client.post("/submit/S", &payload).await.status }
    })
    .await;
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1);
    assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 19);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_many_equal_studies_wins() {
    let server = server_with_study().await;
    let statuses =
        at_once(
            &server,
            20,
            |client, _| async move { client.post("/studies/T/", &json!({"studyId": "T"})).await.status },
        )
        .await;
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1);
    assert_eq!(statuses.iter().filter(|status| **status == 409).count(), 19);
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_read_during_writes_are_whole() {
    let server = server_with_study().await;
    let writing = at_once(&server, 8, |client, _| async move {
        for _ in 0..20 {
            let id = client.submit(&Payload::new("S")).await;
            client.put_empty(&format!("/studies/S/analysis/publish/{id}")).await.ok();
        }
    });
    let reading = async {
        let mut seen = 0;
        while seen < 160 {
            let page = server.get("/studies/S/analysis/paginated?limit=1000").await.ok();
            let now = page["analyses"].as_array().unwrap().len();
            assert_eq!(page["currentTotalAnalyses"], now);
            assert!(now >= seen, "an analysis vanished");
            seen = now;
        }
    };
    tokio::join!(writing, reading);
}
