//! What was acknowledged, and how it is compared with a server.

use std::collections::{BTreeMap, BTreeSet};

use cantata_testkit::TestClient;
use rand::Rng;
use rand::rngs::StdRng;
use serde_json::{Value, json};

/// The study of all analyses.
pub(crate) const STUDY: &str = "S";

/// The type of all analyses.
pub(crate) const TYPE: &str = "reads";

/// A type that has only versions.
pub(crate) const OTHER_TYPE: &str = "other";

/// The catalogue of the published analyses.
pub(crate) const ANALYSES: &str = "analyses";

/// An index without a source.
pub(crate) const NOTES: &str = "notes";

/// The index of saved sets.
const SETS: &str = "arranger-sets";

/// What was acknowledged.
#[derive(Debug, Default)]
pub(crate) struct Model {
    pub(crate) studies: BTreeSet<String>,
    pub(crate) other_type_version: u64,
    pub(crate) analyses: BTreeMap<String, AnalysisModel>,
    /// The values of the documents, by id.
    pub(crate) notes: BTreeMap<String, u64>,
    pub(crate) sets: BTreeSet<String>,
    last_number: u64,
}

/// The part of an analysis that changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AnalysisModel {
    pub(crate) is_published: bool,
    pub(crate) reads: u64,
}

impl AnalysisModel {
    pub(crate) fn of(analysis: &Value) -> Self {
        Self {
            is_published: analysis["analysisState"] == "PUBLISHED",
            reads: analysis["experiment"]["reads"].as_u64().unwrap(),
        }
    }
}

impl Model {
    /// Returns a number that no call returned before, so that every change is one.
    pub(crate) fn next_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// Returns one of the analyses, and its id.
    pub(crate) fn any_analysis(&self, random: &mut StdRng) -> (String, AnalysisModel) {
        let (id, analysis) = self.analyses.iter().nth(random.random_range(0..self.analyses.len())).unwrap();
        (id.clone(), analysis.clone())
    }

    /// Requires that a server has everything acknowledged, and nothing else.
    pub(crate) async fn check(&self, server: &TestClient) {
        assert_eq!(server.get("/studies/all").await.ok(), json!(self.studies));
        let registered = server.get(&format!("/schemas/{OTHER_TYPE}")).await.ok();
        assert_eq!(registered["version"], self.other_type_version);
        let path = format!("/studies/{STUDY}/analysis?analysisStates=PUBLISHED,UNPUBLISHED,SUPPRESSED");
        let listed = server.get(&path).await.ok();
        let listed = listed.as_array().unwrap();
        let id = |analysis: &Value| analysis["analysisId"].as_str().unwrap().to_owned();
        let found: BTreeMap<String, AnalysisModel> =
            listed.iter().map(|analysis| (id(analysis), AnalysisModel::of(analysis))).collect();
        assert_eq!((listed.len(), &found), (self.analyses.len(), &self.analyses));
        assert_eq!(server.get(&format!("/_es/{NOTES}/_count")).await.ok()["count"], self.notes.len());
        for (id, value) in &self.notes {
            assert_eq!(server.get(&format!("/_es/{NOTES}/_source/{id}")).await.ok(), json!({"value": value}));
        }
        assert_eq!(server.get(&format!("/_es/{SETS}/_count")).await.ok()["count"], self.sets.len());
        for id in &self.sets {
            assert_eq!(server.get(&format!("/_es/{SETS}/_source/{id}")).await.ok()["setId"], id.as_str());
        }
    }

    /// Requires that the index of a catalogue that is up to date has the published analyses, and nothing else.
    pub(crate) async fn check_index(&self, server: &TestClient) {
        let published: BTreeMap<&String, &AnalysisModel> =
            self.analyses.iter().filter(|(_, analysis)| analysis.is_published).collect();
        let query = "{ analysis { hits(first: 1000) { total edges { node { id } } } } }";
        let answer = server.graphql("/graphql", query, &json!({})).await.ok();
        let hits = &answer["data"]["analysis"]["hits"];
        assert_eq!(hits["total"], published.len(), "{answer}");
        let edges = hits["edges"].as_array().unwrap();
        let ids: BTreeSet<&str> = edges.iter().map(|edge| edge["node"]["id"].as_str().unwrap()).collect();
        let expected: BTreeSet<&str> = published.keys().map(|id| id.as_str()).collect();
        assert_eq!(ids, expected);
        for (id, analysis) in published {
            let document = server.get(&format!("/_es/{ANALYSES}/_source/{id}")).await.ok();
            assert_eq!(AnalysisModel::of(&document), *analysis, "{id}");
        }
    }
}
