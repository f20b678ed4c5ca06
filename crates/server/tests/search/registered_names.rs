//! A type whose properties ask for one name in GraphQL takes no catalogue of analyses down.

use std::time::Duration;

use cantata_testkit::{Payload, TestCatalogues, TestServer};
use serde_json::json;

/// How often the catalogue is asked until the test gives up.
const MAX_POLLS: usize = 1_200;

const QUERY: &str = "{ analysis { hits { total edges { node { tumour_grade tumour_grade_2 } } } } }";

#[tokio::test]
async fn properties_of_one_name_are_shown_by_two() {
    let catalogues = TestCatalogues::new()
        .file("base.json", &json!({"documentType": "analysis", "esIndex": "analyses"}))
        .file("source.json", &json!({"source": {"document": "analysis-centric"}}))
        .watched();
    let server = TestServer::with_catalogues(catalogues).await;
    server.create_study("S").await;
    let properties = json!({
        "experiment": {"type": "object"},
        "tumour-grade": {"type": "string"},
        "tumour_grade": {"type": "string"},
    });
    let schema = json!({"type": "object", "required": ["experiment"], "properties": properties});
    server.post("/schemas", &json!({"name": "graded", "schema": schema})).await.ok();
    let payload =
        Payload::new("S").of_type("graded").with("tumour-grade", "changed").with("tumour_grade", "as it is").build();
    server.post("/submit/S?publish=true", &payload).await.ok();
    for _ in 0..MAX_POLLS {
        let answer = server.graphql("/graphql", QUERY, &json!({})).await;
        if answer.status == 200 && answer.json()["data"]["analysis"]["hits"]["total"] == 1 {
            let node = json!({"tumour_grade": "as it is", "tumour_grade_2": "changed"});
            assert_eq!(answer.json()["data"]["analysis"]["hits"]["edges"], json!([{"node": node}]));
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{:#}", server.get("/admin/indexing").await.json());
}
