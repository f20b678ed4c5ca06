//! The nodes of a cluster, selected round robin, with a circuit breaker for each.
//!
//! A node that fails is left out for a backoff that grows with each consecutive failure. After the backoff a single
//! request probes it, while the others keep to healthy nodes. Where every node is backing off, the one whose backoff
//! ends first is tried anyway, so that a cluster that comes back is found at once.

use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

use crate::settings::NodeAddress;

const MIN_BACKOFF: Duration = Duration::from_secs(1);
const MAX_BACKOFF: Duration = Duration::from_secs(60);
/// How long other requests avoid a node that one request probes after its backoff.
const PROBE_TIMEOUT: Duration = Duration::from_secs(3);

/// The nodes of a cluster.
pub(super) struct NodePool {
    addresses: Vec<NodeAddress>,
    state: Mutex<PoolState>,
}

struct PoolState {
    /// The next node of the rotation.
    next: usize,
    health: Vec<NodeHealth>,
}

/// The health of a node; healthy by default.
#[derive(Clone, Default)]
struct NodeHealth {
    /// Consecutive failures.
    failures: u32,
    /// When the last of them happened.
    failed_at: Option<Instant>,
    retry_at: Option<Instant>,
}

impl NodeHealth {
    fn is_backing_off(&self, now: Instant) -> bool {
        self.retry_at.is_some_and(|until| until > now)
    }
}

impl NodePool {
    pub(super) fn new(addresses: Vec<NodeAddress>) -> Self {
        let health = vec![NodeHealth::default(); addresses.len()];
        Self { addresses, state: Mutex::new(PoolState { next: 0, health }) }
    }

    pub(super) fn count(&self) -> usize {
        self.addresses.len()
    }

    pub(super) fn address(&self, host: usize) -> &NodeAddress {
        &self.addresses[host]
    }

    /// Selects the node for a request; those it has `tried` come last.
    pub(super) fn select(&self, tried: &[usize]) -> usize {
        let mut state = self.lock();
        let now = Instant::now();
        let count = self.addresses.len();
        let order = (0..count).map(|step| (state.next + step) % count);
        let best = order.min_by_key(|&host| {
            let health = &state.health[host];
            (tried.contains(&host), health.is_backing_off(now).then_some(health.retry_at))
        });
        let chosen = best.unwrap_or_default();
        state.next = (chosen + 1) % count;
        let health = &mut state.health[chosen];
        if health.failures > 0 && !health.is_backing_off(now) {
            health.retry_at = Some(now + PROBE_TIMEOUT);
        }
        chosen
    }

    /// Returns whether there is a healthy node that was not `tried`.
    pub(super) fn has_healthy_other(&self, tried: &[usize]) -> bool {
        let state = self.lock();
        let now = Instant::now();
        (0..self.addresses.len()).any(|host| !tried.contains(&host) && !state.health[host].is_backing_off(now))
    }

    /// Records that a node answered.
    pub(super) fn record_success(&self, host: usize) {
        let health = std::mem::take(&mut self.lock().health[host]);
        if health.failures > 0 {
            tracing::info!(host = self.addresses[host].base, "a node of the search engine answers again");
        }
    }

    /// Records that a node failed an attempt that began at this time. An attempt that began before the last recorded
    /// failure is ignored: it tells nothing new.
    pub(super) fn record_failure(&self, host: usize, began: Instant) {
        let health = &mut self.lock().health[host];
        if health.failed_at.is_some_and(|known| known >= began) {
            return;
        }
        if health.failures == 0 {
            tracing::warn!(host = self.addresses[host].base, "a node of the search engine fails and gets a pause");
        }
        let pause = MIN_BACKOFF.saturating_mul(1 << health.failures.min(16)).min(MAX_BACKOFF);
        let now = Instant::now();
        *health = NodeHealth { failures: health.failures + 1, failed_at: Some(now), retry_at: Some(now + pause) };
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, PoolState> {
        // No code that holds the lock can panic; if it did, what it wrote would still be a valid state.
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cantata_core::ClusterCredentials;

    fn nodes(count: usize) -> NodePool {
        NodePool::new(
            (0..count)
                .map(|number| NodeAddress::read(&format!("h{number}"), &ClusterCredentials::None).unwrap())
                .collect(),
        )
    }

    fn choices(nodes: &NodePool, count: usize) -> Vec<usize> {
        (0..count).map(|_| nodes.select(&[])).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn nodes_take_turns() {
        assert_eq!(choices(&nodes(3), 6), [0, 1, 2, 0, 1, 2]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_that_failed_is_left_out_and_then_tried_by_one_call() {
        let nodes = nodes(2);
        nodes.record_failure(0, Instant::now());
        assert_eq!(choices(&nodes, 3), [1, 1, 1]);
        tokio::time::advance(MIN_BACKOFF).await;
        assert_eq!(choices(&nodes, 3), [0, 1, 1]);
        nodes.record_success(0);
        assert_eq!(choices(&nodes, 4), [0, 1, 0, 1]);
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_grow_up_to_a_bound() {
        let nodes = nodes(2);
        for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
            tokio::time::advance(Duration::from_millis(1)).await;
            nodes.record_failure(0, Instant::now());
            tokio::time::advance(Duration::from_secs(pause) - Duration::from_millis(1)).await;
            assert!(!nodes.has_healthy_other(&[1]), "within a pause of {pause} s");
            tokio::time::advance(Duration::from_millis(1)).await;
            assert!(nodes.has_healthy_other(&[1]), "after a pause of {pause} s");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn attempts_of_the_same_moment_are_one_failure() {
        let nodes = nodes(2);
        let began = Instant::now();
        for _ in 0..10 {
            nodes.record_failure(0, began);
        }
        tokio::time::advance(MIN_BACKOFF).await;
        assert!(nodes.has_healthy_other(&[1]));
    }

    #[tokio::test(start_paused = true)]
    async fn when_all_have_a_pause_the_one_that_ends_first_is_tried() {
        let nodes = nodes(3);
        for host in [2, 0, 1] {
            nodes.record_failure(host, Instant::now());
            tokio::time::advance(Duration::from_millis(1)).await;
        }
        assert_eq!(choices(&nodes, 2), [2, 2]);
        assert_eq!(nodes.select(&[2]), 0);
        assert_eq!(nodes.select(&[2, 0, 1]), 2);
    }
}
