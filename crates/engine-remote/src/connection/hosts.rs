//! The nodes of a cluster: whose turn it is, and which are better left alone for a while.
//!
//! Nodes take turns. One that fails is left out for a pause that grows with each failure in a row; when the pause is
//! over, a single call tries it, while the others keep to the nodes that are known to work. Where every node has a
//! pause, the one whose pause ends first is tried anyway, so that a cluster that comes back is found at once.

use std::sync::Mutex;
use std::time::Duration;

use tokio::time::Instant;

use crate::settings::Address;

const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// How long other calls keep away from a node that one call tries after its pause.
const TRIAL: Duration = Duration::from_secs(3);

/// The nodes of a cluster.
pub(super) struct Hosts {
    addresses: Vec<Address>,
    state: Mutex<State>,
}

struct State {
    /// Whose turn it is.
    next: usize,
    health: Vec<Health>,
}

/// What is known of a node; the default: it works.
#[derive(Clone, Default)]
struct Health {
    /// Failures in a row.
    failures: u32,
    /// When the last of them happened.
    failed_at: Option<Instant>,
    paused_until: Option<Instant>,
}

impl Health {
    fn is_paused(&self, now: Instant) -> bool {
        self.paused_until.is_some_and(|until| until > now)
    }
}

impl Hosts {
    pub(super) fn new(addresses: Vec<Address>) -> Self {
        let health = vec![Health::default(); addresses.len()];
        Self { addresses, state: Mutex::new(State { next: 0, health }) }
    }

    pub(super) fn count(&self) -> usize {
        self.addresses.len()
    }

    pub(super) fn address(&self, host: usize) -> &Address {
        &self.addresses[host]
    }

    /// Chooses the node for a call; those that it has `tried` come last.
    pub(super) fn choose(&self, tried: &[usize]) -> usize {
        let mut state = self.lock();
        let now = Instant::now();
        let count = self.addresses.len();
        let order = (0..count).map(|step| (state.next + step) % count);
        let best = order.min_by_key(|&host| {
            let health = &state.health[host];
            (tried.contains(&host), health.is_paused(now).then_some(health.paused_until))
        });
        let chosen = best.unwrap_or_default();
        state.next = (chosen + 1) % count;
        let health = &mut state.health[chosen];
        if health.failures > 0 && !health.is_paused(now) {
            health.paused_until = Some(now + TRIAL);
        }
        chosen
    }

    /// Says whether there is a node that works and was not `tried`.
    pub(super) fn has_other(&self, tried: &[usize]) -> bool {
        let state = self.lock();
        let now = Instant::now();
        (0..self.addresses.len()).any(|host| !tried.contains(&host) && !state.health[host].is_paused(now))
    }

    /// Notes that a node answered.
    pub(super) fn works(&self, host: usize) {
        let health = std::mem::take(&mut self.lock().health[host]);
        if health.failures > 0 {
            tracing::info!(host = self.addresses[host].base, "a node of the search engine answers again");
        }
    }

    /// Notes that a node failed an attempt that began at a time. Attempts that began before the failure that is known
    /// already tell nothing new.
    pub(super) fn failed(&self, host: usize, began: Instant) {
        let health = &mut self.lock().health[host];
        if health.failed_at.is_some_and(|known| known >= began) {
            return;
        }
        if health.failures == 0 {
            tracing::warn!(host = self.addresses[host].base, "a node of the search engine fails and gets a pause");
        }
        let pause = FIRST_PAUSE.saturating_mul(1 << health.failures.min(16)).min(LONGEST_PAUSE);
        let now = Instant::now();
        *health = Health { failures: health.failures + 1, failed_at: Some(now), paused_until: Some(now + pause) };
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        // No code that holds the lock can panic; if it did, what it wrote would still be a valid state.
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Credentials;

    fn hosts(count: usize) -> Hosts {
        Hosts::new((0..count).map(|number| Address::read(&format!("h{number}"), &Credentials::None).unwrap()).collect())
    }

    fn choices(hosts: &Hosts, count: usize) -> Vec<usize> {
        (0..count).map(|_| hosts.choose(&[])).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn nodes_take_turns() {
        assert_eq!(choices(&hosts(3), 6), [0, 1, 2, 0, 1, 2]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_node_that_failed_is_left_out_and_then_tried_by_one_call() {
        let hosts = hosts(2);
        hosts.failed(0, Instant::now());
        assert_eq!(choices(&hosts, 3), [1, 1, 1]);
        tokio::time::advance(FIRST_PAUSE).await;
        assert_eq!(choices(&hosts, 3), [0, 1, 1]);
        hosts.works(0);
        assert_eq!(choices(&hosts, 4), [0, 1, 0, 1]);
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_grow_up_to_a_bound() {
        let hosts = hosts(2);
        for pause in [1, 2, 4, 8, 16, 32, 60, 60] {
            tokio::time::advance(Duration::from_millis(1)).await;
            hosts.failed(0, Instant::now());
            tokio::time::advance(Duration::from_secs(pause) - Duration::from_millis(1)).await;
            assert!(!hosts.has_other(&[1]), "within a pause of {pause} s");
            tokio::time::advance(Duration::from_millis(1)).await;
            assert!(hosts.has_other(&[1]), "after a pause of {pause} s");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn attempts_of_the_same_moment_are_one_failure() {
        let hosts = hosts(2);
        let began = Instant::now();
        for _ in 0..10 {
            hosts.failed(0, began);
        }
        tokio::time::advance(FIRST_PAUSE).await;
        assert!(hosts.has_other(&[1]));
    }

    #[tokio::test(start_paused = true)]
    async fn when_all_have_a_pause_the_one_that_ends_first_is_tried() {
        let hosts = hosts(3);
        for host in [2, 0, 1] {
            hosts.failed(host, Instant::now());
            tokio::time::advance(Duration::from_millis(1)).await;
        }
        assert_eq!(choices(&hosts, 2), [2, 2]);
        assert_eq!(hosts.choose(&[2]), 0);
        assert_eq!(hosts.choose(&[2, 0, 1]), 2);
    }
}
