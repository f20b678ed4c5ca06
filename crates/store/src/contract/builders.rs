//! Builders of studies, types, analyses and files, which by default differ from all others.

use cantata_core::{
    Analysis, AnalysisId, AnalysisTypeId, File, FileAccess, ObjectId, PartialTypeOptions, Study, Timestamp,
};
use serde_json::json;

use crate::NewAnalysisType;

/// Returns a study with every member filled.
pub fn study(study_id: &str) -> Study {
    Study {
        info: json!({"funding": {"z": 1, "a": [true, null, "ü"]}}).as_object().cloned().unwrap(),
        study_id: study_id.to_owned(),
        name: Some(format!("The study {study_id}")),
        organization: Some("Institute".to_owned()),
        description: Some("A \"quoted\" description".to_owned()),
    }
}

/// Returns a registration without options.
pub fn new_type(name: &str) -> NewAnalysisType {
    NewAnalysisType {
        name: name.to_owned(),
        schema: json!({"type": "object", "required": ["experiment"], "properties": {"experiment": {"type": "object"}}}),
        options: PartialTypeOptions::default(),
        created_at: Timestamp::from_micros(1_794_713_363_075_123),
    }
}

/// Returns a unique checksum.
pub fn unique_md5() -> String {
    AnalysisId::generate().to_string().replace('-', "")
}

/// Builds an unpublished analysis.
pub struct AnalysisBuilder(Analysis);

impl AnalysisBuilder {
    /// Starts an analysis without files and with a fresh id.
    pub fn in_study(study_id: &str) -> Self {
        Self::with_id(study_id, AnalysisId::generate())
    }

    /// Starts an analysis without files.
    pub fn with_id(study_id: &str, analysis_id: AnalysisId) -> Self {
        let analysis_type = AnalysisTypeId { name: "sequencing".to_owned(), version: 1 };
        let data = json!({"experiment": {"z": 1, "a": "naïve \u{1F9EC}"}}).as_object().cloned().unwrap();
        let now = Timestamp::from_micros(1_794_713_363_000_001);
        Self(Analysis::new(analysis_id, study_id, analysis_type, vec![], data, now))
    }

    /// Adds an open file.
    pub fn file(self, name: &str, md5: &str) -> Self {
        self.file_with_access(name, md5, FileAccess::Open)
    }

    /// Adds a file.
    pub fn file_with_access(mut self, name: &str, md5: &str, access: FileAccess) -> Self {
        self.0.files.push(File {
            info: serde_json::Map::new(),
            object_id: ObjectId::of(self.0.analysis_id, name),
            study_id: self.0.study_id.clone(),
            analysis_id: self.0.analysis_id,
            file_name: name.to_owned(),
            file_size: 17,
            file_type: "VCF".to_owned(),
            file_md5sum: md5.to_owned(),
            file_access: access,
            data_type: "calls".to_owned(),
        });
        self
    }

    /// Adds this many files with names and checksums of their own.
    pub fn files(mut self, count: usize) -> Self {
        for _ in 0..count {
            let name = format!("{}.vcf.gz", self.0.files.len());
            self = self.file(&name, &unique_md5());
        }
        self
    }

    /// Returns the analysis.
    pub fn build(self) -> Analysis {
        self.0
    }
}

/// Returns an analysis with this many files that have names and checksums of their own.
pub fn analysis(study_id: &str, files: usize) -> Analysis {
    AnalysisBuilder::in_study(study_id).files(files).build()
}
