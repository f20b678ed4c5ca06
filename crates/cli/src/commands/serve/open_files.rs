//! The limit of open files, which bounds the number of connections.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::error::CliError;

/// The file descriptors reserved for the store, the engine and outgoing calls.
const RESERVED_FILES: u64 = 256;

/// The fewest connections that a server is started for.
const MIN_CONNECTIONS: u64 = 16;

/// Raises the limit of open files to its maximum and returns it; `None` means that there is none.
///
/// # Errors
///
/// If it is too low for a server, which would open its files and then accept no connection.
pub(super) fn raise_limit() -> Result<Option<u64>, CliError> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let allowed = match setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }) {
        Ok(()) => maximum,
        Err(error) => {
            tracing::debug!(%error, "the limit of open files cannot be raised");
            current
        }
    };
    let needed = RESERVED_FILES + MIN_CONNECTIONS;
    match allowed {
        Some(allowed) if allowed < needed => Err(CliError::failed(format!(
            "the limit of open files is {allowed}, and a server needs {needed} or more; raise it with `ulimit -n 4096`, \
             LimitNOFILE=4096 of systemd or --ulimit nofile=4096 of a container"
        ))),
        _ => Ok(allowed),
    }
}

/// Returns how many of the wanted connections a limit of open files allows.
pub(super) fn clamp_connections(wanted: usize, allowed: Option<u64>) -> usize {
    let room = allowed
        .map_or(usize::MAX, |allowed| usize::try_from(allowed.saturating_sub(RESERVED_FILES)).unwrap_or(usize::MAX));
    if room < wanted {
        tracing::warn!("only {room} connections are possible: the limit of open files is low (ulimit -n)");
    }
    wanted.min(room)
}
