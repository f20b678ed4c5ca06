//! Retries: on other nodes at once, on the same one after a backoff.

use std::pin::pin;
use std::time::Duration;

use cantata_engine::EngineError;
use futures_util::future::{Either, select};
use tokio::time::{Instant, sleep, timeout};

use super::ClusterClient;
use super::attempt::NodeResponse;
use super::attempt_error::AttemptError;
use super::cluster_info::MediaTypes;
use crate::request::ClusterRequest;

/// The upper bounds of the waits after all nodes were tried, one for each round of retries.
const RETRY_BACKOFF: [Duration; 3] =
    [Duration::from_millis(100), Duration::from_millis(200), Duration::from_millis(400)];

impl ClusterClient {
    /// Sends a request, with retries until the deadline.
    pub(super) async fn send_with_retries(
        &self,
        call: &ClusterRequest,
        media_types: &MediaTypes,
        deadline: Instant,
    ) -> Result<NodeResponse, EngineError> {
        let mut backoffs = RETRY_BACKOFF.into_iter();
        let mut tried = Vec::new();
        let mut attempts = 0;
        loop {
            attempts += 1;
            let failure = match self.attempt_hedged(call, media_types, deadline, &mut tried).await {
                Ok(answer) => return Ok(answer),
                Err(failure) => failure,
            };
            if failure.kind.is_retryable(call.is_idempotent) {
                if failure.kind.is_node_failure() && tried.len() < self.nodes.count() {
                    continue;
                }
                if let Some(longest) = backoffs.next() {
                    // Jitter: requests that failed together must not be retried together.
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

    /// Sends a request to the next node and, if it has not answered after half of the remaining time, to a second one
    /// (a hedged request); the first response wins. So a slow search still gets all of its time, and a node that hangs
    /// costs half of it. Writes are never hedged: the late one could undo what was written in between.
    async fn attempt_hedged(
        &self,
        call: &ClusterRequest,
        media_types: &MediaTypes,
        deadline: Instant,
        tried: &mut Vec<usize>,
    ) -> Result<NodeResponse, AttemptError> {
        let began = Instant::now();
        let host = self.nodes.select(tried);
        tried.push(host);
        let mut first = pin!(self.send_to_node(host, call, media_types, deadline));
        if !call.is_read_only || !self.nodes.has_healthy_other(tried) {
            return first.await;
        }
        let hedge_delay = deadline.saturating_duration_since(began) / 2;
        if let Ok(outcome) = timeout(hedge_delay, &mut first).await {
            return outcome;
        }
        self.nodes.record_failure(host, began);
        let other = self.nodes.select(tried);
        tried.push(other);
        match select(first, pin!(self.send_to_node(other, call, media_types, deadline))).await {
            Either::Left((Err(_), second)) => second.await,
            Either::Right((Err(_), first)) => first.await,
            Either::Left((answer, _)) | Either::Right((answer, _)) => answer,
        }
    }
}
