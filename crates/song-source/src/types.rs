//! How many versions of types a server has, asked no more often than for changes.

use std::time::Duration;

use cantata_indexing::SourceError;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::client::SongClient;

/// The number, and when it was asked for.
pub(crate) struct TypeCount {
    age: Duration,
    known: Mutex<Option<(Instant, u64)>>,
}

impl TypeCount {
    pub(crate) fn new(age: Duration) -> Self {
        Self { age, known: Mutex::default() }
    }

    pub(crate) async fn get(&self, client: &SongClient) -> Result<u64, SourceError> {
        let mut known = self.known.lock().await;
        if let Some((at, count)) = *known
            && at.elapsed() < self.age
        {
            return Ok(count);
        }
        let count = client.type_count().await?;
        *known = Some((Instant::now(), count));
        Ok(count)
    }
}
