//! `GET …/analysis`

use cantata_testkit::{Payload, TestServer};
use serde_json::json;

use crate::support::{column, server_with_study};

/// Returns a server with two analyses in each state, and their ids by state.
pub(super) async fn server_with_states() -> (TestServer, [Vec<String>; 3]) {
    let server = server_with_study().await;
    let mut ids: [Vec<String>; 3] = Default::default();
    for (group, calls) in ids.iter_mut().zip([vec!["publish"], vec![], vec!["publish", "suppress"]]) {
        for _ in 0..2 {
            let id = server.submit(&Payload::new("S")).await;
            for call in &calls {
                server.put_empty(&format!("/studies/S/analysis/{call}/{id}")).await.ok();
            }
            group.push(id);
        }
        group.sort();
    }
    (server, ids)
}

#[tokio::test]
async fn published_analyses_are_listed_by_id_unless_states_are_given() {
    let (server, [published, unpublished, suppressed]) = server_with_states().await;
    let list = async |states: &str| {
        let listed = server.get(&format!("/studies/S/analysis{states}")).await.ok();
        column(&listed, "analysisId").into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(list("").await, published);
    assert_eq!(list("?analysisStates=").await, published);
    assert_eq!(list("?analysisStates=UNPUBLISHED").await, unpublished);
    assert_eq!(list("?analysisStates=SUPPRESSED,SUPPRESSED").await, suppressed);
    let mut both = [published.clone(), suppressed.clone()].concat();
    both.sort();
    assert_eq!(list("?analysisStates=SUPPRESSED,PUBLISHED").await, both);
    assert_eq!(list("?analysisStates=SUPPRESSED&analysisStates=PUBLISHED").await, both);
    let mut all = [both, unpublished.clone()].concat();
    all.sort();
    assert_eq!(list("?analysisStates=PUBLISHED,UNPUBLISHED,SUPPRESSED").await, all);
    assert_eq!(list("?analysisStates=PUBLISHED,UNPUBLISHED&analysisStates=SUPPRESSED").await, all);
    let page = server.get("/studies/S/analysis/paginated?analysisStates=SUPPRESSED&analysisStates=UNPUBLISHED").await;
    assert_eq!(page.ok()["totalAnalyses"], suppressed.len() + unpublished.len());
}

#[tokio::test]
async fn each_element_is_the_whole_analysis() {
    let (server, [published, ..]) = server_with_states().await;
    let listed = server.get("/studies/S/analysis").await;
    let mut texts = Vec::new();
    for id in &published {
        texts.push(server.get(&format!("/studies/S/analysis/{id}")).await.text().to_owned());
    }
    listed.assert_text(200, &format!("[{}]", texts.join(",")));
}

#[tokio::test]
async fn a_study_without_analyses_has_an_empty_list() {
    let server = server_with_study().await;
    server.get("/studies/S/analysis").await.assert_text(200, "[]");
}

#[tokio::test]
async fn more_analyses_than_are_read_at_once_are_listed() {
    let server = server_with_study().await;
    let payloads: Vec<_> = (0..600).map(|_| Payload::new("S").build()).collect();
    server.post("/submit/S/batch", &json!(payloads)).await.ok();
    let listed = server.get("/studies/S/analysis?analysisStates=UNPUBLISHED").await.ok();
    let ids = column(&listed, "analysisId");
    assert_eq!(ids.len(), 600);
    assert!(ids.is_sorted_by(|a, b| a < b));
}

#[tokio::test]
async fn what_is_no_state_is_named() {
    let server = server_with_study().await;
    for path in ["/studies/S/analysis", "/studies/S/analysis/paginated"] {
        for (states, named) in [
            ("foo,bar", "'foo', 'bar'"),
            ("foo&analysisStates=bar", "'foo', 'bar'"),
            ("published", "'published'"),
            ("PUBLISHED,%20SUPPRESSED", "' SUPPRESSED'"),
        ] {
            let text = format!(
                "The following are not AnalysisStates: {named}; the states are PUBLISHED, UNPUBLISHED, SUPPRESSED"
            );
            let refused = server.get(&format!("{path}?analysisStates={states}")).await;
            refused.assert_error(400, "AnalysisService", "malformed.parameter", &text);
        }
    }
}

#[tokio::test]
async fn an_unknown_study_has_no_list() {
    let server = server_with_study().await;
    for path in ["/studies/none/analysis", "/studies/none/analysis/paginated", "/studies/none/analysis/search/id"] {
        let text = "The studyId 'none' does not exist; GET /studies/all lists the registered ones";
        server.get(path).await.assert_error(404, "StudyService", "study.id.does.not.exist", text);
    }
}
