//! Studies in PostgreSQL. A study never changes and never goes away, so whichever was seen once is kept in memory.

use std::sync::Arc;

use cantata_core::Study;
use cantata_store::{Result, StoreError};
use moka::sync::Cache;

use crate::connections::Connections;
use crate::failure::{reading, writing};

/// How many studies are kept in memory.
const KEPT_STUDIES: u64 = 10_000;

/// A stored study.
pub(crate) struct KnownStudy {
    /// The key by which other tables name it.
    pub(crate) key: i32,
    pub(crate) study: Study,
}

/// The studies, and those of them that were seen.
pub(crate) struct Studies {
    connections: Arc<Connections>,
    known: Cache<String, Arc<KnownStudy>>,
}

impl Studies {
    pub(crate) fn new(connections: Arc<Connections>) -> Self {
        Self { connections, known: Cache::new(KEPT_STUDIES) }
    }

    pub(crate) async fn create(&self, study: &Study) -> Result<bool> {
        let document =
            serde_json::to_string(study).map_err(|error| StoreError::failed("writing a study as JSON", error))?;
        let failed = writing("storing a study");
        let client = self.connections.get().await?;
        let insert = client
            .prepare_cached("INSERT INTO study (study_id, document) VALUES ($1, $2) ON CONFLICT (study_id) DO NOTHING")
            .await
            .map_err(reading("storing a study"))?;
        client.execute(&insert, &[&study.study_id, &document]).await.map(|stored| stored == 1).map_err(failed)
    }

    /// Returns a study that was seen.
    pub(crate) fn seen(&self, study_id: &str) -> Option<Arc<KnownStudy>> {
        self.known.get(study_id)
    }

    pub(crate) async fn find(&self, study_id: &str) -> Result<Option<Arc<KnownStudy>>> {
        if let Some(known) = self.seen(study_id) {
            return Ok(Some(known));
        }
        // PostgreSQL has no text with this sign, so nothing can be named so.
        if study_id.contains('\0') {
            return Ok(None);
        }
        let failed = reading("reading a study");
        let client = self.connections.get().await?;
        let select =
            client.prepare_cached("SELECT study_key, document FROM study WHERE study_id = $1").await.map_err(failed)?;
        let Some(row) = client.query_opt(&select, &[&study_id]).await.map_err(failed)? else {
            return Ok(None);
        };
        let study = serde_json::from_str(row.get(1))
            .map_err(|error| StoreError::corrupt(format!("study {study_id}"), error))?;
        let known = Arc::new(KnownStudy { key: row.get(0), study });
        self.known.insert(study_id.to_owned(), Arc::clone(&known));
        Ok(Some(known))
    }

    /// Returns the key by which other tables name a study.
    pub(crate) async fn key(&self, study_id: &str) -> Result<Option<i32>> {
        Ok(self.find(study_id).await?.map(|known| known.key))
    }

    pub(crate) async fn ids(&self) -> Result<Vec<String>> {
        let failed = reading("listing studies");
        let client = self.connections.get().await?;
        let select = client.prepare_cached("SELECT study_id FROM study ORDER BY study_id").await.map_err(failed)?;
        let rows = client.query(&select, &[]).await.map_err(failed)?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }
}
