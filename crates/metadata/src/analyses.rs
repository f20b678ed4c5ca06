//! Reading analyses: one, a study's, a page of them, those with certain files.

use cantata_core::{Analysis, AnalysisState, Error, ErrorId, ErrorOrigin, File, ObjectId, Result};
use cantata_store::{AnalysisQuery, ObjectIdPattern, StateSet, StoredAnalysis};
use regex::RegexBuilder;

use crate::optimistic_update::{parse_analysis_id, read_document, unknown_analysis};
use crate::{DocumentStream, MetadataService};

/// The most memory that a compiled search expression may take.
const MAX_REGEX_BYTES: usize = 1024 * 1024;

/// One page of a study's analyses.
pub struct AnalysisPage {
    /// The documents of the page.
    pub documents: DocumentStream,
    /// How many analyses match in all.
    pub total: u64,
}

impl MetadataService {
    /// Returns the JSON document of an analysis of a study; one in another state than these is unknown.
    pub async fn analysis_document(&self, study_id: &str, analysis_id: &str, visible: StateSet) -> Result<String> {
        let stored = self.stored_analysis(study_id, analysis_id).await?;
        if visible != StateSet::ALL {
            visible_analysis(&stored, analysis_id, visible)?;
        }
        Ok(stored.document)
    }

    /// Returns the files of an analysis of a study; one in another state than these is unknown.
    pub async fn analysis_files(&self, study_id: &str, analysis_id: &str, visible: StateSet) -> Result<Vec<File>> {
        let stored = self.stored_analysis(study_id, analysis_id).await?;
        Ok(visible_analysis(&stored, analysis_id, visible)?.files)
    }

    /// Returns the stored analysis, in one read when all is well; the study is what an error is about first.
    pub(crate) async fn stored_analysis(&self, study_id: &str, analysis_id: &str) -> Result<StoredAnalysis> {
        let stored = match parse_analysis_id(analysis_id) {
            Ok(id) => self.store.analysis(id).await?,
            Err(_) => None,
        };
        match stored {
            Some(stored) if stored.study_id == study_id => Ok(stored),
            stored => {
                self.require_study(study_id).await?;
                let named = stored.filter(|_| !self.settings.hide_other_studies);
                let Some(stored) = named else { return Err(unknown_analysis(analysis_id)) };
                let actual = &stored.study_id;
                Err(not_related("analysisId", analysis_id, study_id, actual, ErrorOrigin::AnalysisService))
            }
        }
    }

    /// Returns the analyses of a study that are in one of the states.
    pub async fn list_analyses(&self, study_id: &str, states: StateSet) -> Result<DocumentStream> {
        self.require_study(study_id).await?;
        self.list(&AnalysisQuery::all(study_id, states)).await
    }

    /// Returns one page of them.
    pub async fn page_analyses(&self, query: &AnalysisQuery) -> Result<AnalysisPage> {
        self.require_study(&query.study_id).await?;
        let total = self.store.count_analyses(&query.study_id, query.states).await?;
        Ok(AnalysisPage { documents: self.list(query).await?, total })
    }

    async fn list(&self, query: &AnalysisQuery) -> Result<DocumentStream> {
        Ok(DocumentStream::new(self.store.clone(), self.store.list_analyses(query).await?))
    }

    /// Returns the analyses of a study, in any state, that have a file whose object id matches the expression.
    pub async fn search_by_file(&self, study_id: &str, expression: &str) -> Result<DocumentStream> {
        self.require_study(study_id).await?;
        let pattern = object_id_pattern(expression)?;
        Ok(DocumentStream::new(self.store.clone(), self.store.search_by_file(study_id, &pattern).await?))
    }
}

/// Reads an analysis that is in one of the states.
fn visible_analysis(stored: &StoredAnalysis, analysis_id: &str, visible: StateSet) -> Result<Analysis> {
    let analysis: Analysis = read_document(&stored.document, analysis_id)?;
    if visible.contains(analysis.state) { Ok(analysis) } else { Err(unknown_analysis(analysis_id)) }
}

fn object_id_pattern(expression: &str) -> Result<ObjectIdPattern> {
    if expression.is_empty() || expression == ".*" {
        return Ok(ObjectIdPattern::Any);
    }
    if let Some(id) = ObjectId::parse(&expression.to_ascii_lowercase()) {
        return Ok(ObjectIdPattern::Exactly(id));
    }
    let regex = RegexBuilder::new(expression).case_insensitive(true).size_limit(MAX_REGEX_BYTES).build();
    regex.map(ObjectIdPattern::Matching).map_err(|error| {
        let text = format!("The expression '{expression}' for object ids is not a regular expression: {error}");
        Error::new(ErrorOrigin::AnalysisService, ErrorId::SearchTermSyntax, text)
    })
}

pub(crate) fn not_related(kind: &str, id: &str, study_id: &str, actual: &str, origin: ErrorOrigin) -> Error {
    let text = format!(
        "The {kind} '{id}' is not related to the input studyId '{study_id}'. \
         It is actually related to studyId '{actual}'"
    );
    Error::new(origin, ErrorId::EntityNotRelatedToStudy, text)
}

/// Reads the states that a query gives in one list or several; none mean the published ones.
pub fn parse_states<'a>(lists: impl Iterator<Item = &'a str>) -> Result<StateSet> {
    let names: Vec<&str> = lists.filter(|list| !list.is_empty()).flat_map(|list| list.split(',')).collect();
    if names.is_empty() {
        return Ok(StateSet::from_iter([AnalysisState::Published]));
    }
    let unknown: Vec<String> =
        names.iter().filter(|name| AnalysisState::parse(name).is_none()).map(|name| format!("'{name}'")).collect();
    if unknown.is_empty() {
        return Ok(names.into_iter().filter_map(AnalysisState::parse).collect());
    }
    let states = "PUBLISHED, UNPUBLISHED, SUPPRESSED";
    let text = format!("The following are not AnalysisStates: {}; the states are {states}", unknown.join(", "));
    Err(Error::malformed_parameter(ErrorOrigin::AnalysisService, text))
}
