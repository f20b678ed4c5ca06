//! The statements of a group commit, prepared once per connection.
//!
//! Statements that run at once are pipelined: sent without waiting for each other (`biased`: in the order in which they
//! are written here).

use std::collections::HashMap;
use std::pin::pin;

use bytes::{BufMut, Bytes, BytesMut};
use cantata_core::{AnalysisId, ObjectId};
use deadpool_postgres::Object;
use futures_util::SinkExt;
use tokio::try_join;
use tokio_postgres::{Error, Row, Statement};
use uuid::Uuid;

use crate::group_plan::{CurrentRevision, EventRows, FileRows, GroupRows, StoredAnalyses, StoredChecksums, StoredFile};
use crate::notifications::EVENT_CHANNEL;
use crate::query::{SqlParam, to_bigint};

/// From this number of files on, COPY writes them; it needs one more round trip.
pub(crate) const MIN_COPY_FILES: usize = 500;

/// The result of a statement.
pub(crate) type QueryResult<T> = std::result::Result<T, Error>;

const LOCK: &str = "SELECT last FROM event_counter FOR UPDATE";

const SELECT_ANALYSES: &str =
    "SELECT analysis_id, study_key, state, revision FROM analysis WHERE analysis_id = ANY ($1)";

const SELECT_DUPLICATES: &str = "
    SELECT wanted.md5, wanted.is_narrow, stored.object_id, stored.analysis_id
    FROM unnest($1::uuid[], $2::boolean[]) AS wanted (md5, is_narrow)
    CROSS JOIN LATERAL (
        SELECT object_id, analysis_id FROM file JOIN analysis USING (analysis_id)
        WHERE file.md5 = wanted.md5 AND (NOT wanted.is_narrow OR analysis.state = 1) LIMIT 1
    ) AS stored";

const INSERT_EVENTS: &str = "
    INSERT INTO event (seq, analysis_id, study_key, state, action, document)
    SELECT * FROM unnest($1::bigint[], $2::uuid[], $3::int[], $4::smallint[], $5::smallint[], $6::text[])";

const INSERT_ANALYSES: &str = "
    INSERT INTO analysis (analysis_id, study_key, revision, state)
    SELECT * FROM unnest($1::uuid[], $2::int[], $3::bigint[], $4::smallint[])";

const UPDATE_ANALYSES: &str = "
    UPDATE analysis SET state = moved.state, revision = moved.revision
    FROM unnest($1::uuid[], $2::smallint[], $3::bigint[]) AS moved (analysis_id, state, revision)
    WHERE analysis.analysis_id = moved.analysis_id";

const DELETE_FILES: &str = "
    DELETE FROM file USING unnest($1::uuid[], $2::uuid[]) AS old (object_id, analysis_id)
    WHERE file.object_id = old.object_id AND file.analysis_id = old.analysis_id";

const INSERT_FILES: &str = "
    INSERT INTO file (object_id, analysis_id, study_key, md5, access, name)
    SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::int[], $4::uuid[], $5::smallint[], $6::text[])";

const COPY_FILES: &str = "COPY file (object_id, analysis_id, study_key, md5, access, name) FROM STDIN (FORMAT binary)";

const ADD_COUNTS: &str = "
    INSERT INTO analysis_count AS present (study_key, state, analyses)
    SELECT * FROM unnest($1::int[], $2::smallint[], $3::bigint[])
    ON CONFLICT (study_key, state) DO UPDATE SET analyses = present.analyses + excluded.analyses";

const NOTIFY: &str = "WITH counted AS (UPDATE event_counter SET last = $1) SELECT pg_notify($2, $3)";

/// The statements of a group commit.
pub(crate) struct GroupStatements {
    lock: Statement,
    analyses: Statement,
    duplicates: Statement,
    insert_events: Statement,
    insert_analyses: Statement,
    update_analyses: Statement,
    delete_files: Statement,
    insert_files: Statement,
    copy_files: Statement,
    add_counts: Statement,
    notify: Statement,
}

impl GroupStatements {
    pub(crate) async fn prepare(client: &Object) -> QueryResult<Self> {
        Ok(Self {
            lock: client.prepare_cached(LOCK).await?,
            analyses: client.prepare_cached(SELECT_ANALYSES).await?,
            duplicates: client.prepare_cached(SELECT_DUPLICATES).await?,
            insert_events: client.prepare_cached(INSERT_EVENTS).await?,
            insert_analyses: client.prepare_cached(INSERT_ANALYSES).await?,
            update_analyses: client.prepare_cached(UPDATE_ANALYSES).await?,
            delete_files: client.prepare_cached(DELETE_FILES).await?,
            insert_files: client.prepare_cached(INSERT_FILES).await?,
            copy_files: client.prepare_cached(COPY_FILES).await?,
            add_counts: client.prepare_cached(ADD_COUNTS).await?,
            notify: client.prepare_cached(NOTIFY).await?,
        })
    }

    /// Locks the row with the number of the last event and returns the number.
    pub(crate) async fn lock(&self, client: &Object) -> QueryResult<u64> {
        Ok(client.query_one(&self.lock, &[]).await?.get::<_, i64>(0).unsigned_abs())
    }

    /// Returns the current revisions of those of these analyses that exist.
    pub(crate) async fn current_revisions(&self, client: &Object, ids: &[Uuid]) -> QueryResult<StoredAnalyses> {
        let rows = client.query(&self.analyses, &[&ids]).await?;
        let read = |row: &Row| {
            (row.get(0), CurrentRevision { study_key: row.get(1), state: row.get(2), revision: row.get(3) })
        };
        Ok(rows.iter().map(read).collect())
    }

    /// Returns a stored file for each of these checksums that has one; only published analyses count where it says so.
    /// Files without an analysis are not stored yet: a group that writes its files early is no duplicate of itself.
    pub(crate) async fn duplicates(
        &self,
        client: &Object,
        md5s: &[Uuid],
        published_only: &[bool],
    ) -> QueryResult<StoredChecksums> {
        if md5s.is_empty() {
            return Ok(HashMap::new());
        }
        let rows = client.query(&self.duplicates, &[&md5s, &published_only]).await?;
        let read = |row: &Row| {
            let stored = StoredFile {
                object_id: ObjectId::from_bytes(row.get::<_, Uuid>(2).into_bytes()),
                analysis_id: AnalysisId::from_bytes(row.get::<_, Uuid>(3).into_bytes()),
            };
            ((row.get(0), row.get(1)), stored)
        };
        Ok(rows.iter().map(read).collect())
    }

    /// Writes everything but the files.
    pub(crate) async fn write_analyses(&self, client: &Object, rows: &GroupRows<'_>) -> QueryResult<()> {
        let GroupRows { events, new_analyses, updated_analyses, .. } = rows;
        let EventRows { seqs, analysis_ids, study_keys, states, actions, documents } = events;
        let (new_ids, new_studies, new_revisions, new_states) = new_analyses;
        let (updated_ids, updated_states, updated_revisions) = updated_analyses;
        try_join!(
            biased;
            run(client, &self.insert_events, [seqs, analysis_ids, study_keys, states, actions, documents]),
            run_unless(
                new_ids.is_empty(),
                run(client, &self.insert_analyses, [new_ids, new_studies, new_revisions, new_states])
            ),
            run_unless(updated_ids.is_empty(), run(client, &self.update_analyses, [updated_ids, updated_states, updated_revisions])),
        )
        .map(|_| ())
    }

    /// Deletes files that are removed or about to be written again.
    pub(crate) async fn delete_files(&self, client: &Object, rows: &GroupRows<'_>) -> QueryResult<()> {
        let (object_ids, owners) = &rows.deleted_files;
        run_unless(object_ids.is_empty(), run(client, &self.delete_files, [object_ids, owners])).await
    }

    /// Writes files.
    pub(crate) async fn write_files(&self, client: &Object, files: &FileRows<'_>) -> QueryResult<()> {
        if are_copied(files) {
            return self.copy_files(client, files).await;
        }
        let FileRows { object_ids, analysis_ids, study_keys, md5s, accesses, names } = files;
        let columns: [SqlParam<'_>; 6] = [object_ids, analysis_ids, study_keys, md5s, accesses, names];
        run_unless(object_ids.is_empty(), run(client, &self.insert_files, columns)).await
    }

    /// Writes many files with COPY, in one message, which is encoded while the database begins.
    async fn copy_files(&self, client: &Object, files: &FileRows<'_>) -> QueryResult<()> {
        let (sink, encoded) = try_join!(
            biased;
            client.copy_in::<_, Bytes>(&self.copy_files),
            async { QueryResult::Ok(encode_copy(files)) },
        )?;
        let mut sink = pin!(sink);
        sink.send(encoded).await?;
        sink.finish().await.map(|_| ())
    }

    /// Writes the counts and the number of the last event, notifies the other servers, and commits.
    pub(crate) async fn commit(&self, client: &Object, rows: &GroupRows<'_>, last_event: u64) -> QueryResult<()> {
        let (study_keys, states): (Vec<i32>, Vec<i16>) = rows.counts.keys().copied().unzip();
        let differences: Vec<i64> = rows.counts.values().copied().collect();
        let (number, payload) = (to_bigint(last_event), last_event.to_string());
        try_join!(
            biased;
            run(client, &self.add_counts, [&study_keys, &states, &differences]),
            run(client, &self.notify, [&number, &EVENT_CHANNEL, &payload]),
            client.batch_execute("COMMIT"),
        )
        .map(|_| ())
    }
}

/// Says whether files are written with COPY.
pub(crate) fn are_copied(files: &FileRows<'_>) -> bool {
    files.object_ids.len() >= MIN_COPY_FILES
}

/// Encodes files in the binary format of COPY. The driver does that, too, but waits after each page of them.
fn encode_copy(files: &FileRows<'_>) -> Bytes {
    const SIGNATURE: &[u8] = b"PGCOPY\n\xff\r\n\0";
    const COLUMNS: i16 = 6;
    const END: i16 = -1;
    let FileRows { object_ids, analysis_ids, study_keys, md5s, accesses, names } = files;
    // A length before each value.
    let row_bytes = |name: &&str| 2 + 6 * 4 + 3 * 16 + 4 + 2 + name.len();
    let mut encoded = BytesMut::with_capacity(SIGNATURE.len() + 8 + names.iter().map(row_bytes).sum::<usize>() + 2);
    encoded.put_slice(SIGNATURE);
    // No flags, no extension of the header.
    encoded.put_u64(0);
    let owners = object_ids.iter().zip(analysis_ids).zip(study_keys);
    let contents = md5s.iter().zip(accesses).zip(names);
    for (((object_id, analysis_id), study_key), ((md5, access), name)) in owners.zip(contents) {
        encoded.put_i16(COLUMNS);
        let (study_key, access) = (study_key.to_be_bytes(), access.to_be_bytes());
        let (object_id, analysis_id, md5) = (object_id.as_bytes(), analysis_id.as_bytes(), md5.as_bytes());
        let values: [&[u8]; 6] = [object_id, analysis_id, &study_key, md5, &access, name.as_bytes()];
        for value in values {
            // The whole group is far smaller than the largest length.
            encoded.put_i32(i32::try_from(value.len()).unwrap_or(i32::MAX));
            encoded.put_slice(value);
        }
    }
    encoded.put_i16(END);
    encoded.freeze()
}

async fn run<const N: usize>(client: &Object, statement: &Statement, values: [SqlParam<'_>; N]) -> QueryResult<()> {
    client.execute(statement, &values).await.map(|_| ())
}

pub(crate) async fn run_unless(is_needless: bool, running: impl Future<Output = QueryResult<()>>) -> QueryResult<()> {
    if is_needless { Ok(()) } else { running.await }
}
