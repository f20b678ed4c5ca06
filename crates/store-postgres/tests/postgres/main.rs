//! The contract of every store, on PostgreSQL, and what only PostgreSQL has: several servers on one database, and a
//! database that goes away.
#![expect(clippy::unwrap_used, reason = "a test helper that fails should fail its test")]

mod growing_groups;
mod loss;
mod many_files;
mod several;
mod tls;

use std::sync::Arc;

use async_trait::async_trait;
use cantata_store::Store;
use cantata_store::contract::Backend;
use cantata_store_postgres::{DatabaseUrl, PostgresStore};
use cantata_testkit::databases::{TestDatabase, postgres};

/// A database of its own for each case.
struct PostgresBackend(TestDatabase);

#[async_trait]
impl Backend for PostgresBackend {
    async fn open(&self) -> Arc<dyn Store> {
        Arc::new(open(&self.0.address()).await)
    }
}

/// Opens the store of a database, as one of several servers may.
async fn open(address: &str) -> PostgresStore {
    PostgresStore::open(&DatabaseUrl::parse(address).unwrap(), 8).await.unwrap()
}

mod contract {
    cantata_store::contract_tests!(crate::PostgresBackend(crate::postgres()));
}
