//! Analysis types in PostgreSQL.
//!
//! Every submission asks for the latest version of its type, so that number is kept in memory for a moment. Versions
//! only count up: whatever comes late with a smaller number changes nothing, and a registration by another server is
//! known when it is announced, at the latest when the moment is over.

use std::sync::Arc;
use std::time::Duration;

use cantata_core::{AnalysisType, AnalysisTypeId, Timestamp};
use cantata_store::{NewAnalysisType, Result, StoreError, TypeKey, TypeQuery};
use deadpool_postgres::{GenericClient, Transaction};
use moka::ops::compute::Op;
use moka::sync::Cache;
use tokio_postgres::{IsolationLevel, Row};

use crate::connections::Connections;
use crate::failure::{reading, writing};

/// How long a latest version is believed without asking.
const FRESH: Duration = Duration::from_millis(500);

/// How many names are kept in memory.
const KEPT_NAMES: u64 = 10_000;

const USING: &str = "using the analysis types";
const REGISTERING: &str = "registering an analysis type";

/// The channel on which servers tell each other that a type was registered.
pub(crate) const CHANNEL: &str = "cantata_type";

/// The analysis types, and the latest versions that were seen a moment ago.
pub(crate) struct Types {
    connections: Arc<Connections>,
    latest: Cache<String, u32>,
}

impl Types {
    pub(crate) fn new(connections: Arc<Connections>) -> Self {
        Self { connections, latest: Cache::builder().max_capacity(KEPT_NAMES).time_to_live(FRESH).build() }
    }

    /// Returns the memory of latest versions, to be emptied when another server registers a type.
    pub(crate) fn latest_versions(&self) -> Cache<String, u32> {
        self.latest.clone()
    }

    pub(crate) async fn register(&self, new: NewAnalysisType) -> Result<AnalysisType> {
        let mut client = self.connections.get().await?;
        let transaction = client.transaction().await.map_err(reading(REGISTERING))?;
        lock(&transaction).await?;
        let registered = append(&transaction, new).await?;
        announce(transaction).await?;
        self.note(&registered.id);
        Ok(registered)
    }

    pub(crate) async fn seed(&self, types: Vec<NewAnalysisType>) -> Result<()> {
        let mut client = self.connections.get().await?;
        let transaction = client.transaction().await.map_err(reading(REGISTERING))?;
        lock(&transaction).await?;
        let mut registered = Vec::new();
        for new in types {
            if find(&transaction, &new.name, None).await?.is_none() {
                registered.push(append(&transaction, new).await?.id);
            }
        }
        announce(transaction).await?;
        registered.iter().for_each(|id| self.note(id));
        Ok(())
    }

    pub(crate) async fn find(&self, name: &str, version: Option<u32>) -> Result<Option<AnalysisType>> {
        // PostgreSQL has no text with this sign, so nothing can be named so.
        if name.contains('\0') {
            return Ok(None);
        }
        find(&self.connections.get().await?, name, version).await
    }

    /// Returns the latest version of a type that was seen a moment ago.
    pub(crate) fn seen_version(&self, name: &str) -> Option<u32> {
        self.latest.get(name)
    }

    pub(crate) async fn latest_version(&self, name: &str) -> Result<Option<u32>> {
        if name.contains('\0') {
            return Ok(None);
        }
        let client = self.connections.get().await?;
        let select = client
            .prepare_cached("SELECT max(version) FROM analysis_type WHERE name = $1")
            .await
            .map_err(reading(USING))?;
        let row = client.query_one(&select, &[&name]).await.map_err(reading(USING))?;
        let Some(version) = row.get::<_, Option<i32>>(0) else { return Ok(None) };
        let id = AnalysisTypeId { name: name.to_owned(), version: version_of(version)? };
        self.note(&id);
        Ok(Some(id.version))
    }

    /// Keeps a version in memory, unless a later one is there.
    fn note(&self, id: &AnalysisTypeId) {
        self.latest.entry_by_ref(&id.name).and_compute_with(|known| match known {
            Some(known) if *known.value() >= id.version => Op::Nop,
            _ => Op::Put(id.version),
        });
    }

    pub(crate) async fn list(&self, query: &TypeQuery) -> Result<(u64, Vec<AnalysisType>)> {
        let mut client = self.connections.get().await?;
        let snapshot = client
            .build_transaction()
            .isolation_level(IsolationLevel::RepeatableRead)
            .read_only(true)
            .start()
            .await
            .map_err(reading(USING))?;
        let select = snapshot
            .prepare_cached("SELECT registration, name, version FROM analysis_type")
            .await
            .map_err(reading(USING))?;
        let rows = snapshot.query(&select, &[]).await.map_err(reading(USING))?;
        let key = |row: &Row| {
            let id = AnalysisTypeId { name: row.get(1), version: version_of(row.get(2))? };
            Ok(TypeKey { registration: row.get(0), id })
        };
        let (total, registrations) = query.select(rows.iter().map(key).collect::<Result<_>>()?);
        let select = snapshot
            .prepare_cached(
                "SELECT name, version, created_at, options, schema
                 FROM unnest($1::bigint[]) WITH ORDINALITY AS wanted (registration, place)
                 JOIN analysis_type USING (registration) ORDER BY place",
            )
            .await
            .map_err(reading(USING))?;
        let rows = snapshot.query(&select, &[&registrations]).await.map_err(reading(USING))?;
        Ok((total, rows.iter().map(read).collect::<Result<_>>()?))
    }
}

/// Lets one server register at a time; whoever reads is not held up.
async fn lock(transaction: &Transaction<'_>) -> Result<()> {
    transaction
        .batch_execute("LOCK TABLE analysis_type IN SHARE ROW EXCLUSIVE MODE")
        .await
        .map_err(reading(REGISTERING))
}

async fn append(transaction: &Transaction<'_>, new: NewAnalysisType) -> Result<AnalysisType> {
    let latest = find(transaction, &new.name, None).await?;
    let registered = AnalysisType {
        id: AnalysisTypeId { version: latest.as_ref().map_or(0, |latest| latest.id.version) + 1, name: new.name },
        created_at: new.created_at,
        options: new.options.inherit(latest.as_ref().map(|latest| &latest.options)),
        schema: new.schema,
    };
    let as_json = |error: serde_json::Error| StoreError::failed("writing an analysis type as JSON", error);
    let insert = transaction
        .prepare_cached(
            "INSERT INTO analysis_type (name, version, created_at, options, schema) VALUES ($1, $2, $3, $4, $5)",
        )
        .await
        .map_err(reading(REGISTERING))?;
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
        .map_err(reading(REGISTERING))?;
    Ok(registered)
}

/// Commits, and tells the other servers.
async fn announce(transaction: Transaction<'_>) -> Result<()> {
    transaction.execute("SELECT pg_notify($1, '')", &[&CHANNEL]).await.map_err(reading(REGISTERING))?;
    transaction.commit().await.map_err(writing(REGISTERING))
}

async fn find(client: &impl GenericClient, name: &str, version: Option<u32>) -> Result<Option<AnalysisType>> {
    let select = client
        .prepare_cached(
            "SELECT name, version, created_at, options, schema FROM analysis_type
             WHERE name = $1 AND ($2::bigint IS NULL OR version = $2) ORDER BY version DESC LIMIT 1",
        )
        .await
        .map_err(reading(USING))?;
    let row = client.query_opt(&select, &[&name, &version.map(i64::from)]).await.map_err(reading(USING))?;
    row.as_ref().map(read).transpose()
}

fn version_of(stored: i32) -> Result<u32> {
    u32::try_from(stored).map_err(|error| StoreError::corrupt("a version of an analysis type", error))
}

fn read(row: &Row) -> Result<AnalysisType> {
    let id = AnalysisTypeId { name: row.get(0), version: version_of(row.get(1))? };
    let corrupt = |error: serde_json::Error| StoreError::corrupt(format!("analysis type {id}"), error);
    let options = serde_json::from_str(row.get(3)).map_err(corrupt)?;
    let schema = serde_json::from_str(row.get(4)).map_err(corrupt)?;
    Ok(AnalysisType { created_at: Timestamp::from_micros(row.get(2)), options, schema, id })
}
