//! Analysis types: a name, a version that counts up, the registered schema and the extra validations.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{Error, ErrorId, ErrorOrigin, Result, Timestamp};

/// The maximum length of an analysis type name, in characters.
pub const MAX_TYPE_NAME_LENGTH: usize = 225;

/// Names one version of an analysis type.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AnalysisTypeId {
    /// The type's name.
    pub name: String,
    /// The version, counted from 1.
    pub version: u32,
}

impl fmt::Display for AnalysisTypeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.name, self.version)
    }
}

/// One registered version of an analysis type.
#[derive(Debug, Clone, PartialEq)]
pub struct AnalysisType {
    /// Name and version.
    pub id: AnalysisTypeId,
    /// When it was registered.
    pub created_at: Timestamp,
    /// The extra validations.
    pub options: TypeOptions,
    /// The schema as the administrator registered it, without the base schema.
    pub schema: Value,
}

/// The extra validations of an analysis type version. An empty list asks for none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TypeOptions {
    /// The file types a submission may contain.
    pub file_types: Vec<String>,
    /// The checks against external services.
    pub external_validations: Vec<ExternalValidation>,
}

/// A check of the values at a path against an external service.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExternalValidation {
    /// The address, with `{value}` and `{study}` to be filled in.
    pub url: String,
    /// Where the values are.
    pub json_path: String,
}

/// The options in a registration request; omitted ones are inherited.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PartialTypeOptions {
    /// The file types, if given.
    pub file_types: Option<Vec<String>>,
    /// The checks against external services, if given.
    pub external_validations: Option<Vec<ExternalValidation>>,
}

impl PartialTypeOptions {
    /// Returns the effective options: those given, else those of the previous version, else none.
    pub fn inherit(self, previous: Option<&TypeOptions>) -> TypeOptions {
        let previous = previous.cloned().unwrap_or_default();
        TypeOptions {
            file_types: self.file_types.unwrap_or(previous.file_types),
            external_validations: self.external_validations.unwrap_or(previous.external_validations),
        }
    }
}

/// Rejects names that are not made of letters, digits, `.`, `_` and `-`.
pub fn check_type_name(name: &str) -> Result<()> {
    let reject = |reason: String| {
        let text = format!("The analysisTypeId name '{name}' {reason}");
        Err(Error::malformed_parameter(ErrorOrigin::AnalysisTypeService, text))
    };
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if name.is_empty() || !name.chars().all(is_allowed) {
        return reject("does not match the regex: ^[a-zA-Z0-9\\._-]+$".to_owned());
    }
    if name.len() > MAX_TYPE_NAME_LENGTH {
        return reject(format!("has {} characters, but may have {MAX_TYPE_NAME_LENGTH} at most", name.len()));
    }
    Ok(())
}

/// Rejects names that may not be registered because a route has that path.
pub fn check_registrable_name(name: &str) -> Result<()> {
    check_type_name(name)?;
    if name == "registration" {
        let text = "Cannot register an analysisType with name 'registration'";
        return Err(Error::new(ErrorOrigin::AnalysisTypeService, ErrorId::IllegalAnalysisTypeName, text));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn omitted_options_are_inherited_and_empty_ones_clear() {
        let previous = TypeOptions { file_types: vec!["bam".into()], external_validations: vec![] };
        assert_eq!(PartialTypeOptions::default().inherit(Some(&previous)), previous);
        assert_eq!(PartialTypeOptions::default().inherit(None), TypeOptions::default());
        let cleared = PartialTypeOptions { file_types: Some(vec![]), external_validations: None };
        assert_eq!(cleared.inherit(Some(&previous)), TypeOptions::default());
    }

    #[test]
    fn names_are_checked() {
        assert!(check_registrable_name("variantCall_2.0-x").is_ok());
        assert!(check_registrable_name("Registration").is_ok());
        for bad in ["", "a b", "é", "a/b", "registration", &"x".repeat(226)] {
            assert!(check_registrable_name(bad).is_err(), "{bad}");
        }
    }
}
