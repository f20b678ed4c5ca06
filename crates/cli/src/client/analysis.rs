//! Analyses and files by their ids alone: to which study does one belong?

use serde::Deserialize;

use super::refusal::Refusal;
use super::{CallError, Server};

#[derive(Deserialize)]
struct EntityPage {
    content: Vec<Entity>,
}

/// A file, as far as it says where it belongs.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entity {
    project_code: String,
}

impl Server {
    /// Returns the study of an analysis: the one that was named, else the server is asked.
    pub(super) async fn study_of_analysis(&self, named: Option<&str>, id: &str) -> Result<String, CallError> {
        if let Some(study) = named {
            return Ok(study.to_owned());
        }
        let page: EntityPage = self.get(&["entities"], &[("gnosId", id), ("size", "1")]).await.map_err(unasked)?;
        let file = page.content.into_iter().next();
        file.map(|file| file.project_code).ok_or_else(|| {
            CallError::Refused(Refusal {
                error_id: Some("analysis.id.not.found".to_owned()),
                http_status_code: None,
                message: format!("no analysis has the id '{id}'"),
            })
        })
    }

    /// Returns the study of a file: the one that was named, else the server is asked.
    pub(super) async fn study_of_file(&self, named: Option<&str>, object_id: &str) -> Result<String, CallError> {
        if let Some(study) = named {
            return Ok(study.to_owned());
        }
        let file: Entity = self.get(&["entities", object_id], &[]).await.map_err(unasked)?;
        Ok(file.project_code)
    }
}

/// Says how to do without asking: not every key may read everything.
fn unasked(error: CallError) -> CallError {
    match error {
        CallError::NotAllowed(mut refusal) => {
            refusal.message.push_str("; with --study or CANTATA_STUDY the server need not be asked for the study");
            CallError::NotAllowed(refusal)
        }
        other => other,
    }
}
