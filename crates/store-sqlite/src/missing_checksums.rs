//! Gives checksums to the rows that an older version has written, once, in the background of an open store.
//!
//! Meanwhile rows without a checksum are read as they are. The pages of the database are checked first: a checksum would say
//! that damage was written. Then the rows are done in steps, each a job of the writer that stores its checksums and how far they
//! go, so a store that was closed goes on where it was; its write-ahead log stays small, and submissions wait for one step at
//! most. `PRAGMA user_version` says that all rows have checksums; until then a row of the table `checksum_progress` says that the
//! pages were checked, and up to where rows are done.

use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use cantata_core::{AnalysisId, LogInterval, error_chain};
use cantata_store::{Result, StoreError};
use rusqlite::{Connection, InterruptHandle, OptionalExtension, Row};

use crate::checksum::{checksum_of, of_revision};
use crate::database::{open_reader, sqlite_error, with_statement};
use crate::writer::WriteQueue;

const OPERATION: &str = "giving checksums to stored rows";

/// The `user_version` of a database whose rows all have checksums.
pub(crate) const WITH_CHECKSUMS: i64 = 1;

/// After how many bytes, and how many rows at most, a step ends.
const STEP_BYTES: usize = 1024 * 1024;
const STEP_ROWS: i64 = 1_000;

/// How long to wait before a failed step is tried again.
const RETRY_DELAY: Duration = Duration::from_secs(60);

/// How often the progress is logged.
const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// How often a check of pages is told to stop while the store is closed.
const STOP_INTERVAL: Duration = Duration::from_millis(10);

const PROGRESS_TABLE: &str =
    "CREATE TABLE IF NOT EXISTS checksum_progress (part INTEGER NOT NULL, key INTEGER NOT NULL) STRICT";

/// A table whose rows have checksums.
struct TableSpec {
    name: &'static str,
    /// Selects rows after a key, in order: the key, the checksum if there is one, and the columns that it covers.
    select: &'static str,
    /// Stores a checksum, unless the row has got one meanwhile.
    update: &'static str,
    checksum: fn(&Row<'_>) -> rusqlite::Result<u32>,
}

static TABLES: [TableSpec; 4] = [
    TableSpec {
        name: "study",
        select: "SELECT study_key, checksum, study_id, document FROM study
                 WHERE study_key > ?1 ORDER BY study_key LIMIT ?2",
        update: "UPDATE study SET checksum = ?2 WHERE study_key = ?1 AND checksum IS NULL",
        checksum: |row| Ok(checksum_of(&[row.get_ref(2)?.as_bytes()?, row.get_ref(3)?.as_bytes()?])),
    },
    TableSpec {
        name: "analysis_type",
        select: "SELECT registration, checksum, name, version, options, schema FROM analysis_type
                 WHERE registration > ?1 ORDER BY registration LIMIT ?2",
        update: "UPDATE analysis_type SET checksum = ?2 WHERE registration = ?1 AND checksum IS NULL",
        checksum: |row| {
            let version = row.get::<_, u32>(3)?.to_le_bytes();
            let text = |column: usize| Ok::<_, rusqlite::Error>(row.get_ref(column)?.as_bytes()?);
            Ok(checksum_of(&[text(2)?, &version, text(4)?, text(5)?]))
        },
    },
    TableSpec {
        name: "event",
        select: "SELECT seq, checksum, analysis_id, state, action, document FROM event
                 WHERE seq > ?1 ORDER BY seq LIMIT ?2",
        update: "UPDATE event SET checksum = ?2 WHERE seq = ?1 AND checksum IS NULL",
        checksum: |row| {
            let analysis_id = AnalysisId::from_bytes(row.get(2)?);
            Ok(of_revision(analysis_id, row.get(3)?, row.get(4)?, row.get_ref(5)?.as_bytes()?))
        },
    },
    TableSpec {
        name: "file_block",
        select: "SELECT block_key, checksum, analysis_id, files FROM file_block
                 WHERE block_key > ?1 ORDER BY block_key LIMIT ?2",
        update: "UPDATE file_block SET checksum = ?2 WHERE block_key = ?1 AND checksum IS NULL",
        checksum: |row| Ok(checksum_of(&[row.get_ref(2)?.as_bytes()?, row.get_ref(3)?.as_bytes()?])),
    },
];

/// Up to where rows have checksums: all of the tables before `part`, and of this one the rows up to a key.
#[derive(Clone, Copy)]
struct Position {
    part: usize,
    key: i64,
}

/// The thread that gives checksums; it ends with the work, or when this is dropped.
pub(crate) struct ChecksumFiller {
    /// Never sent to: the thread stops when it is dropped.
    stop: Option<Sender<()>>,
    interrupt: InterruptHandle,
    thread: Option<JoinHandle<()>>,
}

impl ChecksumFiller {
    /// Starts the thread, unless all rows have checksums.
    pub(crate) fn start(metadata: &Path, queue: WriteQueue) -> Result<Option<Self>> {
        let connection = open_reader(metadata)?;
        let sql = "PRAGMA user_version";
        let version: i64 =
            with_statement(&connection, OPERATION, sql, |select| select.query_row([], |row| row.get(0)))?;
        if version >= WITH_CHECKSUMS {
            return Ok(None);
        }
        let (stop, stopped) = channel();
        let interrupt = connection.get_interrupt_handle();
        let thread = std::thread::Builder::new()
            .name("store-checksums".to_owned())
            .spawn(move || fill_or_retry(&connection, &queue, &stopped))
            .map_err(|error| StoreError::failed("starting the thread for checksums", error))?;
        Ok(Some(Self { stop: Some(stop), interrupt, thread: Some(thread) }))
    }
}

impl Drop for ChecksumFiller {
    fn drop(&mut self) {
        self.stop = None;
        let Some(thread) = self.thread.take() else { return };
        // An interrupt concerns only what runs at that moment, so a check that begins right after it needs another.
        while !thread.is_finished() {
            self.interrupt.interrupt();
            std::thread::sleep(STOP_INTERVAL);
        }
        if thread.join().is_err() {
            tracing::error!("the store's thread for checksums panicked");
        }
    }
}

/// Returns whether the store is closed, now or within a time.
fn is_stopped(stopped: &Receiver<()>, within: Duration) -> bool {
    matches!(stopped.recv_timeout(within), Err(RecvTimeoutError::Disconnected))
}

fn fill_or_retry(connection: &Connection, queue: &WriteQueue, stopped: &Receiver<()>) {
    while let Err(error) = fill(connection, queue, stopped) {
        if is_stopped(stopped, Duration::ZERO) {
            return;
        }
        let is_damage = matches!(error, StoreError::Corrupt { .. });
        tracing::error!(error = error_chain(&error), "not all rows of metadata.db could be given checksums");
        if is_damage || is_stopped(stopped, RETRY_DELAY) {
            return;
        }
    }
}

/// Gives checksums to the rows that have none, until the store is closed.
fn fill(connection: &Connection, queue: &WriteQueue, stopped: &Receiver<()>) -> Result<()> {
    let mut position = match stored_position(connection)? {
        Some(position) => position,
        None => {
            tracing::info!("rows of an older version get checksums; first the pages of metadata.db are checked");
            ensure_intact(connection)?;
            tracing::info!("the pages of metadata.db were checked");
            let first = Position { part: 0, key: i64::MIN };
            queue.write_blocking(move |context| begin(&context.connection, first))?;
            first
        }
    };
    let lines = LogInterval::new(LOG_INTERVAL);
    let (mut rows, mut bytes) = (0, 0);
    while let Some(table) = TABLES.get(position.part) {
        if is_stopped(stopped, Duration::ZERO) {
            return Ok(());
        }
        let step = read_step(connection, table, position.key)?;
        position = match step.last_key {
            Some(key) => Position { key, ..position },
            None => Position { part: position.part + 1, key: i64::MIN },
        };
        (rows, bytes) = (rows + step.checksums.len(), bytes + step.bytes);
        queue.write_blocking(move |context| store_step(&context.connection, table, &step.checksums, position))?;
        if lines.admit().is_some() {
            tracing::info!(table = table.name, key = position.key, rows, bytes, "giving checksums to stored rows");
        }
    }
    queue.write_blocking(|context| finish(&context.connection))?;
    tracing::info!(rows, bytes, "all rows of metadata.db have checksums");
    Ok(())
}

/// Returns how far rows are done; none if the pages were not checked yet.
fn stored_position(connection: &Connection) -> Result<Option<Position>> {
    let sql = "SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'checksum_progress')";
    let has_table: bool = with_statement(connection, OPERATION, sql, |select| select.query_row([], |row| row.get(0)))?;
    if !has_table {
        return Ok(None);
    }
    let read = |row: &Row<'_>| Ok(Position { part: row.get(0)?, key: row.get(1)? });
    let sql = "SELECT part, key FROM checksum_progress";
    with_statement(connection, OPERATION, sql, |select| select.query_row([], read).optional())
}

fn ensure_intact(connection: &Connection) -> Result<()> {
    let sql = "PRAGMA integrity_check(1)";
    let found: String = with_statement(connection, OPERATION, sql, |check| check.query_row([], |row| row.get(0)))?;
    match found.as_str() {
        "ok" => Ok(()),
        _ => Err(StoreError::corrupt("metadata.db", format!("{found}; restore the data folder from a backup"))),
    }
}

/// Notes that the pages were checked.
fn begin(connection: &Connection, first: Position) -> Result<()> {
    connection.execute_batch(PROGRESS_TABLE).map_err(|error| sqlite_error(OPERATION, error))?;
    let sql = "INSERT INTO checksum_progress (part, key) VALUES (?1, ?2)";
    with_statement(connection, OPERATION, sql, |insert| insert.execute((first.part, first.key))).map(|_| ())
}

/// The rows of a step.
#[derive(Default)]
struct Step {
    /// The keys and checksums of those that have none.
    checksums: Vec<(i64, u32)>,
    last_key: Option<i64>,
    bytes: usize,
}

fn read_step(connection: &Connection, table: &TableSpec, after: i64) -> Result<Step> {
    with_statement(connection, OPERATION, table.select, |select| {
        let columns = select.column_count();
        let mut step = Step::default();
        let mut rows = select.query((after, STEP_ROWS))?;
        while step.bytes < STEP_BYTES
            && let Some(row) = rows.next()?
        {
            let key: i64 = row.get(0)?;
            step.last_key = Some(key);
            let contents = (2..columns).filter_map(|column| row.get_ref(column).ok()?.as_bytes().ok());
            step.bytes += contents.map(<[u8]>::len).sum::<usize>();
            if row.get::<_, Option<u32>>(1)?.is_none() {
                step.checksums.push((key, (table.checksum)(row)?));
            }
        }
        Ok(step)
    })
}

fn store_step(connection: &Connection, table: &TableSpec, checksums: &[(i64, u32)], position: Position) -> Result<()> {
    for &(key, checksum) in checksums {
        with_statement(connection, OPERATION, table.update, |update| update.execute((key, checksum)))?;
    }
    let sql = "UPDATE checksum_progress SET part = ?1, key = ?2";
    with_statement(connection, OPERATION, sql, |update| update.execute((position.part, position.key))).map(|_| ())
}

fn finish(connection: &Connection) -> Result<()> {
    connection
        .execute_batch("DROP TABLE IF EXISTS checksum_progress")
        .and_then(|()| connection.pragma_update(None, "user_version", WITH_CHECKSUMS))
        .map_err(|error| sqlite_error(OPERATION, error))
}
