//! The shapes in which analyses become documents of an index.
//!
//! A shape takes an analysis as the metadata service shows it and gives complete documents, or the reason why it cannot;
//! analyses of another server may hold anything. Documents have the names and values of the analysis, integers of 64
//! bits included. All documents of an analysis hold its id at [`Shape::analysis_path`], and no two have the same id.

mod analyses;
mod collect;
mod files;
mod members;
mod paths;

use cantata_catalogue::{DocumentShape, SourceConfig};
use cantata_core::AnalysisState;

use collect::Collector;
pub(crate) use members::{Members, Place, in_one_line};

/// The member that no document has: who changed the state when is not searched.
const HISTORY: &str = "analysisStateHistory";

/// The member with the files of an analysis.
const FILES: &str = "files";

/// A document to be indexed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexDocument {
    /// Its id.
    pub id: String,
    /// Its JSON text.
    pub source: Vec<u8>,
}

/// Which analyses of a source are taken, and what documents they become.
#[derive(Debug, Clone)]
pub struct Shape {
    source: SourceConfig,
}

impl Shape {
    /// Returns the shape that a source asks for.
    pub fn new(source: &SourceConfig) -> Self {
        Self { source: source.clone() }
    }

    /// Returns whether an analysis is taken.
    pub fn selects(&self, study_id: &str, state: AnalysisState, type_name: &str, type_version: u32) -> bool {
        self.source.takes(study_id, state, type_name, type_version)
    }

    /// Returns the documents of an analysis.
    ///
    /// # Errors
    ///
    /// The reason why there are none.
    pub fn documents(&self, analysis: &str) -> Result<Vec<IndexDocument>, String> {
        self.documents_of(&Members::of(&in_one_line(analysis)?, Place::Analysis)?)
    }

    /// Returns the documents of an analysis that has no line breaks.
    pub(crate) fn documents_of(&self, analysis: &Members<'_>) -> Result<Vec<IndexDocument>, String> {
        let mut collector = Collector::default();
        match &self.source.document {
            DocumentShape::FileCentric => files::collect(analysis, &mut collector)?,
            DocumentShape::AnalysisCentric => analyses::collect(analysis, &mut collector)?,
            DocumentShape::Paths(paths) => paths::collect(paths, analysis, &mut collector)?,
        }
        collector.finish()
    }

    /// Returns the path of the field that holds the id of the analysis in every document; it lies in nothing nested.
    pub fn analysis_path(&self) -> &'static str {
        match self.source.document {
            DocumentShape::FileCentric => "analysis.analysisId",
            DocumentShape::AnalysisCentric | DocumentShape::Paths(_) => "analysisId",
        }
    }
}
