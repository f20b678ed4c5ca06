//! The state of the relay, for operators.

use tokio::sync::watch;

/// The state of the relay, as far as this process knows.
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
    /// It is connecting to the brokers.
    Starting,
    /// It sends events.
    Sending,
    /// Another process on the same database sends.
    StandingBy,
    /// It failed, and retries after a backoff; the text names no host.
    Failing(&'static str),
}

/// A view of the state of a relay; clones see the same one.
#[derive(Debug, Clone)]
pub struct RelayWatch {
    /// The topic that it sends to.
    pub topic: String,
    pub(crate) state: watch::Receiver<RelayState>,
    pub(crate) latest: watch::Receiver<u64>,
}

impl RelayWatch {
    /// Returns its state.
    pub fn state(&self) -> RelayState {
        self.state.borrow().clone()
    }

    /// Waits for a state; false if the relay has ended before.
    pub async fn until(&mut self, is_so: impl FnMut(&RelayState) -> bool) -> bool {
        self.state.wait_for(is_so).await.is_ok()
    }

    /// Returns the number of the latest event there is.
    pub fn latest(&self) -> u64 {
        *self.latest.borrow()
    }
}
