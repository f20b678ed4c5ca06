//! Valid requests for tests to start from.

use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value, json};

/// Returns a checksum that no other call returns in this process; like real ones, they have no beginning in common.
pub fn unique_md5() -> String {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let number = LAST.fetch_add(1, Ordering::Relaxed) + 1;
    format!("{:016x}{number:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Returns the registration of an analysis type that asks for an object `experiment` and nothing else.
pub fn minimal_type(name: &str) -> Value {
    json!({
        "name": name,
        "schema": {
            "type": "object",
            "required": ["experiment"],
            "properties": {"experiment": {"type": "object"}},
        },
    })
}

/// A payload under construction; it is valid from the start, for a `variantCall` with one file.
#[derive(Debug, Clone)]
pub struct Payload {
    study_id: String,
    analysis_type: Value,
    files: Vec<Value>,
    data: Map<String, Value>,
}

impl Payload {
    /// Begins a payload for a study.
    pub fn new(study_id: &str) -> Self {
        let experiment = json!({"matchedNormalSampleSubmitterId": "sample-1", "variantCallingTool": "caller"});
        let payload = Self {
            study_id: study_id.to_owned(),
            analysis_type: json!({"name": "variantCall"}),
            files: vec![],
            data: Map::from_iter([("experiment".to_owned(), experiment)]),
        };
        payload.with_files(1)
    }

    /// Takes another analysis type, whose latest version is meant; `experiment` becomes an empty object.
    pub fn of_type(mut self, name: &str) -> Self {
        self.analysis_type = json!({"name": name});
        self.with("experiment", json!({}))
    }

    /// Names a version of the analysis type.
    pub fn version(mut self, version: impl Into<Value>) -> Self {
        self.analysis_type["version"] = version.into();
        self
    }

    /// Replaces the files by `count` new ones, named `file0.vcf` and so on, with checksums of their own.
    pub fn with_files(mut self, count: usize) -> Self {
        self.files = (0..count)
            .map(|index| {
                json!({
                    "fileName": format!("file{index}.vcf"), "fileSize": 100 + index, "fileType": "vcf",
                    "fileMd5sum": unique_md5(), "fileAccess": "open", "dataType": "text",
                })
            })
            .collect();
        self
    }

    /// Sets a member of the file with this index.
    pub fn with_file_member(mut self, index: usize, name: &str, value: impl Into<Value>) -> Self {
        self.files[index][name] = value.into();
        self
    }

    /// Sets a top-level member.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.data.insert(name.to_owned(), value.into());
        self
    }

    /// Returns the study it is for.
    pub fn study_id(&self) -> &str {
        &self.study_id
    }

    /// Returns the checksum of the file with this index.
    pub fn md5(&self, index: usize) -> &str {
        self.files[index]["fileMd5sum"].as_str().unwrap()
    }

    /// Returns the payload.
    pub fn build(&self) -> Value {
        let mut payload = json!({"studyId": self.study_id, "analysisType": self.analysis_type, "files": self.files});
        for (name, value) in &self.data {
            payload[name] = value.clone();
        }
        payload
    }
}
