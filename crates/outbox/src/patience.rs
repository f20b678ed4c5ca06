//! Waiting for what will pass by itself in a moment, but not for ever.

use std::time::Duration;

use tokio::time::Instant;

const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
const LIMIT: Duration = Duration::from_secs(20);

/// How long somebody has been waiting.
pub(crate) struct Patience {
    pause: Duration,
    until: Instant,
}

impl Patience {
    pub(crate) fn new() -> Self {
        Self { pause: FIRST_PAUSE, until: Instant::now() + LIMIT }
    }

    /// Waits a moment, or returns the reason for waiting when it took too long.
    pub(crate) async fn wait<E>(&mut self, reason: E) -> Result<(), E> {
        if Instant::now() >= self.until {
            return Err(reason);
        }
        tokio::time::sleep(self.pause).await;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        Ok(())
    }
}
