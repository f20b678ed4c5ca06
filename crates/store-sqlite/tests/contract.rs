//! The contract of every store, on SQLite.

use std::sync::Arc;

use async_trait::async_trait;
use cantata_store::Store;
use cantata_store::contract::Backend;
use cantata_store_sqlite::SqliteStore;
use tempfile::TempDir;

/// A folder of its own for each case.
struct SqliteBackend(TempDir);

impl SqliteBackend {
    fn new() -> Self {
        Self(TempDir::new().expect("a temporary folder can be made"))
    }
}

#[async_trait]
impl Backend for SqliteBackend {
    async fn open(&self) -> Arc<dyn Store> {
        Arc::new(SqliteStore::open(self.0.path()).expect("the store opens"))
    }
}

cantata_store::contract_tests!(SqliteBackend::new());
