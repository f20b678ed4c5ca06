//! Cancellation of searches whose client has disconnected.

use std::sync::{Arc, Weak};

use cantata_engine::EngineError;

/// Cancels its tokens when it is dropped, as it is with the future of a request.
#[derive(Default)]
pub(crate) struct CancelOnDrop(Arc<()>);

/// Tells a running search whether it was cancelled.
#[derive(Clone)]
pub(crate) struct CancellationToken(Weak<()>);

impl CancelOnDrop {
    pub(crate) fn token(&self) -> CancellationToken {
        CancellationToken(Arc::downgrade(&self.0))
    }
}

impl CancellationToken {
    /// # Errors
    ///
    /// If the search was cancelled.
    pub(crate) fn check(&self) -> Result<(), EngineError> {
        if self.is_cancelled() { Err(EngineError::TimedOut) } else { Ok(()) }
    }

    /// Returns whether the search was cancelled. A loop that ends early for this leaves its result incomplete, so its
    /// caller calls [`CancellationToken::check`] before it uses the result.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.0.strong_count() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_notices_that_nobody_wants_it() {
        let request = CancelOnDrop::default();
        let token = request.token();
        assert_eq!(token.check(), Ok(()));
        drop(request);
        assert_eq!(token.check(), Err(EngineError::TimedOut));
    }
}
