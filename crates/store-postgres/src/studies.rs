//! Studies in PostgreSQL. A study never changes and is never deleted, so a cached one is never stale.

use std::sync::Arc;

use cantata_core::Study;
use cantata_store::{Result, StoreError};
use moka::sync::Cache;

use crate::pool::ConnectionPool;
use crate::query::{execute, query, query_opt};

/// How many studies are cached.
const MAX_CACHED_STUDIES: u64 = 10_000;

/// A stored study.
pub(crate) struct CachedStudy {
    /// The key by which other tables name it.
    pub(crate) key: i32,
    pub(crate) study: Study,
}

/// The studies, with a cache.
pub(crate) struct StudyRepository {
    pool: Arc<ConnectionPool>,
    cache: Cache<String, Arc<CachedStudy>>,
}

impl StudyRepository {
    pub(crate) fn new(pool: Arc<ConnectionPool>) -> Self {
        Self { pool, cache: Cache::new(MAX_CACHED_STUDIES) }
    }

    pub(crate) async fn create(&self, study: &Study) -> Result<bool> {
        let document =
            serde_json::to_string(study).map_err(|error| StoreError::failed("writing a study as JSON", error))?;
        let sql = "INSERT INTO study (study_id, document) VALUES ($1, $2) ON CONFLICT (study_id) DO NOTHING";
        let client = self.pool.get().await?;
        Ok(execute(&client, "storing a study", sql, &[&study.study_id, &document]).await? == 1)
    }

    /// Returns a cached study.
    pub(crate) fn cached(&self, study_id: &str) -> Option<Arc<CachedStudy>> {
        self.cache.get(study_id)
    }

    pub(crate) async fn find(&self, study_id: &str) -> Result<Option<Arc<CachedStudy>>> {
        if let Some(cached) = self.cached(study_id) {
            return Ok(Some(cached));
        }
        // PostgreSQL stores no text with NUL, so nothing has such a name.
        if study_id.contains('\0') {
            return Ok(None);
        }
        let client = self.pool.get().await?;
        let sql = "SELECT study_key, document FROM study WHERE study_id = $1";
        let Some(row) = query_opt(&client, "reading a study", sql, &[&study_id]).await? else {
            return Ok(None);
        };
        let study = serde_json::from_str(row.get(1))
            .map_err(|error| StoreError::corrupt(format!("study {study_id}"), error))?;
        let cached = Arc::new(CachedStudy { key: row.get(0), study });
        self.cache.insert(study_id.to_owned(), Arc::clone(&cached));
        Ok(Some(cached))
    }

    /// Returns the key by which other tables name a study.
    pub(crate) async fn key(&self, study_id: &str) -> Result<Option<i32>> {
        Ok(self.find(study_id).await?.map(|study| study.key))
    }

    pub(crate) async fn ids(&self) -> Result<Vec<String>> {
        let client = self.pool.get().await?;
        let rows = query(&client, "listing studies", "SELECT study_id FROM study ORDER BY study_id", &[]).await?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }
}
