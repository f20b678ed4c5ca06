//! The files of an analysis.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{AnalysisId, ObjectId};

/// Who may download a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileAccess {
    /// Anybody.
    Open,
    /// Those who were granted it.
    Controlled,
}

impl FileAccess {
    /// Every access level.
    pub const ALL: [FileAccess; 2] = [Self::Open, Self::Controlled];

    /// Returns the wire form.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Controlled => "controlled",
        }
    }

    /// Reads the wire form.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|access| access.as_str() == text)
    }
}

/// A file as the wire shows it; the order of the members is that of the wire.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct File {
    /// What the submitter said of the file beyond the named members.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub info: Map<String, Value>,
    /// The file's id, here and in object storage.
    pub object_id: ObjectId,
    /// The study it belongs to.
    pub study_id: String,
    /// The analysis it belongs to.
    pub analysis_id: AnalysisId,
    /// Its name, unique within the analysis.
    pub file_name: String,
    /// Its size in bytes.
    pub file_size: i64,
    /// Its type, a file extension.
    pub file_type: String,
    /// Its checksum, as submitted.
    pub file_md5sum: String,
    /// Who may download it.
    pub file_access: FileAccess,
    /// What kind of data it holds.
    pub data_type: String,
}

impl File {
    /// The members of a file that the server sets; a submitter's values for them are not used.
    pub const SERVER_FIELDS: [&'static str; 3] = ["objectId", "studyId", "analysisId"];

    /// Returns the checksum's sixteen bytes, in which upper and lower case are the same.
    pub fn md5_bytes(&self) -> Option<[u8; 16]> {
        parse_md5(&self.file_md5sum)
    }
}

/// Reads a checksum of 32 hexadecimal digits.
pub fn parse_md5(text: &str) -> Option<[u8; 16]> {
    // The parser of integers alone would also accept a sign.
    let is_md5 = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_md5.then(|| u128::from_str_radix(text, 16).ok().map(u128::to_be_bytes))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_ignore_case() {
        let lower = parse_md5("595f44fec1e92a71d3e9e77456ba80d1");
        assert!(lower.is_some());
        assert_eq!(parse_md5("595F44FEC1E92A71D3E9E77456BA80D1"), lower);
        assert_eq!(parse_md5("595f44fec1e92a71d3e9e77456ba80d"), None);
        assert_eq!(parse_md5("595f44fec1e92a71d3e9e77456ba80dz"), None);
    }
}
