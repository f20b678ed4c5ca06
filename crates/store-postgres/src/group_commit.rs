//! Group commit: many changes in one transaction of two round trips, a read and a write.
//!
//! The read first locks the row with the number of the last event, over all servers, until the transaction ends.
//! So what was read still holds when the group is written, numbers have no gaps, and a number becomes visible only
//! after all smaller ones. The lock is held for two round trips and one fsync, however large the group is.
//!
//! A group that waits for the lock of another server was collected before that one's commit, so it is small; the changes
//! that were queued meanwhile join it, which costs one more round trip under the lock. Otherwise several servers would commit
//! small groups in turns, and store less the more of them there are.
//!
//! Files are most of the work of the database. Where the submissions of a group have many, they are written before the
//! lock is taken, so that two groups do this at once; nobody sees them before the commit. If some of them must not be
//! stored, because a submission is a duplicate or its id is taken, the transaction is rolled back, and the group is
//! written in the other order: first the lock, then what is to be stored. So it is if writing files early fails.
//!
//! A group waits for the files of another one only if both have an object id in common, which is made from the random
//! id of an analysis; one of them then fails with a unique violation, and its changes are retried one by one. If one
//! that holds the lock waits for one that waits for the lock, PostgreSQL ends one of them (40P01), which is retried in
//! the same way; if one waits for a later one of its own server, `lock_timeout` ends it as unavailable.
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
use crate::group_plan::{
    FileRows, GroupOutcome, GroupRows, StoredAnalyses, StoredChecksums, StoredState, Submission, plan_group,
    published_only,
};
use crate::group_statements::{GroupStatements, QueryResult, are_copied, run_unless};
use crate::pool::ConnectionPool;
use crate::query::to_uuid;

const STORING: &str = "storing analyses";

/// Begins the transaction. Each statement of a group is planned once per connection: it reads rows by their keys, so the
/// values change nothing, but PostgreSQL would plan those with arrays again each time, which takes longer than to run
/// them. A plan that is kept must not have been made for a table that was small.
const BEGIN: &str = "
    BEGIN;
    SET LOCAL plan_cache_mode TO force_generic_plan;
    SET LOCAL enable_seqscan TO off;
";

/// How often, and at which interval, the outcome of a lost commit is read.
const MAX_RESOLVE_ATTEMPTS: u32 = 20;
const RESOLVE_INTERVAL: Duration = Duration::from_millis(500);

/// The transaction of a group that does not have the lock yet.
pub(crate) struct GroupTransaction {
    client: Object,
    statements: GroupStatements,
    /// How many files it has written. Without any, it has not begun.
    early_files: usize,
}

impl GroupTransaction {
    async fn on(pool: &ConnectionPool) -> Result<Self> {
        let client = pool.get().await?;
        let statements = GroupStatements::prepare(&client).await.map_err(read_error(STORING))?;
        Ok(Self { client, statements, early_files: 0 })
    }

    async fn with_files(pool: &ConnectionPool, files: &FileRows<'_>) -> Result<Self> {
        let Self { client, statements, .. } = Self::on(pool).await?;
        let written = try_join!(biased; client.batch_execute(BEGIN), statements.write_files(&client, files));
        if let Err(error) = written {
            return Err(close(client, error));
        }
        Ok(Self { client, statements, early_files: files.object_ids.len() })
    }
}

/// Writes the files of submissions before the lock is taken, if there are many. If that fails, they are written later.
pub(crate) async fn write_files_early(pool: &ConnectionPool, submissions: &[Submission]) -> Option<GroupTransaction> {
    let files = FileRows::of(submissions);
    if !are_copied(&files) {
        return None;
    }
    let written = GroupTransaction::with_files(pool, &files).await;
    written.inspect_err(|error| tracing::debug!(error = error_chain(error), "files were not written early")).ok()
}

/// A transaction that has the lock, and what is stored of the changes of its group.
pub(crate) struct LockedGroup {
    transaction: GroupTransaction,
    stored: StoredState,
}

impl LockedGroup {
    /// Takes the lock, in the transaction that has the files of the group if there is one, and reads what it is about.
    pub(crate) async fn begin(
        pool: &ConnectionPool,
        early: Option<GroupTransaction>,
        submissions: &[Submission],
        changes: &[AnalysisChange],
    ) -> Result<Self> {
        let transaction = match early {
            Some(transaction) => transaction,
            None => GroupTransaction::on(pool).await?,
        };
        let GroupTransaction { client, statements, early_files } = &transaction;
        let read = try_join!(
            biased;
            run_unless(*early_files > 0, client.batch_execute(BEGIN)),
            statements.lock(client),
            read_state(client, statements, submissions, changes),
        );
        match read {
            Ok(((), last_event, (analyses, duplicates))) => {
                Ok(Self { transaction, stored: StoredState { last_event, analyses, duplicates } })
            }
            Err(error) => Err(roll_back_after(transaction.client, error).await),
        }
    }

    /// Returns whether more changes can join the group: files that were written early are those of all its submissions.
    pub(crate) fn can_grow(&self) -> bool {
        self.transaction.early_files == 0
    }

    /// Reads what changes are about that join the group.
    pub(crate) async fn grow(mut self, submissions: &[Submission], changes: &[AnalysisChange]) -> Result<Self> {
        let GroupTransaction { client, statements, .. } = &self.transaction;
        match read_state(client, statements, submissions, changes).await {
            Ok((analyses, duplicates)) => {
                self.stored.analyses.extend(analyses);
                self.stored.duplicates.extend(duplicates);
                Ok(self)
            }
            Err(error) => Err(roll_back_after(self.transaction.client, error).await),
        }
    }

    /// Commits the group with all changes that have joined it; on an error nothing of it is stored, unless the outcome is
    /// unknown. Returns nothing if files that were written early must not be stored: the group has to begin without them.
    pub(crate) async fn commit(
        self,
        pool: &ConnectionPool,
        submissions: &[Submission],
        changes: &[AnalysisChange],
    ) -> Result<Option<GroupOutcome>> {
        let GroupTransaction { client, statements, early_files } = self.transaction;
        let Some((outcome, rows)) = plan_group(self.stored, submissions, changes, early_files) else {
            roll_back(client).await;
            return Ok(None);
        };
        match Box::pin(write_rows(&client, &statements, &rows, outcome.last_event)).await {
            Ok(()) => Ok(Some(outcome)),
            Err(error) if is_connection_lost(&error) || client.is_closed() => {
                drop(Object::take(client));
                resolve_outcome(pool, &rows, error).await.map(|()| Some(outcome))
            }
            Err(error) if are_copied(&rows.files) => Err(close(client, error)),
            Err(error) => Err(roll_back_after(client, error).await),
        }
    }
}

/// Rolls the transaction back in which a statement failed, and returns the error for it.
async fn roll_back_after(client: Object, error: Error) -> StoreError {
    roll_back(client).await;
    read_error(STORING)(error)
}

/// Rolls the transaction back, or closes the connection if that fails.
async fn roll_back(client: Object) {
    if client.batch_execute("ROLLBACK").await.is_err() {
        drop(Object::take(client));
    }
}

/// Closes the connection on which a COPY failed.
///
/// Of a COPY that does not begin, the driver takes the answer to its end for one to another statement.
fn close(client: Object, error: Error) -> StoreError {
    drop(Object::take(client));
    read_error(STORING)(error)
}

/// Reads what is stored of the analyses and checksums of changes.
async fn read_state(
    client: &Object,
    statements: &GroupStatements,
    submissions: &[Submission],
    changes: &[AnalysisChange],
) -> QueryResult<(StoredAnalyses, StoredChecksums)> {
    let submitted = submissions.iter().map(|submission| submission.new.analysis_id);
    let ids: Vec<Uuid> = submitted.chain(changes.iter().map(|change| change.analysis_id)).map(to_uuid).collect();
    let checked =
        submissions.iter().filter_map(|submission| Some((submission, published_only(submission.duplicates)?)));
    let (md5s, published_only): (Vec<Uuid>, Vec<bool>) = checked
        .flat_map(|(submission, only)| submission.new.files.iter().map(move |file| (Uuid::from_bytes(file.md5), only)))
        .unzip();
    try_join!(
        biased;
        statements.current_revisions(client, &ids),
        statements.duplicates(client, &md5s, &published_only),
    )
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
