//! File descriptors: every connection takes one, and a process has only so many.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// How many are kept for everything that is no connection: the store, the engine, calls to other servers.
const KEPT: u64 = 256;

/// Asks the system for as many as it gives, and returns how many of the connections that are wanted there is room for.
pub(crate) fn room_for_connections(wanted: usize) -> usize {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let allowed = match setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        Ok(()) => maximum,
        Err(error) => {
            tracing::debug!(%error, "the limit of open files stays as it is");
            current
        }
    };
    let room =
        allowed.map_or(usize::MAX, |allowed| usize::try_from(allowed.saturating_sub(KEPT)).unwrap_or(usize::MAX));
    if room < wanted {
        tracing::warn!(
            "there is room for {room} connections only, since a process may have few files open (ulimit -n)"
        );
    }
    wanted.min(room.max(1))
}
