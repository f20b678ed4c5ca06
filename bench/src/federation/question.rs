//! The question of a page: the number of records and facets, of a network or of one node.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use crate::client::post_json;

/// Where the catalogue of files answers.
const PATH: &str = "/files/graphql";

/// No file is as large.
const LARGER_THAN_ANY: u64 = 1 << 50;

const FACETS: &str = "study_id { bucket_count buckets { key doc_count } } \
                      donors__primary_site { bucket_count buckets { key doc_count } } \
                      donors__gender { bucket_count buckets { key doc_count } } \
                      donors__specimens__specimen_type { bucket_count buckets { key doc_count } } \
                      donors__specimens__samples__sample_type { bucket_count buckets { key doc_count } } \
                      data_category { bucket_count buckets { key doc_count } } \
                      file_access { bucket_count buckets { key doc_count } } \
                      is_released { bucket_count buckets { key doc_count } }";

/// A question that nobody has asked before.
pub(super) struct Question {
    filter: Value,
}

impl Question {
    pub(super) fn new() -> Self {
        static ASKED: AtomicU64 = AtomicU64::new(0);
        let more_than_any = LARGER_THAN_ANY + ASKED.fetch_add(1, Ordering::Relaxed);
        let gender = json!({ "op": "in", "content": { "fieldName": "donors.gender", "value": ["Female"] } });
        let size = json!({ "op": "<=", "content": { "fieldName": "size", "value": more_than_any } });
        Self { filter: json!({ "op": "and", "content": [gender, size] }) }
    }

    /// Returns the bytes of the request to a network.
    pub(super) fn to_network(&self) -> Vec<u8> {
        let query = format!(
            "query ($filters: JSON) {{ network(filters: $filters, include_missing: true) {{ complete \
             nodes {{ nodeId name hits status errors contributed missingFields }} aggregations {{ {FACETS} }} }} }}"
        );
        self.request(&query)
    }

    /// Returns the bytes of the request that a network sends to a node.
    pub(super) fn to_node(&self) -> Vec<u8> {
        let query = format!(
            "query nodeQuery($filters: JSON) {{ file {{ hits(filters: $filters) {{ total }} \
             aggregations(filters: $filters, include_missing: true) {{ {FACETS} }} }} }}"
        );
        self.request(&query)
    }

    fn request(&self, query: &str) -> Vec<u8> {
        post_json(PATH, &json!({ "query": query, "variables": { "filters": self.filter } }))
    }
}

/// Returns the bytes of a request for what a network knows of its nodes.
pub(super) fn state_of_network() -> Vec<u8> {
    post_json(PATH, &json!({ "query": "{ network { complete } __type(name: \"Network\") { fields { name } } }" }))
}
