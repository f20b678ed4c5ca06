//! Named readers of the events: a cursor only moves forward, and only for the one holder of its lease.

use std::time::Duration;

use super::Backend;
use super::steps::race;

/// Longer than any case takes.
const LONG_LEASE: Duration = Duration::from_secs(3_600);

/// A lease of this duration has expired when it is acquired.
const EXPIRED_LEASE: Duration = Duration::ZERO;

/// A name that was never used has the cursor 0, and its lease has no holder.
pub async fn a_reader_nobody_knows_has_dealt_with_nothing(backend: &dyn Backend) {
    let store = backend.open().await;
    assert_eq!(store.cursor("r").await.unwrap(), 0);
    assert!(!store.advance_cursor("r", "a", 1).await.unwrap());
    store.release_lease("r", "a").await.unwrap();
    assert_eq!(store.cursor("r").await.unwrap(), 0);
}

/// A cursor is at the largest number it was moved to.
pub async fn a_cursor_only_moves_forward(backend: &dyn Backend) {
    let store = backend.open().await;
    assert!(store.acquire_lease("r", "a", LONG_LEASE).await.unwrap());
    assert_eq!(store.cursor("r").await.unwrap(), 0);
    for (to, expected) in [(3, 3), (3, 3), (1, 3), (0, 3), (4, 4), (1 << 40, 1 << 40), (7, 1 << 40)] {
        assert!(store.advance_cursor("r", "a", to).await.unwrap());
        assert_eq!(store.cursor("r").await.unwrap(), expected, "after moving to {to}");
    }
}

/// Without the lease, or after it has expired, the cursor cannot be advanced.
pub async fn only_the_holder_of_the_lease_moves_the_cursor(backend: &dyn Backend) {
    let store = backend.open().await;
    assert!(store.acquire_lease("r", "a", LONG_LEASE).await.unwrap());
    assert!(store.advance_cursor("r", "a", 5).await.unwrap());
    for stranger in ["b", "A", "a ", ""] {
        assert!(!store.advance_cursor("r", stranger, 9).await.unwrap(), "'{stranger}'");
    }
    assert!(store.acquire_lease("r", "a", EXPIRED_LEASE).await.unwrap());
    assert!(!store.advance_cursor("r", "a", 9).await.unwrap(), "the lease has expired");
    assert_eq!(store.cursor("r").await.unwrap(), 5);
    assert!(store.acquire_lease("r", "a", LONG_LEASE).await.unwrap());
    assert!(store.advance_cursor("r", "a", 9).await.unwrap());
    assert_eq!(store.cursor("r").await.unwrap(), 9);
}

/// Until a lease expires its holder can renew it, and no other can acquire it.
pub async fn a_lease_has_one_holder(backend: &dyn Backend) {
    let store = backend.open().await;
    for _ in 0..3 {
        assert!(store.acquire_lease("r", "a", LONG_LEASE).await.unwrap());
        assert!(!store.acquire_lease("r", "b", LONG_LEASE).await.unwrap());
        assert!(!store.acquire_lease("r", "b", EXPIRED_LEASE).await.unwrap());
    }
    assert!(store.advance_cursor("r", "a", 1).await.unwrap());
}

/// The next holder continues at the cursor of the last one, which has lost the lease.
pub async fn a_lease_that_has_run_out_is_taken_over(backend: &dyn Backend) {
    let store = backend.open().await;
    assert!(store.acquire_lease("r", "a", LONG_LEASE).await.unwrap());
    assert!(store.advance_cursor("r", "a", 5).await.unwrap());
    assert!(store.acquire_lease("r", "a", EXPIRED_LEASE).await.unwrap());
    assert!(store.acquire_lease("r", "b", LONG_LEASE).await.unwrap());
    assert_eq!(store.cursor("r").await.unwrap(), 5);
    assert!(!store.advance_cursor("r", "a", 8).await.unwrap());
    assert!(!store.acquire_lease("r", "a", LONG_LEASE).await.unwrap());
    assert!(store.advance_cursor("r", "b", 6).await.unwrap());
    assert_eq!(store.cursor("r").await.unwrap(), 6);
}

/// A lease that was released can be acquired at once; only its holder can release it.
pub async fn a_lease_that_was_given_back_is_free(backend: &dyn Backend) {
    let store = backend.open().await;
    assert!(store.acquire_lease("r", "a", LONG_LEASE).await.unwrap());
    store.release_lease("r", "b").await.unwrap();
    assert!(!store.acquire_lease("r", "b", LONG_LEASE).await.unwrap());
    store.release_lease("r", "a").await.unwrap();
    assert!(!store.advance_cursor("r", "a", 1).await.unwrap());
    assert!(store.acquire_lease("r", "b", LONG_LEASE).await.unwrap());
    store.release_lease("r", "a").await.unwrap();
    assert!(store.advance_cursor("r", "b", 1).await.unwrap());
}

/// Each name has a cursor and a lease of its own, and names are compared to the letter.
pub async fn readers_know_nothing_of_each_other(backend: &dyn Backend) {
    let store = backend.open().await;
    let names = ["kafka", "Kafka", "kafka ", "k%", "it's", ""];
    for (name, to) in names.into_iter().zip(1..) {
        assert!(store.acquire_lease(name, name, LONG_LEASE).await.unwrap(), "'{name}'");
        assert!(store.advance_cursor(name, name, to).await.unwrap(), "'{name}'");
    }
    for (name, expected) in names.into_iter().zip(1..) {
        assert_eq!(store.cursor(name).await.unwrap(), expected, "'{name}'");
        assert!(!store.acquire_lease(name, "other", LONG_LEASE).await.unwrap(), "'{name}'");
    }
}

/// Of several requests for a free lease at the same time one succeeds.
pub async fn racing_holders_have_one_winner(backend: &dyn Backend) {
    let store = backend.open().await;
    for round in 0..5 {
        let answers = race(&store, 20, |store, number| async move {
            let holder = format!("{round} {number}");
            store.acquire_lease("r", &holder, LONG_LEASE).await.unwrap().then_some(holder)
        })
        .await;
        let winners: Vec<String> = answers.into_iter().flatten().collect();
        assert_eq!(winners.len(), 1, "{winners:?}");
        assert!(store.advance_cursor("r", &winners[0], round).await.unwrap());
        store.release_lease("r", &winners[0]).await.unwrap();
    }
}

/// Cursors are where they were after the store was closed and opened again.
pub async fn cursors_survive_a_restart(backend: &dyn Backend) {
    let store = backend.open().await;
    for (reader, to) in [("r", 5), ("s", 7)] {
        assert!(store.acquire_lease(reader, "a", LONG_LEASE).await.unwrap());
        assert!(store.advance_cursor(reader, "a", to).await.unwrap());
        store.release_lease(reader, "a").await.unwrap();
    }
    drop(store);
    let store = backend.open().await;
    assert_eq!(store.cursor("r").await.unwrap(), 5);
    assert_eq!(store.cursor("s").await.unwrap(), 7);
    assert!(store.acquire_lease("r", "b", LONG_LEASE).await.unwrap());
    assert!(store.advance_cursor("r", "b", 6).await.unwrap());
    assert_eq!(store.cursor("r").await.unwrap(), 6);
}
