//! Files in SQLite, in blocks that are found through the lookup index.

use cantata_core::{Analysis, AnalysisId, AnalysisState, ObjectId};
use cantata_store::codes::state_code;
use cantata_store::{
    DuplicateRule, FileFilter, FileLocation, FileRow, InsertOutcome, ObjectIdPattern, PageRange, Result, Revision,
    StoreError,
};
use rusqlite::{Connection, OptionalExtension};

use crate::checksum::{check, checksum_of};
use crate::database::{sqlite_error, with_statement};
use crate::file_block::{FileBlock, decode, encode};
use crate::lookup::LookupReader;
use crate::reader_pool::Reader;
use crate::write_context::WriteContext;
use crate::{analyses, studies};

const STORING: &str = "storing files";
const READING: &str = "reading files";

pub(crate) fn insert(
    context: &mut WriteContext,
    study_key: i64,
    analysis_id: AnalysisId,
    block: &FileBlock,
) -> Result<()> {
    if block.files.is_empty() {
        return Ok(());
    }
    let sql = "INSERT INTO file_block (study_key, analysis_id, files, checksum) VALUES (?1, ?2, ?3, ?4)";
    let checksum = checksum_of(&[analysis_id.as_bytes(), &block.encoded]);
    let params = (study_key, analysis_id.as_bytes(), &block.encoded, checksum);
    let block_key = with_statement(&context.connection, STORING, sql, |insert| insert.insert(params))?;
    context.lookup.add(&block.hashes, block_key);
    Ok(())
}

/// Deletes files from the blocks of their analysis.
pub(crate) fn remove(connection: &Connection, analysis_id: AnalysisId, removed: &[ObjectId]) -> Result<()> {
    if removed.is_empty() {
        return Ok(());
    }
    let sql = "SELECT block_key, files, checksum FROM file_block WHERE analysis_id = ?1";
    let blocks: Vec<_> = with_statement(connection, STORING, sql, |select| {
        select.query_map([analysis_id.as_bytes()], |row| <(i64, Vec<u8>, Option<u32>)>::try_from(row))?.collect()
    })?;
    for (block_key, encoded, checksum) in blocks {
        let files = decode_checked(analysis_id, &encoded, checksum)?;
        let kept: Vec<FileRow> = files.iter().filter(|file| !removed.contains(&file.object_id)).cloned().collect();
        if kept.is_empty() {
            let sql = "DELETE FROM file_block WHERE block_key = ?1";
            with_statement(connection, STORING, sql, |delete| delete.execute([block_key]))?;
        } else if kept.len() < files.len() {
            let sql = "UPDATE file_block SET files = ?2, checksum = ?3 WHERE block_key = ?1";
            let encoded = encode(&kept);
            let checksum = checksum_of(&[analysis_id.as_bytes(), &encoded]);
            with_statement(connection, STORING, sql, |update| update.execute((block_key, encoded, checksum)))?;
        }
    }
    Ok(())
}

/// Returns the first of these files whose checksum is stored already, if the rule forbids that.
pub(crate) fn find_duplicate(
    connection: &Connection,
    lookup: &LookupReader,
    block: &FileBlock,
    rule: DuplicateRule,
) -> Result<Option<InsertOutcome>> {
    if rule == DuplicateRule::Allow {
        return Ok(None);
    }
    lookup.find_first(&block.md5_hashes(), block.screened_md5s.as_ref(), |index, block_key| {
        let submitted = &block.files[index];
        let Some((analysis_id, files)) = read_block(connection, block_key)? else {
            return Ok(None);
        };
        let Some(stored) = files.into_iter().find(|file| file.md5 == submitted.md5) else {
            return Ok(None);
        };
        let counts = rule == DuplicateRule::AnyAnalysis || is_published(connection, analysis_id)?;
        let file_name = submitted.name.clone();
        Ok(counts.then_some(InsertOutcome::Duplicate { file_name, object_id: stored.object_id, analysis_id }))
    })
}

fn read_block(connection: &Connection, block_key: i64) -> Result<Option<(AnalysisId, Vec<FileRow>)>> {
    let sql = "SELECT analysis_id, files, checksum FROM file_block WHERE block_key = ?1";
    let row = with_statement(connection, READING, sql, |select| {
        select.query_row([block_key], |row| <([u8; 16], Vec<u8>, Option<u32>)>::try_from(row)).optional()
    })?;
    let Some((analysis_id, encoded, checksum)) = row else { return Ok(None) };
    let analysis_id = AnalysisId::from_bytes(analysis_id);
    Ok(Some((analysis_id, decode_checked(analysis_id, &encoded, checksum)?)))
}

/// Decodes the files of a block of an analysis, if its checksum is right.
fn decode_checked(analysis_id: AnalysisId, encoded: &[u8], checksum: Option<u32>) -> Result<Vec<FileRow>> {
    check(checksum, &[analysis_id.as_bytes(), encoded], || format!("the files of analysis {analysis_id}"))?;
    decode(encoded)
}

fn is_published(connection: &Connection, analysis_id: AnalysisId) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM analysis WHERE analysis_id = ?1 AND state = ?2)";
    let params = (analysis_id.as_bytes(), state_code(AnalysisState::Published));
    with_statement(connection, READING, sql, |select| select.query_row(params, |row| row.get(0)))
}

pub(crate) fn find(reader: &Reader, object_id: ObjectId) -> Result<Option<FileLocation>> {
    let hash = reader.lookup.hash(object_id.as_bytes());
    reader.lookup.find_first(&[hash], None, |_, block_key| {
        let Some((analysis_id, files)) = read_block(&reader.metadata, block_key)? else {
            return Ok(None);
        };
        let Some(file) = files.into_iter().find(|file| file.object_id == object_id) else {
            return Ok(None);
        };
        let study_id = studies::id_of_block(&reader.metadata, block_key)?;
        Ok(Some(file.into_location(analysis_id, study_id)))
    })
}

pub(crate) fn list(reader: &Reader, filter: &FileFilter, page: PageRange) -> Result<(u64, Vec<FileLocation>)> {
    let Some(matching) = named(reader, filter)? else {
        let mut matching = scan(&reader.metadata, filter)?;
        matching.sort_unstable();
        let total = matching.len() as u64;
        let files = page.select(matching).map(|object_id| find(reader, object_id));
        return Ok((total, files.filter_map(Result::transpose).collect::<Result<_>>()?));
    };
    Ok((matching.len() as u64, page.select(matching).collect()))
}

/// Returns the files that match after an object id. Files are stored in blocks, so all of them are looked at unless the filter
/// names an analysis or a file; only those of the page are read.
pub(crate) fn list_after(
    reader: &Reader,
    filter: &FileFilter,
    after: Option<ObjectId>,
    limit: u64,
) -> Result<Vec<FileLocation>> {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let is_later = |object_id: ObjectId| after.is_none_or(|after| object_id > after);
    let Some(mut later) = named(reader, filter)? else {
        let mut later = scan(&reader.metadata, filter)?;
        later.retain(|object_id| is_later(*object_id));
        later.sort_unstable();
        let files = later.into_iter().take(limit).map(|object_id| find(reader, object_id));
        return files.filter_map(Result::transpose).collect();
    };
    later.retain(|file| is_later(file.object_id));
    later.truncate(limit);
    Ok(later)
}

/// Returns the files that match, ordered by object id, if the filter names an analysis or a file; nothing if it names neither.
fn named(reader: &Reader, filter: &FileFilter) -> Result<Option<Vec<FileLocation>>> {
    let candidates = match (filter.object_id, filter.analysis_id) {
        (Some(object_id), _) => find(reader, object_id)?.into_iter().collect(),
        (None, Some(analysis_id)) => of_analysis(&reader.metadata, analysis_id)?,
        (None, None) => return Ok(None),
    };
    let mut matching = Vec::new();
    for file in candidates {
        if filter.matches(&file) && is_visible(&reader.metadata, filter, &file)? {
            matching.push(file);
        }
    }
    matching.sort_unstable_by_key(|file| file.object_id);
    Ok(Some(matching))
}

fn is_visible(connection: &Connection, filter: &FileFilter, file: &FileLocation) -> Result<bool> {
    match &filter.visible {
        None => Ok(true),
        Some(visible) if visible.studies.contains(&file.study_id) => Ok(true),
        Some(visible) => Ok(visible.published.contains(&file.study_id) && is_published(connection, file.analysis_id)?),
    }
}

/// Returns the files of an analysis, from its document.
fn of_analysis(connection: &Connection, analysis_id: AnalysisId) -> Result<Vec<FileLocation>> {
    let Some(stored) = analyses::find(connection, analysis_id)? else {
        return Ok(vec![]);
    };
    let analysis: Analysis = serde_json::from_str(&stored.document)
        .map_err(|error| StoreError::corrupt(format!("analysis {analysis_id}"), error))?;
    Ok(analysis.files.iter().map(FileLocation::of).collect())
}

/// Returns the ids of the files that match by name, access, study and what may be seen, by a scan of the studies that can have
/// such files, or of all studies.
fn scan(connection: &Connection, filter: &FileFilter) -> Result<Vec<ObjectId>> {
    let is_match = |file: &FileRow| {
        filter.name.as_ref().is_none_or(|name| *name == file.name)
            && filter.access.is_none_or(|access| access == file.access)
    };
    let mut found = Vec::new();
    let mut visit = |first_study, last_study, published_only: bool| {
        visit_blocks(connection, first_study, last_study, |analysis_id, files| {
            if !published_only || is_published(connection, analysis_id)? {
                found.extend(files.iter().filter(|file| is_match(file)).map(|file| file.object_id));
            }
            Ok(())
        })
    };
    let studies: Vec<(&String, bool)> = match (&filter.visible, &filter.study_id) {
        (None, None) => {
            visit(i64::MIN, i64::MAX, false)?;
            return Ok(found);
        }
        (None, Some(study_id)) => vec![(study_id, false)],
        (Some(visible), wanted) => {
            let whole = visible.studies.iter().map(|study_id| (study_id, false));
            let published = visible.published.difference(&visible.studies).map(|study_id| (study_id, true));
            let is_wanted = |study_id: &String| wanted.as_ref().is_none_or(|wanted| wanted == study_id);
            whole.chain(published).filter(|(study_id, _)| is_wanted(study_id)).collect()
        }
    };
    for (study_id, published_only) in studies {
        if let Some(study_key) = studies::key(connection, study_id)? {
            visit(study_key, study_key, published_only)?;
        }
    }
    Ok(found)
}

/// Returns the latest revisions of the study's analyses that have a matching file, ordered by analysis id.
pub(crate) fn search(reader: &Reader, study_id: &str, pattern: &ObjectIdPattern) -> Result<Vec<Revision>> {
    let mut found: Vec<AnalysisId> = Vec::new();
    if let ObjectIdPattern::Exactly(object_id) = pattern {
        let file = find(reader, *object_id)?.filter(|file| file.study_id == study_id);
        found.extend(file.map(|file| file.analysis_id));
    } else if let Some(study_key) = studies::key(&reader.metadata, study_id)? {
        visit_blocks(&reader.metadata, study_key, study_key, |analysis_id, files| {
            if files.iter().any(|file| pattern.matches(file.object_id)) {
                found.push(analysis_id);
            }
            Ok(())
        })?;
    }
    found.sort_unstable();
    found.dedup();
    let revisions = found.into_iter().map(|id| analyses::revision_of(&reader.metadata, id));
    revisions.filter_map(Result::transpose).collect()
}

/// Visits every block of the studies with these keys.
pub(crate) fn visit_blocks(
    connection: &Connection,
    first_study: i64,
    last_study: i64,
    mut visit: impl FnMut(AnalysisId, &[FileRow]) -> Result<()>,
) -> Result<()> {
    let read_error = |error: rusqlite::Error| sqlite_error(READING, error);
    let mut select = connection
        .prepare_cached("SELECT analysis_id, files, checksum FROM file_block WHERE study_key BETWEEN ?1 AND ?2")
        .map_err(read_error)?;
    let mut rows = select.query([first_study, last_study]).map_err(read_error)?;
    while let Some(row) = rows.next().map_err(read_error)? {
        let encoded = row.get_ref(1).map_err(read_error)?;
        let encoded = encoded.as_blob().map_err(|error| StoreError::corrupt("a block of files", error))?;
        let analysis_id = AnalysisId::from_bytes(row.get(0).map_err(read_error)?);
        let checksum = row.get(2).map_err(read_error)?;
        visit(analysis_id, &decode_checked(analysis_id, encoded, checksum)?)?;
    }
    Ok(())
}
