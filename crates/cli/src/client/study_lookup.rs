//! Looks up the study of an analysis or a file by its id.

use serde::Deserialize;

use crate::client::api_error::{ApiError, CallError};
use crate::client::server::ServerClient;

#[derive(Deserialize)]
struct EntityPage {
    content: Vec<Entity>,
}

/// The study of a file.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entity {
    project_code: String,
}

impl ServerClient {
    /// Returns the study of an analysis: the given one, else that of the server.
    pub(super) async fn study_of_analysis(&self, named: Option<&str>, id: &str) -> Result<String, CallError> {
        if let Some(study) = named {
            return Ok(study.to_owned());
        }
        let page: EntityPage =
            self.get(&["entities"], &[("gnosId", id), ("size", "1")]).await.map_err(add_study_hint)?;
        let file = page.content.into_iter().next();
        file.map(|file| file.project_code).ok_or_else(|| {
            CallError::Rejected(ApiError {
                error_id: Some("analysis.id.not.found".to_owned()),
                http_status_code: None,
                message: format!("no analysis has the id '{id}'"),
            })
        })
    }

    /// Returns the study of a file: the given one, else that of the server.
    pub(super) async fn study_of_file(&self, named: Option<&str>, object_id: &str) -> Result<String, CallError> {
        if let Some(study) = named {
            return Ok(study.to_owned());
        }
        let file: Entity = self.get(&["entities", object_id], &[]).await.map_err(add_study_hint)?;
        Ok(file.project_code)
    }
}

/// Adds a hint: not every key may look up studies.
fn add_study_hint(error: CallError) -> CallError {
    match error {
        CallError::NotAllowed(mut error) => {
            error.message.push_str("; with --study or CANTATA_STUDY the server need not be asked for the study");
            CallError::NotAllowed(error)
        }
        other => other,
    }
}
