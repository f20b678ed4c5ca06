//! The credential cache of a connection.
//!
//! Clients send the same credential with every request of a connection. One that was accepted a moment ago is not
//! verified again, so that authentication costs next to nothing. An entry expires soon, and at once when a change of the
//! keys was noticed, so that a revoked key is rejected soon.

use std::hint::black_box;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cantata_access::Identity;

/// How long an entry is valid. The verifier may have a cache, too; together they must stay well below a second.
const CREDENTIAL_TTL: Duration = Duration::from_millis(250);

/// Holds the credential that was accepted last.
#[derive(Default)]
pub(crate) struct CredentialCache(Mutex<Option<CachedCredential>>);

struct CachedCredential {
    header: Box<[u8]>,
    identity: Arc<Identity>,
    generation: u64,
    until: Instant,
}

impl CredentialCache {
    /// Returns the identity of a credential that was accepted in this generation. Several clients may share the
    /// connection of a proxy, so the comparison takes constant time.
    pub(crate) fn get(&self, header: &[u8], generation: u64) -> Option<Arc<Identity>> {
        let accepted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let accepted = accepted.as_ref()?;
        let is_current = accepted.generation == generation && Instant::now() < accepted.until;
        (is_same(&accepted.header, header) && is_current).then(|| Arc::clone(&accepted.identity))
    }

    /// Caches a credential that was accepted.
    pub(crate) fn insert(&self, header: &[u8], identity: &Arc<Identity>, generation: u64) {
        let accepted = CachedCredential {
            header: header.into(),
            identity: Arc::clone(identity),
            generation,
            until: Instant::now() + CREDENTIAL_TTL,
        };
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(accepted);
    }
}

/// Compares in constant time. The usual library compares byte by byte, which for a token would take longer than
/// everything else here.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let difference = one.iter().zip(other).fold(0, |difference, (one, other)| difference | (one ^ other));
    one.len() == other.len() && black_box(difference) == 0
}
