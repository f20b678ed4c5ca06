//! The least program that could store submissions: one thread that writes their rows, one transaction each.
//!
//! It writes into a database that the server has made, so tables and indexes are the server's, with the same settings
//! for durability. It checks nothing, looks nothing up and keeps no counts; the rows are made before the clock starts.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::Connection;
use uuid::Uuid;

use crate::Outcome;
use crate::bare_rows::FileRow;
use crate::load::Load;
use crate::payloads::STUDY;

/// The rows of one submission.
pub(crate) struct SqliteRows {
    analysis_id: Uuid,
    document: String,
    /// The block of files as the server packs it.
    files: Vec<u8>,
}

impl SqliteRows {
    /// Packs the rows as the server does.
    pub(crate) fn new(analysis_id: Uuid, document: String, files: Vec<FileRow>) -> Outcome<Self> {
        let mut block = Vec::new();
        for FileRow { object_id, checksum, name } in files {
            block.extend_from_slice(object_id.as_bytes());
            block.extend_from_slice(&checksum.to_be_bytes());
            block.push(0);
            block.extend_from_slice(&u32::try_from(name.len())?.to_le_bytes());
            block.extend_from_slice(name.as_bytes());
        }
        Ok(Self { analysis_id, document, files: block })
    }
}

/// A connection to a database that the server has made and left.
pub(crate) struct SqliteBareLoop {
    connection: Connection,
    study_key: i64,
}

impl SqliteBareLoop {
    pub(crate) fn open(folder: &Path) -> Outcome<Self> {
        let connection = Connection::open(folder.join("metadata.db"))?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        connection.pragma_update(None, "cache_size", -32_768)?;
        connection.pragma_update(None, "wal_autocheckpoint", 4_000)?;
        let study_key =
            connection.query_row("SELECT study_key FROM study WHERE study_id = ?1", [STUDY], |row| row.get(0))?;
        Ok(Self { connection, study_key })
    }

    /// Commits submissions one after the other until the time is over or there are none left.
    pub(crate) fn run(&self, submissions: &[SqliteRows], duration: Duration) -> Outcome<Load> {
        let prepare = |statement| self.connection.prepare(statement);
        let mut begin = prepare("BEGIN IMMEDIATE")?;
        let mut event =
            prepare("INSERT INTO event (analysis_id, study_key, state, action, document) VALUES (?1, ?2, 0, 0, ?3)")?;
        let mut analysis =
            prepare("INSERT INTO analysis (analysis_id, study_key, state, revision) VALUES (?1, ?2, 0, ?3)")?;
        let mut block = prepare("INSERT INTO file_block (study_key, analysis_id, files) VALUES (?1, ?2, ?3)")?;
        let mut commit = prepare("COMMIT")?;
        let start = Instant::now();
        let mut requests = 0;
        for rows in submissions {
            if start.elapsed() >= duration {
                break;
            }
            let id = rows.analysis_id.as_bytes();
            begin.execute([])?;
            let revision = event.insert((id, self.study_key, &rows.document))?;
            analysis.execute((id, self.study_key, revision))?;
            block.execute((self.study_key, id, &rows.files))?;
            commit.execute([])?;
            requests += 1;
        }
        Ok(Load { requests, elapsed: start.elapsed() })
    }
}
