//! The legacy view of files that storage servers use.

use cantata_core::{AnalysisId, AnalysisState, Error, ErrorId, ErrorOrigin, FileAccess, ObjectId, Result};
use cantata_store::{FileFilter, FileLocation, PageRange, StateSet, VisibleFiles};

use crate::MetadataService;

/// The filter of a query for entities.
#[derive(Debug, Clone, Default)]
pub struct EntityRequest {
    /// The object id.
    pub id: Option<String>,
    /// The analysis id.
    pub gnos_id: Option<String>,
    /// The file name.
    pub file_name: Option<String>,
    /// The study id.
    pub project_code: Option<String>,
    /// The access level.
    pub access: Option<String>,
    /// The files that may be seen; all if nothing is said.
    pub visible: Option<VisibleFiles>,
}

impl EntityRequest {
    /// Returns the filter, or none if no file can match, such as for a malformed id.
    fn filter(&self) -> Option<FileFilter> {
        fn read<T>(text: Option<&String>, parse: impl Fn(&str) -> Option<T>) -> Option<Option<T>> {
            text.map_or(Some(None), |text| parse(text).map(Some))
        }
        Some(FileFilter {
            object_id: read(self.id.as_ref(), ObjectId::parse)?,
            analysis_id: read(self.gnos_id.as_ref(), AnalysisId::parse)?,
            name: self.file_name.clone(),
            study_id: self.project_code.clone(),
            access: read(self.access.as_ref(), FileAccess::parse)?,
            visible: self.visible.clone(),
        })
    }
}

/// One page of entities.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntityPage {
    /// How many match in all.
    pub total: u64,
    /// Those of the page, ordered by object id.
    pub files: Vec<FileLocation>,
}

impl MetadataService {
    /// Returns one entity; one of an analysis in another state than those that may be seen of its study is unknown.
    pub async fn entity(&self, object_id: &str, states_of: impl Fn(&str) -> StateSet) -> Result<FileLocation> {
        let file = match ObjectId::parse(object_id) {
            Some(id) => self.store.file(id).await?,
            None => None,
        };
        let file = match file {
            Some(file) if states_of(&file.study_id) != StateSet::ALL => {
                let visible = Some(visible_files([file.study_id], states_of));
                let filter = FileFilter { object_id: Some(file.object_id), visible, ..FileFilter::default() };
                self.store.files_after(&filter, None, 1).await?.pop()
            }
            file => file,
        };
        file.ok_or_else(|| {
            let text = format!("The entity with id '{object_id}' was not found");
            Error::new(ErrorOrigin::LegacyEntityService, ErrorId::LegacyEntityNotFound, text)
        })
    }

    /// Returns the files that may be seen of one study, or of all studies, by the states of analyses that may be seen of each.
    pub async fn visible_files(
        &self,
        study_id: Option<&str>,
        states_of: impl Fn(&str) -> StateSet,
    ) -> Result<VisibleFiles> {
        let studies = match study_id {
            Some(study_id) => vec![study_id.to_owned()],
            None => self.store.study_ids().await?,
        };
        Ok(visible_files(studies, states_of))
    }

    /// Returns one page of the entities that match.
    pub async fn entities(&self, request: &EntityRequest, page: PageRange) -> Result<EntityPage> {
        let Some(filter) = request.filter() else {
            return Ok(EntityPage { total: 0, files: vec![] });
        };
        let (total, files) = self.store.list_files(&filter, page).await?;
        Ok(EntityPage { total, files })
    }

    /// Returns the entities that match after one, or from the first on; nothing is counted.
    pub async fn entities_after(
        &self,
        request: &EntityRequest,
        after: Option<ObjectId>,
        limit: u64,
    ) -> Result<Vec<FileLocation>> {
        match request.filter() {
            Some(filter) => Ok(self.store.files_after(&filter, after, limit).await?),
            None => Ok(vec![]),
        }
    }
}

fn visible_files(studies: impl IntoIterator<Item = String>, states_of: impl Fn(&str) -> StateSet) -> VisibleFiles {
    let mut visible = VisibleFiles::default();
    for study_id in studies {
        let states = states_of(&study_id);
        if states == StateSet::ALL {
            visible.studies.insert(study_id);
        } else if states.contains(AnalysisState::Published) {
            visible.published.insert(study_id);
        }
    }
    visible
}
