//! The limit of open files, which bounds the number of connections.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The file descriptors reserved for the store, the engine and outgoing calls.
const RESERVED_FILES: u64 = 256;

/// Raises the limit of open files to its maximum, and returns how many of the wanted connections it allows.
pub(super) fn clamp_connections(wanted: usize) -> usize {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let allowed = match setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        Ok(()) => maximum,
        Err(error) => {
            tracing::debug!(%error, "the limit of open files cannot be raised");
            current
        }
    };
    let room = allowed
        .map_or(usize::MAX, |allowed| usize::try_from(allowed.saturating_sub(RESERVED_FILES)).unwrap_or(usize::MAX));
    if room < wanted {
        tracing::warn!("only {room} connections are possible: the limit of open files is low (ulimit -n)");
    }
    wanted.min(room.max(1))
}
