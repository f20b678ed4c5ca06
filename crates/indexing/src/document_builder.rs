//! The document builder: how an analysis becomes documents of an index.
//!
//! It takes an analysis as the metadata service shows it and returns complete documents, or an error; analyses of another
//! server may hold anything. Documents have the names and values of the analysis, 64-bit integers included. All documents
//! of an analysis hold its id at [`DocumentBuilder::analysis_path`], and no two have the same id.

mod analysis_centric;
mod collector;
mod error;
mod file_centric;
mod json_paths;
mod members;

use std::panic::AssertUnwindSafe;

use cantata_catalogue::{DocumentShape, SourceConfig};
use cantata_core::{AnalysisState, AnalysisTypeId};

use collector::Collector;
pub use error::DocumentError;
use members::{JsonLocation, Members, without_line_breaks};

/// The member that no document has: the history of states is not searched.
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

/// An analysis as documents.
#[derive(Debug)]
pub(crate) struct BuiltAnalysis {
    pub(crate) analysis_id: String,
    /// Its documents, none if the analysis is not selected.
    pub(crate) documents: Result<Vec<IndexDocument>, DocumentError>,
    /// Its type, if it is selected.
    pub(crate) analysis_type: Option<AnalysisTypeId>,
}

impl BuiltAnalysis {
    pub(crate) fn not_selected(analysis_id: String) -> Self {
        Self { analysis_id, documents: Ok(Vec::new()), analysis_type: None }
    }
}

/// Selects analyses of a source and builds their documents.
#[derive(Debug, Clone)]
pub struct DocumentBuilder {
    pub(crate) source: SourceConfig,
}

impl DocumentBuilder {
    /// Returns the builder that a source asks for.
    pub fn new(source: &SourceConfig) -> Self {
        Self { source: source.clone() }
    }

    /// Returns whether an analysis is selected.
    pub fn selects(&self, study_id: &str, state: AnalysisState, type_name: &str, type_version: u32) -> bool {
        self.source.includes(study_id, state, type_name, type_version)
    }

    /// Returns whether an analysis can be selected, as far as that is known without its document.
    pub(crate) fn may_select(&self, study_id: &str, state: AnalysisState) -> bool {
        let SourceConfig { studies, states, .. } = &self.source;
        states.contains(&state) && studies.as_ref().is_none_or(|studies| studies.iter().any(|one| one == study_id))
    }

    /// Returns the documents of an analysis.
    ///
    /// # Errors
    ///
    /// The reason why there are none.
    pub fn documents(&self, analysis: &str) -> Result<Vec<IndexDocument>, DocumentError> {
        self.documents_of(&Members::parse(&without_line_breaks(analysis)?, JsonLocation::Analysis)?)
    }

    fn documents_of(&self, analysis: &Members<'_>) -> Result<Vec<IndexDocument>, DocumentError> {
        let mut collector = Collector::default();
        match &self.source.document {
            DocumentShape::FileCentric => file_centric::collect(analysis, &mut collector)?,
            DocumentShape::AnalysisCentric => analysis_centric::collect(analysis, &mut collector)?,
            DocumentShape::Paths(paths) => json_paths::collect(paths, analysis, &mut collector)?,
        }
        collector.finish()
    }

    /// Builds the documents of an analysis if it is selected. Its id is given where it is known.
    pub(crate) fn build(&self, analysis_id: Option<String>, document: &str) -> BuiltAnalysis {
        let mut built = BuiltAnalysis::not_selected(analysis_id.unwrap_or_default());
        built.documents = self.build_into(&mut built, document);
        built
    }

    fn build_into(&self, built: &mut BuiltAnalysis, document: &str) -> Result<Vec<IndexDocument>, DocumentError> {
        let document = without_line_breaks(document)?;
        let analysis = Members::parse(&document, JsonLocation::Analysis)?;
        let text = |key: &str| analysis.text(key).ok();
        if built.analysis_id.is_empty() {
            built.analysis_id = text("analysisId").unwrap_or_default();
        }
        let state = text("analysisState").and_then(|state| AnalysisState::parse(&state));
        let (study_id, state) = text("studyId").zip(state).ok_or(DocumentError::NoStudyOrState)?;
        let analysis_type = analysis.get("analysisType").and_then(|json| serde_json::from_str(json.get()).ok());
        let analysis_type: AnalysisTypeId = analysis_type.ok_or(DocumentError::NoType)?;
        if !self.selects(&study_id, state, &analysis_type.name, analysis_type.version) {
            return Ok(Vec::new());
        }
        built.analysis_type = Some(analysis_type);
        // A bug that one analysis uncovers must not stop the others.
        let documents = std::panic::catch_unwind(AssertUnwindSafe(|| self.documents_of(&analysis)));
        documents.unwrap_or(Err(DocumentError::Panicked))
    }

    /// Returns the path of the field that holds the id of the analysis in every document; it is not nested.
    pub fn analysis_path(&self) -> &'static str {
        match self.source.document {
            DocumentShape::FileCentric => "analysis.analysisId",
            DocumentShape::AnalysisCentric | DocumentShape::Paths(_) => "analysisId",
        }
    }
}
