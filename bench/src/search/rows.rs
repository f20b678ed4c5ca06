//! The rows of an answer as ready structs, of the same fields in the same order.

use serde::{Deserialize, Serialize};

/// What is asked of each row: twenty fields.
pub(super) const QUERY: &str = "query ($first: Int) { file { hits(first: $first) { edges { node { \
    object_id file_id file_name file_type file_access data_type data_category size md5 study_id study_name \
    analysis { analysis_id analysis_type analysis_version first_published_at \
    experiment { platform strategy sequencing_centre paired_end coverage } } } } } } }";

/// An answer.
#[derive(Serialize, Deserialize)]
pub(super) struct Body {
    data: Data,
}

#[derive(Serialize, Deserialize)]
struct Data {
    file: FileResult,
}

#[derive(Serialize, Deserialize)]
struct FileResult {
    hits: Hits,
}

#[derive(Serialize, Deserialize)]
struct Hits {
    edges: Vec<Edge>,
}

#[derive(Serialize, Deserialize)]
struct Edge {
    node: Row,
}

#[derive(Serialize, Deserialize)]
struct Row {
    object_id: String,
    file_id: String,
    file_name: String,
    file_type: String,
    file_access: String,
    data_type: String,
    data_category: String,
    size: u64,
    md5: String,
    study_id: String,
    study_name: String,
    analysis: Analysis,
}

#[derive(Serialize, Deserialize)]
struct Analysis {
    analysis_id: String,
    analysis_type: String,
    analysis_version: u64,
    first_published_at: String,
    experiment: Experiment,
}

#[derive(Serialize, Deserialize)]
struct Experiment {
    platform: Option<String>,
    strategy: String,
    sequencing_centre: String,
    paired_end: bool,
    coverage: Option<f64>,
}

impl Body {
    pub(super) fn rows(&self) -> usize {
        self.data.file.hits.edges.len()
    }
}
