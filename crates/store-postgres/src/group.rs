//! A group of changes in one transaction of two round trips: look, then write.
//!
//! The first statement locks the row with the number of the last event, over all servers, until the transaction ends.
//! So what was looked at stays as it is until the group is written, numbers have no gaps, and a number can be seen only
//! when all smaller ones can. The lock is held for two round trips and one write to disk, however large the group is.
//!
//! When the connection is lost while a group is being written, the database is asked what became of it.

use std::time::Duration;

use cantata_store::{AnalysisChange, Result, StoreError};
use deadpool_postgres::Object;
use tokio::try_join;
use tokio_postgres::Error;
use uuid::Uuid;

use crate::analyses::uuid;
use crate::connections::Connections;
use crate::decision::{Outcomes, Present, Rows, Submission, decide, published_only};
use crate::failure::{describe, is_lost, reading};
use crate::statements::{Answer, Statements};

const STORING: &str = "storing analyses";

/// From so many files on, COPY writes them; it needs one more round trip.
const COPY_FROM: usize = 500;

/// How often, and with which pauses, it is tried to find out what became of a group.
const ATTEMPTS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(500);

/// Stores a group; when it fails, nothing of the group is stored.
pub(crate) async fn store(
    connections: &Connections,
    submissions: &[Submission],
    changes: &[AnalysisChange],
) -> Result<Outcomes> {
    let client = connections.get().await?;
    let statements = Statements::prepare(&client).await.map_err(reading(STORING))?;
    let present = match look(&client, &statements, submissions, changes).await {
        Ok(present) => present,
        Err(error) => return Err(roll_back(client, error).await),
    };
    let (outcomes, rows) = decide(present, submissions, changes);
    match Box::pin(write(&client, &statements, &rows, outcomes.last_event)).await {
        Ok(()) => Ok(outcomes),
        Err(error) if is_lost(&error) || client.is_closed() => {
            drop(Object::take(client));
            what_became_of(connections, &rows, &error).await.map(|()| outcomes)
        }
        Err(error) => Err(roll_back(client, error).await),
    }
}

/// Ends the transaction, or else the connection.
async fn roll_back(client: Object, error: Error) -> StoreError {
    if client.batch_execute("ROLLBACK").await.is_err() {
        drop(Object::take(client));
    }
    reading(STORING)(error)
}

/// Begins the transaction, takes the lock, and looks at whatever the group is about.
async fn look(
    client: &Object,
    statements: &Statements,
    submissions: &[Submission],
    changes: &[AnalysisChange],
) -> Answer<Present> {
    let submitted = submissions.iter().map(|submission| submission.new.analysis_id);
    let ids: Vec<Uuid> = submitted.chain(changes.iter().map(|change| change.analysis_id)).map(uuid).collect();
    let looked_for =
        submissions.iter().filter_map(|submission| Some((submission, published_only(submission.duplicates)?)));
    let (md5s, published_only): (Vec<Uuid>, Vec<bool>) = looked_for
        .flat_map(|(submission, only)| submission.new.files.iter().map(move |file| (Uuid::from_bytes(file.md5), only)))
        .unzip();
    let ((), last_event, analyses, duplicates) = try_join!(
        biased;
        client.batch_execute("BEGIN"),
        statements.lock(client),
        statements.analyses(client, &ids),
        statements.duplicates(client, &md5s, &published_only),
    )?;
    Ok(Present { last_event, analyses, duplicates })
}

/// Writes the rows and commits.
async fn write(client: &Object, statements: &Statements, rows: &Rows<'_>, last_event: u64) -> Answer<()> {
    if rows.events.seqs.is_empty() {
        return client.batch_execute("ROLLBACK").await;
    }
    let commit = statements.commit(client, rows, last_event);
    if rows.files.object_ids.len() < COPY_FROM {
        let files = statements.insert_files(client, &rows.files);
        try_join!(biased; statements.write_analyses(client, rows), files, commit).map(|_| ())
    } else {
        statements.write_analyses(client, rows).await?;
        statements.copy_files(client, &rows.files).await?;
        commit.await
    }
}

/// Finds out whether a group was stored, when the connection was lost before the answer came.
///
/// The lock is taken again: when it is there, the lost transaction is over, one way or the other. Either all events of
/// the group are there or none, so its first one tells.
async fn what_became_of(connections: &Connections, rows: &Rows<'_>, lost: &Error) -> Result<()> {
    let events = &rows.events;
    let first = (events.seqs.first(), events.analysis_ids.first(), events.documents.first());
    let (Some(seq), Some(analysis_id), Some(document)) = first else { return Ok(()) };
    for _ in 0..ATTEMPTS {
        match is_stored(connections, *seq, *analysis_id, document).await {
            Ok(true) => return Ok(()),
            Ok(false) => return Err(StoreError::Unavailable(format!("{STORING}: {}", describe(lost)))),
            Err(error) => tracing::warn!(%error, "what became of a group of changes cannot be found out yet"),
        }
        tokio::time::sleep(PAUSE).await;
    }
    Err(StoreError::Undecided { operation: STORING, cause: describe(lost) })
}

async fn is_stored(connections: &Connections, seq: i64, analysis_id: Uuid, document: &str) -> Result<bool> {
    let mut client = connections.get().await?;
    let transaction = client.transaction().await.map_err(reading(STORING))?;
    transaction.execute("SELECT FROM event_counter FOR UPDATE", &[]).await.map_err(reading(STORING))?;
    let found = transaction
        .query_opt(
            "SELECT FROM event WHERE seq = $1 AND analysis_id = $2 AND document = $3",
            &[&seq, &analysis_id, &document],
        )
        .await
        .map_err(reading(STORING))?;
    Ok(found.is_some())
}
