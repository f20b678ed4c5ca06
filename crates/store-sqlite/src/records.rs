//! Shared records in SQLite. The writer thread runs one write at a time, so what it has read still holds when it writes.

use cantata_store::codes::to_bigint;
use cantata_store::{RecordBase, RecordKind, RecordWrite, Result, SharedRecord, StoreError};
use rusqlite::{Connection, OptionalExtension, Row};

use crate::checksum::checksum_of;
use crate::database::with_statement;

const READING: &str = "reading shared records";
const WRITING: &str = "writing a shared record";

/// The columns of a record: id, change, document, checksum.
type RecordRow = (String, u64, Option<String>, u32);

pub(crate) fn find(connection: &Connection, kind: RecordKind, id: &str) -> Result<Option<SharedRecord>> {
    let sql = "SELECT id, change, document, checksum FROM shared_record
             WHERE kind = ?1 AND id = ?2 AND document IS NOT NULL";
    let found = with_statement(connection, READING, sql, |select| {
        select.query_row((kind.as_str(), id), |row| RecordRow::try_from(row)).optional()
    })?;
    found.map(|row| read(kind, row)).transpose()
}

pub(crate) fn after(connection: &Connection, kind: RecordKind, after: u64, limit: usize) -> Result<Vec<SharedRecord>> {
    let sql = "SELECT id, change, document, checksum FROM shared_record
             WHERE kind = ?1 AND change > ?2 ORDER BY change LIMIT ?3";
    let params = (kind.as_str(), to_bigint(after), to_bigint(limit as u64));
    let rows: Vec<RecordRow> = with_statement(connection, READING, sql, |select| {
        select.query_map(params, |row: &Row<'_>| RecordRow::try_from(row))?.collect()
    })?;
    rows.into_iter().map(|row| read(kind, row)).collect()
}

pub(crate) fn latest_change(connection: &Connection, kind: RecordKind) -> Result<u64> {
    let sql = "SELECT last FROM shared_record_change WHERE kind = ?1";
    let last: Option<u64> = with_statement(connection, READING, sql, |select| {
        select.query_row([kind.as_str()], |row| row.get(0)).optional()
    })?;
    Ok(last.unwrap_or_default())
}

pub(crate) fn write(connection: &Connection, write: &RecordWrite) -> Result<Option<u64>> {
    let (kind, id, document) = (write.kind, write.id.as_str(), write.document.as_deref());
    let latest = latest_change(connection, kind)?;
    let current = find(connection, kind, id)?.map(|record| record.change);
    if !write.base.holds(current, latest) {
        return Ok(None);
    }
    let change = latest + 1;
    let sql = "INSERT INTO shared_record_change (kind, last) VALUES (?1, ?2)
             ON CONFLICT (kind) DO UPDATE SET last = excluded.last";
    with_statement(connection, WRITING, sql, |upsert| upsert.execute((kind.as_str(), to_bigint(change))))?;
    let sql = "INSERT INTO shared_record (kind, id, change, document, checksum) VALUES (?1, ?2, ?3, ?4, ?5)
             ON CONFLICT (kind, id) DO UPDATE
             SET change = excluded.change, document = excluded.document, checksum = excluded.checksum";
    let params = (kind.as_str(), id, to_bigint(change), document, checksum(kind, id, change, document));
    with_statement(connection, WRITING, sql, |upsert| upsert.execute(params))?;
    Ok(Some(change))
}

pub(crate) fn purge_removed(connection: &Connection, kind: RecordKind, up_to: u64) -> Result<()> {
    let params = (kind.as_str(), to_bigint(up_to));
    let sql = "SELECT max(change) FROM shared_record WHERE kind = ?1 AND change <= ?2 AND document IS NULL";
    let last: Option<u64> =
        with_statement(connection, WRITING, sql, |select| select.query_row(params, |row| row.get(0)))?;
    let Some(last) = last else { return Ok(()) };
    let sql = "DELETE FROM shared_record WHERE kind = ?1 AND change <= ?2 AND document IS NULL";
    with_statement(connection, WRITING, sql, |delete| delete.execute(params))?;
    let (id, document) = (kind.as_str().to_owned(), Some(last.to_string()));
    let mark = RecordWrite { kind: RecordKind::PurgeMark, id, base: RecordBase::Any, document };
    write(connection, &mark).map(|_| ())
}

fn read(kind: RecordKind, (id, change, document, stored): RecordRow) -> Result<SharedRecord> {
    if stored != checksum(kind, &id, change, document.as_deref()) {
        let location = format!("the {} {id}", kind.as_str());
        return Err(StoreError::corrupt(location, "its checksum is not the one that was stored with it"));
    }
    Ok(SharedRecord { id, change, document })
}

fn checksum(kind: RecordKind, id: &str, change: u64, document: Option<&str>) -> u32 {
    let document = document.map_or(&b""[..], str::as_bytes);
    checksum_of(&[kind.as_str().as_bytes(), id.as_bytes(), &change.to_le_bytes(), document])
}
