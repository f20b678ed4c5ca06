//! The contract of every store, on SQLite, and what only SQLite has: a look-up that can be lost and rebuilt.

mod lookup;

use std::sync::Arc;

use async_trait::async_trait;
use cantata_store::Store;
use cantata_store::contract::Backend;
use cantata_store_sqlite::SqliteStore;
use tempfile::TempDir;

/// A folder of its own for each case.
struct SqliteBackend {
    folder: TempDir,
    lookup_batch: usize,
}

impl SqliteBackend {
    fn new(lookup_batch: usize) -> Self {
        Self { folder: TempDir::new().expect("a temporary folder can be made"), lookup_batch }
    }
}

#[async_trait]
impl Backend for SqliteBackend {
    async fn open(&self) -> Arc<dyn Store> {
        let store = SqliteStore::open_with_lookup_batch(self.folder.path(), self.lookup_batch);
        Arc::new(store.expect("the store opens"))
    }
}

/// Everything a test writes stays in memory until the next start.
mod with_large_batches {
    cantata_store::contract_tests!(crate::SqliteBackend::new(65_536));
}

/// Look-up entries move to disk all the time.
mod with_small_batches {
    cantata_store::contract_tests!(crate::SqliteBackend::new(64));
}
