//! File rows in SQLite, found through the lookup.

use cantata_core::{AnalysisId, AnalysisState, ObjectId};
use cantata_store::{
    DuplicateRule, EntityFilter, FileEntry, FileRow, Insertion, ObjectIdPattern, Page, Result, Revision, StoreError,
};
use rusqlite::{Connection, OptionalExtension, Row};

use crate::analyses::revision_of;
use crate::codes::{access_code, access_of, state_code};
use crate::readers::Reader;
use crate::studies;
use crate::writer::WriteContext;

fn writing(error: rusqlite::Error) -> StoreError {
    StoreError::failed("storing files", error)
}

fn reading(error: rusqlite::Error) -> StoreError {
    StoreError::failed("reading files", error)
}

pub(crate) fn insert(
    context: &mut WriteContext,
    study_key: i64,
    analysis_id: AnalysisId,
    files: &[FileRow],
) -> Result<()> {
    let mut insert = context
        .connection
        .prepare_cached(
            "INSERT INTO file (study_key, analysis_id, object_id, md5, access, name) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )
        .map_err(writing)?;
    let mut file_keys = Vec::with_capacity(files.len());
    for file in files {
        let file_key = insert
            .insert((
                study_key,
                analysis_id.as_bytes(),
                file.object_id.as_bytes(),
                &file.md5,
                access_code(file.access),
                &file.name,
            ))
            .map_err(writing)?;
        file_keys.push(file_key);
    }
    drop(insert);
    let rows = file_keys.into_iter().zip(files);
    context.lookup.add(rows.map(|(file_key, file)| (file_key, file.object_id.as_bytes(), &file.md5)));
    Ok(())
}

pub(crate) fn remove(context: &mut WriteContext, object_id: ObjectId) -> Result<()> {
    let id = object_id.as_bytes();
    let mut delete = context
        .connection
        .prepare_cached("DELETE FROM file WHERE file_key = ?1 AND object_id = ?2")
        .map_err(writing)?;
    for file_key in context.lookup.candidates(id)? {
        delete.execute((file_key, id)).map_err(writing)?;
    }
    Ok(())
}

/// Returns the first of these files whose checksum is stored already, where the rule minds that.
pub(crate) fn find_duplicate(
    context: &WriteContext,
    files: &[FileRow],
    rule: DuplicateRule,
) -> Result<Option<Insertion>> {
    if rule == DuplicateRule::Allow {
        return Ok(None);
    }
    for file in files {
        for file_key in context.lookup.candidates(&file.md5)? {
            let Some((object_id, analysis_id)) = row_with_md5(&context.connection, file_key, &file.md5)? else {
                continue;
            };
            if rule == DuplicateRule::AnyAnalysis || is_published(&context.connection, analysis_id)? {
                return Ok(Some(Insertion::Duplicate { file_name: file.name.clone(), object_id, analysis_id }));
            }
        }
    }
    Ok(None)
}

fn row_with_md5(connection: &Connection, file_key: i64, md5: &[u8; 16]) -> Result<Option<(ObjectId, AnalysisId)>> {
    connection
        .prepare_cached("SELECT object_id, analysis_id FROM file WHERE file_key = ?1 AND md5 = ?2")
        .and_then(|mut select| {
            select
                .query_row((file_key, md5), |row| {
                    Ok((ObjectId::from_bytes(row.get(0)?), AnalysisId::from_bytes(row.get(1)?)))
                })
                .optional()
        })
        .map_err(reading)
}

fn is_published(connection: &Connection, analysis_id: AnalysisId) -> Result<bool> {
    connection
        .prepare_cached("SELECT EXISTS (SELECT 1 FROM analysis WHERE analysis_id = ?1 AND state = ?2)")
        .and_then(|mut select| {
            select.query_row((analysis_id.as_bytes(), state_code(AnalysisState::Published)), |row| row.get(0))
        })
        .map_err(reading)
}

pub(crate) fn find(reader: &Reader, object_id: ObjectId) -> Result<Option<FileEntry>> {
    let mut select = reader
        .metadata
        .prepare_cached(
            "SELECT object_id, analysis_id, study_id, name, access FROM file JOIN study USING (study_key)
             WHERE file_key = ?1 AND object_id = ?2",
        )
        .map_err(reading)?;
    for file_key in reader.lookup.candidates(object_id.as_bytes())? {
        let row = select.query_row((file_key, object_id.as_bytes()), |row| Ok(read(row))).optional();
        if let Some(entry) = row.map_err(reading)? {
            return entry.map(Some);
        }
    }
    Ok(None)
}

pub(crate) fn list(reader: &Reader, filter: &EntityFilter, page: Page) -> Result<(u64, Vec<FileEntry>)> {
    if let Some(object_id) = filter.object_id {
        let found: Vec<FileEntry> = find(reader, object_id)?.into_iter().filter(|file| filter.matches(file)).collect();
        let total = found.len() as u64;
        return Ok((total, if page.offset == 0 && page.limit > 0 { found } else { vec![] }));
    }
    let conditions = (
        filter.analysis_id.map(|id| *id.as_bytes()),
        filter.study_id.as_deref(),
        filter.name.as_deref(),
        filter.access.map(access_code),
    );
    let total = reader
        .metadata
        .prepare_cached(
            "SELECT count(*) FROM file
             WHERE (?1 IS NULL OR analysis_id = ?1)
               AND (?2 IS NULL OR study_key = (SELECT study_key FROM study WHERE study_id = ?2))
               AND (?3 IS NULL OR name = ?3)
               AND (?4 IS NULL OR access = ?4)",
        )
        .and_then(|mut select| select.query_row(conditions, |row| row.get(0)))
        .map_err(reading)?;
    let (analysis_id, study_id, name, access) = conditions;
    let limit = i64::try_from(page.limit).unwrap_or(i64::MAX);
    let offset = i64::try_from(page.offset).unwrap_or(i64::MAX);
    let mut select = reader
        .metadata
        .prepare_cached(
            "SELECT object_id, analysis_id, study_id, name, access FROM file JOIN study USING (study_key)
             WHERE (?1 IS NULL OR analysis_id = ?1)
               AND (?2 IS NULL OR study_key = (SELECT study_key FROM study WHERE study_id = ?2))
               AND (?3 IS NULL OR name = ?3)
               AND (?4 IS NULL OR access = ?4)
             ORDER BY object_id LIMIT ?5 OFFSET ?6",
        )
        .map_err(reading)?;
    let rows =
        select.query_map((analysis_id, study_id, name, access, limit, offset), |row| Ok(read(row))).map_err(reading)?;
    let files = rows.map(|row| row.map_err(reading)?).collect::<Result<_>>()?;
    Ok((total, files))
}

/// Returns the latest revisions of the study's analyses that have a matching file, ordered by analysis id.
pub(crate) fn search(reader: &Reader, study_id: &str, pattern: &ObjectIdPattern) -> Result<Vec<Revision>> {
    let mut analyses: Vec<AnalysisId> = match pattern {
        ObjectIdPattern::Exactly(object_id) => {
            let file = find(reader, *object_id)?.filter(|file| file.study_id == study_id);
            file.map(|file| file.analysis_id).into_iter().collect()
        }
        ObjectIdPattern::Any | ObjectIdPattern::Matching(_) => scan(&reader.metadata, study_id, pattern)?,
    };
    analyses.sort_unstable();
    analyses.dedup();
    let revisions = analyses.into_iter().map(|id| revision_of(&reader.metadata, id));
    revisions.filter_map(Result::transpose).collect()
}

fn scan(connection: &Connection, study_id: &str, pattern: &ObjectIdPattern) -> Result<Vec<AnalysisId>> {
    let Some(study_key) = studies::key(connection, study_id)? else {
        return Ok(vec![]);
    };
    let mut select = connection
        .prepare_cached("SELECT object_id, analysis_id FROM file INDEXED BY file_by_study WHERE study_key = ?1")
        .map_err(reading)?;
    let mut rows = select.query([study_key]).map_err(reading)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next().map_err(reading)? {
        if pattern.matches(ObjectId::from_bytes(row.get(0).map_err(reading)?)) {
            found.push(AnalysisId::from_bytes(row.get(1).map_err(reading)?));
            found.dedup();
        }
    }
    Ok(found)
}

fn read(row: &Row<'_>) -> Result<FileEntry> {
    Ok(FileEntry {
        object_id: ObjectId::from_bytes(row.get(0).map_err(reading)?),
        analysis_id: AnalysisId::from_bytes(row.get(1).map_err(reading)?),
        study_id: row.get(2).map_err(reading)?,
        name: row.get(3).map_err(reading)?,
        access: access_of(row.get(4).map_err(reading)?)?,
    })
}
