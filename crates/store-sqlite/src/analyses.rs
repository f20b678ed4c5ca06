//! Analyses in SQLite: writing revisions and reading them.

use std::collections::BTreeMap;

use cantata_core::{AnalysisId, AnalysisState, EventAction, ObjectId};
use cantata_store::codes::{action_code, state_bits, state_code, state_of};
use cantata_store::{
    AnalysisChange, AnalysisQuery, DuplicateRule, Insertion, NewAnalysis, Replacement, Result, Revision, StateSet,
    StoreError, StoredAnalysis,
};
use rusqlite::{Connection, OptionalExtension};

use crate::block::Block;
use crate::cache::is_kept;
use crate::writer::{StateCount, WriteContext};
use crate::{files, studies};

fn writing(error: rusqlite::Error) -> StoreError {
    StoreError::failed("storing an analysis", error)
}

fn reading(error: rusqlite::Error) -> StoreError {
    StoreError::failed("reading analyses", error)
}

pub(crate) fn insert(
    context: &mut WriteContext,
    new: NewAnalysis,
    block: &Block,
    duplicates: DuplicateRule,
) -> Result<Insertion> {
    let Some(study_key) = studies::key(&context.connection, &new.study_id)? else {
        return Ok(Insertion::UnknownStudy);
    };
    if let Some(duplicate) = files::find_duplicate(&context.connection, context.lookup.reader(), block, duplicates)? {
        return Ok(duplicate);
    }
    let state = new.state;
    let revision = append(context, new.analysis_id, study_key, state, EventAction::Create, &new.document)?;
    context
        .connection
        .prepare_cached("INSERT INTO analysis (analysis_id, study_key, state, revision) VALUES (?1, ?2, ?3, ?4)")
        .and_then(|mut insert| {
            insert.execute((new.analysis_id.as_bytes(), study_key, state_code(state), to_sql(revision)))
        })
        .map_err(writing)?;
    context.counts.push((study_key, state, 1));
    files::insert(context, study_key, new.analysis_id, block)?;
    if is_kept(&new.document) {
        let NewAnalysis { analysis_id, study_id, document, .. } = new;
        context.made.push((analysis_id, StoredAnalysis { revision, study_id, document }));
    }
    Ok(Insertion::Stored(revision))
}

pub(crate) fn replace(context: &mut WriteContext, change: &AnalysisChange, block: &Block) -> Result<Replacement> {
    let current: Option<(i64, i16)> = context
        .connection
        .prepare_cached("SELECT study_key, state FROM analysis WHERE analysis_id = ?1 AND revision = ?2")
        .and_then(|mut select| {
            select
                .query_row((change.analysis_id.as_bytes(), to_sql(change.from)), |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()
        })
        .map_err(writing)?;
    let Some((study_key, state_before)) = current else {
        return Ok(Replacement::Conflict);
    };
    let revision = append(context, change.analysis_id, study_key, change.state, change.action, &change.document)?;
    context
        .connection
        .prepare_cached("UPDATE analysis SET state = ?3, revision = ?4 WHERE study_key = ?1 AND analysis_id = ?2")
        .and_then(|mut update| {
            update.execute((study_key, change.analysis_id.as_bytes(), state_code(change.state), to_sql(revision)))
        })
        .map_err(writing)?;
    context.counts.push((study_key, state_of(state_before)?, -1));
    context.counts.push((study_key, change.state, 1));
    let changed = block.files.iter().map(|file| file.object_id);
    let gone: Vec<ObjectId> = change.removed_files.iter().copied().chain(changed).collect();
    files::remove(&context.connection, change.analysis_id, &gone)?;
    files::insert(context, study_key, change.analysis_id, block)?;
    context.changed.push(change.analysis_id);
    context.made.retain(|(made, _)| *made != change.analysis_id);
    Ok(Replacement::Stored(revision))
}

fn append(
    context: &mut WriteContext,
    analysis_id: AnalysisId,
    study_key: i64,
    state: AnalysisState,
    action: EventAction,
    document: &str,
) -> Result<Revision> {
    let seq = context
        .connection
        .prepare_cached(
            "INSERT INTO event (analysis_id, study_key, state, action, document) VALUES (?1, ?2, ?3, ?4, ?5)",
        )
        .and_then(|mut insert| {
            insert.insert((analysis_id.as_bytes(), study_key, state_code(state), action_code(action), document))
        })
        .map_err(writing)?;
    let seq = u64::try_from(seq).map_err(|error| StoreError::corrupt("an event number", error))?;
    context.last_event = seq;
    Ok(Revision(seq))
}

/// Changes the numbers of analyses of studies in states.
pub(crate) fn count(connection: &Connection, changes: &[StateCount]) -> Result<()> {
    let mut differences: BTreeMap<(i64, i16), i64> = BTreeMap::new();
    for &(study_key, state, difference) in changes {
        *differences.entry((study_key, state_code(state))).or_default() += difference;
    }
    for ((study_key, state), difference) in differences.into_iter().filter(|(_, difference)| *difference != 0) {
        connection
            .prepare_cached(
                "INSERT INTO analysis_count (study_key, state, analyses) VALUES (?1, ?2, ?3)
                 ON CONFLICT (study_key, state) DO UPDATE SET analyses = analyses + excluded.analyses",
            )
            .and_then(|mut upsert| upsert.execute((study_key, state, difference)))
            .map_err(writing)?;
    }
    Ok(())
}

pub(crate) fn find(connection: &Connection, id: AnalysisId) -> Result<Option<StoredAnalysis>> {
    connection
        .prepare_cached(
            "SELECT revision, study_id, event.document FROM analysis
             JOIN event ON event.seq = analysis.revision
             JOIN study ON study.study_key = analysis.study_key
             WHERE analysis.analysis_id = ?1",
        )
        .and_then(|mut select| {
            let read = |row: &rusqlite::Row<'_>| {
                Ok(StoredAnalysis { revision: Revision(row.get(0)?), study_id: row.get(1)?, document: row.get(2)? })
            };
            select.query_row([id.as_bytes()], read).optional()
        })
        .map_err(reading)
}

/// Returns the revision an analysis is at.
pub(crate) fn revision_of(connection: &Connection, id: AnalysisId) -> Result<Option<Revision>> {
    connection
        .prepare_cached("SELECT revision FROM analysis WHERE analysis_id = ?1")
        .and_then(|mut select| select.query_row([id.as_bytes()], |row| row.get(0)).optional())
        .map(|revision| revision.map(Revision))
        .map_err(reading)
}

pub(crate) fn list(connection: &Connection, query: &AnalysisQuery) -> Result<Vec<Revision>> {
    let limit = query.limit.and_then(|limit| i64::try_from(limit).ok()).unwrap_or(i64::MAX);
    let offset = i64::try_from(query.offset).unwrap_or(i64::MAX);
    let mut select = connection
        .prepare_cached(
            "SELECT revision FROM analysis
             WHERE study_key = (SELECT study_key FROM study WHERE study_id = ?1) AND (?2 & (1 << state)) != 0
             ORDER BY analysis_id LIMIT ?3 OFFSET ?4",
        )
        .map_err(reading)?;
    let revisions = select
        .query_map((&query.study_id, state_bits(query.states), limit, offset), |row| Ok(Revision(row.get(0)?)))
        .map_err(reading)?;
    revisions.collect::<rusqlite::Result<_>>().map_err(reading)
}

pub(crate) fn count_in_states(connection: &Connection, study_id: &str, states: StateSet) -> Result<u64> {
    connection
        .prepare_cached(
            "SELECT coalesce(sum(analyses), 0) FROM analysis_count
             WHERE study_key = (SELECT study_key FROM study WHERE study_id = ?1) AND (?2 & (1 << state)) != 0",
        )
        .and_then(|mut select| select.query_row((study_id, state_bits(states)), |row| row.get(0)))
        .map_err(reading)
}

pub(crate) fn documents(connection: &Connection, revisions: &[Revision]) -> Result<Vec<String>> {
    let mut select = connection.prepare_cached("SELECT document FROM event WHERE seq = ?1").map_err(reading)?;
    revisions
        .iter()
        .map(|revision| {
            select
                .query_row([to_sql(*revision)], |row| row.get(0))
                .optional()
                .map_err(reading)?
                .ok_or_else(|| StoreError::corrupt(format!("revision {}", revision.0), "it is missing"))
        })
        .collect()
}

fn to_sql(revision: Revision) -> i64 {
    i64::try_from(revision.0).unwrap_or(i64::MAX)
}
