//! The question of a page: the number of records and facets, of a network or of one node.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use crate::client::post_json;

/// Where the catalogue of files answers.
const PATH: &str = "/files/graphql";

/// No file is as large.
const LARGER_THAN_ANY: u64 = 1 << 50;

/// The fields of the facets.
const FIELDS: [&str; 8] = [
    "study_id",
    "donors__primary_site",
    "donors__gender",
    "donors__specimens__specimen_type",
    "donors__specimens__samples__sample_type",
    "data_category",
    "file_access",
    "is_released",
];

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
        let facets = facets("bucket_count buckets { key doc_count }");
        let query = format!(
            "query ($filters: JSON, $include_missing: Boolean) {{ \
             network(filters: $filters, include_missing: $include_missing) {{ complete \
             nodes {{ nodeId name hits status errors contributed missingFields }} aggregations {{{facets} }} }} }}"
        );
        self.request(&query)
    }

    /// Returns the bytes of the request that a network sends to a node: only what it makes the page of.
    pub(super) fn to_node(&self) -> Vec<u8> {
        let facets = facets("buckets { key doc_count }");
        let query = format!(
            "query nodeQuery($filters: JSON, $include_missing: Boolean) {{ file {{ hits(filters: $filters) {{ total }} \
             aggregations(filters: $filters, include_missing: $include_missing) {{{facets} }} }} }}"
        );
        self.request(&query)
    }

    fn request(&self, query: &str) -> Vec<u8> {
        let variables = json!({ "filters": self.filter, "include_missing": true });
        post_json(PATH, &json!({ "query": query, "variables": variables }))
    }
}

/// Returns the facets of a page with this selection of each.
fn facets(selection: &str) -> String {
    FIELDS.iter().map(|field| format!(" {field} {{ {selection} }}")).collect()
}

/// Returns the bytes of a request for what a network knows of its nodes.
pub(super) fn state_of_network() -> Vec<u8> {
    post_json(PATH, &json!({ "query": "{ network { complete } __type(name: \"Network\") { fields { name } } }" }))
}
