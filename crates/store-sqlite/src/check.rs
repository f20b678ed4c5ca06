//! Checks the whole database of a store: its pages, the checksums of its rows, and that rows agree with each other.

use std::path::Path;

use cantata_core::{AnalysisId, error_chain};
use cantata_store::{RecordKind, Result, StoreError, TypeQuery};
use rusqlite::{Connection, Row};

use crate::checksum::RevisionRow;
use crate::database::{
    CHECKSUMS_VERSION, SHARED_RECORDS_VERSION, StorePaths, open_reader, schema_version, with_statement,
};
use crate::lookup::check_not_ahead;
use crate::wal::check_wal;
use crate::{events, files, records, studies, types};

const CHECKING: &str = "checking the metadata database";

/// How many revisions are read at once.
const PAGE_SIZE: i64 = 500;

/// How many shared records are read at once.
const RECORDS_PAGE_SIZE: usize = 50;

/// How many problems are listed; a damaged disk can make as many as there are rows.
const MAX_PROBLEMS: usize = 100;

/// Checks the database of a store that is not in use, and returns the problems found.
pub fn check_database(folder: &Path) -> Result<Vec<String>> {
    if let Err(error @ StoreError::Corrupt { .. }) = check_wal(folder) {
        // Opening the database would drop what comes after the damage.
        return Ok(vec![error_chain(&error)]);
    }
    let paths = StorePaths::within(folder);
    let connection = open_reader(&paths.metadata)?;
    let sql = "PRAGMA integrity_check";
    let mut problems: Vec<String> =
        with_statement(&connection, CHECKING, sql, |check| check.query_map([], |row| row.get(0))?.collect())?;
    problems.retain(|line| line != "ok");
    problems.extend(damaged_rows(&connection)?);
    note(&mut problems, check_not_ahead(&paths, &connection));
    Ok(problems)
}

/// Returns the number of the last event in the database of a store that is not in use.
pub fn last_event(folder: &Path) -> Result<u64> {
    events::latest(&open_reader(&StorePaths::within(folder).metadata)?)
}

/// Returns what is damaged among the rows, the first hundred problems at most.
pub(crate) fn damaged_rows(connection: &Connection) -> Result<Vec<String>> {
    // A database that an older version has written is checked once it was migrated.
    let version = schema_version(connection)?;
    if version < CHECKSUMS_VERSION {
        return Ok(Vec::new());
    }
    let mut problems = Vec::new();
    for study_id in studies::ids(connection)? {
        note(&mut problems, studies::find(connection, &study_id));
    }
    note(&mut problems, types::list(connection, &TypeQuery::all()));
    note(&mut problems, files::visit_blocks(connection, i64::MIN, i64::MAX, |_, _| Ok(())));
    if version >= SHARED_RECORDS_VERSION {
        RecordKind::ALL.into_iter().for_each(|kind| check_records(connection, kind, &mut problems));
    }
    check_revisions(connection, &mut problems)?;
    check_numbers(connection, &mut problems)?;
    for (sql, problem) in CROSS_CHECKS {
        cross_check(connection, sql, problem, &mut problems)?;
    }
    let sql = "SELECT count(*) FROM (SELECT study_key, state, count(*) FROM analysis GROUP BY study_key, state
             EXCEPT SELECT study_key, state, analyses FROM analysis_count)";
    let miscounted: u64 = with_statement(connection, CHECKING, sql, |select| select.query_row([], |row| row.get(0)))?;
    if miscounted > 0 {
        problems.push("the numbers of analyses by study and state are not those of the analyses".to_owned());
    }
    problems.truncate(MAX_PROBLEMS);
    Ok(problems)
}

fn note<T>(problems: &mut Vec<String>, outcome: Result<T>) {
    if let Err(error) = outcome {
        problems.push(error_chain(&error));
    }
}

/// Checks the shared records of a kind, some at a time: one may be large.
fn check_records(connection: &Connection, kind: RecordKind, problems: &mut Vec<String>) {
    let mut last = 0;
    loop {
        match records::after(connection, kind, last, RECORDS_PAGE_SIZE) {
            Ok(page) => match page.last() {
                Some(record) => last = record.change,
                None => return,
            },
            Err(error) => return problems.push(error_chain(&error)),
        }
    }
}

/// Checks every revision of every analysis.
fn check_revisions(connection: &Connection, problems: &mut Vec<String>) -> Result<()> {
    let sql = "SELECT seq, analysis_id, state, action, document, checksum FROM event
             WHERE seq > ?1 ORDER BY seq LIMIT ?2";
    let read = |row: &Row<'_>| Ok((row.get(0)?, RevisionRow::read(row, 1)?));
    let mut last: i64 = 0;
    while problems.len() < MAX_PROBLEMS {
        let page: Result<Vec<(i64, RevisionRow)>> =
            with_statement(connection, CHECKING, sql, |select| select.query_map((last, PAGE_SIZE), read)?.collect());
        let page = match page {
            Err(error @ StoreError::Corrupt { .. }) => {
                note(problems, Err::<(), _>(error));
                return Ok(());
            }
            page => page?,
        };
        let Some((newest, _)) = page.last() else { return Ok(()) };
        last = *newest;
        for (seq, row) in page {
            let analysis_id = row.analysis_id;
            note(problems, row.into_document(seq.unsigned_abs(), analysis_id));
        }
    }
    Ok(())
}

/// Checks that no revision is missing: they are numbered without gaps, and none is ever removed.
fn check_numbers(connection: &Connection, problems: &mut Vec<String>) -> Result<()> {
    let sql = "SELECT count(*), coalesce(max(seq), 0) FROM event";
    let read = |row: &Row<'_>| <(u64, u64)>::try_from(row);
    let counted = with_statement(connection, CHECKING, sql, |select| select.query_row([], read));
    match counted {
        Err(error @ StoreError::Corrupt { .. }) => note(problems, Err::<(), _>(error)),
        counted => {
            let (count, last) = counted?;
            if count != last {
                problems.push(format!("there are {count} revisions, but the last one has the number {last}"));
            }
        }
    }
    Ok(())
}

/// Checks of what no checksum covers, because several rows have it: each selects the analyses whose rows disagree, and is
/// followed by the problem that they have.
const CROSS_CHECKS: [(&str, &str); 3] = [
    (
        "SELECT analysis.analysis_id FROM analysis LEFT JOIN event ON event.seq = analysis.revision
         WHERE event.seq IS NULL OR event.analysis_id != analysis.analysis_id
            OR event.study_key != analysis.study_key OR event.state != analysis.state
         LIMIT ?1",
        "is not at a revision of its own",
    ),
    (
        "SELECT event.analysis_id FROM event
         LEFT JOIN analysis ON analysis.analysis_id = event.analysis_id
         LEFT JOIN study ON study.study_key = event.study_key
         WHERE study.study_key IS NULL OR analysis.study_key IS NOT event.study_key OR event.seq > analysis.revision
         LIMIT ?1",
        "has a revision of another study, or one that is later than its latest",
    ),
    (
        "SELECT file_block.analysis_id FROM file_block
         LEFT JOIN analysis ON analysis.analysis_id = file_block.analysis_id
         WHERE analysis.study_key IS NOT file_block.study_key
         LIMIT ?1",
        "has files of another study",
    ),
];

fn cross_check(connection: &Connection, sql: &str, problem: &str, problems: &mut Vec<String>) -> Result<()> {
    let read = |row: &Row<'_>| row.get(0).map(AnalysisId::from_bytes);
    let wrong: Result<Vec<AnalysisId>> =
        with_statement(connection, CHECKING, sql, |select| select.query_map([MAX_PROBLEMS as u64], read)?.collect());
    match wrong {
        Err(error @ StoreError::Corrupt { .. }) => note(problems, Err::<(), _>(error)),
        wrong => problems.extend(wrong?.into_iter().map(|id| format!("analysis {id} {problem}"))),
    }
    Ok(())
}
