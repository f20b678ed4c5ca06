//! Studies: registering and finding them.

use cantata_core::{Error, ErrorId, ErrorOrigin, Result, Study};
use serde_json::{Map, Value};

use crate::MetadataService;

impl MetadataService {
    /// Registers the study that a body describes under the id of the path.
    pub async fn create_study(&self, study_id: &str, body: Map<String, Value>) -> Result<()> {
        let study = read_study(study_id, body)?;
        if self.store.create_study(study).await? {
            return Ok(());
        }
        let text = format!("The studyId '{study_id}' already exists. Cannot save the study: choose another studyId");
        Err(Error::new(ErrorOrigin::StudyService, ErrorId::StudyAlreadyExists, text))
    }

    /// Returns a study.
    pub async fn study(&self, study_id: &str) -> Result<Study> {
        self.store.study(study_id).await?.ok_or_else(|| unknown_study(study_id))
    }

    /// Returns the ids of all studies.
    pub async fn study_ids(&self) -> Result<Vec<String>> {
        Ok(self.store.study_ids().await?)
    }

    /// Fails when a study is not registered.
    pub(crate) async fn require_study(&self, study_id: &str) -> Result<()> {
        self.study(study_id).await.map(|_| ())
    }
}

pub(crate) fn unknown_study(study_id: &str) -> Error {
    let text = format!("The studyId '{study_id}' does not exist; GET /studies/all lists the registered ones");
    Error::new(ErrorOrigin::StudyService, ErrorId::StudyIdDoesNotExist, text)
}

/// Makes the error for a body that names another study than the path.
pub(crate) fn study_mismatch(origin: ErrorOrigin, study_id: &str, named: &str) -> Error {
    let text = format!("The studyId in the URL path '{study_id}' should match the studyId '{named}' in the payload");
    Error::new(origin, ErrorId::StudyIdMismatch, text)
}

/// Reads a study; unknown members go into its `info`.
fn read_study(study_id: &str, mut body: Map<String, Value>) -> Result<Study> {
    let malformed = |text: String| Error::new(ErrorOrigin::StudyService, ErrorId::MalformedRequestBody, text);
    let mut text_member = |name: &str| match body.shift_remove(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => Err(malformed(format!("#/{name}: expected a string or nothing, found: {other}"))),
    };
    let body_study_id = text_member("studyId")?;
    if body_study_id.as_deref() != Some(study_id) {
        let named = body_study_id.as_deref().unwrap_or("null");
        return Err(study_mismatch(ErrorOrigin::StudyService, study_id, named));
    }
    Study::check_id(study_id)?;
    let name = text_member("name")?;
    let organization = text_member("organization")?;
    let description = text_member("description")?;
    let mut info = match body.shift_remove("info") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(info)) => info,
        Some(other) => return Err(malformed(format!("#/info: expected an object or nothing, found: {other}"))),
    };
    info.extend(body);
    Ok(Study { info, study_id: study_id.to_owned(), name, organization, description })
}
