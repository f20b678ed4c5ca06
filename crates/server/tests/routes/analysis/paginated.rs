//! `GET …/analysis/paginated`

use serde_json::json;

use super::list::server_with_states;
use crate::support::{column, keys, server_with_study};

#[tokio::test]
async fn a_page_says_how_many_there_are() {
    let (server, [published, ..]) = server_with_states().await;
    let page = server.get("/studies/S/analysis/paginated?limit=1").await.ok();
    assert_eq!(keys(&page), ["analyses", "totalAnalyses", "currentTotalAnalyses"]);
    assert_eq!(column(&page["analyses"], "analysisId"), [published[0].as_str()]);
    assert_eq!((&page["totalAnalyses"], &page["currentTotalAnalyses"]), (&json!(2), &json!(1)));
    assert_eq!(page["analyses"][0], server.analysis("S", &published[0]).await);
    assert_eq!(page["analyses"][0]["files"][0]["analysisId"], published[0]);
}

#[tokio::test]
async fn pages_put_together_are_the_list() {
    let (server, _) = server_with_states().await;
    let states = "analysisStates=PUBLISHED,UNPUBLISHED,SUPPRESSED";
    let whole = server.get(&format!("/studies/S/analysis?{states}")).await.ok();
    for limit in [1, 2, 4, 6, 100] {
        let mut collected = Vec::new();
        for offset in (0..6).step_by(limit) {
            let path = format!("/studies/S/analysis/paginated?{states}&limit={limit}&offset={offset}");
            let page = server.get(&path).await.ok();
            assert_eq!(page["totalAnalyses"], 6);
            collected.extend(page["analyses"].as_array().unwrap().clone());
        }
        assert_eq!(json!(collected), whole, "limit {limit}");
    }
}

#[tokio::test]
async fn pages_by_key_put_together_are_the_list() {
    let (server, _) = server_with_states().await;
    let states = "analysisStates=PUBLISHED,UNPUBLISHED,SUPPRESSED";
    let whole = server.get(&format!("/studies/S/analysis?{states}")).await.ok();
    for limit in [1, 2, 4, 6, 100] {
        let (mut collected, mut after) = (Vec::new(), String::new());
        loop {
            let path = format!("/studies/S/analysis/paginated?{states}&limit={limit}&after={after}");
            let page = server.get(&path).await.ok();
            assert_eq!(page["totalAnalyses"], 6);
            let analyses = page["analyses"].as_array().unwrap().clone();
            let Some(last) = analyses.last() else { break };
            after = last["analysisId"].as_str().unwrap().to_owned();
            collected.extend(analyses);
        }
        assert_eq!(json!(collected), whole, "limit {limit}");
    }
    server.get("/studies/S/analysis/paginated?after=first").await.assert_error_id(400, "malformed.parameter");
}

#[tokio::test]
async fn a_page_may_be_empty() {
    let server = server_with_study().await;
    let empty = r#"{"analyses":[],"totalAnalyses":0,"currentTotalAnalyses":0}"#;
    server.get("/studies/S/analysis/paginated").await.assert_text(200, empty);
    server.get("/studies/S/analysis/paginated?limit=0").await.assert_text(200, empty);
    let (server, _) = server_with_states().await;
    let empty = r#"{"analyses":[],"totalAnalyses":2,"currentTotalAnalyses":0}"#;
    for query in ["limit=0", "offset=2", "offset=18446744073709551615", "offset=99999999999999999999999"] {
        server.get(&format!("/studies/S/analysis/paginated?{query}")).await.assert_text(200, empty);
    }
    let page = server.get("/studies/S/analysis/paginated?limit=18446744073709551615&offset=1").await.ok();
    assert_eq!(page["currentTotalAnalyses"], 1);
}

#[tokio::test]
async fn values_that_are_not_allowed_are_named() {
    let server = server_with_study().await;
    for (name, value) in [("limit", "-1"), ("limit", "x"), ("offset", "-1"), ("offset", "1e3")] {
        let text = format!("The parameter '{name}' is '{value}', but must be an integer of 0 or more");
        let refused = server.get(&format!("/studies/S/analysis/paginated?{name}={value}")).await;
        refused.assert_error(400, "AnalysisService", "malformed.parameter", &text);
    }
}
