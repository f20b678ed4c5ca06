//! Finding files in PostgreSQL; `group_commit` writes them.

use std::collections::BTreeMap;

use cantata_core::{AnalysisId, AnalysisState, ObjectId};
use cantata_store::codes::{access_code, access_from_code, state_code};
use cantata_store::{
    DuplicateRule, FileFilter, FileLocation, FileRow, InsertOutcome, ObjectIdPattern, PageRange, Result, Revision,
};
use deadpool_postgres::Object;
use futures_util::{TryStreamExt, pin_mut};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;
use uuid::Uuid;

use crate::error::read_error;
use crate::group_plan::{first_duplicate, published_only};
use crate::group_statements::GroupStatements;
use crate::query::{
    SqlParam, from_bigint, query, query_one, query_opt, read_revision, read_snapshot, to_bigint, to_uuid,
};

const READING: &str = "reading files";

pub(crate) async fn find(client: &Object, object_id: ObjectId) -> Result<Option<FileLocation>> {
    let sql = "SELECT object_id, analysis_id, study_id, name, access FROM file JOIN study USING (study_key)
             WHERE object_id = $1";
    let row = query_opt(client, READING, sql, &[&Uuid::from_bytes(*object_id.as_bytes())]).await?;
    row.as_ref().map(read_location).transpose()
}

/// Returns the first of these files whose checksum is stored already, if the rule forbids that.
pub(crate) async fn find_duplicate(
    client: &Object,
    files: &[FileRow],
    rule: DuplicateRule,
) -> Result<Option<InsertOutcome>> {
    let Some(published_only) = published_only(rule) else { return Ok(None) };
    let statements = GroupStatements::prepare(client).await.map_err(read_error(READING))?;
    let md5s: Vec<Uuid> = files.iter().map(|file| Uuid::from_bytes(file.md5)).collect();
    let stored = statements.duplicates(client, &md5s, &vec![published_only; md5s.len()]).await;
    Ok(first_duplicate(&stored.map_err(read_error(READING))?, files, rule))
}

/// Returns one page of the files that match. The key is that of the study that the filter names, if it names one.
pub(crate) async fn list(
    client: &mut Object,
    filter: &FileFilter,
    study_key: Option<i32>,
    page: PageRange,
) -> Result<(u64, Vec<FileLocation>)> {
    let Some(columns) = FilterColumns::of(filter, study_key) else { return Ok((0, vec![])) };
    let WhereClause { text, mut values } = columns.conditions();
    let count = format!("SELECT count(*) FROM file{text}");
    let (limit, offset) = (values.len() + 1, values.len() + 2);
    let select = format!(
        "SELECT object_id, analysis_id, study_id, name, access FROM file JOIN study USING (study_key){text}
         ORDER BY object_id LIMIT ${limit} OFFSET ${offset}"
    );
    let snapshot = read_snapshot(client).await?;
    let total = query_one(&snapshot, READING, &count, &values).await?;
    let (limit, offset) = (to_bigint(page.limit), to_bigint(page.offset));
    values.extend([&limit as SqlParam<'_>, &offset]);
    let rows = query(&snapshot, READING, &select, &values).await?;
    Ok((from_bigint(total.get(0))?, rows.iter().map(read_location).collect::<Result<_>>()?))
}

/// Returns the files that match after an object id. The key is that of the study that the filter names, if it names one.
pub(crate) async fn list_after(
    client: &Object,
    filter: &FileFilter,
    study_key: Option<i32>,
    after: Option<ObjectId>,
    limit: u64,
) -> Result<Vec<FileLocation>> {
    let Some(columns) = FilterColumns::of(filter, study_key) else { return Ok(vec![]) };
    let (after, limit) = (after.map(|id| Uuid::from_bytes(*id.as_bytes())), to_bigint(limit));
    let mut conditions = columns.conditions();
    conditions.compare("object_id", ">", after.as_ref());
    let WhereClause { text, mut values } = conditions;
    let select = format!(
        "SELECT object_id, analysis_id, study_id, name, access FROM file JOIN study USING (study_key){text}
         ORDER BY object_id LIMIT ${}",
        values.len() + 1
    );
    values.push(&limit);
    query(client, READING, &select, &values).await?.iter().map(read_location).collect()
}

/// What a filter says of columns.
struct FilterColumns<'a> {
    object_id: Option<Uuid>,
    analysis_id: Option<Uuid>,
    name: Option<&'a String>,
    study_key: Option<i32>,
    access: Option<i16>,
    visible: Option<VisibleColumns>,
}

/// What a filter says of the files that may be seen.
struct VisibleColumns {
    studies: Vec<String>,
    published: Vec<String>,
    published_state: i16,
}

impl<'a> FilterColumns<'a> {
    /// Returns nothing if no file can match.
    fn of(filter: &'a FileFilter, study_key: Option<i32>) -> Option<Self> {
        // PostgreSQL stores no text with NUL, so nothing has such a name.
        if filter.name.as_ref().is_some_and(|name| name.contains('\0')) {
            return None;
        }
        Some(Self {
            object_id: filter.object_id.map(|id| Uuid::from_bytes(*id.as_bytes())),
            analysis_id: filter.analysis_id.map(to_uuid),
            name: filter.name.as_ref(),
            study_key,
            access: filter.access.map(access_code),
            visible: filter.visible.as_ref().map(|visible| VisibleColumns {
                studies: visible.studies.iter().cloned().collect(),
                published: visible.published.iter().cloned().collect(),
                published_state: state_code(AnalysisState::Published),
            }),
        })
    }

    fn conditions(&self) -> WhereClause<'_> {
        let mut conditions = WhereClause::default();
        conditions.compare("object_id", "=", self.object_id.as_ref());
        conditions.compare("analysis_id", "=", self.analysis_id.as_ref());
        conditions.compare("name", "=", self.name);
        conditions.compare("study_key", "=", self.study_key.as_ref());
        conditions.compare("access", "=", self.access.as_ref());
        if let Some(visible) = &self.visible {
            conditions.restrict(visible);
        }
        conditions
    }
}

/// A WHERE clause and its parameters.
#[derive(Default)]
struct WhereClause<'a> {
    text: String,
    values: Vec<SqlParam<'a>>,
}

impl<'a> WhereClause<'a> {
    fn compare<T: ToSql + Sync>(&mut self, column: &'static str, operator: &'static str, value: Option<&'a T>) {
        let Some(value) = value else { return };
        let word = self.next_word();
        self.values.push(value);
        self.text.push_str(&format!(" {word} file.{column} {operator} ${}", self.values.len()));
    }

    fn restrict(&mut self, visible: &'a VisibleColumns) {
        let (word, first) = (self.next_word(), self.values.len() + 1);
        self.values.extend([&visible.studies as SqlParam<'_>, &visible.published, &visible.published_state]);
        self.text.push_str(&format!(
            " {word} (file.study_key IN (SELECT s.study_key FROM study s WHERE s.study_id = ANY(${first}))
               OR file.study_key IN (SELECT s.study_key FROM study s WHERE s.study_id = ANY(${}))
                  AND EXISTS (SELECT FROM analysis a WHERE a.analysis_id = file.analysis_id AND a.state = ${}))",
            first + 1,
            first + 2
        ));
    }

    fn next_word(&self) -> &'static str {
        if self.values.is_empty() { "WHERE" } else { "AND" }
    }
}

fn read_location(row: &Row) -> Result<FileLocation> {
    Ok(FileLocation {
        object_id: ObjectId::from_bytes(row.get::<_, Uuid>(0).into_bytes()),
        analysis_id: AnalysisId::from_bytes(row.get::<_, Uuid>(1).into_bytes()),
        study_id: row.get(2),
        name: row.get(3),
        access: access_from_code(row.get(4))?,
    })
}

/// Returns the latest revisions of the study's analyses that have a matching file, ordered by analysis id.
pub(crate) async fn search(client: &Object, study_key: i32, pattern: &ObjectIdPattern) -> Result<Vec<Revision>> {
    let rows = match pattern {
        ObjectIdPattern::Any => {
            let sql = "SELECT revision FROM analysis WHERE study_key = $1
                     AND EXISTS (SELECT FROM file WHERE file.analysis_id = analysis.analysis_id)
                     ORDER BY analysis_id";
            query(client, READING, sql, &[&study_key]).await?
        }
        ObjectIdPattern::Exactly(object_id) => {
            let sql = "SELECT revision FROM file JOIN analysis USING (analysis_id)
                     WHERE object_id = $1 AND file.study_key = $2";
            query(client, READING, sql, &[&Uuid::from_bytes(*object_id.as_bytes()), &study_key]).await?
        }
        ObjectIdPattern::Matching(_) => return search_by_pattern(client, study_key, pattern).await,
    };
    rows.iter().map(read_revision).collect()
}

/// Scans every file of the study: PostgreSQL has other regular expressions than those of the pattern.
async fn search_by_pattern(client: &Object, study_key: i32, pattern: &ObjectIdPattern) -> Result<Vec<Revision>> {
    let select = client
        .prepare_cached(
            "SELECT object_id, analysis_id, revision FROM file JOIN analysis USING (analysis_id)
             WHERE file.study_key = $1",
        )
        .await
        .map_err(read_error(READING))?;
    let rows = client.query_raw(&select, [study_key]).await.map_err(read_error(READING))?;
    pin_mut!(rows);
    let mut found: BTreeMap<Uuid, Revision> = BTreeMap::new();
    while let Some(row) = rows.try_next().await.map_err(read_error(READING))? {
        if pattern.matches(ObjectId::from_bytes(row.get::<_, Uuid>(0).into_bytes())) {
            found.insert(row.get(1), Revision(from_bigint(row.get(2))?));
        }
    }
    Ok(found.into_values().collect())
}
