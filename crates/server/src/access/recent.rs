//! What a connection remembers of the credential that came by it last.
//!
//! Clients send the same credential with every request of a connection. One that was accepted a moment ago is not
//! looked up again, so that proving who asks costs next to nothing; a moment later it is, and as soon as a change of the
//! keys was noticed, so that a key that was revoked is refused soon.

use std::hint::black_box;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cantata_access::Identity;

/// How long a credential that was accepted is remembered. What checks it may remember it for a while, too; together
/// they must stay well below a second.
const REMEMBERED: Duration = Duration::from_millis(250);

/// The credential that came last and was accepted.
#[derive(Default)]
pub(crate) struct RecentCredential(Mutex<Option<Accepted>>);

struct Accepted {
    header: Box<[u8]>,
    identity: Arc<Identity>,
    generation: u64,
    until: Instant,
}

impl RecentCredential {
    /// Returns whose credential it is, if it is the one that was accepted a moment ago, in this generation. Others may
    /// use the connection of a proxy, so the time this takes must not tell how much of it is right.
    pub(crate) fn recall(&self, header: &[u8], generation: u64) -> Option<Arc<Identity>> {
        let accepted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let accepted = accepted.as_ref()?;
        let is_current = accepted.generation == generation && Instant::now() < accepted.until;
        (is_same(&accepted.header, header) && is_current).then(|| Arc::clone(&accepted.identity))
    }

    /// Remembers a credential that was accepted.
    pub(crate) fn remember(&self, header: &[u8], identity: &Arc<Identity>, generation: u64) {
        let accepted = Accepted {
            header: header.into(),
            identity: Arc::clone(identity),
            generation,
            until: Instant::now() + REMEMBERED,
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(accepted);
    }
}

/// Compares all bytes, wherever they differ. The usual library does so byte by byte, which for a token would take longer
/// than the rest of what is here.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let difference = one.iter().zip(other).fold(0, |difference, (one, other)| difference | (one ^ other));
    one.len() == other.len() && black_box(difference) == 0
}
