//! Exponential backoff with a deadline, for failures that pass by themselves.

use std::time::Duration;

use tokio::time::Instant;

const MIN_DELAY: Duration = Duration::from_millis(20);
const MAX_DELAY: Duration = Duration::from_millis(500);
const RETRY_TIMEOUT: Duration = Duration::from_secs(20);

/// The retries of one operation.
pub(crate) struct Backoff {
    delay: Duration,
    deadline: Instant,
}

impl Backoff {
    pub(crate) fn new() -> Self {
        Self { delay: MIN_DELAY, deadline: Instant::now() + RETRY_TIMEOUT }
    }

    /// Waits before the next attempt, or returns the error of the last one when the deadline has passed.
    pub(crate) async fn wait<E>(&mut self, error: E) -> Result<(), E> {
        if Instant::now() >= self.deadline {
            return Err(error);
        }
        tokio::time::sleep(self.delay).await;
        self.delay = (self.delay * 2).min(MAX_DELAY);
        Ok(())
    }
}
