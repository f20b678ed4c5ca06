//! The requests: each change is acknowledged, or refused because of the disk; reads are always answered.

use cantata_testkit::{Payload, TestClient, TestResponse, minimal_type};
use http::Method;
use rand::Rng;
use rand::rngs::StdRng;
use serde_json::json;

use crate::model::{AnalysisModel, Model, NOTES, OTHER_TYPE, STUDY, TYPE};

/// How many documents the index without a source has at most.
const MAX_NOTES: u32 = 20;

const SAVE_SET: &str = "mutation { saveSet(type: analysis, userId: \"u\", sqon: {}, path: \"analysisId\") { setId } }";

/// A request that changes something.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Change {
    Submit,
    SetState,
    Patch,
    CreateStudy,
    RegisterType,
    WriteNotes,
    SaveSet,
}

impl Change {
    /// All of them; those that need an analysis after the one that makes it.
    pub(crate) const ALL: [Self; 7] = [
        Self::Submit,
        Self::SetState,
        Self::Patch,
        Self::CreateStudy,
        Self::RegisterType,
        Self::WriteNotes,
        Self::SaveSet,
    ];

    /// Sends the request, and puts what is acknowledged into the model; returns whether it was.
    pub(crate) async fn send(self, server: &TestClient, model: &mut Model, random: &mut StdRng) -> bool {
        match self {
            Self::Submit => submit(server, model, random).await,
            Self::SetState => change_state(server, model, random).await,
            Self::Patch => patch(server, model, random).await,
            Self::CreateStudy => create_study(server, model).await,
            Self::RegisterType => register_type(server, model).await,
            Self::WriteNotes => write_notes(server, model, random).await,
            Self::SaveSet => save_set(server, model).await,
        }
    }
}

/// Returns whether a change of the metadata was acknowledged.
#[track_caller]
fn is_acknowledged(response: &TestResponse) -> bool {
    if response.status == 507 {
        response.assert_error_id(507, "disk.not.writable");
        return false;
    }
    response.assert_status(200);
    true
}

async fn submit(server: &TestClient, model: &mut Model, random: &mut StdRng) -> bool {
    let (is_published, reads) = (random.random::<bool>(), model.next_number());
    let payload = Payload::new(STUDY).of_type(TYPE).with("experiment", json!({"reads": reads}));
    let path = format!("/submit/{STUDY}?publish={is_published}");
    let response = server.post(&path, &payload.build()).await;
    let is_acknowledged = is_acknowledged(&response);
    if is_acknowledged {
        let id = response.json()["analysisId"].as_str().unwrap().to_owned();
        model.analyses.insert(id, AnalysisModel { is_published, reads });
    }
    is_acknowledged
}

async fn change_state(server: &TestClient, model: &mut Model, random: &mut StdRng) -> bool {
    let (id, before) = model.any_analysis(random);
    let verb = if before.is_published { "unpublish" } else { "publish" };
    let response = server.put_empty(&format!("/studies/{STUDY}/analysis/{verb}/{id}")).await;
    let is_acknowledged = is_acknowledged(&response);
    if is_acknowledged {
        model.analyses.insert(id, AnalysisModel { is_published: !before.is_published, ..before });
    }
    is_acknowledged
}

async fn patch(server: &TestClient, model: &mut Model, random: &mut StdRng) -> bool {
    let ((id, before), reads) = (model.any_analysis(random), model.next_number());
    let path = format!("/studies/{STUDY}/analysis/{id}");
    let response = server.patch(&path, &json!({"experiment": {"reads": reads}})).await;
    let is_acknowledged = is_acknowledged(&response);
    if is_acknowledged {
        model.analyses.insert(id, AnalysisModel { reads, ..before });
    }
    is_acknowledged
}

async fn create_study(server: &TestClient, model: &mut Model) -> bool {
    let study_id = format!("STUDY{}", model.next_number());
    let response = server.post(&format!("/studies/{study_id}/"), &json!({"studyId": study_id})).await;
    is_acknowledged(&response) && model.studies.insert(study_id)
}

async fn register_type(server: &TestClient, model: &mut Model) -> bool {
    let response = server.post("/schemas", &minimal_type(OTHER_TYPE)).await;
    let is_acknowledged = is_acknowledged(&response);
    if is_acknowledged {
        model.other_type_version += 1;
        assert_eq!(response.json()["version"], model.other_type_version);
    }
    is_acknowledged
}

/// Writes two documents through the Elasticsearch-compatible write API.
async fn write_notes(server: &TestClient, model: &mut Model, random: &mut StdRng) -> bool {
    let value = model.next_number();
    let ids = [0, 1].map(|_| format!("note-{}", random.random_range(0..MAX_NOTES)));
    let lines = ids.each_ref().map(|id| format!("{}\n{}\n", json!({"index": {"_id": id}}), json!({"value": value})));
    let headers = [("content-type", "application/x-ndjson")];
    let path = format!("/_es/{NOTES}/_bulk");
    let response = server.send(Method::POST, &path, &headers, Some(lines.concat().into_bytes())).await;
    let report = response.ok();
    let items = report["items"].as_array().unwrap();
    let statuses: Vec<u64> = items.iter().map(|item| item["index"]["status"].as_u64().unwrap()).collect();
    let is_acknowledged = report["errors"] == false;
    assert!(is_acknowledged || statuses == [507_u64, 507], "{report}");
    if is_acknowledged {
        model.notes.extend(ids.map(|id| (id, value)));
    }
    is_acknowledged
}

async fn save_set(server: &TestClient, model: &mut Model) -> bool {
    let answer = server.graphql("/graphql", SAVE_SET, &json!({})).await.ok();
    let Some(set_id) = answer["data"]["saveSet"]["setId"].as_str() else {
        let error = &answer["errors"][0];
        assert_eq!(error["extensions"]["code"], "SERVICE_UNAVAILABLE", "{answer}");
        assert!(error["message"].as_str().unwrap().contains("full or read-only"), "{answer}");
        return false;
    };
    model.sets.insert(set_id.to_owned())
}

/// Reads what any state of the disk lets read.
pub(crate) async fn read(server: &TestClient, model: &Model, random: &mut StdRng) {
    let (id, analysis) = model.any_analysis(random);
    assert_eq!(AnalysisModel::of(&server.analysis(STUDY, &id).await), analysis);
    let answer = server.graphql("/graphql", "{ analysis { hits { total } } }", &json!({})).await.ok();
    assert!(answer["data"]["analysis"]["hits"]["total"].is_u64(), "{answer}");
    server.get("/isAlive").await.assert_status(200);
    // It has a status: that changes are taken, or that the disk cannot be written.
    is_acknowledged(&server.get("/actuator/health").await);
}
