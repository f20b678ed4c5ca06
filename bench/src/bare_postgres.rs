//! The least program that could store submissions on PostgreSQL: their rows, one transaction each, sent down one
//! connection without waiting for the answers to those before.
//!
//! It writes into tables that the server has made. It checks nothing, looks nothing up, keeps no counts and tells
//! nobody; the rows are made before the clock starts.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use futures_util::{StreamExt, TryStreamExt, stream};
use tokio::runtime::Runtime;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Statement};
use uuid::Uuid;

use crate::Outcome;
use crate::bare_rows::FileRow;
use crate::load::Load;
use crate::payloads::{STUDY, unique};

/// How many submissions are in flight: as many as there are clients of the server.
const MAX_IN_FLIGHT: usize = 32;

/// A parameter of a statement.
type Parameter<'a> = &'a (dyn ToSql + Sync);

/// A database on a server, for one measurement; it goes with the value.
pub(crate) struct Database {
    runtime: Runtime,
    server: String,
    name: String,
}

impl Database {
    /// Makes a database on the server that the environment names.
    pub(crate) fn new() -> Outcome<Self> {
        let server = std::env::var("CANTATA_TEST_POSTGRES")
            .map_err(|_| "CANTATA_TEST_POSTGRES names no server: start this with databases/with-postgres")?;
        let runtime = Runtime::new()?;
        let name = format!("bench_{}", Uuid::from_u128(unique()).simple());
        runtime.block_on(run(&server, &format!("CREATE DATABASE {name}")))?;
        Ok(Self { runtime, server, name })
    }

    pub(crate) fn address(&self) -> String {
        let base = self.server.rsplit_once('/').map_or(self.server.as_str(), |(base, _)| base);
        format!("{base}/{}", self.name)
    }

    /// Commits submissions until the time is over or there are none left.
    pub(crate) fn run_bare_loop(&self, submissions: &[PostgresRows], duration: Duration) -> Outcome<Load> {
        self.runtime.block_on(async {
            let client = connect(&self.address()).await?;
            PostgresBareLoop::prepare(&client).await?.run(submissions, duration).await
        })
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        // The server goes away with everything in it at the end of the run.
        let _ = self.runtime.block_on(run(&self.server, &format!("DROP DATABASE {} WITH (FORCE)", self.name)));
    }
}

async fn connect(address: &str) -> Outcome<Client> {
    let (client, connection) = tokio_postgres::connect(address, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

async fn run(address: &str, statement: &str) -> Outcome<()> {
    Ok(connect(address).await?.batch_execute(statement).await?)
}

/// The rows of one submission; the files column by column.
pub(crate) struct PostgresRows {
    analysis_id: Uuid,
    document: String,
    object_ids: Vec<Uuid>,
    md5s: Vec<Uuid>,
    names: Vec<String>,
}

impl PostgresRows {
    /// Makes columns of the files.
    pub(crate) fn new(analysis_id: Uuid, document: String, files: Vec<FileRow>) -> Outcome<Self> {
        let (mut object_ids, mut md5s, mut names) = (Vec::new(), Vec::new(), Vec::new());
        for FileRow { object_id, checksum, name } in files {
            object_ids.push(object_id);
            md5s.push(Uuid::from_u128(checksum));
            names.push(name);
        }
        Ok(Self { analysis_id, document, object_ids, md5s, names })
    }
}

struct PostgresBareLoop<'a> {
    client: &'a Client,
    event: Statement,
    analysis: Statement,
    files: Statement,
    study_key: i32,
    last_event: AtomicI64,
}

impl<'a> PostgresBareLoop<'a> {
    async fn prepare(client: &'a Client) -> Outcome<Self> {
        client.batch_execute("SET search_path TO cantata").await?;
        let study = client.query_one("SELECT study_key FROM study WHERE study_id = $1", &[&STUDY]).await?;
        let event = client.query_one("SELECT max(seq) FROM event", &[]).await?;
        Ok(Self {
            client,
            event: client.prepare("INSERT INTO event VALUES ($1, $2, $3, 0, 0, $4)").await?,
            analysis: client.prepare("INSERT INTO analysis VALUES ($1, $2, 0, $3)").await?,
            files: client
                .prepare(
                    "INSERT INTO file (object_id, analysis_id, study_key, md5, access, name)
                     SELECT object_id, $1, $2, md5, 0, name
                     FROM unnest($3::uuid[], $4::uuid[], $5::text[]) AS file (object_id, md5, name)",
                )
                .await?,
            study_key: study.get(0),
            last_event: AtomicI64::new(event.get(0)),
        })
    }

    async fn run(&self, submissions: &[PostgresRows], duration: Duration) -> Outcome<Load> {
        let start = Instant::now();
        let in_time = submissions.iter().take_while(|_| start.elapsed() < duration);
        let requests = stream::iter(in_time)
            .map(|rows| self.store(rows))
            .buffered(MAX_IN_FLIGHT)
            .try_fold(0, |stored, ()| async move { Ok(stored + 1) })
            .await?;
        Ok(Load { requests, elapsed: start.elapsed() })
    }

    async fn store(&self, rows: &PostgresRows) -> Result<(), tokio_postgres::Error> {
        let PostgresRows { analysis_id, document, object_ids, md5s, names } = rows;
        let revision = self.last_event.fetch_add(1, Ordering::Relaxed) + 1;
        let event: [Parameter<'_>; 4] = [&revision, analysis_id, &self.study_key, document];
        let analysis: [Parameter<'_>; 3] = [analysis_id, &self.study_key, &revision];
        let files: [Parameter<'_>; 5] = [analysis_id, &self.study_key, object_ids, md5s, names];
        tokio::try_join!(
            biased;
            self.client.batch_execute("BEGIN"),
            self.client.execute(&self.event, &event),
            self.client.execute(&self.analysis, &analysis),
            self.client.execute(&self.files, &files),
            self.client.batch_execute("COMMIT"),
        )
        .map(|_| ())
    }
}
