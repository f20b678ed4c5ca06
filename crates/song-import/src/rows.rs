//! Rows as the database has them. Everything may be missing; moments are microseconds since 1970.

/// A row of `study`, with its record in `info`.
pub(crate) struct StudyRow {
    pub(crate) id: String,
    pub(crate) name: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) organization: Option<String>,
    pub(crate) info: Option<String>,
}

/// A row of `analysis_schema`.
pub(crate) struct TypeRow {
    pub(crate) id: i64,
    pub(crate) name: Option<String>,
    pub(crate) version: i64,
    pub(crate) schema: Option<String>,
    pub(crate) options: Option<String>,
    pub(crate) created_at: Option<i64>,
}

/// A row of `analysis`, with its row of `analysis_data`.
pub(crate) struct AnalysisRow {
    pub(crate) id: String,
    pub(crate) study_id: Option<String>,
    pub(crate) state: Option<String>,
    pub(crate) type_id: Option<i64>,
    pub(crate) data: Option<String>,
    pub(crate) created_at: Option<i64>,
    pub(crate) updated_at: Option<i64>,
}

/// A row of `file`, with its record in `info`.
pub(crate) struct SongFileRow {
    pub(crate) id: String,
    pub(crate) analysis_id: String,
    pub(crate) study_id: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) size: Option<i64>,
    pub(crate) md5: Option<String>,
    pub(crate) file_type: Option<String>,
    pub(crate) access: Option<String>,
    pub(crate) data_type: Option<String>,
    pub(crate) info: Option<String>,
}

/// A row of `analysis_state_change`.
pub(crate) struct StateRow {
    pub(crate) id: i64,
    pub(crate) analysis_id: String,
    pub(crate) initial_state: Option<String>,
    pub(crate) updated_state: Option<String>,
    pub(crate) updated_at: Option<i64>,
}

/// A row of `sampleset`, with the sample, its specimen and its donor, and their records in `info`.
pub(crate) struct SampleRow {
    pub(crate) analysis_id: String,
    pub(crate) sample_id: String,
    /// The ids that were found, from the sample to its donor.
    pub(crate) found: [Option<String>; 3],
    pub(crate) submitter_sample_id: Option<String>,
    pub(crate) sample_type: Option<String>,
    pub(crate) matched_normal_submitter_sample_id: Option<String>,
    pub(crate) specimen_type: Option<String>,
    pub(crate) submitter_specimen_id: Option<String>,
    pub(crate) tumour_normal_designation: Option<String>,
    pub(crate) specimen_tissue_source: Option<String>,
    pub(crate) submitter_donor_id: Option<String>,
    pub(crate) gender: Option<String>,
    /// The records of the sample, the specimen and the donor.
    pub(crate) infos: [Option<String>; 3],
}

/// Everything that belongs to one analysis.
pub(crate) struct AnalysisRows {
    pub(crate) analysis: AnalysisRow,
    pub(crate) files: Vec<SongFileRow>,
    pub(crate) states: Vec<StateRow>,
    pub(crate) samples: Vec<SampleRow>,
}
