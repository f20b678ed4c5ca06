//! `/admin/indexing`, `/admin/jobs` and `cantata reindex` on the real server.

use cantata_testkit::Payload;
use serde_json::{Value, json};

use crate::server::{Data, Server, http};

async fn filled(data: &Data) -> Server<'_> {
    let server = Server::start(data).await;
    server.create_study("S").await;
    for _ in 0..20 {
        let id = server.submit(&Payload::new("S").with_files(2)).await;
        server.put_empty(&format!("/studies/S/analysis/publish/{id}")).await.assert_status(200);
    }
    server.until_indexed("files").await;
    server
}

async fn total(server: &Server<'_>) -> Value {
    let answer = server.graphql("/graphql", "{ file { hits { total } } }", &json!({})).await.ok();
    answer["data"]["file"]["hits"]["total"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_is_made_anew_and_taken_back_while_it_is_searched() {
    let data = Data::new("files", &[]);
    let server = filled(&data).await;
    assert_eq!(total(&server).await, 40);
    let status = server.indexing("files").await;
    assert_eq!((&status["alias"], &status["index"]), (&json!("files"), &json!("files-1")), "{status}");
    assert_eq!((&status["source"], &status["setAside"]), (&json!("here"), &json!([])));

    for id in 1..3 {
        let (code, stdout) = server.command(&["reindex", "--wait"]);
        assert_eq!((code, stdout), (0, format!("files: job {id} succeeded, 20 of 20 analyses\n")));
        assert_eq!(total(&server).await, 40);
    }
    let jobs = server.get("/admin/jobs").await.ok();
    let shown: Vec<[&Value; 3]> =
        jobs.as_array().unwrap().iter().map(|job| [&job["id"], &job["kind"], &job["index"]]).collect();
    let expected = [[json!(2), json!("reindex"), json!("files-3")], [json!(1), json!("reindex"), json!("files-2")]];
    assert_eq!(shown, expected.each_ref().map(|job| job.each_ref()));

    server.post("/admin/catalogues/files/rollback", &json!({})).await.assert_status(200);
    server.until_indexed("files").await;
    assert_eq!(total(&server).await, 40);
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_are_streamed_as_they_change() {
    let data = Data::new("files", &[]);
    let server = filled(&data).await;
    let mut stream = http().get(format!("{}/admin/jobs/events", server.base)).send().await.unwrap();
    server.post("/admin/catalogues/files/reindex", &json!({})).await.assert_status(202);
    let mut text = String::new();
    while !text.contains("\"succeeded\"") {
        text.push_str(&String::from_utf8_lossy(&stream.chunk().await.unwrap().unwrap()));
    }
    let mut events = text.lines().filter_map(|line| line.strip_prefix("data: "));
    let last: Value = serde_json::from_str(events.next_back().unwrap()).unwrap();
    assert_eq!((&last["id"], &last["done"], &last["total"]), (&json!(1), &json!(20), &json!(20)), "{last}");
    assert_eq!(server.get("/admin/jobs/1").await.ok(), last);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_said_so() {
    let data = Data::new("files", &[]);
    let server = filled(&data).await;
    let refused = |response: cantata_testkit::TestResponse, status: u16| {
        response.assert_status(status);
    };
    refused(server.post("/admin/catalogues/others/reindex", &json!({})).await, 404);
    refused(server.post("/admin/catalogues/others/rollback", &json!({})).await, 404);
    refused(server.post("/admin/catalogues/files/rollback", &json!({})).await, 409);
    refused(server.get("/admin/jobs/7").await, 404);
    refused(server.get("/admin/jobs/first").await, 400);
    refused(server.delete("/admin/jobs/7").await, 404);
    let (code, _) = server.command(&["reindex", "others"]);
    assert_eq!(code, 1);
}
