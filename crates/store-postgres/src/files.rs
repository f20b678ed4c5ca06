//! Finding files in PostgreSQL; `group` writes them.

use std::collections::BTreeMap;

use cantata_core::{AnalysisId, ObjectId};
use cantata_store::codes::{access_code, access_of};
use cantata_store::{
    DuplicateRule, EntityFilter, FileEntry, FileRow, Insertion, ObjectIdPattern, Page, Result, Revision,
};
use deadpool_postgres::Object;
use futures_util::{TryStreamExt, pin_mut};
use tokio_postgres::types::ToSql;
use tokio_postgres::{IsolationLevel, Row};
use uuid::Uuid;

use crate::analyses::{number, uuid, whole};
use crate::decision::{first_duplicate, published_only};
use crate::failure::reading;
use crate::statements::Statements;

const READING: &str = "reading files";

pub(crate) async fn find(client: &Object, object_id: ObjectId) -> Result<Option<FileEntry>> {
    let select = client
        .prepare_cached(
            "SELECT object_id, analysis_id, study_id, name, access FROM file JOIN study USING (study_key)
             WHERE object_id = $1",
        )
        .await
        .map_err(reading(READING))?;
    let object_id = Uuid::from_bytes(*object_id.as_bytes());
    let row = client.query_opt(&select, &[&object_id]).await.map_err(reading(READING))?;
    row.as_ref().map(read).transpose()
}

/// Returns the first of these files whose checksum is stored already, where the rule minds that.
pub(crate) async fn find_duplicate(
    client: &Object,
    files: &[FileRow],
    rule: DuplicateRule,
) -> Result<Option<Insertion>> {
    let Some(published_only) = published_only(rule) else { return Ok(None) };
    let statements = Statements::prepare(client).await.map_err(reading(READING))?;
    let md5s: Vec<Uuid> = files.iter().map(|file| Uuid::from_bytes(file.md5)).collect();
    let stored = statements.duplicates(client, &md5s, &vec![published_only; md5s.len()]).await;
    Ok(first_duplicate(&stored.map_err(reading(READING))?, files, rule))
}

/// Returns one page of the files that match. The key is that of the study that the filter names, if it names one.
pub(crate) async fn list(
    client: &mut Object,
    filter: &EntityFilter,
    study_key: Option<i32>,
    page: Page,
) -> Result<(u64, Vec<FileEntry>)> {
    // PostgreSQL has no text with this sign, so nothing can be named so.
    if filter.name.as_ref().is_some_and(|name| name.contains('\0')) {
        return Ok((0, vec![]));
    }
    let object_id = filter.object_id.map(|id| Uuid::from_bytes(*id.as_bytes()));
    let analysis_id = filter.analysis_id.map(uuid);
    let access = filter.access.map(access_code);
    let mut conditions = Conditions::default();
    conditions.add("object_id", object_id.as_ref());
    conditions.add("analysis_id", analysis_id.as_ref());
    conditions.add("name", filter.name.as_ref());
    conditions.add("study_key", study_key.as_ref());
    conditions.add("access", access.as_ref());
    let Conditions { text, mut values } = conditions;
    let count = format!("SELECT count(*) FROM file{text}");
    let (limit, offset) = (values.len() + 1, values.len() + 2);
    let select = format!(
        "SELECT object_id, analysis_id, study_id, name, access FROM file JOIN study USING (study_key){text}
         ORDER BY object_id LIMIT ${limit} OFFSET ${offset}"
    );
    // Both must be of one moment.
    let snapshot = client
        .build_transaction()
        .isolation_level(IsolationLevel::RepeatableRead)
        .read_only(true)
        .start()
        .await
        .map_err(reading(READING))?;
    let count = snapshot.prepare_cached(&count).await.map_err(reading(READING))?;
    let total: i64 = snapshot.query_one(&count, &values).await.map_err(reading(READING))?.get(0);
    let (limit, offset) = (whole(page.limit), whole(page.offset));
    values.extend([&limit as &(dyn ToSql + Sync), &offset]);
    let select = snapshot.prepare_cached(&select).await.map_err(reading(READING))?;
    let rows = snapshot.query(&select, &values).await.map_err(reading(READING))?;
    Ok((number(total)?, rows.iter().map(read).collect::<Result<_>>()?))
}

/// The part of a statement after WHERE, if any, and the values that it is bound to.
#[derive(Default)]
struct Conditions<'a> {
    text: String,
    values: Vec<&'a (dyn ToSql + Sync)>,
}

impl<'a> Conditions<'a> {
    fn add<T: ToSql + Sync>(&mut self, column: &'static str, value: Option<&'a T>) {
        let Some(value) = value else { return };
        self.values.push(value);
        let word = if self.values.len() == 1 { "WHERE" } else { "AND" };
        self.text.push_str(&format!(" {word} file.{column} = ${}", self.values.len()));
    }
}

fn read(row: &Row) -> Result<FileEntry> {
    Ok(FileEntry {
        object_id: ObjectId::from_bytes(row.get::<_, Uuid>(0).into_bytes()),
        analysis_id: AnalysisId::from_bytes(row.get::<_, Uuid>(1).into_bytes()),
        study_id: row.get(2),
        name: row.get(3),
        access: access_of(row.get(4))?,
    })
}

/// Returns the latest revisions of the study's analyses that have a matching file, ordered by analysis id.
pub(crate) async fn search(client: &Object, study_key: i32, pattern: &ObjectIdPattern) -> Result<Vec<Revision>> {
    match pattern {
        ObjectIdPattern::Any => {
            let select = client
                .prepare_cached(
                    "SELECT revision FROM analysis WHERE study_key = $1
                     AND EXISTS (SELECT FROM file WHERE file.analysis_id = analysis.analysis_id)
                     ORDER BY analysis_id",
                )
                .await
                .map_err(reading(READING))?;
            let rows = client.query(&select, &[&study_key]).await.map_err(reading(READING))?;
            rows.iter().map(|row| Ok(Revision(number(row.get(0))?))).collect()
        }
        ObjectIdPattern::Exactly(object_id) => {
            let select = client
                .prepare_cached(
                    "SELECT revision FROM file JOIN analysis USING (analysis_id)
                     WHERE object_id = $1 AND file.study_key = $2",
                )
                .await
                .map_err(reading(READING))?;
            let object_id = Uuid::from_bytes(*object_id.as_bytes());
            let row = client.query_opt(&select, &[&object_id, &study_key]).await.map_err(reading(READING))?;
            row.into_iter().map(|row| Ok(Revision(number(row.get(0))?))).collect()
        }
        ObjectIdPattern::Matching(_) => matching(client, study_key, pattern).await,
    }
}

/// Looks at every file of the study, as it arrives: whether an id matches is for our regular expressions to say.
async fn matching(client: &Object, study_key: i32, pattern: &ObjectIdPattern) -> Result<Vec<Revision>> {
    let select = client
        .prepare_cached(
            "SELECT object_id, analysis_id, revision FROM file JOIN analysis USING (analysis_id)
             WHERE file.study_key = $1",
        )
        .await
        .map_err(reading(READING))?;
    let rows = client.query_raw(&select, [study_key]).await.map_err(reading(READING))?;
    pin_mut!(rows);
    let mut found: BTreeMap<Uuid, Revision> = BTreeMap::new();
    while let Some(row) = rows.try_next().await.map_err(reading(READING))? {
        if pattern.matches(ObjectId::from_bytes(row.get::<_, Uuid>(0).into_bytes())) {
            found.insert(row.get(1), Revision(number(row.get(2))?));
        }
    }
    Ok(found.into_values().collect())
}
