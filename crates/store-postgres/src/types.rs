//! Analysis types in PostgreSQL.
//!
//! Every submission asks for the latest version of its type, so that number is cached briefly. Versions only grow: a late
//! answer with a smaller number changes nothing. A registration by another server invalidates the cache through a
//! notification; if that is lost, the entry expires.

use std::sync::Arc;
use std::time::Duration;

use cantata_core::{AnalysisType, AnalysisTypeId};
use cantata_store::{NewAnalysisType, Result, StoreError, TypeKey, TypeQuery, decode_type};
use deadpool_postgres::{GenericClient, Transaction};
use moka::ops::compute::Op;
use moka::sync::Cache;
use tokio_postgres::Row;

use crate::error::{read_error, write_error};
use crate::pool::ConnectionPool;
use crate::query::{query, query_one, query_opt, read_snapshot};

/// How long a latest version is cached.
const LATEST_VERSION_TTL: Duration = Duration::from_millis(500);

/// How many names are cached.
const MAX_CACHED_NAMES: u64 = 10_000;

const USING: &str = "using the analysis types";
const REGISTERING: &str = "registering an analysis type";

/// The channel that notifies other servers of a registration.
pub(crate) const TYPE_CHANNEL: &str = "cantata_type";

/// The analysis types, with a cache of latest versions.
pub(crate) struct TypeRepository {
    pool: Arc<ConnectionPool>,
    latest: Cache<String, u32>,
}

impl TypeRepository {
    pub(crate) fn new(pool: Arc<ConnectionPool>) -> Self {
        Self { pool, latest: Cache::builder().max_capacity(MAX_CACHED_NAMES).time_to_live(LATEST_VERSION_TTL).build() }
    }

    /// Returns the cache of latest versions, to be invalidated when another server registers a type.
    pub(crate) fn latest_versions(&self) -> Cache<String, u32> {
        self.latest.clone()
    }

    pub(crate) async fn register(&self, new: NewAnalysisType) -> Result<AnalysisType> {
        let mut client = self.pool.get().await?;
        let transaction = client.transaction().await.map_err(read_error(REGISTERING))?;
        lock(&transaction).await?;
        let registered = insert_next_version(&transaction, new).await?;
        commit_and_notify(transaction).await?;
        self.cache_version(&registered.id);
        Ok(registered)
    }

    pub(crate) async fn seed(&self, types: Vec<NewAnalysisType>) -> Result<()> {
        let mut client = self.pool.get().await?;
        let transaction = client.transaction().await.map_err(read_error(REGISTERING))?;
        lock(&transaction).await?;
        let mut registered = Vec::new();
        for new in types {
            if find(&transaction, &new.name, None).await?.is_none() {
                registered.push(insert_next_version(&transaction, new).await?.id);
            }
        }
        commit_and_notify(transaction).await?;
        registered.iter().for_each(|id| self.cache_version(id));
        Ok(())
    }

    pub(crate) async fn find(&self, name: &str, version: Option<u32>) -> Result<Option<AnalysisType>> {
        // PostgreSQL stores no text with NUL, so nothing has such a name.
        if name.contains('\0') {
            return Ok(None);
        }
        find(&self.pool.get().await?, name, version).await
    }

    /// Returns the cached latest version of a type.
    pub(crate) fn cached_version(&self, name: &str) -> Option<u32> {
        self.latest.get(name)
    }

    pub(crate) async fn latest_version(&self, name: &str) -> Result<Option<u32>> {
        if name.contains('\0') {
            return Ok(None);
        }
        let client = self.pool.get().await?;
        let row = query_one(&client, USING, "SELECT max(version) FROM analysis_type WHERE name = $1", &[&name]).await?;
        let Some(version) = row.get::<_, Option<i32>>(0) else { return Ok(None) };
        let id = AnalysisTypeId { name: name.to_owned(), version: decode_version(version)? };
        self.cache_version(&id);
        Ok(Some(id.version))
    }

    /// Caches a version, unless a later one is cached.
    fn cache_version(&self, id: &AnalysisTypeId) {
        self.latest.entry_by_ref(&id.name).and_compute_with(|known| match known {
            Some(known) if *known.value() >= id.version => Op::Nop,
            _ => Op::Put(id.version),
        });
    }

    pub(crate) async fn list(&self, wanted: &TypeQuery) -> Result<(u64, Vec<AnalysisType>)> {
        let mut client = self.pool.get().await?;
        let snapshot = read_snapshot(&mut client).await?;
        let rows = query(&snapshot, USING, "SELECT registration, name, version FROM analysis_type", &[]).await?;
        let key = |row: &Row| {
            let id = AnalysisTypeId { name: row.get(1), version: decode_version(row.get(2))? };
            Ok(TypeKey { registration: row.get(0), id })
        };
        let (total, registrations) = wanted.select(rows.iter().map(key).collect::<Result<_>>()?);
        let sql = "SELECT name, version, created_at, options, schema
                 FROM unnest($1::bigint[]) WITH ORDINALITY AS wanted (registration, position)
                 JOIN analysis_type USING (registration) ORDER BY wanted.position";
        let rows = query(&snapshot, USING, sql, &[&registrations]).await?;
        Ok((total, rows.iter().map(read_type).collect::<Result<_>>()?))
    }
}

/// Lets one server register at a time; readers are not blocked.
async fn lock(transaction: &Transaction<'_>) -> Result<()> {
    transaction
        .batch_execute("LOCK TABLE analysis_type IN SHARE ROW EXCLUSIVE MODE")
        .await
        .map_err(read_error(REGISTERING))
}

async fn insert_next_version(transaction: &Transaction<'_>, new: NewAnalysisType) -> Result<AnalysisType> {
    let latest = find(transaction, &new.name, None).await?;
    let registered = new.into_version(latest.as_ref());
    let as_json = |error: serde_json::Error| StoreError::failed("writing an analysis type as JSON", error);
    let insert = "INSERT INTO analysis_type (name, version, created_at, options, schema) VALUES ($1, $2, $3, $4, $5)";
    let insert = transaction.prepare_cached(insert).await.map_err(read_error(REGISTERING))?;
    let version = i32::try_from(registered.id.version).map_err(|error| StoreError::failed(REGISTERING, error))?;
    transaction
        .execute(
            &insert,
            &[
                &registered.id.name,
                &version,
                &registered.created_at.as_micros(),
                &serde_json::to_string(&registered.options).map_err(as_json)?,
                &serde_json::to_string(&registered.schema).map_err(as_json)?,
            ],
        )
        .await
        .map_err(read_error(REGISTERING))?;
    Ok(registered)
}

/// Commits and notifies the other servers.
async fn commit_and_notify(transaction: Transaction<'_>) -> Result<()> {
    transaction.execute("SELECT pg_notify($1, '')", &[&TYPE_CHANNEL]).await.map_err(read_error(REGISTERING))?;
    transaction.commit().await.map_err(write_error(REGISTERING))
}

async fn find(client: &impl GenericClient, name: &str, version: Option<u32>) -> Result<Option<AnalysisType>> {
    let sql = "SELECT name, version, created_at, options, schema FROM analysis_type
             WHERE name = $1 AND ($2::bigint IS NULL OR version = $2) ORDER BY version DESC LIMIT 1";
    let row = query_opt(client, USING, sql, &[&name, &version.map(i64::from)]).await?;
    row.as_ref().map(read_type).transpose()
}

fn decode_version(stored: i32) -> Result<u32> {
    u32::try_from(stored).map_err(|error| StoreError::corrupt("a version of an analysis type", error))
}

fn read_type(row: &Row) -> Result<AnalysisType> {
    let id = AnalysisTypeId { name: row.get(0), version: decode_version(row.get(1))? };
    decode_type(id, row.get(2), row.get(3), row.get(4))
}
