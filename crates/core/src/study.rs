//! Studies: what analyses are grouped, owned and listed by.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Error, ErrorOrigin, Result};

/// The maximum length of a study id, in characters.
pub const MAX_STUDY_ID_LENGTH: usize = 36;

/// A study. Members that hold nothing are left out of the wire form.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Study {
    /// Everything the study was registered with beyond the named members.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub info: Map<String, Value>,
    /// The id, unique among studies.
    pub study_id: String,
    /// What people call it.
    #[serde(default, skip_serializing_if = "is_blank")]
    pub name: Option<String>,
    /// Who runs it.
    #[serde(default, skip_serializing_if = "is_blank")]
    pub organization: Option<String>,
    /// What it is about.
    #[serde(default, skip_serializing_if = "is_blank")]
    pub description: Option<String>,
}

fn is_blank(text: &Option<String>) -> bool {
    text.as_deref().unwrap_or_default().is_empty()
}

impl Study {
    /// Rejects ids that cannot be stored or that no route could address.
    pub fn check_id(study_id: &str) -> Result<()> {
        let reject = |text: String| Err(Error::malformed_parameter(ErrorOrigin::StudyService, text));
        let length = study_id.chars().count();
        if length == 0 || length > MAX_STUDY_ID_LENGTH {
            return reject(format!(
                "The studyId '{study_id}' has {length} characters, but must have 1 to {MAX_STUDY_ID_LENGTH}"
            ));
        }
        if study_id.chars().any(char::is_control) {
            return reject(format!(
                "The studyId '{}' contains a control character; use letters, digits and signs only",
                study_id.escape_debug()
            ));
        }
        if study_id == "all" {
            return reject("The studyId 'all' is reserved for the list of all studies; choose another one".into());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_that_hold_nothing_are_left_out() {
        let study = Study { study_id: "S".into(), name: Some(String::new()), ..Study::default() };
        assert_eq!(serde_json::to_string(&study).unwrap(), r#"{"studyId":"S"}"#);
    }

    #[test]
    fn ids_that_cannot_work_are_refused() {
        assert!(Study::check_id("ABC-CA").is_ok());
        assert!(Study::check_id(&"x".repeat(36)).is_ok());
        for bad in ["", "all", "a\u{0}b", &"x".repeat(37)] {
            assert!(Study::check_id(bad).is_err(), "{bad:?}");
        }
    }
}
