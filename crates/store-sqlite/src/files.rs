//! File rows in SQLite, found through the lookup.

use cantata_core::{Analysis, AnalysisId, AnalysisState, File, ObjectId};
use cantata_store::{
    DuplicateRule, EntityFilter, FileEntry, FileRow, Insertion, ObjectIdPattern, Page, Result, Revision, StoreError,
};
use rusqlite::{Connection, OptionalExtension, Row};

use crate::analyses;
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
    let mut delete_row = |file_key| delete.execute((file_key, id)).map(|_| None::<()>).map_err(writing);
    context.lookup.find(id, &mut delete_row).map(|_| ())
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
        let stored = context.lookup.find(&file.md5, |file_key| {
            let Some((object_id, analysis_id)) = row_with_md5(&context.connection, file_key, &file.md5)? else {
                return Ok(None);
            };
            let counts = rule == DuplicateRule::AnyAnalysis || is_published(&context.connection, analysis_id)?;
            Ok(counts.then_some((object_id, analysis_id)))
        })?;
        if let Some((object_id, analysis_id)) = stored {
            return Ok(Some(Insertion::Duplicate { file_name: file.name.clone(), object_id, analysis_id }));
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
    reader.lookup.find(object_id.as_bytes(), |file_key| {
        let row = select.query_row((file_key, object_id.as_bytes()), |row| Ok(read(row))).optional();
        row.map_err(reading)?.transpose()
    })
}

pub(crate) fn list(reader: &Reader, filter: &EntityFilter, page: Page) -> Result<(u64, Vec<FileEntry>)> {
    if let Some(object_id) = filter.object_id {
        return Ok(select_page(find(reader, object_id)?, filter, page));
    }
    if let Some(analysis_id) = filter.analysis_id {
        return Ok(select_page(of_analysis(&reader.metadata, analysis_id)?, filter, page));
    }
    scan_page(&reader.metadata, filter, page)
}

/// Returns the files of an analysis, from its document.
fn of_analysis(connection: &Connection, analysis_id: AnalysisId) -> Result<Vec<FileEntry>> {
    let Some(stored) = analyses::find(connection, analysis_id)? else {
        return Ok(vec![]);
    };
    let analysis: Analysis = serde_json::from_str(&stored.document)
        .map_err(|error| StoreError::corrupt(format!("analysis {analysis_id}"), error))?;
    let to_entry = |file: File| FileEntry {
        object_id: file.object_id,
        analysis_id: file.analysis_id,
        study_id: file.study_id,
        name: file.file_name,
        access: file.file_access,
    };
    Ok(analysis.files.into_iter().map(to_entry).collect())
}

/// Filters, sorts and cuts files that are in memory.
fn select_page(files: impl IntoIterator<Item = FileEntry>, filter: &EntityFilter, page: Page) -> (u64, Vec<FileEntry>) {
    let mut matching: Vec<FileEntry> = files.into_iter().filter(|file| filter.matches(file)).collect();
    matching.sort_unstable_by_key(|file| file.object_id);
    let total = matching.len() as u64;
    let offset = usize::try_from(page.offset).unwrap_or(usize::MAX);
    let limit = usize::try_from(page.limit).unwrap_or(usize::MAX);
    (total, matching.into_iter().skip(offset).take(limit).collect())
}

/// Looks at every file of a study, or of all studies.
fn scan_page(connection: &Connection, filter: &EntityFilter, page: Page) -> Result<(u64, Vec<FileEntry>)> {
    let studies = match &filter.study_id {
        None => (i64::MIN, i64::MAX),
        Some(study_id) => match studies::key(connection, study_id)? {
            Some(study_key) => (study_key, study_key),
            None => return Ok((0, vec![])),
        },
    };
    let (name, access) = (filter.name.as_deref(), filter.access.map(access_code));
    let total = connection
        .prepare_cached(
            "SELECT count(*) FROM file WHERE study_key BETWEEN ?1 AND ?2
               AND (?3 IS NULL OR name = ?3) AND (?4 IS NULL OR access = ?4)",
        )
        .and_then(|mut select| select.query_row((studies.0, studies.1, name, access), |row| row.get(0)))
        .map_err(reading)?;
    let limit = i64::try_from(page.limit).unwrap_or(i64::MAX);
    let offset = i64::try_from(page.offset).unwrap_or(i64::MAX);
    let mut select = connection
        .prepare_cached(
            "SELECT object_id, analysis_id, study_id, name, access FROM file JOIN study USING (study_key)
             WHERE study_key BETWEEN ?1 AND ?2 AND (?3 IS NULL OR name = ?3) AND (?4 IS NULL OR access = ?4)
             ORDER BY object_id LIMIT ?5 OFFSET ?6",
        )
        .map_err(reading)?;
    let rows =
        select.query_map((studies.0, studies.1, name, access, limit, offset), |row| Ok(read(row))).map_err(reading)?;
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
    let revisions = analyses.into_iter().map(|id| analyses::revision_of(&reader.metadata, id));
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
        let analysis_id = AnalysisId::from_bytes(row.get(1).map_err(reading)?);
        let is_new = found.last() != Some(&analysis_id);
        if is_new && pattern.matches(ObjectId::from_bytes(row.get(0).map_err(reading)?)) {
            found.push(analysis_id);
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
