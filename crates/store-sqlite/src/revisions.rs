//! Writing revisions of analyses to SQLite, with their events, files and counts.

use std::collections::BTreeMap;

use cantata_core::{AnalysisId, AnalysisState, EventAction, ObjectId};
use cantata_store::codes::{action_code, state_code, state_from_code, to_bigint};
use cantata_store::{
    AnalysisChange, DuplicateRule, InsertOutcome, NewAnalysis, ReplaceOutcome, Result, Revision, StoreError,
    StoredAnalysis,
};
use rusqlite::{Connection, OptionalExtension};

use crate::checksum::of_revision;
use crate::database::with_statement;
use crate::document_cache::is_cacheable;
use crate::file_block::FileBlock;
use crate::write_context::{StateCountChange, WriteContext};
use crate::{files, studies};

const STORING: &str = "storing an analysis";

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
    let sql = "INSERT INTO analysis (analysis_id, study_key, state, revision) VALUES (?1, ?2, ?3, ?4)";
    let params = (new.analysis_id.as_bytes(), study_key, state_code(state), to_bigint(revision.0));
    with_statement(&context.connection, STORING, sql, |insert| insert.execute(params))?;
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
    let sql = "SELECT study_key, state FROM analysis WHERE analysis_id = ?1 AND revision = ?2";
    let params = (change.analysis_id.as_bytes(), to_bigint(change.base_revision.0));
    let current = with_statement(&context.connection, STORING, sql, |select| {
        select.query_row(params, |row| <(i64, i16)>::try_from(row)).optional()
    })?;
    let Some((study_key, state_before)) = current else {
        return Ok(ReplaceOutcome::Conflict);
    };
    let revision = append(context, change.analysis_id, study_key, change.state, change.action, &change.document)?;
    let sql = "UPDATE analysis SET state = ?3, revision = ?4 WHERE study_key = ?1 AND analysis_id = ?2";
    let params = (study_key, change.analysis_id.as_bytes(), state_code(change.state), to_bigint(revision.0));
    with_statement(&context.connection, STORING, sql, |update| update.execute(params))?;
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
    let sql = "INSERT INTO event (analysis_id, study_key, state, action, document, checksum)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    let (state, action) = (state_code(state), action_code(action));
    let checksum = of_revision(analysis_id, state, action, document.as_bytes());
    let params = (analysis_id.as_bytes(), study_key, state, action, document, checksum);
    let seq = with_statement(&context.connection, STORING, sql, |insert| insert.insert(params))?;
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
        let sql = "INSERT INTO analysis_count (study_key, state, analyses) VALUES (?1, ?2, ?3)
                 ON CONFLICT (study_key, state) DO UPDATE SET analyses = analyses + excluded.analyses";
        with_statement(connection, STORING, sql, |upsert| upsert.execute((study_key, state, difference)))?;
    }
    Ok(())
}
