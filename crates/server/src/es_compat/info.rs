//! Version and health; and the error for everything that is not supported.

use axum::extract::State;
use axum::response::Response;
use http::{Method, Uri};
use serde_json::{Value, json};

use super::error::EsError;
use super::{EsResult, EsState};
use crate::response;

/// The version of Elasticsearch that is emulated.
const VERSION: &str = "7.17.29";

/// Returns the version in the form by which clients recognise Elasticsearch.
pub(super) async fn info() -> Response {
    response::json(&json!({
        "name": "cantata",
        "cluster_name": "cantata",
        "cluster_uuid": "_na_",
        "version": {
            "number": VERSION,
            "build_flavor": "default",
            "build_type": "cantata",
            "build_hash": env!("CARGO_PKG_VERSION"),
            "build_date": "2025-01-01T00:00:00.000Z",
            "build_snapshot": false,
            "lucene_version": "8.11.3",
            "minimum_wire_compatibility_version": "6.8.0",
            "minimum_index_compatibility_version": "6.0.0-beta1",
        },
        "tagline": "You Know, for Search",
    }))
}

/// Returns the health of the cluster: green whenever the server responds.
pub(super) async fn health(State(es): State<EsState>) -> EsResult {
    let shards = es.engine.indexes().await?.len();
    let mut health: Value = json!({
        "cluster_name": "cantata",
        "status": "green",
        "timed_out": false,
        "number_of_nodes": 1,
        "number_of_data_nodes": 1,
        "active_primary_shards": shards,
        "active_shards": shards,
        "active_shards_percent_as_number": 100.0,
    });
    for none in [
        "relocating_shards",
        "initializing_shards",
        "unassigned_shards",
        "delayed_unassigned_shards",
        "number_of_pending_tasks",
        "number_of_in_flight_fetch",
        "task_max_waiting_in_queue_millis",
    ] {
        health[none] = json!(0);
    }
    Ok(response::json(&health))
}

/// Responds to everything that is not supported.
pub(super) async fn unsupported(method: Method, uri: Uri) -> EsError {
    EsError::illegal(format!(
        "{method} {} is nothing that this server does; it takes documents, and searches are for GraphQL",
        uri.path()
    ))
}
