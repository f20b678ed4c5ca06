//! The legacy view of files that storage servers use.

use cantata_core::{AnalysisId, Error, ErrorId, ErrorOrigin, FileAccess, ObjectId, Result};
use cantata_store::{FileFilter, FileLocation, PageRange};

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
    /// Returns one entity; one of a study that may not be read is unknown.
    pub async fn entity(&self, object_id: &str, can_read: impl Fn(&str) -> bool) -> Result<FileLocation> {
        let file = match ObjectId::parse(object_id) {
            Some(id) => self.store.file(id).await?,
            None => None,
        };
        file.filter(|file| can_read(&file.study_id)).ok_or_else(|| {
            let text = format!("The entity with id '{object_id}' was not found");
            Error::new(ErrorOrigin::LegacyEntityService, ErrorId::LegacyEntityNotFound, text)
        })
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
