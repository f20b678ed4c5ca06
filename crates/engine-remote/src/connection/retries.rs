//! As many attempts as are of use: on other nodes at once, on the same one after a while.

use std::pin::pin;
use std::time::Duration;

use cantata_engine::EngineError;
use futures_util::future::{Either, select};
use tokio::time::{Instant, sleep, timeout};

use super::attempt::Answer;
use super::cluster::Form;
use super::failure::Failure;
use super::{Call, Connection};

/// How long to wait, at most, after every node was tried; then it is tried no more.
const BACK_OFF: [Duration; 3] = [Duration::from_millis(100), Duration::from_millis(200), Duration::from_millis(400)];

impl Connection {
    /// Gets the answer to a call, with as many attempts as are of use until the deadline.
    pub(super) async fn answer(&self, call: &Call, form: &Form, deadline: Instant) -> Result<Answer, EngineError> {
        let mut pauses = BACK_OFF.into_iter();
        let mut tried = Vec::new();
        let mut attempts = 0;
        loop {
            attempts += 1;
            let failure = match self.attempt(call, form, deadline, &mut tried).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            if failure.kind.allows_another(call.is_repeatable) {
                if failure.kind.is_of_the_node() && tried.len() < self.hosts.count() {
                    continue;
                }
                if let Some(longest) = pauses.next() {
                    // Calls that failed together must not come back together.
                    let pause = longest.mul_f64(rand::random_range(0.5..1.0));
                    let pause = pause.max(failure.retry_after.unwrap_or_default());
                    if pause < deadline.saturating_duration_since(Instant::now()) {
                        sleep(pause).await;
                        tried.clear();
                        continue;
                    }
                }
            }
            let (method, path, kind) = (&call.method, &call.path, failure.kind);
            let details = failure.details;
            tracing::warn!(%method, path, attempts, ?kind, details, "a request to the search engine failed");
            return Err(kind.error());
        }
    }

    /// Asks the node whose turn it is. If it is silent for half of the time that is left, another one is asked as well,
    /// and the first answer counts: a slow search still gets all of its time, and a node that hangs costs half of it.
    /// A write is not sent twice like this: the late one could undo what was written in between.
    async fn attempt(
        &self,
        call: &Call,
        form: &Form,
        deadline: Instant,
        tried: &mut Vec<usize>,
    ) -> Result<Answer, Failure> {
        let began = Instant::now();
        let host = self.hosts.choose(tried);
        tried.push(host);
        let mut first = pin!(self.ask(host, call, form, deadline));
        if !call.is_reading || !self.hosts.has_other(tried) {
            return first.await;
        }
        let patience = deadline.saturating_duration_since(began) / 2;
        if let Ok(outcome) = timeout(patience, &mut first).await {
            return outcome;
        }
        self.hosts.failed(host, began);
        let other = self.hosts.choose(tried);
        tried.push(other);
        match select(first, pin!(self.ask(other, call, form, deadline))).await {
            Either::Left((Err(_), second)) => second.await,
            Either::Right((Err(_), first)) => first.await,
            Either::Left((answer, _)) | Either::Right((answer, _)) => answer,
        }
    }
}
