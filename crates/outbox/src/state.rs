//! How the relay is doing, for those who look after it.

use tokio::sync::watch;

/// How the relay is doing, as far as this process knows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelayState {
    /// What it is doing.
    pub activity: RelayActivity,
    /// The number of the last event that is known to be acknowledged; `None` before it is known, and while another
    /// process sends.
    pub sent: Option<u64>,
}

/// What the relay is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelayActivity {
    /// It is on its way to the brokers.
    Starting,
    /// It sends what comes.
    Sending,
    /// Another process on the same database sends.
    StandingBy,
    /// It failed, and tries again after a pause; the text names no host.
    Failing(&'static str),
}

/// Looks at a relay from outside; clones look at the same.
#[derive(Debug, Clone)]
pub struct RelayWatch {
    /// The topic that it sends to.
    pub topic: String,
    pub(crate) state: watch::Receiver<RelayState>,
    pub(crate) latest: watch::Receiver<u64>,
}

impl RelayWatch {
    /// Returns how it is doing.
    pub fn state(&self) -> RelayState {
        self.state.borrow().clone()
    }

    /// Waits until it is doing as described; false if it has ended before.
    pub async fn until(&mut self, is_so: impl FnMut(&RelayState) -> bool) -> bool {
        self.state.wait_for(is_so).await.is_ok()
    }

    /// Returns the number of the latest event there is.
    pub fn latest(&self) -> u64 {
        *self.latest.borrow()
    }
}
