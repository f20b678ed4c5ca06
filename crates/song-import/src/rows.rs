//! Rows as the database has them. Everything may be missing; moments are microseconds since 1970.

use tokio_postgres::Row;

/// Declares rows, whose fields are the columns of their query in this order.
macro_rules! rows {
    ($($(#[$doc:meta])* struct $name:ident { $($field:ident: $type:ty,)* })*) => {$(
        $(#[$doc])*
        pub(crate) struct $name {
            $(pub(crate) $field: $type,)*
        }

        impl From<Row> for $name {
            fn from(row: Row) -> Self {
                let mut columns = 0..;
                Self { $($field: row.get(columns.next().unwrap_or(usize::MAX)),)* }
            }
        }
    )*};
}

rows! {
    /// A row of `study`, with its record in `info`.
    struct StudyRow {
        id: String,
        name: Option<String>,
        description: Option<String>,
        organization: Option<String>,
        info: Option<String>,
    }

    /// A row of `analysis_schema`.
    struct TypeRow {
        id: i64,
        name: Option<String>,
        version: i64,
        schema: Option<String>,
        options: Option<String>,
        created_at: Option<i64>,
    }

    /// A row of `analysis`, with its row of `analysis_data`.
    struct AnalysisRow {
        id: String,
        study_id: Option<String>,
        state: Option<String>,
        type_id: Option<i64>,
        data: Option<String>,
        created_at: Option<i64>,
        updated_at: Option<i64>,
    }

    /// A row of `file`, with its record in `info`.
    struct SongFileRow {
        id: String,
        analysis_id: String,
        study_id: Option<String>,
        name: Option<String>,
        size: Option<i64>,
        md5: Option<String>,
        file_type: Option<String>,
        access: Option<String>,
        data_type: Option<String>,
        info: Option<String>,
    }

    /// A row of `analysis_state_change`.
    struct StateRow {
        id: i64,
        analysis_id: String,
        initial_state: Option<String>,
        updated_state: Option<String>,
        updated_at: Option<i64>,
    }

    /// A row of `sampleset`, with the sample, its specimen and its donor, and their records in `info`.
    struct SampleRow {
        analysis_id: String,
        sample_id: Option<String>,
        found_sample: Option<String>,
        found_specimen: Option<String>,
        found_donor: Option<String>,
        submitter_sample_id: Option<String>,
        sample_type: Option<String>,
        matched_normal_submitter_sample_id: Option<String>,
        specimen_type: Option<String>,
        submitter_specimen_id: Option<String>,
        tumour_normal_designation: Option<String>,
        specimen_tissue_source: Option<String>,
        submitter_donor_id: Option<String>,
        gender: Option<String>,
        sample_info: Option<String>,
        specimen_info: Option<String>,
        donor_info: Option<String>,
    }
}

/// Everything that belongs to one analysis.
pub(crate) struct AnalysisRows {
    pub(crate) analysis: AnalysisRow,
    pub(crate) files: Vec<SongFileRow>,
    pub(crate) states: Vec<StateRow>,
    pub(crate) samples: Vec<SampleRow>,
}
