//! The number of type versions of a server, polled as often as changes.

use std::time::Duration;

use cantata_indexing::SourceError;
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::client::SongClient;

/// The cached number.
pub(crate) struct TypeCount {
    max_age: Duration,
    cached: Mutex<Option<(Instant, u64)>>,
}

impl TypeCount {
    pub(crate) fn new(max_age: Duration) -> Self {
        Self { max_age, cached: Mutex::default() }
    }

    pub(crate) async fn get(&self, client: &SongClient) -> Result<u64, SourceError> {
        let mut cached = self.cached.lock().await;
        if let Some((at, count)) = *cached
            && at.elapsed() < self.max_age
        {
            return Ok(count);
        }
        let count = client.type_count().await?;
        *cached = Some((Instant::now(), count));
        Ok(count)
    }
}
