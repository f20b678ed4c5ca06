//! The tables and columns of a SONG database, which tell its generation.

use std::collections::HashSet;

use tokio_postgres::Transaction;

use crate::ImportError;

/// What every database must have.
const REQUIRED_COLUMNS: [(&str, &[&str]); 6] = [
    ("study", &["id", "name", "description", "organization"]),
    ("analysis_schema", &["id", "name", "schema", "created_at"]),
    ("analysis", &["id", "study_id", "state", "analysis_schema_id", "analysis_data_id", "created_at", "updated_at"]),
    ("analysis_data", &["id", "data"]),
    ("analysis_state_change", &["id", "analysis_id", "initial_state", "updated_state", "updated_at"]),
    ("file", &["id", "analysis_id", "study_id", "name", "size", "md5", "type", "access", "data_type"]),
];

/// What a database with samples must have.
const SAMPLE_COLUMNS: [(&str, &[&str]); 4] = [
    ("sampleset", &["analysis_id", "sample_id"]),
    ("sample", &["id", "specimen_id", "submitter_id", "type", "matched_normal_submitter_sample_id"]),
    ("specimen", &["id", "donor_id", "submitter_id", "type", "tissue_source", "tumour_normal_designation"]),
    ("donor", &["id", "submitter_id", "gender"]),
];

/// The tables and columns of a database.
pub(crate) struct SongSchema {
    columns: HashSet<(String, String)>,
}

impl SongSchema {
    /// Reads the schema of a database, and rejects one that is not SONG's.
    pub(crate) async fn read(database: &Transaction<'_>) -> Result<Self, ImportError> {
        let rows = database
            .query(
                "SELECT table_name::text, column_name::text FROM information_schema.columns
                 WHERE table_schema = ANY (current_schemas(false))",
                &[],
            )
            .await?;
        let schema = Self { columns: rows.iter().map(|row| (row.get(0), row.get(1))).collect() };
        schema.require(&REQUIRED_COLUMNS)?;
        schema.require(&[("info", &["id", "id_type", "info"])])?;
        if schema.has_samples() {
            schema.require(&SAMPLE_COLUMNS)?;
        }
        Ok(schema)
    }

    fn require(&self, tables: &[(&str, &[&str])]) -> Result<(), ImportError> {
        for (table, columns) in tables {
            if let Some(missing) = columns.iter().find(|column| !self.has(table, column)) {
                return Err(ImportError::NotSong(format!("there is no column {missing} in a table {table}")));
            }
        }
        Ok(())
    }

    /// Says whether a table has a column.
    pub(crate) fn has(&self, table: &str, column: &str) -> bool {
        self.columns.contains(&(table.to_owned(), column.to_owned()))
    }

    /// Says whether the tables of samples are there; later versions keep them without using them.
    pub(crate) fn has_samples(&self) -> bool {
        self.has("sampleset", "sample_id")
    }

    /// Says whether samples are what analyses have, and not part of their data.
    pub(crate) fn is_before_5_3(&self) -> bool {
        self.has_samples() && !self.has("analysis_schema", "options")
    }
}
