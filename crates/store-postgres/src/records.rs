//! Shared records in PostgreSQL. The row with the latest change of a kind is locked for each write of it, so that servers
//! write one after the other, and a change is visible only after all earlier ones.

use cantata_store::{RecordKind, RecordWrite, Result, SharedRecord};
use deadpool_postgres::Object;
use tokio_postgres::{IsolationLevel, Row};

use crate::error::{read_error, write_error};
use crate::query::{execute, from_bigint, query, query_one, query_opt, to_bigint};

const READING: &str = "reading shared records";
const WRITING: &str = "writing a shared record";

/// Locks a kind until the end of the transaction, and returns the number of its next change.
const NEXT_CHANGE: &str = "INSERT INTO shared_record_change AS present (kind, last) VALUES ($1, 1)
     ON CONFLICT (kind) DO UPDATE SET last = present.last + 1 RETURNING last";

const PUT: &str = "INSERT INTO shared_record (kind, id, change, document) VALUES ($1, $2, $3, $4)
     ON CONFLICT (kind, id) DO UPDATE SET change = excluded.change, document = excluded.document";

pub(crate) async fn find(client: &Object, kind: RecordKind, id: &str) -> Result<Option<SharedRecord>> {
    // PostgreSQL stores no text with NUL, so nothing has such an id.
    if id.contains('\0') {
        return Ok(None);
    }
    let sql = "SELECT id, change, document FROM shared_record WHERE kind = $1 AND id = $2 AND document IS NOT NULL";
    query_opt(client, READING, sql, &[&kind.as_str(), &id]).await?.as_ref().map(read).transpose()
}

pub(crate) async fn after(client: &Object, kind: RecordKind, after: u64, limit: usize) -> Result<Vec<SharedRecord>> {
    let sql = "SELECT id, change, document FROM shared_record WHERE kind = $1 AND change > $2 ORDER BY change LIMIT $3";
    let (after, limit) = (to_bigint(after), to_bigint(limit as u64));
    query(client, READING, sql, &[&kind.as_str(), &after, &limit]).await?.iter().map(read).collect()
}

pub(crate) async fn latest_change(client: &Object, kind: RecordKind) -> Result<u64> {
    let sql = "SELECT last FROM shared_record_change WHERE kind = $1";
    let row = query_opt(client, READING, sql, &[&kind.as_str()]).await?;
    row.map_or(Ok(0), |row| from_bigint(row.get(0)))
}

pub(crate) async fn write(client: &mut Object, write: &RecordWrite) -> Result<Option<u64>> {
    let (kind, id) = (write.kind.as_str(), write.id.as_str());
    let transaction = client.build_transaction().isolation_level(IsolationLevel::ReadCommitted);
    let transaction = transaction.start().await.map_err(read_error(WRITING))?;
    let change = from_bigint(query_one(&transaction, WRITING, NEXT_CHANGE, &[&kind]).await?.get(0))?;
    let sql = "SELECT change FROM shared_record WHERE kind = $1 AND id = $2 AND document IS NOT NULL";
    let current = query_opt(&transaction, WRITING, sql, &[&kind, &id]).await?;
    let current = current.map(|row| from_bigint(row.get(0))).transpose()?;
    if !write.base.holds(current, change - 1) {
        // Dropping the transaction rolls it back.
        return Ok(None);
    }
    execute(&transaction, WRITING, PUT, &[&kind, &id, &to_bigint(change), &write.document]).await?;
    transaction.commit().await.map_err(write_error(WRITING))?;
    Ok(Some(change))
}

pub(crate) async fn purge_removed(client: &mut Object, kind: RecordKind, up_to: u64) -> Result<()> {
    let transaction = client.build_transaction().isolation_level(IsolationLevel::ReadCommitted);
    let transaction = transaction.start().await.map_err(read_error(WRITING))?;
    // First, so that servers purge one after the other, and a mark never goes back.
    let mark = RecordKind::PurgeMark.as_str();
    let change: i64 = query_one(&transaction, WRITING, NEXT_CHANGE, &[&mark]).await?.get(0);
    let sql = "SELECT max(change) FROM shared_record WHERE kind = $1 AND change <= $2 AND document IS NULL";
    let last = query_one(&transaction, WRITING, sql, &[&kind.as_str(), &to_bigint(up_to)]).await?;
    let Some(last) = last.get::<_, Option<i64>>(0) else {
        // Dropping the transaction rolls it back.
        return Ok(());
    };
    let sql = "DELETE FROM shared_record WHERE kind = $1 AND change <= $2 AND document IS NULL";
    execute(&transaction, WRITING, sql, &[&kind.as_str(), &last]).await?;
    execute(&transaction, WRITING, PUT, &[&mark, &kind.as_str(), &change, &last.to_string()]).await?;
    transaction.commit().await.map_err(write_error(WRITING))
}

fn read(row: &Row) -> Result<SharedRecord> {
    Ok(SharedRecord { id: row.get(0), change: from_bigint(row.get(1))?, document: row.get(2) })
}
