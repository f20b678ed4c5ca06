//! Group commit: many changes in one transaction of two round trips, a read and a write.
//!
//! The first statement locks the row with the number of the last event, over all servers, until the transaction ends.
//! So what was read still holds when the group is written, numbers have no gaps, and a number becomes visible only
//! after all smaller ones. The lock is held for two round trips and one fsync, however large the group is.
//!
//! When the connection is lost during the write, the outcome is read from the database on another connection.

use std::time::Duration;

use cantata_core::error_chain;
use cantata_store::{AnalysisChange, Result, StoreError};
use deadpool_postgres::Object;
use tokio::try_join;
use tokio_postgres::Error;
use uuid::Uuid;

use crate::error::{is_connection_lost, outcome_unknown, read_error, unavailable};
use crate::group_plan::{GroupOutcome, GroupRows, StoredState, Submission, plan_group, published_only};
use crate::group_statements::{GroupStatements, QueryResult, are_copied};
use crate::pool::ConnectionPool;
use crate::query::to_uuid;

const STORING: &str = "storing analyses";

/// How often, and at which interval, the outcome of a lost commit is read.
const MAX_RESOLVE_ATTEMPTS: u32 = 20;
const RESOLVE_INTERVAL: Duration = Duration::from_millis(500);

/// Commits a group; on an error nothing of the group is stored, unless the outcome is unknown.
pub(crate) async fn commit_group(
    pool: &ConnectionPool,
    submissions: &[Submission],
    changes: &[AnalysisChange],
) -> Result<GroupOutcome> {
    let client = pool.get().await?;
    let statements = GroupStatements::prepare(&client).await.map_err(read_error(STORING))?;
    let stored = match read_state(&client, &statements, submissions, changes).await {
        Ok(stored) => stored,
        Err(error) => return Err(roll_back(client, error).await),
    };
    let (outcome, rows) = plan_group(stored, submissions, changes);
    match Box::pin(write_rows(&client, &statements, &rows, outcome.last_event)).await {
        Ok(()) => Ok(outcome),
        Err(error) if is_connection_lost(&error) || client.is_closed() => {
            drop(Object::take(client));
            resolve_outcome(pool, &rows, error).await.map(|()| outcome)
        }
        Err(error) if are_copied(&rows.files) => {
            // Of a COPY that does not begin, the driver takes the answer to its end for one to another statement.
            drop(Object::take(client));
            Err(read_error(STORING)(error))
        }
        Err(error) => Err(roll_back(client, error).await),
    }
}

/// Rolls the transaction back, or closes the connection if that fails.
async fn roll_back(client: Object, error: Error) -> StoreError {
    if client.batch_execute("ROLLBACK").await.is_err() {
        drop(Object::take(client));
    }
    read_error(STORING)(error)
}

/// Begins the transaction, takes the lock, and reads what the group is about.
async fn read_state(
    client: &Object,
    statements: &GroupStatements,
    submissions: &[Submission],
    changes: &[AnalysisChange],
) -> QueryResult<StoredState> {
    let submitted = submissions.iter().map(|submission| submission.new.analysis_id);
    let ids: Vec<Uuid> = submitted.chain(changes.iter().map(|change| change.analysis_id)).map(to_uuid).collect();
    let checked =
        submissions.iter().filter_map(|submission| Some((submission, published_only(submission.duplicates)?)));
    let (md5s, published_only): (Vec<Uuid>, Vec<bool>) = checked
        .flat_map(|(submission, only)| submission.new.files.iter().map(move |file| (Uuid::from_bytes(file.md5), only)))
        .unzip();
    let ((), last_event, analyses, duplicates) = try_join!(
        biased;
        client.batch_execute("BEGIN"),
        statements.lock(client),
        statements.current_revisions(client, &ids),
        statements.duplicates(client, &md5s, &published_only),
    )?;
    Ok(StoredState { last_event, analyses, duplicates })
}

/// Writes the rows and commits.
async fn write_rows(
    client: &Object,
    statements: &GroupStatements,
    rows: &GroupRows<'_>,
    last_event: u64,
) -> QueryResult<()> {
    if rows.events.seqs.is_empty() {
        return client.batch_execute("ROLLBACK").await;
    }
    // Files come first: if a statement before a COPY failed, the COPY would not begin.
    try_join!(
        biased;
        statements.delete_files(client, rows),
        statements.write_files(client, &rows.files),
        statements.write_analyses(client, rows),
        statements.commit(client, rows, last_event),
    )
    .map(|_| ())
}

/// Finds out whether a group was committed, after the connection was lost before the answer arrived.
///
/// The lock is taken again: once it is granted, the lost transaction has ended. Either all events of the group are
/// stored or none, so its first one decides.
async fn resolve_outcome(pool: &ConnectionPool, rows: &GroupRows<'_>, lost: Error) -> Result<()> {
    let events = &rows.events;
    let first = (events.seqs.first(), events.analysis_ids.first(), events.documents.first());
    let (Some(seq), Some(analysis_id), Some(document)) = first else { return Ok(()) };
    for _ in 0..MAX_RESOLVE_ATTEMPTS {
        match is_stored(pool, *seq, *analysis_id, document).await {
            Ok(true) => return Ok(()),
            Ok(false) => return Err(unavailable(STORING)(lost)),
            Err(error) => {
                tracing::warn!(error = error_chain(&error), "the outcome of a group of changes is not known yet")
            }
        }
        tokio::time::sleep(RESOLVE_INTERVAL).await;
    }
    Err(outcome_unknown(STORING, lost))
}

async fn is_stored(pool: &ConnectionPool, seq: i64, analysis_id: Uuid, document: &str) -> Result<bool> {
    let mut client = pool.get().await?;
    let transaction = client.transaction().await.map_err(read_error(STORING))?;
    transaction.execute("SELECT FROM event_counter FOR UPDATE", &[]).await.map_err(read_error(STORING))?;
    let found = transaction
        .query_opt(
            "SELECT FROM event WHERE seq = $1 AND analysis_id = $2 AND document = $3",
            &[&seq, &analysis_id, &document],
        )
        .await
        .map_err(read_error(STORING))?;
    Ok(found.is_some())
}
