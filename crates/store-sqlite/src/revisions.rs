//! Writing revisions of analyses to SQLite, with their events, files and counts.

use std::collections::BTreeMap;

use cantata_core::{AnalysisId, AnalysisState, EventAction, ObjectId};
use cantata_store::codes::{action_code, state_code, state_from_code};
use cantata_store::{
    AnalysisChange, DuplicateRule, InsertOutcome, NewAnalysis, ReplaceOutcome, Result, Revision, StoreError,
    StoredAnalysis,
};
use rusqlite::{Connection, OptionalExtension};

use crate::analyses::to_sql;
use crate::document_cache::is_cacheable;
use crate::file_block::FileBlock;
use crate::write_context::{StateCountChange, WriteContext};
use crate::{files, studies};

fn write_error(error: rusqlite::Error) -> StoreError {
    StoreError::failed("storing an analysis", error)
}

pub(crate) fn insert(
    context: &mut WriteContext,
    new: NewAnalysis,
    block: &FileBlock,
    duplicates: DuplicateRule,
) -> Result<InsertOutcome> {
    let Some(study_key) = studies::key(&context.connection, &new.study_id)? else {
        return Ok(InsertOutcome::UnknownStudy);
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
        .map_err(write_error)?;
    context.state_counts.push((study_key, state, 1));
    files::insert(context, study_key, new.analysis_id, block)?;
    if is_cacheable(&new.document) {
        let NewAnalysis { analysis_id, study_id, document, .. } = new;
        context.inserted.push((analysis_id, StoredAnalysis { revision, study_id, document }));
    }
    Ok(InsertOutcome::Stored(revision))
}

pub(crate) fn replace(
    context: &mut WriteContext,
    change: &AnalysisChange,
    block: &FileBlock,
) -> Result<ReplaceOutcome> {
    let current: Option<(i64, i16)> = context
        .connection
        .prepare_cached("SELECT study_key, state FROM analysis WHERE analysis_id = ?1 AND revision = ?2")
        .and_then(|mut select| {
            select
                .query_row((change.analysis_id.as_bytes(), to_sql(change.base_revision)), |row| {
                    Ok((row.get(0)?, row.get(1)?))
                })
                .optional()
        })
        .map_err(write_error)?;
    let Some((study_key, state_before)) = current else {
        return Ok(ReplaceOutcome::Conflict);
    };
    let revision = append(context, change.analysis_id, study_key, change.state, change.action, &change.document)?;
    context
        .connection
        .prepare_cached("UPDATE analysis SET state = ?3, revision = ?4 WHERE study_key = ?1 AND analysis_id = ?2")
        .and_then(|mut update| {
            update.execute((study_key, change.analysis_id.as_bytes(), state_code(change.state), to_sql(revision)))
        })
        .map_err(write_error)?;
    context.state_counts.push((study_key, state_from_code(state_before)?, -1));
    context.state_counts.push((study_key, change.state, 1));
    let changed = block.files.iter().map(|file| file.object_id);
    let removed: Vec<ObjectId> = change.removed_files.iter().copied().chain(changed).collect();
    files::remove(&context.connection, change.analysis_id, &removed)?;
    files::insert(context, study_key, change.analysis_id, block)?;
    context.changed.push(change.analysis_id);
    context.inserted.retain(|(id, _)| *id != change.analysis_id);
    Ok(ReplaceOutcome::Stored(revision))
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
        .map_err(write_error)?;
    let seq = u64::try_from(seq).map_err(|error| StoreError::corrupt("an event number", error))?;
    context.last_event = seq;
    Ok(Revision(seq))
}

/// Adds up changes of the numbers of analyses by study and state, and stores them.
pub(crate) fn apply_state_counts(connection: &Connection, changes: &[StateCountChange]) -> Result<()> {
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
            .map_err(write_error)?;
    }
    Ok(())
}
