//! Reads the SONG database in one snapshot, however long the import takes.
//!
//! Analyses come in pages, in the order of their creation, each with everything that belongs to it.

use std::collections::HashMap;

use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, IsolationLevel, Portal, Row, Transaction};

use crate::ImportError;
use crate::rows::{AnalysisRow, AnalysisRows, SampleRow, SongFileRow, StateRow, StudyRow, TypeRow};
use crate::song_schema::SongSchema;

/// How many analyses are read at once.
const PAGE_ROWS: i32 = 500;

/// The database of a SONG server.
pub(crate) struct SongDatabase<'a> {
    database: Transaction<'a>,
    pub(crate) schema: SongSchema,
}

impl<'a> SongDatabase<'a> {
    /// Begins a snapshot of the database.
    pub(crate) async fn open(client: &'a mut Client) -> Result<Self, ImportError> {
        let snapshot = client.build_transaction().isolation_level(IsolationLevel::RepeatableRead).read_only(true);
        let database = snapshot.start().await?;
        let schema = SongSchema::read(&database).await?;
        Ok(Self { database, schema })
    }

    /// Returns how many rows a table has.
    pub(crate) async fn count(&self, table: &'static str) -> Result<u64, ImportError> {
        let row = self.database.query_one(&format!("SELECT count(*) FROM {table}"), &[]).await?;
        Ok(u64::try_from(row.get::<_, i64>(0)).unwrap_or_default())
    }

    async fn rows<R: From<Row>>(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<R>, ImportError> {
        Ok(self.database.query(sql, values).await?.into_iter().map(R::from).collect())
    }

    /// Returns all studies.
    pub(crate) async fn studies(&self) -> Result<Vec<StudyRow>, ImportError> {
        let sql = format!(
            "SELECT id::text, name::text, description::text, organization::text, {} FROM study ORDER BY id",
            info("study.id", "Study")
        );
        self.rows(&sql, &[]).await
    }

    /// Returns all analysis types, in the order in which they were registered.
    pub(crate) async fn types(&self) -> Result<Vec<TypeRow>, ImportError> {
        let number = "row_number() OVER (PARTITION BY name ORDER BY id)";
        let version = if self.schema.has("analysis_schema", "version") {
            format!("coalesce(version::bigint, {number})")
        } else {
            number.to_owned()
        };
        let options = if self.schema.has("analysis_schema", "options") {
            "options::text"
        } else if self.schema.has("analysis_schema", "file_types") {
            "jsonb_build_object('fileTypes', to_jsonb(file_types))::text"
        } else {
            "NULL::text"
        };
        let sql = format!(
            "SELECT id::bigint, name::text, {version}, schema::text, {options}, {} FROM analysis_schema ORDER BY id",
            timestamp("created_at")
        );
        self.rows(&sql, &[]).await
    }

    /// Begins to read the analyses. Only ids are put in order, so that the database has little to sort.
    pub(crate) async fn analyses(&self) -> Result<Portal, ImportError> {
        Ok(self.database.bind("SELECT id::text FROM analysis ORDER BY created_at, id", &[]).await?)
    }

    /// Returns the next analyses with everything that belongs to them; none if there are no more.
    pub(crate) async fn page(&self, analyses: &Portal) -> Result<Vec<AnalysisRows>, ImportError> {
        let page = self.database.query_portal(analyses, PAGE_ROWS).await?;
        let ids: Vec<&str> = page.iter().map(|row| row.get(0)).collect();
        let mut files = grouped(self.files(&ids).await?, |file| &file.analysis_id);
        let mut states = grouped(self.states(&ids).await?, |state| &state.analysis_id);
        let samples = if self.schema.has_samples() { self.samples(&ids).await? } else { vec![] };
        let mut samples = grouped(samples, |sample| &sample.analysis_id);
        let with_children = |analysis: AnalysisRow| AnalysisRows {
            files: files.remove(&analysis.id).unwrap_or_default(),
            states: states.remove(&analysis.id).unwrap_or_default(),
            samples: samples.remove(&analysis.id).unwrap_or_default(),
            analysis,
        };
        Ok(self.analyses_of(&ids).await?.into_iter().map(with_children).collect())
    }

    async fn analyses_of(&self, ids: &[&str]) -> Result<Vec<AnalysisRow>, ImportError> {
        let sql = format!(
            "SELECT analysis.id::text, study_id::text, state::text, analysis_schema_id::bigint, data::text, {}, {}
             FROM analysis LEFT JOIN analysis_data ON analysis_data.id = analysis_data_id
             WHERE analysis.id::text = ANY ($1) ORDER BY array_position($1, analysis.id::text)",
            timestamp("analysis.created_at"),
            timestamp("analysis.updated_at"),
        );
        self.rows(&sql, &[&ids]).await
    }

    async fn files(&self, analyses: &[&str]) -> Result<Vec<SongFileRow>, ImportError> {
        let sql = format!(
            "SELECT id::text, analysis_id::text, study_id::text, name::text, size::bigint, md5::text, type::text,
                    access::text, data_type::text, {}
             FROM file WHERE analysis_id::text = ANY ($1) ORDER BY id",
            info("file.id", "File")
        );
        self.rows(&sql, &[&analyses]).await
    }

    async fn states(&self, analyses: &[&str]) -> Result<Vec<StateRow>, ImportError> {
        let sql = format!(
            "SELECT id::bigint, analysis_id::text, initial_state::text, updated_state::text, {}
             FROM analysis_state_change WHERE analysis_id::text = ANY ($1) ORDER BY updated_at, id",
            timestamp("updated_at")
        );
        self.rows(&sql, &[&analyses]).await
    }

    async fn samples(&self, analyses: &[&str]) -> Result<Vec<SampleRow>, ImportError> {
        // Earlier values were kept beside the present ones when the allowed values changed.
        let kind = |table: &str| {
            if self.schema.has(table, "legacy_type") {
                format!("coalesce({table}.type::text, {table}.legacy_type::text)")
            } else {
                format!("{table}.type::text")
            }
        };
        let sql = format!(
            "SELECT sampleset.analysis_id::text, sampleset.sample_id::text, sample.id::text, specimen.id::text,
                    donor.id::text, sample.submitter_id::text, {}, matched_normal_submitter_sample_id::text, {},
                    specimen.submitter_id::text, tumour_normal_designation::text, tissue_source::text,
                    donor.submitter_id::text, gender::text, {}, {}, {}
             FROM sampleset
             LEFT JOIN sample ON sample.id = sample_id
             LEFT JOIN specimen ON specimen.id = specimen_id
             LEFT JOIN donor ON donor.id = donor_id
             WHERE analysis_id::text = ANY ($1) ORDER BY sample_id",
            kind("sample"),
            kind("specimen"),
            info("sample.id", "Sample"),
            info("specimen.id", "Specimen"),
            info("donor.id", "Donor"),
        );
        self.rows(&sql, &[&analyses]).await
    }

    /// Returns the rows of a table that belong to no analysis: their ids, and the analysis that they name.
    pub(crate) async fn orphans(&self, table: &'static str) -> Result<Vec<(String, Option<String>)>, ImportError> {
        let sql = format!(
            "SELECT id::text, analysis_id::text FROM {table} AS homeless
             WHERE NOT EXISTS (SELECT 1 FROM analysis WHERE analysis.id = homeless.analysis_id) ORDER BY id"
        );
        Ok(self.database.query(&sql, &[]).await?.iter().map(|row| (row.get(0), row.get(1))).collect())
    }

    /// Returns the kinds of records in `info` that hold something, with their number.
    pub(crate) async fn info_kinds(&self) -> Result<Vec<(String, u64)>, ImportError> {
        let sql = "SELECT id_type::text, count(*) FROM info
                   WHERE id_type IS NOT NULL AND coalesce(info::text, 'null') NOT IN ('null', '{}')
                   GROUP BY 1 ORDER BY 1";
        let read = |row: &Row| (row.get(0), u64::try_from(row.get::<_, i64>(1)).unwrap_or_default());
        Ok(self.database.query(sql, &[]).await?.iter().map(read).collect())
    }
}

/// Returns the expression for the microseconds since 1970 of a column; nothing for an infinite time.
///
/// Seconds and their fractions are taken apart, because older servers compute both in floating point numbers.
fn timestamp(column: &str) -> String {
    format!(
        "CASE WHEN isfinite({column}) THEN
             extract(epoch FROM date_trunc('second', {column}))::bigint * 1000000
             + extract(microseconds FROM {column})::bigint % 1000000
         END"
    )
}

/// Returns the expression for the record in `info` of something.
fn info(id: &str, kind: &str) -> String {
    format!("(SELECT info.info::text FROM info WHERE info.id = {id} AND info.id_type::text = '{kind}' LIMIT 1)")
}

fn grouped<T>(rows: Vec<T>, analysis_id: impl Fn(&T) -> &String) -> HashMap<String, Vec<T>> {
    let mut groups: HashMap<String, Vec<T>> = HashMap::new();
    for row in rows {
        groups.entry(analysis_id(&row).clone()).or_default().push(row);
    }
    groups
}
